//! The words of dates: months, weekdays, zones, and what only joins, in English, German, French, Spanish, Italian,
//! Portuguese, Dutch, Swedish, Danish and Norwegian, in full and as abbreviated.

use chrono_tz::Tz;

/// A letter's mark that stands as a character of its own (NFD).
pub(super) fn is_accent(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

/// In lower case, without accents.
fn folded(word: &str) -> String {
    let plain = |c| match c {
        'á' | 'à' | 'ä' | 'å' => 'a',
        'é' | 'è' | 'ê' => 'e',
        'ì' | 'í' => 'i',
        'ö' | 'ø' | 'ó' => 'o',
        'û' | 'ü' | 'ú' => 'u',
        'ç' => 'c',
        c => c,
    };
    word.chars().flat_map(char::to_lowercase).filter(|&c| !is_accent(c)).map(plain).collect()
}

const MONTHS: [&str; 12] = [
    "january jan januar janner jaenner janvier janv enero ene gennaio gen janeiro januari",
    "february feb februar februari fevrier fevr fev febrero febbraio fevereiro",
    "march mar marz maerz mrz mars marzo marco maart mrt marts",
    "april apr avril avr abril abr aprile",
    "may mai mayo maggio mag maio mei maj",
    "june jun juni juin junio giugno giu junho",
    "july jul juli juillet juil julio luglio lug julho",
    "august aug aout agosto ago augustus augusti",
    "september sep sept septembre septiembre setiembre settembre set setembro",
    "october oct oktober okt octobre octubre ottobre ott outubro out",
    "november nov novembre noviembre novembro",
    "december dec dezember dez decembre diciembre dic dicembre dezembro desember des",
];

/// The number of a month's name.
pub(super) fn month(word: &str) -> Option<u32> {
    let word = folded(word);
    (1..).zip(MONTHS).find(|(_, names)| names.split(' ').any(|n| n == word)).map(|(number, _)| number)
}

const WEEKDAYS: &str = "monday mon tuesday tue tues wednesday wed thursday thu thur thurs friday fri saturday sat sunday \
    sun montag mo dienstag di mittwoch mi donnerstag do freitag fr samstag sonnabend sa sonntag so lundi lun mardi mar \
    mercredi mer jeudi jeu vendredi ven samedi sam dimanche dim lunes martes miercoles mie jueves jue viernes vie sabado \
    sab domingo dom lunedi martedi mercoledi giovedi gio venerdi sabato domenica segunda terca quarta quinta sexta \
    maandag ma dinsdag woensdag wo donderdag vrijdag vr zaterdag za zondag zo mandag tisdag tirsdag onsdag torsdag \
    fredag lordag sondag";

/// Whether a word is a weekday's name.
pub(super) fn is_weekday(word: &str) -> bool {
    let word = folded(word);
    WEEKDAYS.split(' ').any(|n| n == word)
}

/// Whether a word stands between the parts of a date and says nothing.
pub(super) fn is_joint(word: &str) -> bool {
    ["on", "of", "the", "de", "del", "den", "le", "el", "il", "feira"].contains(&folded(word).as_str())
}

/// Whether letters behind a number only say that it counts.
pub(super) fn is_ordinal(ending: &str) -> bool {
    ["st", "nd", "rd", "th", "er", "e", "º", "ª"].contains(&ending.to_lowercase().as_str())
}

/// Whether a word joins a day and a time, besides `T`.
pub(super) fn is_time_joint(word: &str) -> bool {
    ["at", "um", "a", "as", "om", "kl", "alle"].contains(&folded(word).as_str())
}

/// A zone that an abbreviation names.
pub(super) enum Zone {
    /// So many minutes east of UTC.
    Minutes(i32),
    /// The clocks of a place, summer and winter.
    Place(Tz),
}

/// The zone of an abbreviation: RFC 2822's, and those that mean one zone in the press of their place.
pub(super) fn zone(name: &str) -> Option<Zone> {
    let hours = match name.to_ascii_uppercase().as_str() {
        "Z" | "UTC" | "GMT" | "UT" | "WET" => 0,
        "EST" | "CDT" => -5,
        "EDT" | "AST" => -4,
        "CST" | "MDT" => -6,
        "MST" | "PDT" => -7,
        "PST" | "AKDT" => -8,
        "AKST" => -9,
        "HST" => -10,
        "ADT" => -3,
        "BST" | "CET" | "MEZ" | "WEST" => 1,
        "CEST" | "MESZ" | "EET" => 2,
        "EEST" | "MSK" => 3,
        "JST" | "KST" => 9,
        "AEST" => 10,
        "AEDT" => 11,
        "NZST" => 12,
        "NZDT" => 13,
        "ET" => return Some(Zone::Place(chrono_tz::America::New_York)),
        "CT" => return Some(Zone::Place(chrono_tz::America::Chicago)),
        "MT" => return Some(Zone::Place(chrono_tz::America::Denver)),
        "PT" => return Some(Zone::Place(chrono_tz::America::Los_Angeles)),
        _ => return None,
    };
    Some(Zone::Minutes(hours * 60))
}

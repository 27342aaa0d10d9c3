//! The words of dates: months, weekdays, zones, and what only joins, in English, German, French, Spanish, Italian,
//! Portuguese, Dutch, Swedish, Danish and Norwegian, in full and as abbreviated; months also in Arabic, Bulgarian,
//! Catalan, Croatian, Czech, Estonian, Finnish, Greek, Hebrew, Hindi, Hungarian, Indonesian, Latvian, Lithuanian, Malay,
//! Polish, Romanian, Russian, Serbian, Slovenian, Thai, Turkish and Ukrainian.

use chrono_tz::Tz;
use std::collections::HashMap;
use std::sync::LazyLock;

/// A letter's mark that stands as a character of its own (NFD).
pub(super) fn is_accent(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

/// Whether a character is part of a word: a letter, its accent, or a sign that Hindi and Thai put into words.
pub(super) fn is_of_word(c: char) -> bool {
    c.is_alphabetic() || is_accent(c) || matches!(c, '\u{93c}' | '\u{94d}' | '\u{e47}'..='\u{e4e}')
}

/// Whether a letter is Thai's: years beside it may count from the Buddha.
pub(super) fn is_thai(c: char) -> bool {
    ('\u{e01}'..='\u{e4e}').contains(&c)
}

/// Whether a word says that the number behind it is a month: Vietnamese counts them.
pub(super) fn is_month_of_number(word: &str) -> bool {
    folded(word) == "thang"
}

/// In lower case, without accents.
fn folded(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let plain = |c| match c {
        'á' | 'à' | 'ä' | 'å' | 'ă' | 'ā' => 'a',
        'é' | 'è' | 'ê' | 'ě' | 'ę' | 'ė' | 'ē' => 'e',
        'ì' | 'í' | 'ı' | 'ī' => 'i',
        'ö' | 'ø' | 'ó' => 'o',
        'û' | 'ü' | 'ú' | 'ů' | 'ū' => 'u',
        'ç' | 'č' | 'ć' => 'c',
        'ğ' => 'g',
        'ł' => 'l',
        'ń' | 'ň' => 'n',
        'ř' => 'r',
        'ş' | 'š' | 'ś' => 's',
        'ý' => 'y',
        'ž' | 'ź' | 'ż' => 'z',
        'ά' => 'α',
        'έ' => 'ε',
        'ί' | 'ϊ' | 'ΐ' => 'ι',
        'ό' => 'ο',
        'ύ' => 'υ',
        'ώ' => 'ω',
        c => c,
    };
    word.chars().flat_map(char::to_lowercase).filter(|&c| !is_accent(c)).map(plain).collect()
}

#[rustfmt::skip]
const MONTHS: [&str; 12] = [
    "january jan januar janner jaenner janvier janv enero ene gennaio gen janeiro januari gener ianuarie styczen \
     stycznia sty leden ledna januara sijecanj sijecnja tammikuu tammikuuta ocak oca ιανουαριου ιαν \
     январь января янв січень січня січ януари يناير ינואר \
     jaanuar janvaris janvara sausis sausio јануар जनवरी มกราคม",
    "february feb februar februari fevrier fevr fev febrero febbraio fevereiro febrer februarie luty lutego lut unor \
     unora februara veljaca veljace helmikuu helmikuuta subat sub φεβρουαριου φεβ февраль февраля фев лютий лютого лют \
     февруари فبراير شباط פברואר \
     veebruar februaris vasaris vasario фебруар फरवरी กุมภาพันธ์",
    "march mar marz maerz mrz mars marzo marco maart mrt marts marc martie marzec marca brezen brezna ozujak ozujka \
     maaliskuu maaliskuuta mart marcius μαρτιου μαρ март марта мар березень березня бер مارس آذار מרץ maret \
     marta marec kovas kovo मार्च มีนาคม",
    "april apr avril avr abril abr aprile aprilie kwiecien kwietnia kwi duben dubna aprila travanj travnja huhtikuu \
     huhtikuuta nisan nis aprilis απριλιου απρ апрель апреля апр квітень квітня квіт кві април أبريل ابريل نيسان אפריל \
     aprill balandis balandzio अप्रैल เมษายน",
    "may mai mayo maggio mag maio mei maj maig maja kveten kvetna svibanj svibnja toukokuu toukokuuta mayis majus μαιου μαι \
     май мая травень травня трав тра مايو أيار מאי \
     maijs maija geguze geguzes мај मई พฤษภาคม",
    "june jun juni juin junio giugno giu junho juny iunie czerwiec czerwca cze cerven cervna juna lipanj lipnja kesakuu \
     kesakuuta haziran haz junius ιουνιου ιουν июнь июня июн червень червня черв чер юни يونيو حزيران יוני \
     juuni junijs junija junij birzelis birzelio јун जून มิถุนายน",
    "july jul juli juil juillet julio luglio lug julho juliol iulie lipiec lipca lip cervenec cervence jula srpanj \
     srpnja heinakuu heinakuuta temmuz tem julius ιουλιου ιουλ июль июля июл липень липня лип юли يوليو تموز יולי \
     juuli julijs julija julij liepa liepos julai јул जुलाई กรกฎาคม",
    "august aug aout agosto ago augustus augusti agost sierpien sierpnia sie srpen srpna augusta kolovoz kolovoza elokuu \
     elokuuta agustos agu augusztus αυγουστου αυγ август августа авг серпень серпня серп сер أغسطس اغسطس آب אוגוסט agustus \
     augusts avgust rugpjutis rugpjucio ogos अगस्त สิงหาคม",
    "september sep sept septembre septiembre setiembre settembre set setembro setembre septembrie wrzesien wrzesnia wrz \
     zari septembra rujan rujna syyskuu syyskuuta eylul eyl szeptember szept σεπτεμβριου σεπ сентябрь сентября сен сент \
     вересень вересня вер септември سبتمبر أيلول ספטמבר \
     septembris septembri rugsejis rugsejo септембар सितंबर सितम्बर กันยายน",
    "october oct oktober okt octobre octubre ottobre ott outubro out octombrie pazdziernik pazdziernika paz rijen rijna \
     oktobra lokakuu lokakuuta ekim eki οκτωβριου οκτ октябрь октября окт жовтень жовтня жовт жов октомври \
     أكتوبر اكتوبر אוקטובר \
     oktoober oktobris oktobri spalis spalio октобар अक्टूबर अक्तूबर ตุลาคม",
    "november nov novembre noviembre novembro noiembrie listopad listopada lis novembra studeni studenoga marraskuu \
     marraskuuta kasim kas νοεμβριου νοε ноябрь ноября ноя листопад листопада лист лис ноември نوفمبر נובמבר nopember \
     novembris novembri lapkritis lapkricio новембар नवंबर नवम्बर พฤศจิกายน",
    "december dec dezember dez decembre diciembre dic dicembre dezembro desember des desembre decembrie grudzien grudnia \
     gru prosinec prosince decembra prosinac prosinca joulukuu joulukuuta aralik ara δεκεμβριου δεκ декабрь декабря дек \
     грудень грудня груд гру декември ديسمبر דצמבר \
     detsember decembris decembri gruodis gruodzio disember децембар दिसंबर दिसम्बर ธันวาคม",
];

/// Longest name of a month, in bytes.
const MAX_NAME: usize = 32;

/// The number of a month's name.
pub(super) fn month(word: &str) -> Option<u32> {
    if word.len() > MAX_NAME {
        return None;
    }
    let word = folded(word);
    // Hebrew writes "in" and the month as one word.
    let word = word.strip_prefix('ב').unwrap_or(&word);
    BY_NAME.get(word).copied()
}

/// The months by their names; of a name that two languages give to two months the first counts.
static BY_NAME: LazyLock<HashMap<&'static str, u32>> = LazyLock::new(|| {
    let all = (1..).zip(MONTHS).flat_map(|(number, names)| names.split(' ').map(move |name| (name, number)));
    let mut by_name = HashMap::new();
    all.for_each(|(name, number)| {
        by_name.entry(name).or_insert(number);
    });
    by_name
});

/// Each between spaces.
const WEEKDAYS: &str = " monday mon tuesday tue tues wednesday wed thursday thu thur thurs friday fri saturday sat sunday \
    sun montag mo dienstag di mittwoch mi donnerstag do freitag fr samstag sonnabend sa sonntag so lundi lun mardi mar \
    mercredi mer jeudi jeu vendredi ven samedi sam dimanche dim lunes martes miercoles mie jueves jue viernes vie sabado \
    sab domingo dom lunedi martedi mercoledi giovedi gio venerdi sabato domenica segunda terca quarta quinta sexta \
    maandag ma dinsdag woensdag wo donderdag vrijdag vr zaterdag za zondag zo mandag tisdag tirsdag onsdag torsdag \
    fredag lordag sondag ";

/// Whether a word is a weekday's name.
pub(super) fn is_weekday(word: &str) -> bool {
    let between_spaces = format!(" {} ", folded(word));
    memchr::memmem::find(WEEKDAYS.as_bytes(), between_spaces.as_bytes()).is_some()
}

/// Whether a word stands between the parts of a date and says nothing.
pub(super) fn is_joint(word: &str) -> bool {
    ["on", "of", "the", "de", "del", "den", "le", "el", "il", "feira", "ngay", "nam"].contains(&folded(word).as_str())
}

/// Whether letters behind a number only say that it counts.
pub(super) fn is_ordinal(ending: &str) -> bool {
    ["st", "nd", "rd", "th", "er", "e", "º", "ª"].contains(&ending.to_lowercase().as_str())
}

/// Whether a word joins a day and a time, besides `T`.
pub(super) fn is_time_joint(word: &str) -> bool {
    ["at", "um", "a", "as", "om", "kl", "alle"].contains(&folded(word).as_str())
}

/// The half of the day that a word before a time names: whether it is the afternoon.
pub(super) fn half_of_day(word: &str) -> Option<bool> {
    match folded(word).as_str() {
        "오전" | "上午" | "午前" | "凌晨" | "清晨" | "早上" | "am" => Some(false),
        "오후" | "下午" | "午後" | "午后" | "傍晚" | "pm" => Some(true),
        _ => None,
    }
}

/// Whether a word between a day and a time says nothing of the hour: the word for "year", a weekday.
pub(super) fn is_of_day(word: &str) -> bool {
    const YEAR: [&str; 7] = ["г", "года", "год", "р", "року", "r", "roku"];
    let word = folded(word);
    YEAR.contains(&word.as_str())
        || is_weekday(&word)
        || is_time_joint(&word)
        || ["в", "о", "kell", "ora", "o"].contains(&word.as_str())
        || word.starts_with("星期")
        || word.starts_with(['週', '周'])
        || word.ends_with("曜日")
        || word.ends_with("요일")
        || "日月火水木金土월화수목금토일".contains(&word)
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

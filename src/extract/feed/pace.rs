//! How often a feed wants to be asked.
//!
//! In: decoded text of RSS or Atom. Out: seconds between two polls: `ttl` (RSS 2.0, in minutes), else the syndication
//! module's `updatePeriod` and `updateFrequency`. Fields that stand behind the first item are not looked for.
//! Deliberately absent: `skipHours` and `skipDays`, which say when nothing comes, and `updateBase`.

use super::scan::{Scan, Token};
use super::space::local;

/// Longer waits are as good as never.
const MOST: i64 = 365 * 86_400;

/// The seconds that a feed wants between two polls, where it says so.
pub(super) fn pace(text: &str) -> Option<i64> {
    let (mut ttl, mut period, mut times) = (None, None, 1);
    let mut field = "";
    for token in (Scan { text, at: 0 }) {
        match token {
            Token::Open(tag) if matches!(local(tag.name), "item" | "entry") => break,
            Token::Open(tag) => field = tag.name,
            Token::Close(_) => field = "",
            Token::Text(said) | Token::Literal(said) => {
                let said = said.trim();
                let number = || said.parse::<i64>().ok().filter(|n| *n > 0);
                match local(field) {
                    "ttl" => ttl = number().map(|minutes| minutes.saturating_mul(60)),
                    "updatePeriod" => period = seconds(said),
                    "updateFrequency" => times = number().unwrap_or(1),
                    _ => {}
                }
            }
        }
    }
    ttl.or(period.map(|period: i64| (period / times).max(1))).map(|pace| pace.min(MOST))
}

fn seconds(period: &str) -> Option<i64> {
    Some(match period.to_ascii_lowercase().as_str() {
        "hourly" => 3_600,
        "daily" => 86_400,
        "weekly" => 7 * 86_400,
        "monthly" => 30 * 86_400,
        "yearly" => MOST,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feed_says_how_often_it_wants_to_be_asked() {
        let channel = |head: &str| pace(&format!("<rss><channel>{head}<item><ttl>1</ttl></item></channel></rss>"));
        assert_eq!(channel("<ttl>60</ttl>"), Some(3_600));
        let sy = "<sy:updatePeriod>\n hourly\t</sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency>";
        assert_eq!(channel(sy), Some(1_800));
        assert_eq!(channel("<sy:updatePeriod>daily</sy:updatePeriod>"), Some(86_400));
        assert_eq!(channel(&format!("{sy}<ttl>5</ttl>")), Some(300), "ttl is RSS's own");
        for nothing in ["", "<ttl></ttl>", "<ttl>-5</ttl>", "<ttl>soon</ttl>", "<sy:updatePeriod>now</sy:updatePeriod>"]
        {
            assert_eq!(channel(nothing), None, "{nothing}");
        }
        assert_eq!(channel("<ttl>9223372036854775807</ttl>"), Some(MOST));
        assert_eq!(
            channel("<x:updatePeriod>hourly</x:updatePeriod><x:updateFrequency>9999999</x:updateFrequency>"),
            Some(1)
        );
    }
}

//! How long posts are kept: texts go with age, what tells a post from a new one never does.

use crate::harness::topic;
use crate::identity::History;
use std::fs;

const DAY: i64 = 86_400;

/// A history whose texts are kept for 30 days, with feeds of two entries.
fn history() -> History {
    let h = History::new();
    let file = h.home.path("pagewire.toml");
    let config = fs::read_to_string(&file).unwrap();
    let config = config
        .replace("database = \"state.db\"", "database = \"state.db\"\nkeep = \"30d\"")
        .replace("directory = \"out\"", "directory = \"out\"\nentries = 2\nentries_max = 2");
    fs::write(file, config).unwrap();
    h
}

fn post(n: u32) -> (String, String, String) {
    (format!("Post {n}"), format!("https://x.example/{n}.md"), format!("Sep {n}, 2026"))
}

fn page(posts: &[u32]) -> String {
    let posts: Vec<_> = posts.iter().map(|n| post(*n)).collect();
    topic(&posts.iter().map(|(a, b, c)| (a.as_str(), b.as_str(), c.as_str())).collect::<Vec<_>>())
}

/// How many posts still have their text, in the database.
fn texts(h: &History) -> i64 {
    let conn = rusqlite::Connection::open(h.home.path("state.db")).unwrap();
    conn.query_row("SELECT count(*) FROM entry WHERE summary <> ''", [], |r| r.get(0)).unwrap()
}

#[test]
fn old_texts_go_but_not_of_what_a_page_lists_or_a_feed_shows() {
    let mut h = history();
    h.read(&page(&[5, 4, 3, 2, 1]));
    // 4 and 5 are what the feeds show, 1 is what the page goes on listing, 2 and 3 are neither.
    h.read(&page(&[5, 4, 1]));
    assert_eq!(texts(&h), 5);
    let before = h.seen();
    h.now = h.now.plus(90 * DAY);
    h.read(&page(&[5, 4, 1]));
    assert_eq!(texts(&h), 3);
    assert_eq!(h.seen(), before);
}

#[test]
fn a_text_is_kept_for_so_long_once_its_page_lists_it_no_more() {
    let mut h = history();
    h.read(&page(&[5, 4, 3, 2, 1]));
    h.now = h.now.plus(90 * DAY);
    h.read(&page(&[5, 4, 3]));
    h.now = h.now.plus(29 * DAY);
    h.read(&page(&[5, 4, 3]));
    assert_eq!(texts(&h), 5, "1 and 2 left 29 days ago");
    h.now = h.now.plus(2 * DAY);
    h.read(&page(&[5, 4, 3]));
    assert_eq!(texts(&h), 3);
}

#[test]
fn a_post_whose_text_is_gone_comes_back_with_its_id_and_date_and_is_no_news() {
    let mut h = history();
    h.read(&page(&[5, 4, 3, 2, 1]));
    let uid = |h: &History, n: u32| {
        let conn = rusqlite::Connection::open(h.home.path("state.db")).unwrap();
        let sql = "SELECT uid || ' ' || published || ' ' || first_seen FROM entry WHERE title = ?1";
        conn.query_row(sql, [format!("Post {n}")], |r| r.get::<_, String>(0)).unwrap()
    };
    let (old, feed) = (uid(&h, 2), h.seen());
    h.read(&page(&[5, 4, 1]));
    h.now = h.now.plus(90 * DAY);
    h.read(&page(&[5, 4, 1]));
    assert_eq!(texts(&h), 3);
    let report = h.read(&page(&[5, 4, 2, 1]));
    assert_eq!((report.added, report.updated), (0, 0));
    assert_eq!(uid(&h, 2), old);
    assert_eq!(texts(&h), 4, "its text is here again");
    assert_eq!(h.seen(), feed, "and no subscriber sees it at the top");
}

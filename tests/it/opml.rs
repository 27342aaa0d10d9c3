//! Lists of subscriptions, in and out.

use crate::harness::{Home, topic, write};

#[test]
fn what_a_reader_follows_becomes_seeds() {
    let home = Home::with("[[topic]]\nslug = \"known\"\npages = [\"https://known.example/feed\"]\n");
    let list = r#"<?xml version="1.0"?><opml version="1.0"><head><title>Mine</title></head><body>
        <outline text="Group"><outline type="rss" text="A &amp; &quot;B&quot;" xmlUrl="https://a.example/feed?x=1&amp;y=2"/>
        <outline title="Known" xmlUrl="https://known.example/feed"/></outline>
        <outline text="A B" xmlUrl="https://other.example/"/><outline text="Again" xmlUrl="https://other.example/"/>
        <outline text="No feed" htmlUrl="https://x.example/"/><outline text="Bad" xmlUrl="javascript:alert(1)"/>
        <OUTLINE xmlurl="http://untitled.example/rss"/></body></opml>"#;
    write(&home.path("list.opml"), list);
    let run = home.run(&["import", "opml", "list.opml"]);
    assert_eq!((run.code, run.err.as_str()), (0, "3 feeds to follow; 1 are followed already\n"));
    assert_eq!(
        run.out,
        "[[topic]]\nslug = \"a-b\"\ntitle = \"A & \\\"B\\\"\"\npages = [\"https://a.example/feed?x=1&y=2\"]\n\n\
         [[topic]]\nslug = \"a-b-https-other-example\"\ntitle = \"A B\"\npages = [\"https://other.example/\"]\n\n\
         [[topic]]\nslug = \"untitled-example\"\ntitle = \"untitled.example\"\npages = [\"http://untitled.example/rss\"]\n"
    );
    home.seeds(&run.out);
    assert_eq!(home.run(&["check"]).code, 0, "they are seeds");
    for (bad, why) in
        [("<rss/>", "there is no <opml>"), ("<opml><body/></opml>", "nothing to follow"), ("<a", "no OPML")]
    {
        write(&home.path("list.opml"), bad);
        let run = home.run(&["import", "opml", "list.opml"]);
        assert!(run.code == 1 && run.err.contains(why) && run.out.is_empty(), "{bad}: {run:?}");
    }
    assert_eq!(home.run(&["import", "opml", "none.opml"]).code, 1);
}

#[test]
fn our_own_list_can_be_followed() {
    let home = Home::with("[[topic]]\nslug = \"tpu\"\npages = [\"page.md\"]\n");
    write(&home.path("page.md"), topic(&[("One", "https://x.example/1", "Sep 24, 2026")]));
    home.refresh(0);
    let run = home.run(&["import", "opml", "out/feeds.opml"]);
    assert_eq!((run.code, run.err.as_str()), (0, "4 feeds to follow\n"));
    assert!(run.out.contains("pages = [\"http://feeds.example/topics/tpu.atom\"]"), "{}", run.out);
}

/// As readers write addresses that are to be opened by a reader: `feed:https://…` says its scheme, `feed://` means http.
#[test]
fn feed_addresses_are_what_they_stand_for() {
    let home = Home::with("[[topic]]\nslug = \"known\"\npages = [\"https://known.example/feed\"]\n");
    let list = r#"<opml version="1.0"><body>
        <outline text="A" xmlUrl="feed:https://a.example/feed?x=1"/><outline text="B" xmlUrl="feed://b.example/rss"/>
        <outline text="C" xmlUrl="FEED:HTTP://c.example/"/><outline text="Known" xmlUrl="feed:https://known.example/feed"/>
        <outline text="Bad" xmlUrl="feed:javascript:alert(1)"/></body></opml>"#;
    write(&home.path("list.opml"), list);
    let run = home.run(&["import", "opml", "list.opml"]);
    assert_eq!((run.code, run.err.as_str()), (0, "3 feeds to follow; 1 are followed already\n"));
    let pages: Vec<&str> = run.out.lines().filter_map(|line| line.strip_prefix("pages = ")).collect();
    assert_eq!(pages, ["[\"https://a.example/feed?x=1\"]", "[\"http://b.example/rss\"]", "[\"http://c.example/\"]"]);
    home.seeds(&run.out);
    assert_eq!(home.run(&["check"]).code, 0, "they are seeds");
}

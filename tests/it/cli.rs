//! The command line as a stranger uses it: what it says and how it ends, whatever it is given.

use crate::harness::{Answer, Home, Origin, pagewire, topic, write};
use std::fs::File;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

const READING: [&[&str]; 7] = [
    &["status"],
    &["status", "--json"],
    &["check"],
    &["check", "--json"],
    &["export", "opml"],
    &["refresh"],
    &["refresh", "--json"],
];

/// A home whose one page is a file, read once.
fn home() -> Home {
    let home = Home::of("tpu.md");
    write(&home.path("tpu.md"), topic(&[("Alpha", "https://x.example/alpha", "Sep 3, 2026")]));
    home.refresh(0);
    home
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let home = home();
    let preview: &[&str] = &["preview", "tpu.md"];
    for arguments in READING.into_iter().chain([preview, &["--help"]]) {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = home.command(arguments).stdout(writer).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {output:?}");
        assert_eq!(output.stderr, b"", "{arguments:?}");
    }
}

#[test]
fn data_that_cannot_be_written_is_a_failure_and_says_so() {
    let home = home();
    let preview: &[&str] = &["preview", "tpu.md", "--json"];
    for arguments in READING.into_iter().chain([preview]) {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = home.command(arguments).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {output:?}");
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(err.starts_with("error: cannot write to standard output: "), "{arguments:?}: {err}");
    }
}

#[test]
fn messages_that_nobody_can_read_change_no_exit_code() {
    let home = home();
    let cases: [(&[&str], i32); 4] = [
        (&["refresh", "nope"], 2),
        (&["preview", "nope"], 1),
        (&["preview", "tpu.md", "--explain"], 0),
        (&["nope"], 2),
    ];
    for (arguments, code) in cases {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let status = home.command(arguments).stdout(Stdio::null()).stderr(full).status().unwrap();
        assert_eq!(status.code(), Some(code), "{arguments:?}");
    }
    let full = File::options().write(true).open("/dev/full").unwrap();
    let status = pagewire().args(["--config", "nope.toml", "refresh"]).stderr(full).status().unwrap();
    assert_eq!(status.code(), Some(78));
}

#[test]
fn every_verb_helps_with_an_example() {
    for verb in [
        &["run"] as &[&str],
        &["refresh"],
        &["preview"],
        &["status"],
        &["check"],
        &["reload"],
        &["why"],
        &["diff"],
        &["forget"],
        &["pause"],
        &["resume"],
        &["drop"],
        &["backup"],
        &["restore"],
        &["doctor"],
        &["completions"],
        &["man"],
        &["replay"],
        &["import"],
        &["import", "feed"],
        &["export"],
        &["export", "opml"],
    ] {
        let output = pagewire().args(verb).arg("--help").output().unwrap();
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && out.contains("\nExample"), "{verb:?}: {out}");
    }
}

#[test]
fn the_manual_has_a_page_for_every_verb_that_man_can_show_and_every_shell_is_completed() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let output = pagewire().args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    run(&["man", "--dir", folder.path().to_str().unwrap()]);
    for page in ["man1/pagewire.1", "man1/pagewire-refresh.1", "man1/pagewire-import.1", "man5/pagewire.toml.5"] {
        let roff = std::fs::read_to_string(folder.path().join(page)).unwrap();
        assert!(roff.contains(".TH ") && roff.contains(".SH NAME"), "{page}");
    }
    assert!(run(&["man", "pagewire.toml"]).contains("base_url") && run(&["man"]).contains("refresh"));
    for shell in ["bash", "zsh", "fish"] {
        assert!(run(&["completions", shell]).contains("refresh"), "{shell}");
    }
    for schema in ["pagewire.schema.json", "seeds.schema.json"] {
        let schema: serde_json::Value = serde_json::from_str(&run(&["man", schema])).unwrap();
        assert_eq!(schema["type"], "object");
    }
    assert_eq!(pagewire().args(["man", "nothing"]).output().unwrap().status.code(), Some(2));
}

#[test]
fn doctor_finds_what_is_wrong_and_says_what_helps() {
    let home = home();
    home.refresh(0);
    let findings = |code: i32| -> Vec<(String, String, String)> {
        let run = home.run(&["doctor", "--json"]);
        assert_eq!(run.code, code, "{run:#?}");
        let all: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        let text = |v: &serde_json::Value| v.as_str().unwrap_or_default().to_owned();
        all.as_array().unwrap().iter().map(|f| (text(&f["check"]), text(&f["verdict"]), text(&f["found"]))).collect()
    };
    let found = |all: &[(String, String, String)], check: &str, verdict: &str| {
        all.iter().any(|(c, v, _)| c == check && v == verdict)
    };
    // Nobody serves http://feeds.example, which subscribers are told to ask.
    let all = findings(1);
    for check in ["configuration", "clock", "state", "state folder", "feeds folder", "disk"] {
        assert!(found(&all, check, "ok"), "{check}: {all:#?}");
    }
    assert!(found(&all, "base_url", "bad") && found(&all, "daemon", "odd"), "{all:#?}");
    assert!(!all.iter().any(|(_, v, _)| v.is_empty()));

    // What others can read, a damaged state.
    std::fs::set_permissions(home.path("state.db"), std::fs::Permissions::from_mode(0o644)).unwrap();
    assert!(findings(1).iter().any(|(_, _, found)| found.contains("open to others")));
    let mut bytes = std::fs::read(home.path("state.db")).unwrap();
    bytes[8192..].fill(0xff);
    std::fs::write(home.path("state.db"), bytes).unwrap();
    assert!(findings(1).iter().any(|(_, v, found)| v == "bad" && found.contains("damaged")));
    let people = home.run(&["doctor"]).out;
    assert!(people.contains("bad  state") && people.contains("pagewire restore"), "{people}");
}

/// Another server that has the folder is asked for the files in it, since it has no `/healthz` of ours.
#[test]
fn doctor_looks_for_the_files_where_another_server_serves_them() {
    let origin = Origin::start();
    let home = home();
    let config = std::fs::read_to_string(home.path("pagewire.toml")).unwrap();
    std::fs::write(home.path("pagewire.toml"), config.replace("http://feeds.example", &origin.url("/feeds"))).unwrap();
    home.refresh(0);
    let found = || {
        let run = home.run(&["doctor", "--json"]);
        assert_eq!(run.code, 0, "{run:#?}");
        let all: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        let finding = all.as_array().unwrap().iter().find(|f| f["check"] == "base_url").cloned().unwrap();
        (finding["verdict"].clone(), finding["found"].as_str().unwrap().to_owned())
    };
    let index = std::fs::read(home.path("out/index.html")).unwrap();
    origin.say("/feeds/index.html", Answer::ok("text/html", index));
    assert_eq!(found(), ("odd".into(), format!("{} answers, on this machine only", origin.url("/feeds/"))));
    assert!(origin.requests().iter().all(|request| request.path == "/feeds/index.html"));
    origin.say("/feeds/index.html", Answer::ok("text/html", "It works!"));
    let other = format!("{} is not the file of that name in the feeds folder", origin.url("/feeds/index.html"));
    assert_eq!(found(), ("odd".into(), other));
}

/// Faults 100, 101, 103 and 104 as an operator sees them: which runs a line means, around a change of clocks too.
#[test]
fn check_says_when_a_page_is_due() {
    let due = |line: &str, at: &str| -> Vec<String> {
        let home = Home::with(&format!("[[topic]]\nslug = \"tpu\"\nschedule = \"{line}\"\npages = [\"tpu.md\"]\n"));
        home.configure("timezone = \"America/New_York\"\n");
        let run = home.run(&["check", "--json", "--at", at]);
        assert_eq!(run.code, 0, "{run:#?}");
        let answer: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        let due = answer["pages"][0]["due"].as_array().unwrap_or_else(|| panic!("{answer}"));
        due.iter().map(|time| time.as_str().unwrap().to_owned()).collect()
    };
    let weekdays = ["2026-09-25", "2026-09-28", "2026-09-29", "2026-09-30", "2026-10-01"];
    assert_eq!(due("0 9 * * 1-5", "2026-09-24T14:00:00Z"), weekdays.map(|day| format!("{day}T13:00:00Z")));
    let skipped = due("30 2 * * *", "2026-03-07T12:00:00Z");
    assert_eq!(skipped[..2], ["2026-03-08T07:00:00Z", "2026-03-09T06:30:00Z"], "once, right after the gap");
    let doubled = due("30 1 * * *", "2026-10-31T12:00:00Z");
    assert_eq!(doubled[..2], ["2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"], "once");
    let hourly = due("0 * * * *", "2026-11-01T04:30:00Z");
    assert_eq!(hourly, [5, 6, 7, 8, 9].map(|hour| format!("2026-11-01T0{hour}:00:00Z")), "every real hour");
    for (line, words) in [("0 0 31 2 *", "never fires"), ("0 */30 * * * *", "has 6 fields")] {
        let home = Home::with(&format!("[[topic]]\nslug = \"tpu\"\nschedule = \"{line}\"\npages = [\"tpu.md\"]\n"));
        let run = home.run(&["check"]);
        assert_eq!(run.code, 78, "{run:#?}");
        assert!(run.err.contains("seeds.toml:3:12") && run.err.contains(words), "{run:#?}");
    }
}

#[test]
fn an_address_that_no_page_can_have_is_not_taken_for_a_file() {
    for address in ["ftp://x.example/a.md", "http://", "gopher://x.example"] {
        let output = pagewire().args(["preview", address]).output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{err}");
        assert!(err.contains(address) && err.contains("is no address of a page"), "{err}");
    }
}

/// A file has no address of its own, so what its relative links lead to has to be said.
#[test]
fn a_file_with_relative_links_is_told_what_it_lacks() {
    let article = |link: &str, n: u32| {
        format!(
            "<article><h2><a href=\"{link}{n}\">Post {n} of some</a></h2><time datetime=2026-09-0{n}>x</time></article>"
        )
    };
    let page = |links: [&str; 4]| {
        let posts: String = links.iter().zip(1..).map(|(link, n)| article(link, n)).collect();
        format!("<!doctype html><title>Kiln</title><main>{posts}</main>")
    };
    let home = Home::of("kiln.html");
    let help = "relative, and a file has no address of its own; say where the page is: `base = \"https://…\"` in the seeds, \
                `--base` for `preview`\n";
    write(&home.path("kiln.html"), page(["/p/"; 4]));
    let all = format!("not-a-topic-page: 4 posts are left out: their links are {help}");
    let run = home.run(&["preview", "kiln.html"]);
    assert!(run.code == 1 && run.err.ends_with(&all), "{run:#?}");
    let run = home.run(&["refresh"]);
    assert!(run.code == 1 && (run.out + &run.err).contains(all.trim_end()));
    assert_eq!(
        home.run(&["preview", "kiln.html", "--base", "https://kiln.example/"]).out.matches("kiln.example/p/").count(),
        4
    );
    // Some of them.
    write(
        &home.path("kiln.html"),
        page(["/p/", "https://kiln.example/p/", "https://kiln.example/p/", "https://kiln.example/p/"]),
    );
    let report = home.report(&[]);
    assert_eq!(report["added"], 3, "{report}");
    let told = report["warnings"][0]["message"].as_str().unwrap();
    assert_eq!(format!("{told}\n"), format!("1 post is left out: its link is {help}"));
    home.seeds("[[topic]]\nslug = \"tpu\"\nbase = \"https://kiln.example/\"\npages = [\"kiln.html\"]\n");
    let report = home.report(&[]);
    assert_eq!((&report["added"], &report["warnings"]), (&1.into(), &serde_json::json!([])), "{report}");
}

mod add {
    use crate::harness::{Answer, Home, Origin};

    const POSTS: &str =
        "<main><article><h2><a href=/blog/b>Second post of two</a></h2><time datetime=2026-09-24>x</time></article>
        <article><h2><a href=/blog/a>First post of two</a></h2><time datetime=2026-09-02>x</time></article></main>";

    /// A home that follows one topic, with a comment in its seeds.
    fn home(origin: &Origin) -> Home {
        Home::with(&format!("# Mine.\n[[topic]]\nslug = \"tpu\" # of old\npages = [\"{}\"]\n", origin.url("/old.md")))
    }

    #[test]
    fn a_page_becomes_a_topic_and_the_seeds_keep_their_comments() {
        let origin = Origin::start();
        origin.say("/blog/", Answer::ok("text/html", format!("<title>Kiln News</title>{POSTS}")));
        origin.say("/blog/?x", Answer::ok("text/html", POSTS));
        let home = home(&origin);
        let run = home.run(&["add", &origin.url("/blog/")]);
        assert_eq!(run.code, 0, "{}{}", run.out, run.err);
        assert!(run.out.contains("html, 2 posts\ntitle: Kiln News\n  2026-09-24  Second post of two\n"), "{}", run.out);
        assert!(run.out.contains("followed as topic kiln-news"), "{}", run.out);
        let run = home.run(&["refresh", "kiln-news"]);
        assert_eq!(run.code, 0, "{}{}", run.out, run.err);
        assert_eq!(home.entries("topics/kiln-news.atom").len(), 2);
        let again = home.run(&["add", &origin.url("/blog/")]);
        assert_eq!(again.code, 0);
        assert!(again.out.contains("already followed in kiln-news"), "{}", again.out);

        for other in [["--topic", "tpu"], ["--schedule", "every 2h"]] {
            let before = std::fs::read(seeds_file(&home)).unwrap();
            let refused = home.run(&[&["add", &origin.url("/blog/")], &other[..]].concat());
            assert_eq!(refused.code, 1, "{refused:#?}");
            let why = "already followed in kiln-news; nothing was written: change its topic or schedule in the seeds";
            assert!(refused.err.contains(why), "{}", refused.err);
            assert_eq!(std::fs::read(seeds_file(&home)).unwrap(), before);
        }

        let run = home.run(&["add", &origin.url("/blog/?x"), "--topic", "tpu", "--schedule", "every 2h"]);
        assert_eq!(run.code, 0, "{}{}", run.out, run.err);
        let seeds = std::fs::read_to_string(seeds_file(&home)).unwrap();
        assert!(seeds.starts_with("# Mine.\n[[topic]]\nslug = \"tpu\" # of old\npages = ["), "{seeds}");
        assert!(
            seeds.contains(&format!("{{ url = \"{}\", schedule = \"every 2h\" }}]", origin.url("/blog/?x"))),
            "{seeds}"
        );
    }

    fn seeds_file(home: &Home) -> std::path::PathBuf {
        home.path("seeds.toml")
    }

    #[test]
    fn better_forms_are_named_and_taken_when_asked_for() {
        let origin = Origin::start();
        let head = "<title>Kiln</title><link rel=alternate type=application/rss+xml href=/feed.xml>";
        origin.say("/blog/", Answer::ok("text/html", format!("{head}{POSTS}")));
        let item = |n: &str| {
            format!(
                "<item><title>T {n}</title><link>{}</link><pubDate>Thu, 24 Sep 2026 08:00:00 GMT</pubDate></item>",
                origin.url(&format!("/blog/{n}"))
            )
        };
        let feed =
            format!("<rss version=\"2.0\"><channel><title>Kiln</title>{}{}</channel></rss>", item("a"), item("b"));
        origin.say("/feed.xml", Answer::ok("application/rss+xml", feed));
        let home = home(&origin);
        let run = home.run(&["add", &origin.url("/blog/"), "--best"]);
        assert_eq!(run.code, 0, "{}{}", run.out, run.err);
        let better = format!("better: {} (a feed, lists 2 of these 2, with times)", origin.url("/feed.xml"));
        assert!(run.out.contains(&better), "{}", run.out);
        let run = home.run(&["check"]);
        assert!(run.out.contains("/feed.xml"), "{}", run.out);
    }

    #[test]
    fn markdown_is_offered_where_a_site_has_it() {
        let origin = Origin::start();
        origin.say("/blog/", Answer::ok("text/html", format!("<title>Kiln</title>{POSTS}")));
        let list = crate::harness::topic(&[
            ("A", &origin.url("/blog/a"), "Sep 2, 2026"),
            ("B", &origin.url("/blog/b"), "Sep 1, 2026"),
        ]);
        origin.say("/llms.txt", Answer::ok("text/plain", list));
        let home = home(&origin);
        let run = home.run(&["add", &origin.url("/blog/")]);
        let better = format!("better: {} (Markdown, lists 2 of these 2", origin.url("/llms.txt"));
        assert!(run.out.contains(&better), "{}", run.out);
    }

    #[test]
    fn what_lists_no_posts_is_not_followed() {
        let origin = Origin::start();
        origin.say("/", Answer::ok("text/html", "<title>Log in</title><form></form>"));
        let home = home(&origin);
        let before = std::fs::read(seeds_file(&home)).unwrap();
        let run = home.run(&["add", &origin.url("/")]);
        assert_eq!(run.code, 1, "{run:#?}");
        assert!(run.err.starts_with("error: not-a-topic-page: the HTML page is an error, a login"), "{}", run.err);
        origin.say("/words.md", Answer::markdown("Only words, and nothing that is listed.\n"));
        let run = home.run(&["add", &origin.url("/words.md")]);
        assert_eq!(run.code, 1, "{run:#?}");
        assert!(run.err.starts_with("error: not-a-topic-page: "), "{}", run.err);
        assert_eq!(home.run(&["add", &origin.url("/"), "--topic", "No Slug"]).code, 2);
        assert_eq!(std::fs::read(seeds_file(&home)).unwrap(), before);
    }

    /// What stands in a file stays as it was, byte for byte, but for the lines that are new.
    #[test]
    fn line_ends_and_comments_stay_where_they_were() {
        let origin = Origin::start();
        origin.say("/b/", Answer::ok("text/html", format!("<title>Kiln</title>{POSTS}")));
        let (old, new) = (origin.url("/old.md"), origin.url("/b/"));
        let topic = "# Mine.\n[[topic]]\nslug = \"tpu\" # of old\n";
        for (before, after) in [
            (format!("pages = [\"{old}\"] # one\n# end\n"), format!("pages = [\"{old}\", \"{new}\"] # one\n# end\n")),
            (format!("pages = \"{old}\" # one"), format!("pages = [\"{old}\", \"{new}\"] # one\n")),
            (
                format!("pages = [\n  # first\n  \"{old}\", # old\n  # more\n]\n\n# end\n"),
                format!("pages = [\n  # first\n  \"{old}\", # old\n  # more\n  \"{new}\",\n]\n\n# end\n"),
            ),
            (format!("pages = [\n\t\"{old}\" # old\n]\n"), format!("pages = [\n\t\"{old}\", # old\n\t\"{new}\",\n]\n")),
            (format!("pages = [\"{old}\", # old\n]\n"), format!("pages = [\"{old}\", # old\n  \"{new}\",\n]\n")),
        ] {
            for end in ["\n", "\r\n"] {
                let home = home(&origin);
                let text = |rest: &str| (topic.to_owned() + rest).replace('\n', end);
                std::fs::write(seeds_file(&home), text(&before)).unwrap();
                let run = home.run(&["add", &new, "--topic", "tpu"]);
                assert_eq!(run.code, 0, "{run:#?}");
                assert_eq!(std::fs::read_to_string(seeds_file(&home)).unwrap(), text(&after));
            }
        }
        // A topic of its own comes behind all of it.
        let home = home(&origin);
        let before = format!("{topic}pages = [\"{old}\"]\n\n# The end.\n").replace('\n', "\r\n");
        std::fs::write(seeds_file(&home), &before).unwrap();
        assert_eq!(home.run(&["add", &new]).code, 0);
        let after = std::fs::read_to_string(seeds_file(&home)).unwrap();
        let added = format!("\r\n[[topic]]\r\nslug = \"kiln\"\r\npages = [\"{new}\"]\r\n");
        assert_eq!(after, before + &added);
    }
}

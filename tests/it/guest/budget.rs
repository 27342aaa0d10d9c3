//! What is spent of the budget: the origin's arrival log says how much that is.

use crate::harness::{Answer, Daemon, Home, Origin};
use crate::own::{self, ALPHA, BETA};
use chrono::DateTime;
use serde_json::{Value, json};

/// A home whose pages are on `auto` with so many requests a day, and which reads robots.txt.
fn bound(home: &Home, budget: u32) {
    let config = std::fs::read_to_string(home.path("pagewire.toml")).unwrap();
    let auto = format!("default = \"auto\"\nbudget = {budget}");
    let config = config.replace("default = \"every 1h\"", &auto).replace("robots = false", "robots = true");
    assert!(config.contains(&auto) && config.contains("robots = true"), "{config}");
    std::fs::write(home.path("pagewire.toml"), config).unwrap();
}

fn status(home: &Home) -> Value {
    serde_json::from_str(&home.run(&["status", "--json"]).out).unwrap()
}

/// After how many minutes the first page is next due.
fn wait(home: &Home) -> i64 {
    let page = &status(home)["pages"][0];
    let time = |name: &str| DateTime::parse_from_rfc3339(page[name].as_str().unwrap()).unwrap();
    (time("next_due") - time("last_fetch")).num_minutes()
}

/// robots.txt, a redirect, the page, two own pages; then a manual refresh by another process.
#[test]
fn all_that_pages_on_auto_cause_is_counted_from_start_to_start() {
    let (origin, home) = own::follow(&[ALPHA, BETA], "content = \"post\"");
    bound(&home, 100);
    assert_eq!(status(&home)["budget"]["spent"], 0);
    home.refresh(0);
    assert_eq!(status(&home)["budget"]["spent"], 4);
    home.refresh(0);
    origin.say("/old.md", Answer::status(302).with("Location", "/tpu.md"));
    let again = home.path("more.toml");
    std::fs::write(&again, format!("[[topic]]\nslug = \"old\"\npages = [\"{}\"]\n", origin.url("/old.md"))).unwrap();
    let config = std::fs::read_to_string(home.path("pagewire.toml")).unwrap();
    std::fs::write(home.path("pagewire.toml"), config.replace("seeds.toml\"", "seeds.toml\", \"more.toml\"")).unwrap();
    home.run(&["refresh", "old"]);
    let sent = origin.requests().len();
    assert_eq!((sent, &status(&home)["budget"]["spent"]), (7, &json!(7)));
    let told = home.run(&["status"]).out;
    assert!(told.contains(" of 100 requests a day are planned, 7 were sent in the last 24 hours\n"), "{told}");
    let config = std::fs::read_to_string(home.path("pagewire.toml")).unwrap();
    std::fs::write(home.path("pagewire.toml"), config.replace("listen = \"off\"", "listen = \"127.0.0.1:0\"")).unwrap();
    let daemon = Daemon::start(&home);
    let metrics = daemon.get("/metrics", &[]);
    for line in ["pagewire_budget{what=\"limit\"} 100", "pagewire_budget{what=\"spent\"} 7"] {
        assert!(metrics.text().lines().any(|l| l == line), "{line}\n{}", metrics.text());
    }
}

#[test]
fn what_has_a_schedule_of_its_own_or_is_a_file_is_not_of_the_budget() {
    let (origin, home) = own::follow(&[ALPHA], "schedule = \"every 1h\"");
    bound(&home, 100);
    std::fs::write(home.path("page.md"), "# T\n\n### [Gamma](https://x.example/gamma)\n- Published: Sep 1, 2026\n")
        .unwrap();
    let seeds = std::fs::read_to_string(home.path("seeds.toml")).unwrap();
    home.seeds(&format!("{seeds}[[topic]]\nslug = \"file\"\npages = [\"page.md\"]\n"));
    home.refresh(0);
    assert!(!origin.requests().is_empty());
    assert_eq!(status(&home)["budget"], json!({ "limit": 100, "planned": 0, "spent": 0 }));
}

#[test]
fn what_the_plan_does_not_know_of_is_not_there_for_it_for_a_day() {
    let (_origin, home) = own::follow(&[ALPHA], "");
    bound(&home, 48);
    home.refresh(0);
    let usual = wait(&home);
    let earlier = |hours: i64| {
        own::state(&home, "DELETE FROM spent");
        let row = format!("INSERT INTO spent VALUES (unixepoch() / 3600 - {hours}, 40, 4)");
        own::state(&home, &row);
        home.refresh(0);
        (wait(&home), status(&home)["budget"]["spent"].clone())
    };
    let (longer, spent) = earlier(22);
    assert!(longer > 2 * usual, "12 are left of 48: {usual} min were {longer}");
    assert_eq!(spent, 41);
    let (again, spent) = earlier(25);
    assert!(again < longer / 2, "{again} of {longer}");
    assert_eq!(spent, 1);
    assert_eq!(own::state(&home, "DELETE FROM spent"), 1, "what is older is gone");
}

/// Where nothing is bound, it is counted all the same.
#[test]
fn without_a_budget_nothing_is_planned() {
    let origin = Origin::start();
    origin.say("/a.md", Answer::markdown(crate::harness::topic(&[])));
    let home = Home::of(&origin.url("/a.md"));
    assert_eq!(status(&home)["budget"], json!({ "limit": 0, "planned": null, "spent": 0 }));
}

#[test]
fn the_plan_is_told() {
    let (_origin, home) = own::follow(&[ALPHA], "");
    bound(&home, 20);
    home.refresh(0);
    let budget = &status(&home)["budget"];
    assert!(budget["limit"] == 20 && (18..=20).contains(&budget["planned"].as_u64().unwrap()), "{budget}");
}

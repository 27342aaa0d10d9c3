//! `pagewire run` from outside: the real program, a scripted origin, one test a promise.

mod clock;
mod handed;
mod order;
mod push;
mod reload;
mod schedule;
mod serving;
mod stop;

use crate::harness::{Answer, Home, Origin, topic};

const A: (&str, &str, &str) = ("Alpha", "https://x.example/post/alpha.md", "Sep 3, 2026");
const B: (&str, &str, &str) = ("Beta", "https://x.example/post/beta.md", "Sep 2, 2026");
const C: (&str, &str, &str) = ("Gamma", "https://x.example/post/gamma.md", "Sep 4, 2026");

const TPU: &str = "/topics/tpu.atom";
/// Pages that are asked every second.
pub(crate) const EVERY_SECOND: &str = "min = \"1s\"\n[log]\nformat = \"auto\"\n";

/// A topic page with a validator of its own.
fn page(posts: &[(&str, &str, &str)]) -> Answer {
    Answer::markdown(topic(posts)).with("ETag", &format!("\"{}\"", posts.len()))
}

/// Topics of one page each, all at one origin, and a home with a daemon's configuration that follows them.
fn follow(topics: &[&str], more: &str) -> (Origin, Home) {
    let origin = Origin::start();
    let home = Home::with(&seeds(&origin, topics, more));
    for name in topics {
        origin.say(&format!("/{name}.md"), page(&[A]));
    }
    home.listen("", EVERY_SECOND);
    (origin, home)
}

/// Seeds with these topics; `more` is in each of them.
fn seeds(origin: &Origin, topics: &[&str], more: &str) -> String {
    let topic = |name: &&str| {
        format!("[[topic]]\nslug = \"{name}\"\n{more}\npages = [\"{}\"]\n", origin.url(&format!("/{name}.md")))
    };
    topics.iter().map(topic).collect()
}

//! Posts' own pages: read once, for the article that each summarises and for its text.

mod daemon;
mod fault;
mod page;
mod says;

use crate::harness::{Answer, Home, Origin, topic};

/// The article that the page of a post summarises.
pub fn article(name: &str) -> String {
    format!("https://lab.example/blog/{name}")
}

/// A post's own page that names its article.
pub fn summary(title: &str, name: &str) -> Answer {
    Answer::markdown(format!(
        "---\ntitle: {title}\nsource: {}\n---\n\n# {title}\n\n- Company: Acme\n\nWhat {title} says at more length.\n",
        article(name)
    ))
}

/// A post as (title, name, day).
pub type Post = (&'static str, &'static str, &'static str);

pub const ALPHA: Post = ("Alpha wins", "alpha", "Sep 3, 2026");
pub const BETA: Post = ("Beta follows", "beta", "Sep 2, 2026");
pub const GAMMA: Post = ("Gamma last", "gamma", "Sep 1, 2026");

/// A topic page at `/tpu.md` whose posts have own pages on the same origin.
pub fn list(origin: &Origin, posts: &[Post]) {
    let posts: Vec<(String, String, String)> = posts
        .iter()
        .map(|(title, name, day)| ((*title).into(), origin.url(&format!("/post/{name}.md")), (*day).into()))
        .collect();
    let posts: Vec<(&str, &str, &str)> = posts.iter().map(|(t, a, d)| (t.as_str(), a.as_str(), d.as_str())).collect();
    origin.say("/tpu.md", Answer::markdown(topic(&posts)));
}

/// A topic page with these posts, each with its own page, and who follows it with these keys.
pub fn follow(posts: &[Post], keys: &str) -> (Origin, Home) {
    let origin = Origin::start();
    list(&origin, posts);
    for (title, name, _) in posts {
        origin.say(&format!("/post/{name}.md"), summary(title, name));
    }
    let home = Home::with("");
    seeds(&home, &origin, keys);
    (origin, home)
}

pub fn seeds(home: &Home, origin: &Origin, keys: &str) {
    home.seeds(&format!("[[topic]]\nslug = \"tpu\"\n{keys}\npages = [\"{}\"]\n", origin.url("/tpu.md")));
}

/// What a state's database has of `own`, changed for a test that cannot wait for hours.
pub fn state(home: &Home, sql: &str) -> usize {
    rusqlite::Connection::open(home.path("state.db")).unwrap().execute(sql, []).unwrap()
}

pub const TPU: &str = "topics/tpu.atom";

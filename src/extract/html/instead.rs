//! What a server sends instead of the page, with the status of a good answer: an error, a login, a challenge.
//!
//! In: a page, and its list of posts. Out: what shows that it is another page. Such pages list the newest posts beside,
//! so that a list proves nothing. Judged are the page's title, whole or up to its first separator, its only `<h1>`, and
//! a form for a password where the page has its own matter: a page about such pages has other words in its title too.
//! Deliberately absent: words in texts, and names of protection services.

use super::Page;
use super::list::List;
use super::tree::{Id, Tree};

/// What such pages are called, folded as [`folded`] does.
const NAMES: [&str; 96] = [
    "400 bad request",
    "401 unauthorized",
    "403",
    "403 error",
    "403 forbidden",
    "404",
    "404 error",
    "404 file not found",
    "404 not found",
    "404 page",
    "404 page not found",
    "404 this page could not be found",
    "410 gone",
    "429 too many requests",
    "500",
    "500 error",
    "500 internal server error",
    "500 server error",
    "502 bad gateway",
    "503",
    "503 service temporarily unavailable",
    "503 service unavailable",
    "504 gateway time out",
    "504 gateway timeout",
    "access denied",
    "access to this page has been denied",
    "are you a robot",
    "are you human",
    "attention required",
    "authentication required",
    "bad gateway",
    "checking your browser",
    "checking your browser before accessing",
    "client challenge",
    "ddos guard",
    "down for maintenance",
    "error 403",
    "error 403 forbidden",
    "error 404",
    "error 404 not found",
    "error 404 page not found",
    "error 500",
    "error 502",
    "error 503",
    "error page not found",
    "file not found",
    "forbidden",
    "gateway timeout",
    "human verification",
    "internal server error",
    "just a moment",
    "log in",
    "login",
    "log in to continue",
    "login required",
    "maintenance mode",
    "not found",
    "oops page not found",
    "page cannot be found",
    "page doesn t exist",
    "page no longer available",
    "page not available",
    "page not found",
    "page not found 404",
    "please log in",
    "please sign in",
    "please wait",
    "robot or human",
    "scheduled maintenance",
    "service temporarily unavailable",
    "service unavailable",
    "session expired",
    "sign in",
    "sign in to continue",
    "signin",
    "site maintenance",
    "site under maintenance",
    "sorry page not found",
    "temporarily unavailable",
    "the page you requested was not found",
    "this page could not be found",
    "too many requests",
    "under maintenance",
    "verify you are human",
    "we ll be back soon",
    "we will be back soon",
    "web server is down",
    "your connection needs to be verified",
    "seite nicht gefunden",
    "anmelden",
    "page introuvable",
    "página no encontrada",
    "pagina non trovata",
    "страница не найдена",
    "ページが見つかりません",
    "页面不存在",
];

/// Names that alone are one, though they may be what a list is about.
const WHOLE: [&str; 3] = ["error", "maintenance", "anmeldung"];

/// Most main parts of a page that are looked at; the standard has one.
const MAX_MAINS: usize = 8;

/// What shows that a page is not the one that was asked for; nothing where it may be.
pub(super) fn found(page: &Page, list: Option<&List>) -> Option<String> {
    let title = page.about.title.as_deref().unwrap_or_default();
    let quoted = |text: &str| {
        let text: String = text.chars().take(60).collect();
        format!("it is called `{text}`")
    };
    if is_name(title) {
        return Some(quoted(title));
    }
    let mut heads = page.tree.elements(1..page.tree.len()).filter(|&id| &**page.tree.name(id) == "h1");
    if let (Some(only), None) = (heads.next(), heads.next())
        && page.tree.size(only) < 80
        && is_own(&page.tree, only)
        && NAMES.contains(&folded(&page.tree.line(only)).as_str())
    {
        return Some(quoted(&page.tree.line(only)));
    }
    asks_for_password(page, list).then(|| "its own matter is a form for a password".to_owned())
}

/// Whether a heading is the page's own: in no post, and no link.
fn is_own(tree: &Tree, id: Id) -> bool {
    let is_link = |id: Id| &**tree.name(id) == "a";
    !tree.ancestors(id).any(|up| is_link(up) || &**tree.name(up) == "article")
        && !tree.elements(id..tree.end(id)).any(is_link)
}

/// Whether a title is the name of such a page, all of it or up to what parts it from the site's.
fn is_name(title: &str) -> bool {
    let whole = folded(title);
    let ends = [" | ", " - ", " – ", " — ", " · ", " • ", " » ", " :: "].iter().filter_map(|sign| title.find(sign));
    let first = folded(&title[..ends.min().unwrap_or(title.len())]);
    // A number alone may begin any title.
    let is_first = first.contains(char::is_alphabetic) && NAMES.contains(&first.as_str());
    is_first || NAMES.contains(&whole.as_str()) || WHOLE.contains(&whole.as_str())
}

/// The words of a text in lower case, with one space between two. What stands in brackets counts as words too.
fn folded(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    // Google's says `(Not Found)!!1`.
    let words: Vec<String> = words.filter(|word| *word != "1").map(str::to_lowercase).collect();
    words.join(" ")
}

/// Whether a form for a password stands in the main part of a page, and no post does.
fn asks_for_password(page: &Page, list: Option<&List>) -> bool {
    let tree = &page.tree;
    let is_main = |id: &Id| &**tree.name(*id) == "main" || tree.attribute(*id, "role") == Some("main");
    let is_password =
        |&id: &Id| tree.attribute(id, "type").is_some_and(|kind| kind.trim().eq_ignore_ascii_case("password"));
    let mains = tree.elements(1..tree.len()).filter(is_main);
    let posts = || list.into_iter().flat_map(|list| list.groups.iter().flatten());
    mains.into_iter().take(MAX_MAINS).any(|main| {
        tree.elements(main..tree.end(main)).any(|id| is_password(&id))
            && !posts().any(|post| tree.contains(main, page.anchors[post.anchor].id))
    })
}

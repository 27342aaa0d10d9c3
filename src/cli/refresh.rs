//! `pagewire refresh`: a manual refresh, now.
//!
//! In: names of topics, addresses, companies or combined feeds; none means everything. Out: a line and a verdict a page as it is
//! judged, a total, and an exit code. A running daemon is asked to do the work; without one it is done here.

use super::control::{self, Control};
use super::owner::become_owner;
use super::{
    DIM, Exit, GREEN, RED, Reached, YELLOW, counted, reach, refresh_failed, runtime, say_error, say_warning,
    store_failed, written,
};
use crate::clock;
use crate::model::{Outcome, Report, Settings, Told, Total};
use crate::refresh::{self, App, Mode, Step};
use crate::store::Store;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Refresh pages now and publish what changed
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pagewire refresh                     every page\n  pagewire refresh tpu company:google  \
    the pages of a topic, and those that list a company's posts\n  pagewire refresh --json | tail -n 1  the totals, for \
    a script\n\nExit codes: 0 all well, 1 a page failed or is held, 2 an unknown name, 75 the state is in use, \
    78 bad configuration."
)]
pub(super) struct Args {
    /// Topics, page addresses, company:SLUG, or feed:SLUG for a combined feed [default: every page]
    #[arg(value_name = "TOPIC|URL|company:SLUG|feed:SLUG")]
    names: Vec<String>,
    /// Ask without validators and read again what is the same
    #[arg(long)]
    force: bool,
    /// Publish what a guard holds back, and take an empty list: needs names
    #[arg(long, requires = "names")]
    accept: bool,
    /// A JSON object a line for each page, the total last
    #[arg(long)]
    json: bool,
}

pub(super) fn run(config: Option<&Path>, args: &Args, quiet: bool) -> Exit {
    let work = || {
        let Reached { settings, daemon, .. } = reach(config)?;
        if daemon.is_none() {
            become_owner(&settings.state.database)?;
        }
        runtime()?.block_on(async {
            tokio::select! {
                exit = order(settings, daemon, args, quiet) => exit,
                _ = tokio::signal::ctrl_c() => Err(Exit::Interrupted),
            }
        })
    };
    work().unwrap_or_else(|exit| exit)
}

async fn order(settings: Settings, daemon: Option<Control>, args: &Args, quiet: bool) -> Result<Exit, Exit> {
    let directory = settings.publish.directory.clone();
    let mut screen = Screen::new(args.json, quiet, if args.names.is_empty() { settings.pages.len() } else { 0 });
    let total = match daemon {
        Some(daemon) => done_there(&daemon, args, &mut screen).await?,
        None => done_here(settings, args, &mut screen).await?,
    };
    let written = screen.total(&total, &directory);
    Ok(if total.is_bad() { Exit::Failed } else { written })
}

/// The work of a daemon, shown as it goes.
async fn done_there(daemon: &Control, args: &Args, screen: &mut Screen) -> Result<Total, Exit> {
    let mut end = Err(Exit::Failed);
    let asked = daemon.refresh(&args.names, args.force, args.accept, |event, body| match event {
        "page" => {
            if let Some(report) = Report::read(&body) {
                screen.page(&report);
            }
        }
        "total" => end = serde_json::from_value(body["total"].clone()).map_err(|_| Exit::Failed),
        _ => {
            let (why, exit) = match control::told(&body) {
                Told::Unknown(why) => (why, Exit::Usage),
                Told::Failed(why) => (why, Exit::Failed),
                Told::Page(_) | Told::Total(_) => return,
            };
            say_error(why);
            end = Err(exit);
        }
    });
    asked.await.map_err(|why| {
        say_error(why);
        Exit::Failed
    })?;
    end
}

/// The work, without a daemon.
async fn done_here(settings: Settings, args: &Args, screen: &mut Screen) -> Result<Total, Exit> {
    if let Some(unknown) = refresh::unknown(&settings, &args.names) {
        say_error(unknown);
        return Err(Exit::Usage);
    }
    let store = Store::open(&settings.state.database).map_err(|e| store_failed(&e))?;
    let app = App::new(settings, store).await.map_err(|e| refresh_failed(&e))?;
    app.kept_slugs().await.map_err(|e| store_failed(&e))?.iter().for_each(say_warning);
    let pages = app.choose(&args.names).await.map_err(|e| store_failed(&e))?.map_err(|unknown| {
        say_error(unknown);
        Exit::Usage
    })?;
    app.can_publish().map_err(|e| {
        say_error(e);
        Exit::Config
    })?;
    screen.expect(pages.len());
    let mode = Mode { force: args.force, accept: args.accept };
    let tell = |step: Step<'_>| match step {
        Step::Page(report) => screen.page(report),
        Step::Own { done, all } => screen.own(done, all),
    };
    let total = app.refresh(&pages, mode, clock::now(), tell).await;
    let (mut total, filled) = total.map_err(|e| refresh_failed(&e))?;
    for (page, link, why) in &filled.unread {
        say_error(format!("{link} of {page}: {why}"));
    }
    app.send_due(clock::now()).await.map_err(|e| store_failed(&e))?;
    for refused in app.refused().await.map_err(|e| store_failed(&e))? {
        say_error(format!("{}: {}; the last good one stays: please report it", refused.path, refused.why));
        total.refused += 1;
    }
    Ok(total)
}

/// What the user sees while pages come in.
struct Screen {
    json: bool,
    quiet: bool,
    bar: ProgressBar,
    out: Box<dyn Write>,
    live: bool,
    written: io::Result<()>,
}

impl Screen {
    fn new(json: bool, quiet: bool, pages: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(pages as u64), ProgressDrawTarget::stderr());
        bar.set_style(bar_of("pages"));
        if json || quiet || !std::io::stderr().is_terminal() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        let live = std::io::stdout().is_terminal();
        let out: Box<dyn Write> =
            if live { Box::new(anstream::stdout()) } else { Box::new(std::io::BufWriter::new(anstream::stdout())) };
        Self { json, quiet, bar, out, live, written: Ok(()) }
    }

    /// So many pages will come.
    fn expect(&self, pages: usize) {
        self.bar.set_length(pages as u64);
    }

    /// So many of so many posts' own pages were read.
    fn own(&self, done: usize, all: usize) {
        if done == 0 {
            self.bar.set_style(bar_of("posts' own pages"));
            self.bar.set_length(all as u64);
        }
        self.bar.set_position(done as u64);
    }

    fn page(&mut self, report: &Report) {
        let bar = self.bar.clone();
        bar.inc(1);
        let line = if self.json {
            serde_json::to_string(report).unwrap_or_default()
        } else if self.quiet && !matches!(report.outcome, Outcome::Failed | Outcome::Held) {
            return;
        } else {
            line(report)
        };
        if self.live {
            bar.suspend(|| self.say(&line));
        } else {
            self.say(&line);
        }
    }

    fn total(mut self, total: &Total, directory: &Path) -> Exit {
        self.bar.finish_and_clear();
        if self.json {
            let line = serde_json::json!({ "total": total }).to_string();
            self.say(&line);
        } else if !self.quiet {
            self.say(&format!("\n{}", sum(total)));
            if directory.join("index.html").exists() {
                self.say(&format!("feeds in {}", directory.display()));
            }
        }
        let flushed = self.out.flush();
        written(self.written.and(flushed))
    }

    /// Writes a line; that nobody can read it is no reason to stop working.
    fn say(&mut self, line: &str) {
        let said = writeln!(self.out, "{line}");
        if self.written.is_ok() {
            self.written = said;
        }
    }
}

/// A bar that counts these.
fn bar_of(what: &str) -> ProgressStyle {
    let template = format!("{{bar:30}} {{pos}}/{{len}} {what} {{elapsed}}");
    ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// A page's line: verdict, address, what happened.
fn line(report: &Report) -> String {
    let style = match report.outcome {
        Outcome::Changed => GREEN,
        Outcome::Unchanged | Outcome::Skipped => DIM,
        Outcome::Held => YELLOW,
        Outcome::Failed => RED,
    };
    let mut parts: Vec<String> = Vec::new();
    if report.outcome == Outcome::Changed {
        let counts = [
            (report.added, "new"),
            (report.updated, "edited"),
            (report.renamed, "renamed"),
            (report.delisted, "delisted"),
            (report.proposed, "proposed"),
            (report.followed, "followed from now on"),
        ];
        parts.extend(counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")));
        if parts.is_empty() {
            parts.push("nothing new".to_owned());
        }
    }
    if report.outcome == Outcome::Skipped {
        parts.push(match report.until {
            Some(until) => format!("not asked until {}", until.rfc3339()),
            None => "ended or paused; `pagewire resume NAME` starts it again".to_owned(),
        });
    }
    parts.extend(report.error.as_ref().map(ToString::to_string));
    let word = report.outcome.as_str();
    let mut line = format!("{style}{word:<9}{style:#}  {}", report.page);
    if !parts.is_empty() {
        let _ = write!(line, "  {}", parts.join(", "));
    }
    for warning in &report.warnings {
        let _ = write!(line, "\n           {YELLOW}{}{YELLOW:#}: {}", warning.kind.as_str(), warning.message);
    }
    line
}

fn sum(total: &Total) -> String {
    let parts = [
        (total.changed, "changed"),
        (total.unchanged, "unchanged"),
        (total.failed, "failed"),
        (total.held, "held"),
        (total.skipped, "skipped"),
    ];
    let parts: Vec<String> = parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    let refused = match total.refused {
        0 => String::new(),
        n => format!("; {} not published", counted(n as usize, "file")),
    };
    format!(
        "{}: {}; {}{refused}",
        counted(total.pages as usize, "page"),
        parts.join(", "),
        counted(total.added as usize, "new post")
    )
}

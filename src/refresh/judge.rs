//! Visits against what is known, into one transaction: where fetching, reading, `diff` and the store meet.

use super::App;
use super::visit::{Look, Taken, Visit};
use crate::model::{
    Changes, Deed, ErrorKind, Event, Failure, Habit, Hold, Outcome, PageId, PageState, Post, Published, Report, Spent,
    Stamp,
};
use crate::store::{Round, Spot, StoreError};
use crate::{diff, fetch, schedule};
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use url::Url;

/// A hash that no body has: the next whole answer is read, whatever it says.
const UNKNOWN: [u8; 16] = [0; 16];

impl App {
    /// Judges and stores visits in one transaction, in the order given. Where that panics, each has a transaction of
    /// its own, and the one that panics again has failed.
    ///
    /// # Errors
    /// When the state fails; nothing was stored then.
    pub async fn save(&self, visits: Vec<Visit>, now: Stamp) -> Result<Vec<Settled>, StoreError> {
        let robots = self.fetcher.news();
        let planned = visits.iter().map(|visit| u32::from(visit.planned)).sum();
        let spent = Spent { requests: self.fetcher.spent(), planned };
        let all = |round: &mut Round<'_>| {
            round.keep_robots(&robots, now)?;
            round.spend(spent, now)?;
            visits.iter().map(|visit| self.settle(round, visit, now)).collect()
        };
        match AssertUnwindSafe(self.store.round(all)).catch_unwind().await {
            Ok(settled) => {
                self.fetcher.stored(settled.as_ref().map_or(0, |_| spent.requests));
                return settled;
            }
            Err(_) if visits.len() == 1 => {}
            Err(_) => {
                let mut settled = Vec::with_capacity(visits.len());
                for visit in visits {
                    settled.extend(Box::pin(self.save(vec![visit], now)).await?);
                }
                return Ok(settled);
            }
        }
        let failed =
            Look::failed(Failure::new(ErrorKind::Panic, "pagewire could not judge the page: please report it"));
        let visits = visits.into_iter().map(|visit| Visit { look: failed.clone(), ..visit });
        let visits: Vec<Visit> = visits.collect();
        self.store.round(|round| visits.iter().map(|visit| self.settle(round, visit, now)).collect()).await
    }

    /// One visit's outcome, into the round's transaction.
    fn settle(&self, round: &mut Round<'_>, visit: &Visit, now: Stamp) -> Result<Settled, StoreError> {
        let index = visit.index;
        let page = &self.settings.pages[index];
        let topics = page.topics.iter().filter_map(|&t| self.settings.topics.get(t)).map(|t| t.slug.to_string());
        let mut report = Report::new(page.address.to_string(), topics.collect(), Outcome::Unchanged);
        let mut state = visit.state.clone();
        let id = self.registered.pages[index];
        let retired = self.settings.is_retired(page, now);
        let mut events = Vec::new();
        let mut origin = None;
        match &visit.look {
            Look::Skipped(until) => {
                report.outcome = Outcome::Skipped;
                report.until = *until;
                let rests = state.ended || state.paused || retired;
                let next_due = if rests { None } else { state.next_due.max(*until) };
                return Ok(Settled { index, report, next_due });
            }
            Look::NotModified(validators) => {
                learn(&mut state, &[], now);
                state.validators = Some(validators.clone());
                if state.fell() {
                    // The validators are those of the reading before, so the page is as it was then.
                    state.stands();
                    state.posts = count(round.as_before(id)?);
                    state.body = Some(UNKNOWN);
                }
                recovered(&mut state, now, &mut events);
            }
            Look::Same(validators) => {
                learn(&mut state, &[], now);
                // What a page says twice it means.
                state.validators.clone_from(validators);
                state.stands();
                state.server.whole = Some(now);
                recovered(&mut state, now, &mut events);
            }
            Look::Read(taken) => {
                origin = Some(&taken.origin);
                match self.take(round, id, visit, taken, &mut state, now, &mut report, &mut events)? {
                    Ok(()) => recovered(&mut state, now, &mut events),
                    Err(failure) => {
                        round.keep(id, false, now, &taken.raw)?;
                        if failure.kind == ErrorKind::Flood {
                            held(&mut state, failure, now, &mut report);
                        } else {
                            failed(&mut state, failure.into(), now, &mut report, &mut events);
                        }
                    }
                }
            }
            Look::Failed(refusal, raw) => {
                if let Some(raw) = raw {
                    round.keep(id, false, now, raw)?;
                }
                failed(&mut state, refusal.clone(), now, &mut report, &mut events);
            }
        }
        stale(&mut state, now, &mut events);
        if let (Some(said), None) = (&visit.said, &state.error) {
            state.server.heed(said.fresh, said.moved.as_ref(), now);
        }
        // Somebody may ask for a retired page, but no schedule does.
        state.next_due = (!state.ended && !retired).then(|| self.next_due(index, &state, now));
        state.last_fetch = Some(now);
        round.note(id, now, origin, &events)?;
        round.settle(id, &state)?;
        Ok(Settled { index, report, next_due: state.next_due })
    }

    /// A reading against what is known. The inner error is the page's, the outer one the database's.
    #[expect(clippy::too_many_arguments, reason = "one step of `settle`, split off to be read on its own")]
    fn take(
        &self,
        round: &mut Round<'_>,
        id: PageId,
        visit: &Visit,
        taken: &Taken,
        state: &mut PageState,
        now: Stamp,
        report: &mut Report,
        events: &mut Vec<Event>,
    ) -> Result<Result<(), Failure>, StoreError> {
        let Visit { index, fingerprint, accept, .. } = *visit;
        let page = &self.settings.pages[index];
        let reading = &taken.reading;
        let backlog = !state.taken() || state.fingerprint != fingerprint;
        let (further, rest) = (taken.further, taken.rest);
        let mut case = diff::Case { page, id, state, reading, now, backlog, accept, further, rest };
        if let Err(failure) = diff::admit(&case) {
            return Ok(Err(failure));
        }
        if page.index.is_some() {
            report.outcome = Outcome::Changed;
            if let Some((new, event)) = self.propose(round, (page, id), reading, now)? {
                (report.proposed, report.followed) = (count(new.proposed), count(new.followed));
                state.last_change = Some(now);
                events.push(event);
            }
            learn(state, &[], now);
            round.keep(id, true, now, &taken.raw)?;
            taken_up(state, fingerprint, taken, &Changes::default(), now);
            return Ok(Ok(()));
        }
        let keyed = diff::Keyed::new(page, reading);
        let mut known = round.known(id, &keyed.asks())?;
        let more = keyed.asks_of_split(&known);
        round.learn(id, &more, &mut known)?;
        let missing = round.missing(&known, &diff::wanted(&keyed, &known))?;
        let mut changes = diff::diff(&case, &keyed, &known, &missing);
        if let Some(why) = diff::flood(&case, &known, &changes) {
            let (hold, released) = Hold::take(state.hold.clone(), &keyed.numbers(), now);
            if !released && !accept {
                if state.hold.replace(hold).is_none() {
                    events.push(Event::page(Deed::Held, why.as_str()));
                    // Their texts, since they have no number yet, and somebody may ask where they are.
                    let held = |p: &Post| format!("`{}` {}", p.title, p.link.as_ref().map_or("", Url::as_str));
                    let posts = changes.added.iter().map(|added| &reading.posts[added.post]);
                    events.extend(posts.map(|post| Event::page(Deed::Held, held(post))));
                }
                return Ok(Err(Failure::new(ErrorKind::Flood, why)));
            }
            case = diff::Case { state, backlog: true, ..case };
            changes = diff::diff(&case, &keyed, &known, &missing);
        }
        if let Some(failure) = diff::another_list(&case, &changes) {
            return Ok(Err(failure));
        }
        let backlog = case.backlog;
        let at = page.settings.base.as_ref().unwrap_or(&taken.address);
        let spot = Spot::new(&self.registered, index, &self.settings, &self.titles[index], at);
        let done = round.apply(&spot, reading, &changes, now, backlog)?;
        if state.hold.is_some() && backlog {
            events.push(Event::page(Deed::Released, if accept { "by somebody's word" } else { "by agreement" }));
        }
        events.extend(done);
        round.keep(id, true, now, &taken.raw)?;

        let (moves, same) = (changes.moves(), !backlog && state.body == Some(taken.origin.hash));
        // Of the same bytes only what further pages of the list say can be new.
        report.outcome = if rest.is_some() && same && !moves { Outcome::Unchanged } else { Outcome::Changed };
        report.added = count(changes.added.len());
        (report.updated, report.renamed) = (changes.updated, count(changes.renamed.len()));
        report.delisted = count(changes.delisted.len());
        if report.added + report.updated + report.renamed > 0 {
            state.last_change = Some(now);
        }
        // A backlog is history, which the first reading alone tells.
        let posts: Vec<_> = match (backlog, state.habit.is_empty()) {
            (true, true) => reading.posts.iter().map(|post| post.published).collect(),
            (true, false) => Vec::new(),
            (false, _) => {
                let news = changes.added.iter().filter(|added| added.news);
                news.map(|added| reading.posts[added.post].published).collect()
            }
        };
        learn(state, &posts, now);
        report.warnings.clone_from(&changes.warnings);
        taken_up(state, fingerprint, taken, &changes, now);
        Ok(Ok(()))
    }
}

/// What is known of a page once a reading of it was taken.
fn taken_up(state: &mut PageState, fingerprint: u64, taken: &Taken, changes: &Changes, now: Stamp) {
    let reading = &taken.reading;
    let proved = !taken.maybe_cut || state.unproved == Some(taken.origin.hash);
    if state.fingerprint != fingerprint {
        state.validators = None;
    }
    if proved && !changes.shrunk {
        state.validators.clone_from(&taken.validators);
    }
    state.unproved = taken.maybe_cut.then_some(taken.origin.hash);
    state.fingerprint = fingerprint;
    state.server.whole = Some(now);
    state.server.pace = reading.pace;
    state.server.shape = reading.shape;
    state.server.unread.clone_from(&taken.unread);
    state.kind = Some(reading.kind);
    state.body = Some(taken.origin.hash);
    state.count_fitted |= changes.count_fits;
    state.title.clone_from(&reading.title);
    state.description.clone_from(&reading.description);
    state.posts = count(reading.posts.len() - taken.further);
    state.stale_at = diff::stale_at(&changes.listing, now);
    state.stale &= state.last_change != Some(now);
    state.warnings.clone_from(&changes.warnings);
}

/// Takes up what a reading says about when the page posts.
fn learn(state: &mut PageState, posts: &[Option<Published>], now: Stamp) {
    let mut habit = Habit::unpack(&state.habit);
    schedule::learn(&mut habit, posts, now);
    state.habit = habit.pack().unwrap_or_default();
}

/// A page's poll, judged and stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// Which page, by its position in the configuration.
    pub index: usize,
    /// What happened.
    pub report: Report,
    /// When it is next due; none for a page that ended, is paused or whose topics are retired.
    pub next_due: Option<Stamp>,
}

/// A poll that found the page whole: failures are over.
fn recovered(state: &mut PageState, now: Stamp, events: &mut Vec<Event>) {
    let error = state.error.take();
    if let Some(error) = &error {
        let since = state.since.map(|since| format!(" since {}", since.rfc3339())).unwrap_or_default();
        events.push(Event::page(Deed::Recovered, format!("it was {}{since}", error.kind)));
    }
    if error.is_some() || state.since.is_none() {
        state.since = Some(now);
    }
    state.failures = 0;
    state.retry_after = None;
    state.hold = None;
}

/// A poll whose posts are kept back: what is known stays, and the page is asked as often as ever.
fn held(state: &mut PageState, failure: Failure, now: Stamp, report: &mut Report) {
    if state.error.as_ref().is_none_or(|e| e.kind != ErrorKind::Flood) {
        state.since = Some(now);
    }
    state.failures = 0;
    state.retry_after = None;
    state.error = Some(failure.clone());
    report.outcome = Outcome::Held;
    report.error = Some(failure);
}

/// Says once that a page brought nothing for far longer than its rhythm.
fn stale(state: &mut PageState, now: Stamp, events: &mut Vec<Event>) {
    // Whoever begins to follow a page that has long been silent knows that.
    let seen = state.last_change.is_some_and(|at| now.0 - at.0 >= diff::LEAST_SILENCE);
    if !state.stale && seen && state.error.is_none() && state.stale_at.is_some_and(|at| at <= now) {
        state.stale = true;
        events.push(Event::page(Deed::Stale, state.silence()));
    }
}

/// A length as the contract's numbers have it.
fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// A poll that found nothing to believe: what is known stays, the next try waits longer.
fn failed(state: &mut PageState, refusal: fetch::Refusal, now: Stamp, report: &mut Report, events: &mut Vec<Event>) {
    let ended = refusal.failure.kind == ErrorKind::Gone;
    if state.error.is_none() {
        state.since = Some(now);
    }
    if state.error.as_ref().is_none_or(|e| e.kind == ErrorKind::Flood || ended) {
        let deed = if ended { Deed::Ended } else { Deed::Failed };
        events.push(Event::page(deed, refusal.failure.to_string()));
    }
    state.failures = state.failures.saturating_add(1);
    state.retry_after = refusal.retry_after;
    state.server.host_wide = refusal.host_wide;
    state.ended = ended;
    state.error = Some(refusal.failure.clone());
    report.outcome = Outcome::Failed;
    report.error = Some(refusal.failure);
}

//! Manual refreshes under way: who waits for which pages.

use crate::model::{ErrorKind, Failure, Outcome, Report, Told, Total};
use crate::refresh::Mode;
use std::collections::HashMap;
use tokio::sync::mpsc::UnboundedSender;

/// Everybody who waits.
#[derive(Debug, Default)]
pub(super) struct Orders {
    waiting: HashMap<u64, Waiting>,
    /// For each page who waits for it, and how it is to be asked.
    by_page: HashMap<String, Vec<(u64, Mode)>>,
    last: u64,
    /// How many files are not published since readers would fail at them.
    pub(super) refused: u32,
}

#[derive(Debug)]
struct Waiting {
    told: UnboundedSender<Told>,
    left: usize,
    total: Total,
    /// Why feeds could not be written, if they could not.
    unpublished: Option<String>,
}

impl Orders {
    /// Somebody waits for these pages; for none there is nothing to wait for.
    pub(super) fn take(&mut self, pages: &[String], mode: Mode, told: UnboundedSender<Told>) {
        if pages.is_empty() {
            let _ = told.send(Told::Total(Total::default()));
            return;
        }
        self.last += 1;
        let waiting = Waiting { told, left: pages.len(), total: Total::default(), unpublished: None };
        self.waiting.insert(self.last, waiting);
        for page in pages {
            self.by_page.entry(page.clone()).or_default().push((self.last, mode));
        }
    }

    /// Tells all who wait for a page what became of it, and in the end why it could not be published. Who wants
    /// more than was done (`--force`) waits on.
    pub(super) fn tell(&mut self, page: &str, report: &Report, mode: Mode, unpublished: Option<&str>) {
        let (served, others): (Vec<_>, Vec<_>) =
            self.by_page.remove(page).unwrap_or_default().into_iter().partition(|(_, wanted)| mode.serves(*wanted));
        if !others.is_empty() {
            self.by_page.insert(page.to_owned(), others);
        }
        for (order, _) in served {
            let Some(waiting) = self.waiting.get_mut(&order) else { continue };
            waiting.unpublished = waiting.unpublished.take().or(unpublished.map(str::to_owned));
            waiting.total.count(report);
            waiting.left -= 1;
            // Whoever hung up is not told; the work was done all the same.
            let _ = waiting.told.send(Told::Page(report.clone()));
            if waiting.left == 0 {
                waiting.total.refused = self.refused;
                let end = waiting.unpublished.take().map_or(Told::Total(waiting.total), Told::Failed);
                let _ = waiting.told.send(end);
                self.waiting.remove(&order);
            }
        }
    }

    /// Tells all who wait for a page that it could not be done.
    pub(super) fn fail(&mut self, page: &str, why: &str) {
        let mut report = Report::new(page, Vec::new(), Outcome::Failed);
        report.error = Some(Failure::new(ErrorKind::Io, why));
        self.tell(page, &report, Mode { force: true, accept: true }, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::mpsc;

    #[test]
    fn everybody_is_told_of_their_pages_and_a_total_last() {
        let mut orders = Orders::default();
        let ((one, mut first), (two, mut second)) = (mpsc::unbounded_channel(), mpsc::unbounded_channel());
        orders.take(&["a".into(), "b".into()], Mode::default(), one);
        orders.take(&["b".into()], Mode::default(), two);
        let report = |page: &str| Report::new(page, Vec::new(), Outcome::Changed);
        orders.tell("b", &report("b"), Mode::default(), None);
        orders.fail("a", "no disk");
        let told = |r: &mut mpsc::UnboundedReceiver<Told>| std::iter::from_fn(|| r.try_recv().ok()).collect::<Vec<_>>();
        let first = told(&mut first);
        assert_eq!(first.len(), 3);
        assert!(matches!(&first[2], Told::Total(t) if (t.pages, t.changed, t.failed) == (2, 1, 1)), "{first:?}");
        assert!(matches!(&told(&mut second)[..], [Told::Page(_), Told::Total(t)] if t.pages == 1));
        assert!(orders.waiting.is_empty() && orders.by_page.is_empty());
    }

    #[test]
    fn force_waits_for_force_and_what_is_not_published_is_no_success() {
        let mut orders = Orders::default();
        let ((one, mut gentle), (two, mut forced)) = (mpsc::unbounded_channel(), mpsc::unbounded_channel());
        let force = Mode { force: true, ..Mode::default() };
        orders.take(&["a".into()], Mode::default(), one);
        orders.take(&["a".into()], force, two);
        let report = Report::new("a", Vec::new(), Outcome::Changed);
        orders.tell("a", &report, Mode::default(), Some("the disk is full"));
        assert!(matches!(gentle.try_recv(), Ok(Told::Page(_))));
        assert_eq!(gentle.try_recv(), Ok(Told::Failed("the disk is full".into())));
        assert!(forced.try_recv().is_err());
        orders.tell("a", &report, force, None);
        assert!(matches!((forced.try_recv(), forced.try_recv()), (Ok(Told::Page(_)), Ok(Told::Total(_)))));
        assert!(orders.waiting.is_empty() && orders.by_page.is_empty());
    }
}

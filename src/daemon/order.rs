//! Manual refreshes under way: who waits for which pages.

use crate::model::{ErrorKind, Failure, Outcome, Report, Told, Total};
use std::collections::HashMap;
use tokio::sync::mpsc::UnboundedSender;

/// Everybody who waits.
#[derive(Debug, Default)]
pub(super) struct Orders {
    waiting: HashMap<u64, Waiting>,
    by_page: HashMap<String, Vec<u64>>,
    last: u64,
}

#[derive(Debug)]
struct Waiting {
    told: UnboundedSender<Told>,
    left: usize,
    total: Total,
}

impl Orders {
    /// Somebody waits for these pages; for none there is nothing to wait for.
    pub(super) fn take(&mut self, pages: Vec<String>, told: UnboundedSender<Told>) {
        if pages.is_empty() {
            let _ = told.send(Told::Total(Total::default()));
            return;
        }
        self.last += 1;
        self.waiting.insert(self.last, Waiting { told, left: pages.len(), total: Total::default() });
        for page in pages {
            self.by_page.entry(page).or_default().push(self.last);
        }
    }

    /// Tells all who wait for a page what became of it.
    pub(super) fn tell(&mut self, page: &str, report: &Report) {
        for order in self.by_page.remove(page).unwrap_or_default() {
            let Some(waiting) = self.waiting.get_mut(&order) else { continue };
            waiting.total.count(report);
            waiting.left -= 1;
            // Whoever hung up is not told; the work was done all the same.
            let _ = waiting.told.send(Told::Page(report.clone()));
            if waiting.left == 0 {
                let _ = waiting.told.send(Told::Total(waiting.total));
                self.waiting.remove(&order);
            }
        }
    }

    /// Tells all who wait for a page that it could not be done.
    pub(super) fn fail(&mut self, page: &str, why: &str) {
        let mut report = Report::new(page, Vec::new(), Outcome::Failed);
        report.error = Some(Failure::new(ErrorKind::Io, why));
        self.tell(page, &report);
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
        orders.take(vec!["a".into(), "b".into()], one);
        orders.take(vec!["b".into()], two);
        let report = |page: &str| Report::new(page, Vec::new(), Outcome::Changed);
        orders.tell("b", &report("b"));
        orders.fail("a", "no disk");
        let told = |r: &mut mpsc::UnboundedReceiver<Told>| std::iter::from_fn(|| r.try_recv().ok()).collect::<Vec<_>>();
        let first = told(&mut first);
        assert_eq!(first.len(), 3);
        assert!(matches!(&first[2], Told::Total(t) if (t.pages, t.changed, t.failed) == (2, 1, 1)), "{first:?}");
        assert!(matches!(&told(&mut second)[..], [Told::Page(_), Told::Total(t)] if t.pages == 1));
        assert!(orders.waiting.is_empty() && orders.by_page.is_empty());
    }
}

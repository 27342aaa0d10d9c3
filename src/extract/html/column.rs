//! Tables whose columns have heads → which cells say what of a row's post.
//!
//! In: a document. Out: its cells that stand in a column headed "Author", "Company", "Type", "Date", "Summary" and the
//! like. A table's heads are its first row, if that is of `th`, stands in a `thead`, or names two fields; cells that span
//! rows or columns count as often as they do. Deliberately absent: heads of rows, tables within a cell of another.

use super::tree::{Id, Tree};
use crate::extract::named::Named;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Most cells of a table's row that are looked at.
const MAX_CELLS: usize = 64;

/// The cells that say what they hold.
#[derive(Debug, Default)]
pub(super) struct Columns {
    cells: HashMap<Id, Named>,
    /// Those of them whose links lead to no post, since another cell of the row has one.
    beside: HashSet<Id>,
}

impl Columns {
    pub(super) fn of(tree: &Tree) -> Self {
        let mut tables: BTreeMap<Id, Vec<Id>> = BTreeMap::new();
        for row in tree.elements(1..tree.len()).filter(|&id| is(tree, id, &["tr"])) {
            // A body stands between them at most.
            let table = tree.ancestors(row).take(2).find(|&up| is(tree, up, &["table"]));
            tables.entry(table.unwrap_or_default()).or_default().push(row);
        }
        let mut columns = Self::default();
        tables.values().for_each(|rows| columns.read(tree, rows));
        columns
    }

    /// Whether a link stands in a cell that says something else of the post than its address.
    pub(super) fn is_beside(&self, tree: &Tree, link: Id) -> bool {
        !self.beside.is_empty() && tree.ancestors(link).take(8).any(|up| self.beside.contains(&up))
    }

    /// What an element says, if it is such a cell.
    pub(super) fn says(&self, id: Id) -> Option<Named> {
        self.cells.get(&id).copied()
    }

    /// The cell among some nodes that says a certain thing, if it has words at all.
    pub(super) fn cell(&self, tree: &Tree, range: std::ops::Range<Id>, named: Named) -> Option<Id> {
        if self.cells.is_empty() {
            return None;
        }
        tree.elements(range).find(|id| self.says(*id) == Some(named)).filter(|&cell| tree.size(cell) > 0)
    }

    fn read(&mut self, tree: &Tree, rows: &[Id]) {
        let Some((&first, rows)) = rows.split_first() else { return };
        let heads: Vec<(Id, usize)> = places(tree, first, &mut Vec::new());
        let named: HashMap<usize, Named> =
            heads.iter().filter_map(|(id, place)| Some((*place, Named::of_column(&tree.line(*id))?))).collect();
        let in_head = is(tree, tree.parent(first), &["thead"]);
        let is_head = in_head || named.len() > 1 || heads.iter().all(|(id, _)| is(tree, *id, &["th"]));
        if named.is_empty() || heads.len() < 2 || !is_head {
            return;
        }
        let mut hanging = Vec::new();
        for &row in rows {
            let cells = places(tree, row, &mut hanging);
            let has_link = |id: Id| tree.elements(id..tree.end(id)).any(|inner| is(tree, inner, &["a"]));
            let is_linked = cells.iter().any(|(id, place)| !named.contains_key(place) && has_link(*id));
            for (id, place) in cells {
                let Some(&what) = named.get(&place) else { continue };
                self.cells.insert(id, what);
                if is_linked {
                    self.beside.insert(id);
                }
            }
        }
    }
}

/// The cells of a row, each with the number of its column. `hanging`: for each column in how many further rows it is
/// taken by a cell of an earlier one.
fn places(tree: &Tree, row: Id, hanging: &mut Vec<usize>) -> Vec<(Id, usize)> {
    let mut found = Vec::new();
    let mut place = 0;
    let span = |id, name| tree.attribute(id, name).and_then(|n| n.trim().parse::<usize>().ok()).unwrap_or(1);
    let mut is_free = |place: usize, rows: usize| {
        if hanging.len() <= place {
            hanging.resize(place + 1, 0);
        }
        let free = hanging[place] == 0;
        hanging[place] = if free { rows.saturating_sub(1) } else { hanging[place] - 1 };
        free
    };
    for cell in tree.children(row).filter(|&id| is(tree, id, &["td", "th"])) {
        let rows = span(cell, "rowspan");
        while place < MAX_CELLS && !is_free(place, rows) {
            place += 1;
        }
        if place >= MAX_CELLS {
            break;
        }
        found.push((cell, place));
        for more in 1..span(cell, "colspan").clamp(1, MAX_CELLS - place) {
            is_free(place + more, rows);
        }
        place += span(cell, "colspan").clamp(1, MAX_CELLS - place);
    }
    for place in place..hanging.len() {
        hanging[place] = hanging[place].saturating_sub(1);
    }
    found
}

fn is(tree: &Tree, id: Id, names: &[&str]) -> bool {
    names.contains(&&**tree.name(id))
}

//! Tables whose columns have heads → which cells say what of a row's post.
//!
//! In: a document. Out: its cells that stand in a column headed "Author", "Company", "Type", "Date", "Summary" and the
//! like. A table's heads are the first of its rows that is of `th`, stands in a `thead`, or names two fields; cells that
//! span rows or columns count as often as they do. Deliberately absent: heads of rows, tables within a cell of another.

use super::tree::{Id, Tree};
use crate::extract::named::Named;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Most cells of a table's row that are looked at.
const MAX_CELLS: usize = 64;

/// Most rows above the heads: the table's title.
const MAX_ABOVE: usize = 2;

/// Longest head of a column, in letters.
const MAX_HEAD: usize = 40;

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
        for rows in tables.values() {
            columns.read(tree, rows);
        }
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
        let mut first = rows.iter().take(MAX_ABOVE + 1).enumerate();
        let Some((above, heads)) = first.find_map(|(n, &row)| Some((n, heads_of(tree, row)?))) else { return };
        let mut hanging = Vec::new();
        for &row in &rows[above + 1..] {
            self.row(tree, &places(tree, row, &mut hanging), &heads);
        }
    }

    fn row(&mut self, tree: &Tree, cells: &[(Id, usize)], heads: &HashMap<usize, (Id, String)>) {
        let head = |place: &usize| heads.get(place).map_or("", |(_, head)| head.as_str());
        let links = |id: Id| tree.elements(id..tree.end(id)).filter(|&inner| is(tree, inner, &["a"]));
        let is_free = |(_, place): &&(Id, usize)| Named::of_column(head(place), false).is_none();
        let is_title =
            |(id, place): &&(Id, usize)| links(*id).any(|link| Named::is_title(head(place), &tree.line(link)));
        let has_link = cells.iter().filter(is_free).any(|(id, _)| links(*id).next().is_some());
        let titles = || cells.iter().filter(is_free).filter(is_title);
        let has_title = titles().any(|(_, place)| Named::of_column(head(place), true).is_none());
        for cell @ (id, place) in cells {
            // Where no other cell has a link, a field's is the post's.
            let is_read = has_link || links(*id).next().is_none();
            if let Some(what) = Named::of_column(head(place), has_title).filter(|_| is_read) {
                self.cells.insert(*id, what);
                if has_link {
                    self.beside.insert(*id);
                }
            } else if titles().next().is_some() && !is_title(&cell) {
                // The slides of a talk, the code of a paper.
                self.beside.insert(*id);
            }
        }
    }
}

/// The cells of a row of heads by their columns, each with its words; none where it is no such row.
fn heads_of(tree: &Tree, row: Id) -> Option<HashMap<usize, (Id, String)>> {
    let cells = places(tree, row, &mut Vec::new()).into_iter();
    let heads: HashMap<usize, (Id, String)> = cells.map(|(id, place)| (place, (id, words(tree, id)))).collect();
    let known = heads.values().filter(|(_, head)| Named::of_column(head, true).is_some()).count();
    let is_apart = is(tree, tree.parent(row), &["thead"]) || heads.values().all(|(id, _)| is(tree, *id, &["th"]));
    (known > 0 && heads.len() > 1 && (is_apart || known > 1)).then_some(heads)
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
    for rows in hanging.iter_mut().skip(place) {
        *rows = rows.saturating_sub(1);
    }
    found
}

/// The words of a head; none where there are more than a head has, as in tables for layout.
fn words(tree: &Tree, cell: Id) -> String {
    if tree.size(cell) <= MAX_HEAD { tree.line(cell) } else { String::new() }
}

fn is(tree: &Tree, id: Id, names: &[&str]) -> bool {
    names.contains(&&**tree.name(id))
}

//! How much of a bundle a budget holds.
//!
//! Where it sits: between a bundle and its forms; a form says what a group of lines costs ([`Shape`]). The steps of the
//! bundle are taken in their order until one does not fit; of that one as many first lines as fit are taken, and nothing
//! after it. Invariants: what is taken is a prefix of a sequence that does not depend on the budget, hence a larger budget
//! never shows less; a piece inside another one that is shown joins it instead of being written again.
//!
//! ```text
//! budget = head and notes (at most a quarter) + ledger (at most a tenth) + source
//! entry  ≤ half of the source's share, or ENTRY tokens where half is less
//! ```

use std::collections::BTreeMap;

use crate::context::{Bundle, Form, SourceText, merge};
use crate::render::budget::measure;

/// What one piece may take before all others had their turn, in hundredths of a token.
const CAP: u64 = 1500 * 100;
/// What an entry may always take, in hundredths of a token.
const ENTRY: u64 = 300 * 100;
/// What a ledger may take, in hundredths of a token.
const LEDGER: u64 = 160 * 100;
/// Fewer lines of a piece are not begun.
const MIN_LINES: usize = 3;
/// Most of what a further step of budget would add that is told.
pub(super) const NEXT: usize = 5;

/// Lines of one outermost piece, with the pieces inside it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Group {
    /// Places of the pieces, the outermost first.
    pub(super) pieces: Vec<usize>,
    /// The lines that are shown.
    pub(super) lines: Vec<(u32, u32)>,
}

/// How a form writes source; the costs of the parts add up.
pub(super) trait Shape {
    /// What stands before the first group of a file.
    fn open(&self, file: &SourceText) -> String;
    /// A group.
    fn group(&self, bundle: &Bundle, group: &Group) -> String;
    /// What stands behind the last group of a file.
    fn close(&self, file: &SourceText) -> String;
}

/// What a budget holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Packed {
    /// Groups by file, in reading order.
    pub(super) files: Vec<(usize, Vec<Group>)>,
    /// Places of the pieces that are not shown, in order of worth.
    pub(super) left: Vec<usize>,
    /// Places of the pieces that are shown in part.
    pub(super) cut: Vec<usize>,
    /// How many pieces are shown.
    pub(super) shown: usize,
    /// A larger budget, and the pieces that it would add.
    pub(super) next: Option<(u64, Vec<usize>)>,
}

#[derive(Clone)]
struct State<'a> {
    bundle: &'a Bundle,
    /// Lines that are shown, by piece.
    lines: Vec<Vec<(u32, u32)>>,
    costs: BTreeMap<usize, u64>,
    total: u64,
}

/// The room for source in a budget of that many hundredths, `head` of which the head and the notes would like.
fn room(budget: u64, head: u64) -> u64 {
    budget - (budget / 4).min(head) - (budget / 10).min(LEDGER)
}

/// Takes the steps that fit.
pub(super) fn pack(bundle: &Bundle, shape: &dyn Shape, budget: u64, head: u64) -> Packed {
    let budget = budget.saturating_mul(100);
    let limit = room(budget, head);
    let mut state = State {
        bundle,
        lines: vec![Vec::new(); bundle.pieces.len()],
        costs: BTreeMap::new(),
        total: 0,
    };
    let stopped = state.take(shape, 0, limit);
    let mut packed = state.result();
    if let Some(at) = stopped {
        let step = budget.max(4000 * 100) / 4;
        let larger = budget.saturating_add(step);
        let mut more = state.clone();
        more.take(shape, at, room(larger, head));
        let added = |piece: &usize| more.lines.get(*piece).is_some_and(|l| !l.is_empty());
        let next: Vec<usize> = packed
            .left
            .iter()
            .copied()
            .filter(added)
            .take(NEXT)
            .collect();
        if !next.is_empty() {
            packed.next = Some((larger / 100, next));
        }
    }
    packed
}

impl State<'_> {
    /// Takes steps from `from` on; the place of the one that did not fit.
    fn take(&mut self, shape: &dyn Shape, from: usize, limit: u64) -> Option<usize> {
        let bundle = self.bundle;
        for (at, step) in bundle.steps.iter().enumerate().skip(from) {
            let Some(piece) = bundle.pieces.get(step.piece) else {
                continue;
            };
            let Some(file) = bundle.files.get(piece.file) else {
                continue;
            };
            let wanted = match step.form {
                Form::Outline => piece.outline.clone(),
                Form::Whole => piece.body.clone(),
                Form::Body => first_lines(file, &piece.body, piece.line, CAP),
            };
            let half = at == 0 && bundle.has_entry && bundle.steps.len() > 1;
            let share = if half {
                (limit / 2).max(ENTRY.min(limit))
            } else {
                limit
            };
            if self.add(shape, step.piece, wanted.clone(), share) {
                continue;
            }
            let whole = self.add_part(shape, step.piece, &wanted, share, at == 0);
            if !half {
                return Some(at);
            }
            if !whole {
                return Some(at);
            }
        }
        None
    }

    /// Shows further lines of a piece if they fit.
    fn add(&mut self, shape: &dyn Shape, piece: usize, lines: Vec<(u32, u32)>, limit: u64) -> bool {
        let Some(file) = self.bundle.pieces.get(piece).map(|p| p.file) else {
            return true;
        };
        let Some(slot) = self.lines.get_mut(piece) else {
            return true;
        };
        let before = slot.clone();
        slot.extend(lines);
        *slot = merge(std::mem::take(slot));
        if *slot == before {
            return true;
        }
        let cost = self.cost(shape, file);
        let old = self.costs.get(&file).copied().unwrap_or(0);
        let total = self.total - old + cost;
        if total <= limit {
            self.costs.insert(file, cost);
            self.total = total;
            return true;
        }
        if let Some(slot) = self.lines.get_mut(piece) {
            *slot = before;
        }
        false
    }

    /// Shows as many first lines of a piece as fit; whether it could be begun.
    fn add_part(
        &mut self,
        shape: &dyn Shape,
        piece: usize,
        lines: &[(u32, u32)],
        limit: u64,
        any: bool,
    ) -> bool {
        let Some(line) = self.bundle.pieces.get(piece).map(|p| p.line) else {
            return false;
        };
        let order = in_order(lines, line);
        let least = if any { 1 } else { MIN_LINES };
        let (mut low, mut high) = (0, order.len());
        let kept = (self.lines.clone(), self.costs.clone(), self.total);
        // The most lines for which this and every smaller number fits; costs grow with the number of lines but for the
        // width of a mark, so a search by halves is right up to one line.
        while low < high {
            let middle = (low + high).div_ceil(2);
            let some = order.iter().take(middle).map(|n| (*n, *n)).collect();
            (self.lines, self.costs, self.total) = kept.clone();
            if self.add(shape, piece, some, limit) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        (self.lines, self.costs, self.total) = kept;
        if low < least.min(order.len().max(1)) {
            return false;
        }
        let some = order.iter().take(low).map(|n| (*n, *n)).collect();
        self.add(shape, piece, some, limit)
    }

    fn cost(&self, shape: &dyn Shape, file: usize) -> u64 {
        let Some(source) = self.bundle.files.get(file) else {
            return 0;
        };
        let groups = self.groups(file);
        if groups.is_empty() {
            return 0;
        }
        let inner: u64 = groups
            .iter()
            .map(|g| measure(&shape.group(self.bundle, g)))
            .sum();
        measure(&shape.open(source)) + inner + measure(&shape.close(source))
    }

    /// What is shown of a file: outermost pieces, each with those inside it.
    fn groups(&self, file: usize) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        let pieces = self.bundle.pieces.iter().enumerate();
        for (at, piece) in pieces.filter(|(_, p)| p.file == file) {
            let Some(lines) = self.lines.get(at).filter(|l| !l.is_empty()) else {
                continue;
            };
            let outer = groups.last_mut().filter(|g| {
                let first = g.pieces.first().and_then(|p| self.bundle.pieces.get(*p));
                first.is_some_and(|o| o.line <= piece.line && piece.end_line <= o.end_line)
            });
            match outer {
                Some(group) => {
                    group.pieces.push(at);
                    group.lines.extend(lines);
                    group.lines = merge(std::mem::take(&mut group.lines));
                }
                None => groups.push(Group {
                    pieces: vec![at],
                    lines: lines.clone(),
                }),
            }
        }
        groups
    }

    fn result(&self) -> Packed {
        let mut packed = Packed::default();
        for file in 0..self.bundle.files.len() {
            let groups = self.groups(file);
            if !groups.is_empty() {
                packed.files.push((file, groups));
            }
        }
        let mut told = vec![false; self.bundle.pieces.len()];
        for step in &self.bundle.steps {
            let Some(told) = told.get_mut(step.piece).filter(|t| !**t) else {
                continue;
            };
            *told = true;
            let Some(piece) = self.bundle.pieces.get(step.piece) else {
                continue;
            };
            let lines = self
                .lines
                .get(step.piece)
                .map(Vec::as_slice)
                .unwrap_or_default();
            if lines.is_empty() {
                packed.left.push(step.piece);
                continue;
            }
            packed.shown += 1;
            if merge(lines.iter().chain(&piece.body).copied().collect()) != lines {
                packed.cut.push(step.piece);
            }
        }
        packed
    }
}

/// The first lines of a piece that cost at most `cap`: those of the unit itself first, what stands above it last.
fn first_lines(file: &SourceText, lines: &[(u32, u32)], line: u32, cap: u64) -> Vec<(u32, u32)> {
    let mut left = cap;
    let mut taken = Vec::new();
    for number in in_order(lines, line) {
        let cost = measure(file.line(number)) + measure("\n");
        match left.checked_sub(cost) {
            Some(rest) => left = rest,
            None => break,
        }
        taken.push((number, number));
    }
    merge(taken)
}

/// The lines from `line` on, then those before it.
fn in_order(lines: &[(u32, u32)], line: u32) -> Vec<u32> {
    let all = || lines.iter().flat_map(|(a, b)| *a..=*b);
    all()
        .filter(|n| *n >= line)
        .chain(all().filter(|n| *n < line))
        .collect()
}

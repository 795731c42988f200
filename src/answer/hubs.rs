//! The most connected symbols.
//!
//! Where it sits: under the `god-nodes` command. Invariants: only what the index defines counts, and no whole files or
//! modules, whose edges say how they are cut, not how much they are used; of one degree, the first by place stands first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use serde::Serialize;

use crate::answer::card::NodeCard;
use crate::ids::SymId;
use crate::model::label::NodeKind;
use crate::snapshot::Snapshot;

/// One of the most connected symbols.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct HubCard {
    /// The symbol.
    #[serde(flatten)]
    pub card: NodeCard,
    /// All its edges.
    pub degree: usize,
    /// Edges that lead to it.
    pub in_degree: usize,
    /// Edges that leave it.
    pub out_degree: usize,
}

/// The most connected symbols, most first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct HubsAnswer {
    /// The symbols.
    pub nodes: Vec<HubCard>,
    /// How many symbols were looked at.
    pub looked_at: u64,
}

/// The `top` most connected symbols.
pub fn hubs(snapshot: &Snapshot, top: usize) -> HubsAnswer {
    let mut answer = HubsAnswer::default();
    // The least connected of the best so far is on top of the heap. More than `top` are kept where degrees are equal, as
    // the place decides among these and is only looked at in the end.
    let mut best: BinaryHeap<Reverse<usize>> = BinaryHeap::new();
    let mut found: Vec<(usize, SymId)> = Vec::new();
    let mut room = top.saturating_mul(8).max(4096);
    for sym in (0..snapshot.symbol_bound()).map(SymId) {
        let Some(node) = snapshot.node(sym) else {
            continue;
        };
        let kind = node.kind();
        let whole = [
            NodeKind::FILE,
            NodeKind::MODULE,
            NodeKind::PACKAGE,
            NodeKind::SECTION,
        ];
        if node.is_placeholder() || whole.contains(&kind) {
            continue;
        }
        answer.looked_at += 1;
        let degree = snapshot.degree(sym);
        let enters = best.len() < top || best.peek().is_some_and(|Reverse(least)| degree >= *least);
        if degree == 0 || top == 0 || !enters {
            continue;
        }
        found.push((degree, sym));
        if best.len() < top {
            best.push(Reverse(degree));
        } else if best.peek().is_some_and(|Reverse(least)| degree > *least) {
            best.pop();
            best.push(Reverse(degree));
        }
        if found.len() > room {
            let least = best.peek().map_or(0, |Reverse(least)| *least);
            found.retain(|(degree, _)| *degree >= least);
            // Where most have the same degree little goes away: the next look comes after twice as many.
            room = room.max(found.len().saturating_mul(2));
        }
    }
    let least = best.peek().map_or(0, |Reverse(least)| *least);
    found.retain(|(degree, _)| *degree >= least);
    found.sort_by_cached_key(|(degree, sym)| {
        let node = snapshot.node(*sym);
        let place = node.map(|n| {
            let file = n.file().unwrap_or_default().to_string();
            (file, n.span().start_line, n.key())
        });
        (Reverse(*degree), place, *sym)
    });
    found.truncate(top);
    let card = |(degree, sym): (usize, SymId)| HubCard {
        card: NodeCard::of(snapshot, sym),
        degree,
        in_degree: snapshot.in_degree(sym),
        out_degree: snapshot.out_row(sym).len(),
    };
    answer.nodes = found.into_iter().map(card).collect();
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::fixture::Fixture;
    use crate::render::hubs as text;

    #[test]
    fn files_are_left_out_and_ties_go_by_place() {
        let fixture = Fixture::new(
            "file b.ts\n  function b 1\n  function c 2\nb() calls/call -> a.ts::log() @1\nc() calls/call -> a.ts::log() @2\n\
             c() calls/call -> ?gone @2\nfile a.ts\n  function log 1\n  function lone 2\n",
        );
        insta::assert_snapshot!(text::hubs(&hubs(&fixture.snapshot, 3)), @r"
        God nodes (most connected):
          1. log() - 3 edges (3 in, 0 out) a.ts:L1
          2. c() - 3 edges (1 in, 2 out) b.ts:L2
          3. b() - 2 edges (1 in, 1 out) b.ts:L1
        ");
        assert_eq!(hubs(&fixture.snapshot, 1).nodes.len(), 1);
        assert!(hubs(&fixture.snapshot, 0).nodes.is_empty());
        assert_eq!(hubs(&fixture.snapshot, 100).nodes.len(), 4);
    }
}

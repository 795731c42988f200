//! Any question and any name, against a small store: an answer within its budget, or a plain "nothing".

#![no_main]

use std::sync::{Arc, OnceLock};

use arbitrary::Arbitrary;
use graphify::answer::{QueryOutcome, QueryRequest, explain, query};
use graphify::model::edge::EdgeLabel;
use graphify::model::label::{Language, NodeKind, Relation};
use graphify::model::unit::{NewNode, Unit};
use graphify::render::{text, tokens};
use graphify::search::{Resolution, resolve};
use graphify::storage::sim::SimFs;
use graphify::{Snapshot, Store};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Input {
    question: String,
    name: String,
    budget: u16,
    dfs: bool,
    depth: Option<u8>,
    contexts: Vec<String>,
    lines: bool,
}

fn snapshot() -> &'static Snapshot {
    static SNAPSHOT: OnceLock<Snapshot> = OnceLock::new();
    SNAPSHOT.get_or_init(|| {
        let store = Store::with_fs(Arc::new(SimFs::new()), "/index");
        let mut writer = store.writer().unwrap();
        for file in 0..30 {
            let mut unit = Unit::new(
                format!("src/part{}/file{file}.ts", file % 3),
                Language::TYPESCRIPT,
            );
            for name in [
                "loadPage",
                "store_value",
                "HTTPServer",
                "größe",
                "用户认证",
                "x",
            ] {
                let node = unit.add(NewNode::new(name, NodeKind::FUNCTION)).unwrap();
                let to = (file * 7 + 1) % 30;
                let target = format!("src/part{}/file{to}.ts::{name}()", to % 3);
                unit.link_key(node, &target, EdgeLabel::stated(Relation::CALLS));
                unit.link_key(node, "?println", EdgeLabel::stated(Relation::CALLS));
            }
            writer.put(unit).unwrap();
        }
        writer.commit().unwrap();
        store.snapshot().unwrap()
    })
}

fuzz_target!(|input: Input| {
    let request = QueryRequest {
        question: input.question,
        dfs: input.dfs,
        depth: input.depth.map(u32::from),
        contexts: input.contexts.into_iter().take(4).collect(),
        ..QueryRequest::default()
    };
    let budget = u64::from(input.budget.max(1));
    if let Ok(QueryOutcome::Answer(answer)) = query(snapshot(), &request) {
        let format = if input.lines {
            text::Format::Lines
        } else {
            text::Format::Grouped
        };
        let printed = text::query(&answer, format, budget);
        assert!(
            tokens(&printed) <= budget,
            "{} tokens for a budget of {budget}",
            tokens(&printed)
        );
    }
    if let Ok(Resolution::Found { sym, .. }) = resolve(snapshot(), &input.name) {
        let _ = explain(snapshot(), sym, false);
    }
});

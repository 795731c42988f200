//! A store whose graph has nothing to do with source code: families, villages, who taught whom.
//!
//! `cargo run --example family_tree` makes a store in a temporary folder, changes one unit of it, and asks both states.

use graphify::model::edge::EdgeLabel;
use graphify::model::label::Language;
use graphify::model::unit::{NewNode, Unit};
use graphify::traverse::{BfsOptions, Verdict, bfs};
use graphify::{Result, Store, Writer};

/// One village is one unit: it is replaced as a whole when its register changes.
fn village(
    writer: &mut Writer,
    name: &str,
    people: &[&str],
    taught: &[(&str, &str)],
) -> Result<Unit> {
    let person = writer.kind("person")?;
    let taught_by = writer.relation("taught")?;
    let lives_in = writer.relation("home_of")?;
    let mut unit = Unit::new(name, Language::NONE);
    for who in people {
        let node = unit.add(NewNode::new(who, person))?;
        unit.link_local(
            graphify::ids::LocalNode::UNIT,
            node,
            EdgeLabel::stated(lives_in),
        );
        for (_, pupil) in taught.iter().filter(|(teacher, _)| teacher == who) {
            // The pupil may live in a village that is registered later: the edge waits for her.
            unit.link_key(node, pupil, EdgeLabel::stated(taught_by));
        }
    }
    Ok(unit)
}

fn main() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("graphify-family-{}", std::process::id()));
    let store = Store::at(&folder);
    let mut writer = store.writer()?;
    let hill = village(
        &mut writer,
        "hill",
        &["Ada", "Bruno"],
        &[("Ada", "lake::Clara"), ("Bruno", "hill::Ada")],
    )?;
    writer.put(hill)?;
    let lake = village(
        &mut writer,
        "lake",
        &["Clara", "Dora"],
        &[("Clara", "lake::Dora")],
    )?;
    writer.put(lake)?;
    writer.commit()?;

    let before = store.snapshot()?;
    let taught = graphify::model::label::Relation::find("taught", before.labels());
    let relations: Vec<_> = taught.into_iter().collect();
    let options = BfsOptions {
        relations: graphify::traverse::RelationMask::of(&relations),
        ..BfsOptions::default()
    };
    if let Some(bruno) = before.find_key("hill::Bruno")? {
        let mut line = Vec::new();
        bfs(&before, &[bruno], &options, |sym, hops| {
            line.push(format!(
                "{}{}",
                "  ".repeat(hops as usize),
                before.label_of(sym)
            ));
            Verdict::Expand
        });
        show("taught in a line from Bruno:", &line);
    }

    // Clara moves away: her village is registered anew, without her.
    let lake = village(&mut writer, "lake", &["Dora"], &[])?;
    writer.put(lake)?;
    writer.commit()?;
    let after = store.snapshot()?;
    if let Some(clara) = after.find_key("lake::Clara")? {
        let known = after.node(clara).is_some_and(|n| !n.is_placeholder());
        let teachers: Vec<String> = after
            .in_edges(clara)
            .map(|e| after.label_of(e.source).into_owned())
            .collect();
        show(
            if known {
                "Clara lives here"
            } else {
                "Clara is gone; still pointing at her:"
            },
            &teachers,
        );
    }
    drop((before, after, writer));
    let _ = std::fs::remove_dir_all(&folder);
    Ok(())
}

#[expect(clippy::print_stdout, reason = "an example shows what it found")]
fn show(title: &str, lines: &[String]) {
    println!("{title}");
    for line in lines {
        println!("  {line}");
    }
}

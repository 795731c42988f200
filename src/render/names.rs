//! A name that is ambiguous or unknown, as text.
//!
//! Where it sits: beside the other renderers; written for exit codes 3 and 4. Invariant: each candidate is shown with an id
//! that can be typed instead.

use std::fmt::Write;

use crate::answer::{NameProblem, NodeCard};
use crate::render::safe;

/// Most candidates that are listed in text.
const MAX_LISTED: usize = 20;

/// The problem as text, with what to type instead.
pub fn problem(problem: &NameProblem) -> String {
    if problem.question {
        let mut out = "No matching nodes found.\n".to_string();
        if !problem.near.is_empty() {
            out.push_str("Near names:\n");
            near(&mut out, problem);
        }
        return out;
    }
    if problem.candidates.is_empty() {
        unknown(problem)
    } else {
        ambiguous(problem)
    }
}

fn ambiguous(problem: &NameProblem) -> String {
    let asked = safe::field(&problem.asked);
    let first = problem
        .candidates
        .first()
        .map(|c| c.file.as_str())
        .unwrap_or_default();
    let one_file = problem.candidates.iter().all(|c| c.file == first);
    let place = if one_file {
        format!("in {}", safe::field(first))
    } else {
        "in different files".to_string()
    };
    let mut out = format!(
        "Ambiguous: '{asked}' matches {} nodes {place}.\n",
        problem.total
    );
    let mut last = None;
    for card in problem.candidates.iter().take(MAX_LISTED) {
        if one_file {
            let _ = writeln!(out, "  {}", safe::lines(card.line, 0));
        } else if last != Some(&card.file) {
            let _ = writeln!(out, "  {}", safe::field(&card.file));
        }
        last = Some(&card.file);
        let _ = writeln!(out, "    id: {}", safe::field(&card.id));
    }
    let shown = problem.candidates.len().min(MAX_LISTED);
    let more = problem.total.saturating_sub(shown);
    if more > 0 {
        let _ = writeln!(out, "  ... and {more} more");
    }
    out.push_str(if one_file {
        "Retry with the full node id.\n"
    } else {
        "Retry with FILE::name, using one of the paths above, or with the full node id.\n"
    });
    out
}

fn unknown(problem: &NameProblem) -> String {
    let asked = safe::field(&problem.asked);
    let mut out = format!("No node matching '{asked}' found");
    if let (Some(file), Some(lines)) = (&problem.file, problem.lines) {
        let _ = writeln!(out, "; {} ends at line {lines}.", safe::field(file));
        return out;
    }
    if let Some(file) = &problem.file {
        let file = safe::field(file);
        let name = problem
            .asked
            .split_once("::")
            .map_or(asked.clone(), |(_, name)| safe::field(name));
        let _ = write!(out, "; {file} defines no '{name}'");
        if problem.near.is_empty() {
            out.push_str(".\n");
            return out;
        }
        out.push_str(".\n");
        for card in &problem.near {
            let _ = writeln!(
                out,
                "  defined in {}  (id: {})",
                place(card),
                safe::field(&card.id)
            );
        }
        return out;
    }
    if problem.near.is_empty() {
        out.push_str(".\n");
        return out;
    }
    out.push_str(". Near names:\n");
    near(&mut out, problem);
    out
}

fn near(out: &mut String, problem: &NameProblem) {
    for card in &problem.near {
        let _ = writeln!(
            out,
            "  {}  {}  (id: {})",
            safe::field(&card.label),
            place(card),
            safe::field(&card.id)
        );
    }
}

fn place(card: &NodeCard) -> String {
    let (file, lines) = (safe::field(&card.file), safe::lines(card.line, 0));
    format!("{file} {lines}").trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(file: &str, line: u32, name: &str) -> NodeCard {
        NodeCard {
            id: format!("{file}::{name}"),
            label: name.to_string(),
            file: file.to_string(),
            line,
            ..NodeCard::default()
        }
    }

    #[test]
    fn candidates_of_several_files_and_of_one() {
        let mut several = NameProblem {
            asked: "Port".into(),
            candidates: vec![card("a.ts", 1, "Port"), card("b.ts", 4, "Port")],
            total: 2,
            ..NameProblem::default()
        };
        assert_eq!(
            problem(&several),
            "Ambiguous: 'Port' matches 2 nodes in different files.\n  a.ts\n    id: a.ts::Port\n  b.ts\n    id: b.ts::Port\n\
             Retry with FILE::name, using one of the paths above, or with the full node id.\n"
        );
        several.candidates = vec![card("a.ts", 2, "A.f()"), card("a.ts", 5, "B.f()")];
        several.total = 3;
        assert_eq!(
            problem(&several),
            "Ambiguous: 'Port' matches 3 nodes in a.ts.\n  L2\n    id: a.ts::A.f()\n  L5\n    id: a.ts::B.f()\n  ... and 1 more\n\
             Retry with the full node id.\n"
        );
    }

    #[test]
    fn unknown_names_with_and_without_near_ones() {
        let mut none = NameProblem {
            asked: "x\u{1b}".into(),
            ..NameProblem::default()
        };
        assert_eq!(problem(&none), "No node matching 'x' found.\n");
        none.near = vec![card("a.ts", 3, "xs")];
        assert_eq!(
            problem(&none),
            "No node matching 'x' found. Near names:\n  xs  a.ts L3  (id: a.ts::xs)\n"
        );
        none.asked = "b.ts::xs".into();
        none.file = Some("b.ts".into());
        assert_eq!(
            problem(&none),
            "No node matching 'b.ts::xs' found; b.ts defines no 'xs'.\n  defined in a.ts L3  (id: a.ts::xs)\n"
        );
        assert_eq!(
            problem(&NameProblem::nothing("q")),
            "No matching nodes found.\n"
        );
    }
}

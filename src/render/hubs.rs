//! The most connected symbols, as text.
//!
//! Where it sits: the renderer of `god-nodes`. Each line begins as the reference's does; then the directions and the place.

use std::fmt::Write;

use crate::answer::HubsAnswer;
use crate::render::safe;

/// The answer as text.
pub fn hubs(answer: &HubsAnswer) -> String {
    if answer.nodes.is_empty() {
        return "No connected nodes.\n".to_string();
    }
    let mut out = "God nodes (most connected):\n".to_string();
    for (i, hub) in answer.nodes.iter().enumerate() {
        let place = safe::site(&hub.card.file, hub.card.line);
        let _ = writeln!(
            out,
            "  {}. {} - {} edges ({} in, {} out) {place}",
            i + 1,
            safe::field(&hub.card.label),
            hub.degree,
            hub.in_degree,
            hub.out_degree,
        );
    }
    out
}

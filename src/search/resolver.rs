//! Which symbol a typed name means: the one resolver of every command.
//!
//! Where it sits: above the names of `snapshot`; used wherever a user types a symbol. The readings of the typed form
//! (`designation`) are tried in tiers, and the first tier with hits wins:
//!
//! | tier | hit | announced |
//! |---|---|---|
//! | key | the printed key | no |
//! | line | the innermost symbol at `FILE:LINE` | no |
//! | scoped | `FILE::name` (fails closed: the file is known, so no other file is meant) | no |
//! | file | the path, or the end of it | no |
//! | exact | the spelling, with the holders, call mark and dot that were typed | no |
//! | folded | the same without case and diacritics, or several words joined | yes |
//! | prefix, then substring | names that begin with it, then names that contain it | yes |
//!
//! Several hits in the winning tier are ambiguous and are all listed. Definitions hide placeholders of the same name. Nothing
//! at all: near spellings are listed. Invariant: what is not an exact hit is never returned without saying so.

use crate::error::Result;
use crate::ids::SymId;
use crate::model::label::{NodeKind, Relation};
use crate::search::designation::{Reading, Symbol, readings};
use crate::search::query::join_forms;
use crate::search::{fold, sub_words};
use crate::snapshot::{NameHit, NodeView, Snapshot};

/// Most names that a prefix, a substring or a near spelling is followed to.
const MAX_NAMES: usize = 64;
/// Most candidates that are listed.
const MAX_CANDIDATES: usize = 200;
/// Most near names that are listed.
const MAX_NEAR: usize = 5;

/// What a typed name means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// One symbol.
    Found {
        /// The symbol.
        sym: SymId,
        /// What to tell the user when it is not exactly what was typed: how the hit came about.
        announced: Option<Match>,
    },
    /// Several; the user has to say which.
    Ambiguous {
        /// The symbols, by path and line.
        candidates: Vec<SymId>,
        /// How many there are, the ones that are not listed included.
        total: usize,
    },
    /// None.
    NotFound {
        /// Symbols whose names are near to what was typed, best first.
        near: Vec<SymId>,
        /// For `FILE::name`: the file exists, but defines no such symbol; `near` lists who does.
        file: Option<String>,
    },
    /// None: the file that was named is shorter.
    NoSuchLine {
        /// The file.
        file: String,
        /// How many lines it has.
        lines: u32,
    },
}

/// How a hit that is not exact came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// Other case, other diacritics, or words joined.
    Folded,
    /// The name begins with what was typed.
    Prefix,
    /// The name contains what was typed.
    Substring,
}

/// Finds what `text` means.
///
/// # Errors
/// [`crate::error::ErrorKind::Corrupt`] for damaged dictionaries.
pub fn resolve(snapshot: &Snapshot, text: &str) -> Result<Resolution> {
    let resolver = Resolver { snapshot };
    for reading in readings(text) {
        let hits = match &reading {
            Reading::Key(key) => snapshot
                .find_key(key)?
                .into_iter()
                .filter(|s| snapshot.exists(*s))
                .collect(),
            Reading::Line { file, line } => match resolver.at_line(file, *line)? {
                Ok(hits) => hits,
                Err((file, lines)) => return Ok(Resolution::NoSuchLine { file, lines }),
            },
            Reading::Scoped { file, symbol } => {
                let files = resolver.files(file)?;
                if files.is_empty() {
                    continue;
                }
                match resolver.scoped(&files, symbol) {
                    (hits, exact) if !hits.is_empty() => {
                        return Ok(resolver.outcome(hits, (!exact).then_some(Match::Folded)));
                    }
                    // `a::b` may also be a member of a type: only a real path fails closed.
                    _ if file.contains(['/', '.']) => {
                        let near = resolver.symbols(symbol, true)?;
                        return Ok(resolver.missing(near, Some(file.clone())));
                    }
                    _ => continue,
                }
            }
            Reading::File(path) => resolver.files(path)?,
            Reading::Symbol(symbol) => {
                let whole = Symbol::whole(text).filter(|whole| whole.name != symbol.name);
                for symbol in std::iter::once(symbol).chain(&whole) {
                    let exact = resolver.symbols(symbol, true)?;
                    if !exact.is_empty() {
                        return Ok(resolver.outcome(exact, None));
                    }
                }
                return resolver.loosely(text, symbol);
            }
        };
        if !hits.is_empty() {
            return Ok(resolver.outcome(hits, None));
        }
    }
    resolver.loosely(
        text,
        &Symbol {
            name: text.trim().to_string(),
            ..Symbol::default()
        },
    )
}

struct Resolver<'a> {
    snapshot: &'a Snapshot,
}

impl<'a> Resolver<'a> {
    /// The files of that path; else those whose path ends with it.
    fn files(&self, path: &str) -> Result<Vec<SymId>> {
        if let Some(sym) = self.snapshot.file(path).and_then(|f| f.sym()) {
            return Ok(vec![sym]);
        }
        let base = path.rsplit('/').next().unwrap_or(path);
        let Some(hit) = self.snapshot.name(&fold(base))? else {
            return Ok(Vec::new());
        };
        let ending = format!("/{path}");
        let is_meant = |sym: &SymId| {
            let node = self.snapshot.node(*sym).filter(NodeView::is_unit);
            node.and_then(|n| n.file())
                .is_some_and(|file| file == path || file.ends_with(&ending))
        };
        Ok(self
            .snapshot
            .nodes_spelled(&hit, base)?
            .into_iter()
            .filter(is_meant)
            .collect())
    }

    /// The innermost symbols at a line of the files of that path; if all of them are shorter, one of these with its length.
    fn at_line(
        &self,
        path: &str,
        line: u32,
    ) -> Result<std::result::Result<Vec<SymId>, (String, u32)>> {
        let mut files = self.files(path)?;
        let mut shorter = None;
        files.retain(|sym| {
            let file = self.snapshot.node(*sym).and_then(|n| n.file());
            let Some(file) = file.and_then(|f| self.snapshot.file(f)) else {
                return true;
            };
            // Units of other programs have no lines: nothing is known of their length.
            let lines = file.meta().lines;
            let inside = lines == 0 || line <= lines;
            if !inside {
                shorter.get_or_insert((file.key().to_string(), lines));
            }
            inside
        });
        if let (true, Some(shorter)) = (files.is_empty(), shorter) {
            return Ok(Err(shorter));
        }
        let innermost = files.into_iter().filter_map(|file_sym| {
            let file = self.snapshot.file(self.snapshot.node(file_sym)?.file()?)?;
            let spans = |n: &NodeView<'_>| n.span().start_line <= line && line <= n.span().end_line;
            let inside = file.nodes().filter(|n| !n.is_unit() && spans(n));
            // The latest start with the smallest extent is the innermost; among equals the first in the source.
            let best = inside.min_by_key(|n| {
                let span = n.span();
                (
                    span.end_line - span.start_line,
                    span.end_byte.saturating_sub(span.start_byte),
                )
            });
            Some(best.map_or(file_sym, |n| n.sym()))
        });
        Ok(Ok(innermost.collect()))
    }

    /// The symbols of that name in these files, and whether their spelling is exact.
    fn scoped(&self, files: &[SymId], symbol: &Symbol) -> (Vec<SymId>, bool) {
        for exact in [true, false] {
            let mut hits = Vec::new();
            for file in files {
                let key = self.snapshot.node(*file).and_then(|n| n.file());
                let Some(view) = key.and_then(|key| self.snapshot.file(key)) else {
                    continue;
                };
                let nodes = view.nodes().filter(|n| !n.is_unit());
                hits.extend(
                    nodes
                        .filter(|n| self.fits(n, symbol, exact))
                        .map(|n| n.sym()),
                );
            }
            let hits = self.narrow(hits, symbol);
            if !hits.is_empty() {
                return (hits, exact);
            }
        }
        (Vec::new(), true)
    }

    /// The symbols of that name anywhere.
    fn symbols(&self, symbol: &Symbol, exact: bool) -> Result<Vec<SymId>> {
        let Some(hit) = self.snapshot.name(&fold(&symbol.name))? else {
            return Ok(Vec::new());
        };
        let named = if exact {
            self.snapshot.nodes_spelled(&hit, &symbol.name)?
        } else {
            self.snapshot.nodes_named(&hit)?
        };
        let fits = |sym: &SymId| {
            self.snapshot
                .node(*sym)
                .is_some_and(|n| self.fits(&n, symbol, exact))
        };
        Ok(self.narrow(named.into_iter().filter(fits).collect(), symbol))
    }

    /// Whether a node has the name and the holders that were typed.
    fn fits(&self, node: &NodeView<'_>, symbol: &Symbol, exact: bool) -> bool {
        let same = |a: &str, b: &str| if exact { a == b } else { fold(a) == fold(b) };
        if !same(node.name(), &symbol.name) {
            return false;
        }
        let mut holder = node.parent();
        for wanted in symbol.holders.iter().rev() {
            match holder {
                Some(node) if !node.is_unit() && same(node.name(), wanted) => {
                    holder = node.parent()
                }
                // `module.name`: the file's own name, without its ending, may stand for the module.
                Some(node) if node.is_unit() => {
                    let stem = node.name().split('.').next().unwrap_or_default();
                    return same(stem, wanted) && symbol.holders.first() == Some(wanted);
                }
                _ => return false,
            }
        }
        true
    }

    /// Of several hits those that the marks of the typed form ask for, where there are any.
    fn narrow(&self, hits: Vec<SymId>, symbol: &Symbol) -> Vec<SymId> {
        let keep = |hits: Vec<SymId>, wanted: &dyn Fn(&NodeView<'_>) -> bool| {
            let some: Vec<SymId> = hits
                .iter()
                .copied()
                .filter(|s| self.snapshot.node(*s).is_some_and(|n| wanted(&n)))
                .collect();
            if some.is_empty() { hits } else { some }
        };
        let mut hits = keep(hits, &|n| !n.is_placeholder());
        if symbol.call {
            hits = keep(hits, &|n| n.is_callable());
        }
        if symbol.member {
            hits = keep(hits, &|n| n.parent().is_some_and(|p| !p.is_unit()));
        }
        if symbol.ordinal > 0 {
            let ending = format!("~{}", symbol.ordinal);
            hits = keep(hits, &|n| {
                n.key().ends_with(&ending) || (symbol.ordinal == 1 && !n.key().contains('~'))
            });
        }
        self.without_declarations(hits)
    }

    /// A declaration whose definition is among the hits is no other symbol.
    fn without_declarations(&self, hits: Vec<SymId>) -> Vec<SymId> {
        if hits.len() < 2 {
            return hits;
        }
        let known: rustc_hash::FxHashSet<SymId> = hits.iter().copied().collect();
        let declares = |sym: SymId| {
            let mut edges = self.snapshot.out_edges(sym);
            edges.any(|e| e.label.relation == Relation::DECLARES && known.contains(&e.target))
        };
        hits.into_iter().filter(|sym| !declares(*sym)).collect()
    }

    /// Folded, joined, prefix and substring hits; else near names.
    fn loosely(&self, text: &str, symbol: &Symbol) -> Result<Resolution> {
        let folded = self.symbols(symbol, false)?;
        if !folded.is_empty() {
            return Ok(self.outcome(folded, Some(Match::Folded)));
        }
        let joined = self.joined(text)?;
        if !joined.is_empty() {
            return Ok(self.outcome(joined, Some(Match::Folded)));
        }
        let bare = fold(&symbol.name);
        // Holders were typed: another symbol of a similar name elsewhere is not what was meant.
        let loose = symbol.holders.is_empty() && bare.chars().count() > 1;
        if loose {
            for (found, how) in [
                (
                    self.snapshot.names_with_prefix(&bare, MAX_NAMES)?,
                    Match::Prefix,
                ),
                (
                    self.snapshot.names_containing(&bare, MAX_NAMES)?,
                    Match::Substring,
                ),
            ] {
                let hits = self.nodes_of(&found, symbol)?;
                if !hits.is_empty() {
                    return Ok(self.outcome(hits, Some(how)));
                }
            }
        }
        let near = self.near(symbol, &bare)?;
        Ok(self.missing(near, None))
    }

    /// Several words that are a name when they are joined.
    fn joined(&self, text: &str) -> Result<Vec<SymId>> {
        let words: Vec<String> = text.split_whitespace().map(fold).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        for form in join_forms(&words) {
            if let Some(hit) = self.snapshot.name(&form)? {
                let hits = self.nodes_of(&[hit], &Symbol::default())?;
                if !hits.is_empty() {
                    return Ok(hits);
                }
            }
        }
        Ok(Vec::new())
    }

    /// The defined symbols that bear these names.
    fn nodes_of(&self, names: &[NameHit], symbol: &Symbol) -> Result<Vec<SymId>> {
        let mut hits = Vec::new();
        for name in names {
            let nodes = self.snapshot.nodes_named(name)?;
            let defined = |s: &SymId| self.snapshot.node(*s).is_some_and(|n| !n.is_placeholder());
            hits.extend(nodes.into_iter().filter(defined));
            if hits.len() > MAX_CANDIDATES * 4 {
                break;
            }
        }
        Ok(self.narrow(hits, symbol))
    }

    /// Symbols whose names are spelt alike, or share the most words.
    fn near(&self, symbol: &Symbol, bare: &str) -> Result<Vec<SymId>> {
        let mut names = Vec::new();
        // Names of one or two letters are near to everything.
        let distance = match bare.chars().count() {
            0..=2 => 0,
            3..=5 => 1,
            _ => 2,
        };
        if distance > 0 && bare.chars().count() <= 64 {
            names = self.snapshot.names_near(bare, distance, MAX_NAMES)?;
            names.sort_by_key(|n| (n.text.len().abs_diff(bare.len()), n.text.clone()));
        }
        let mut near = self.nodes_of(&names, symbol)?;
        let words = sub_words(&symbol.name);
        if near.len() < MAX_NEAR && words.len() > 1 {
            for word in words.iter().rev() {
                let found = self.snapshot.names_with_prefix(word, MAX_NEAR)?;
                near.extend(self.nodes_of(&found, symbol)?);
            }
        }
        if near.is_empty() && !symbol.holders.is_empty() {
            near = self.symbols(
                &Symbol {
                    holders: Vec::new(),
                    ..symbol.clone()
                },
                true,
            )?;
        }
        Ok(near)
    }

    fn outcome(&self, hits: Vec<SymId>, how: Option<Match>) -> Resolution {
        let mut candidates = self.in_order(self.without_stand_ins(hits));
        let total = candidates.len();
        if let Some(first) = candidates.first().copied()
            && (total == 1 || self.are_one(&candidates))
        {
            return Resolution::Found {
                sym: first,
                announced: how,
            };
        }
        candidates.truncate(MAX_CANDIDATES);
        Resolution::Ambiguous { candidates, total }
    }

    /// What holds a type's members in another file bears the type's name: it is meant only where nothing else is.
    fn without_stand_ins(&self, mut hits: Vec<SymId>) -> Vec<SymId> {
        let is_stand_in = |sym: &SymId| {
            let node = self.snapshot.node(*sym);
            node.is_some_and(|n| n.kind() == NodeKind::IMPL)
        };
        if hits.iter().any(|s| !is_stand_in(s)) {
            hits.retain(|s| !is_stand_in(s));
        }
        hits
    }

    /// Whether several hits are one symbol to whoever types the name: the getter and the setter of one property.
    fn are_one(&self, hits: &[SymId]) -> bool {
        let mut owners = hits.iter().map(|sym| {
            let node = self.snapshot.node(*sym)?;
            (node.kind() == NodeKind::ACCESSOR).then(|| node.parent().map(|p| p.sym()))?
        });
        let first = owners.next().flatten();
        first.is_some() && owners.all(|owner| owner == first)
    }

    fn missing(&self, near: Vec<SymId>, file: Option<String>) -> Resolution {
        let mut seen = rustc_hash::FxHashSet::default();
        let near = near
            .into_iter()
            .filter(|s| seen.insert(*s))
            .take(MAX_NEAR)
            .collect();
        Resolution::NotFound { near, file }
    }

    /// By path, line and name, each once.
    fn in_order(&self, mut hits: Vec<SymId>) -> Vec<SymId> {
        hits.sort_by_cached_key(|sym| {
            let node = self.snapshot.node(*sym);
            let place = node.map(|n| {
                (
                    n.file().unwrap_or_default().to_string(),
                    n.span().start_line,
                    n.key(),
                )
            });
            (place.unwrap_or_default(), *sym)
        });
        hits.dedup();
        hits
    }
}

#[cfg(test)]
#[path = "resolver_tests.rs"]
mod tests;

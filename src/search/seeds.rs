//! From scored names to the symbols that a walk starts from.
//!
//! Where it sits: after [`super::score`], before `traverse`. In order:
//!
//! 1. nodes of the best names are scored (path bonus, demotion) and ranked; ties go to what can be called or is a type,
//!    then to what is exported, then to the shorter name, then by place;
//! 2. at most [`MAX_TOP`] from the top, down to [`GAP`] of the best score, no name twice. A question that is one exact name
//!    takes several bearers of it;
//! 3. every word that hits anything gets a seat for its best node, up to [`MAX_SEEDS`] in all; verbs and short words get none;
//! 4. a word that hits no name may get the file whose folder is called so.
//!
//! Each seed knows how many others bear its name. Invariant: never more than [`MAX_NODES`] nodes are read.

use std::cmp::Ordering;

use rustc_hash::FxHashSet;

use crate::error::Result;
use crate::ids::SymId;
use crate::model::label::NodeKind;
use crate::model::node::NodeFlags;
use crate::search::fold;
use crate::search::query::{Question, Role};
use crate::search::score::{OUTSIDE, ScoredName, Scores, Tier};
use crate::search::text::Roles;
use crate::snapshot::{NodeView, Snapshot};

/// Most seeds from the top of the ranking.
const MAX_TOP: usize = 3;
/// A score below this share of the best one ends the walk down the ranking.
const GAP: f64 = 0.2;
/// Most seeds in all.
pub(crate) const MAX_SEEDS: usize = 12;
/// Most nodes that are read to rank them.
const MAX_NODES: usize = 2048;
/// Most nodes of one name that are read.
const MAX_NODES_PER_NAME: usize = 256;
/// For each word, this many of its best names are always read.
const NAMES_PER_WORD: usize = 8;
/// In indexes of more units than this, folder names are not searched.
const MAX_FILES_FOR_FOLDERS: u64 = 20_000;
/// Factor of whole files: their symbols say more.
const FILE: f64 = 0.5;
/// Factor of fields and members of enumerations: half of the words of a question are the name of some field.
const MEMBER: f64 = 0.2;
/// Further factor of a file when a word's seat is given away: `router.ts` begins with the word, but the class that has it in its
/// name is the better answer.
const FILE_SEAT: f64 = 0.05;
/// Most bearers of a seed's name that are read to find its rivals.
const MAX_RIVALS_READ: usize = 64;

/// A ranked node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) sym: SymId,
    /// Its score over all words.
    pub(crate) score: f64,
    /// Place of its name in [`Scores::names`].
    pub(crate) name: usize,
    /// The factor for test code and the like.
    factor: f64,
    order: Order,
}

/// How ties are broken; smaller is better.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Order {
    other_case: bool,
    class: u8,
    hidden: bool,
    letters: usize,
    file: String,
    line: u32,
}

/// A symbol that a walk starts from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seed {
    pub(crate) sym: SymId,
    pub(crate) why: &'static str,
    /// The words that hit its name.
    pub(crate) words: Vec<usize>,
    /// Others of the same spelling, some of them.
    pub(crate) rivals: Vec<SymId>,
    /// How many others there are.
    pub(crate) rivals_total: u64,
}

impl Seed {
    /// A seed that was named instead of searched.
    pub(crate) fn named(sym: SymId, why: &'static str) -> Self {
        Self {
            sym,
            why,
            words: Vec::new(),
            rivals: Vec::new(),
            rivals_total: 0,
        }
    }
}

/// The seeds of a question, best first.
///
/// # Errors
/// [`crate::error::ErrorKind::Corrupt`] for damaged dictionaries.
pub(crate) fn find(
    snapshot: &Snapshot,
    question: &Question,
    scores: &Scores,
    with_tests: bool,
) -> Result<Vec<Seed>> {
    let candidates = rank(snapshot, question, scores, with_tests)?;
    let picked = pick(question, scores, &candidates);
    let chosen: Vec<&Candidate> = picked.iter().filter_map(|i| candidates.get(*i)).collect();
    let mut seeds: Vec<Seed> = Vec::with_capacity(chosen.len());
    for (i, candidate) in chosen.iter().enumerate() {
        let Some(name) = scores.names.get(candidate.name) else {
            continue;
        };
        let hits = name.hits.iter().enumerate().filter(|(_, h)| h.share > 0.0);
        let tier = name.hits.iter().filter_map(|h| h.tier).max();
        let why = if name.whole > 0.0 {
            "the words joined"
        } else {
            tier.map_or("name", Tier::why)
        };
        let mut seed = Seed::named(candidate.sym, why);
        seed.words = hits.map(|(i, _)| i).collect();
        // Bearers of one name tell of the others once, and not of each other.
        let told = chosen.iter().take(i).any(|c| c.name == candidate.name);
        if !told {
            let (rivals, total) = rivals(snapshot, name, candidate.sym)?;
            let is_seed = |sym: &SymId| chosen.iter().any(|c| c.sym == *sym);
            let seeds_among = rivals.iter().filter(|sym| is_seed(sym)).count() as u64;
            seed.rivals_total = total.saturating_sub(seeds_among);
            seed.rivals = rivals.into_iter().filter(|sym| !is_seed(sym)).collect();
        }
        seeds.push(seed);
    }
    for (i, weighed) in scores.words.iter().enumerate() {
        let hits_nothing = !scores
            .names
            .iter()
            .any(|n| n.hits.get(i).is_some_and(|h| h.share > 0.0));
        if hits_nothing
            && weighed.word.role == Role::Content
            && seeds.len() < MAX_SEEDS
            && let Some(sym) = folder_file(snapshot, &weighed.word.text)
            && !seeds.iter().any(|s| s.sym == sym)
        {
            seeds.push(Seed {
                words: vec![i],
                ..Seed::named(sym, "folder")
            });
        }
    }
    Ok(seeds)
}

/// The nodes of the best names, best first.
fn rank(
    snapshot: &Snapshot,
    question: &Question,
    scores: &Scores,
    with_tests: bool,
) -> Result<Vec<Candidate>> {
    let mut roles = Roles::new(snapshot, with_tests);
    let written: FxHashSet<&str> = question.words.iter().map(|w| w.written.as_str()).collect();
    let mut candidates = Vec::new();
    for index in reading_order(scores) {
        let Some(name) = scores.names.get(index) else {
            continue;
        };
        let nodes = snapshot.nodes_named(&name.hit)?;
        for sym in nodes.into_iter().take(MAX_NODES_PER_NAME) {
            let Some(node) = snapshot.node(sym) else {
                continue;
            };
            let path = fold(node.file().unwrap_or_default());
            let factor = factor(&mut roles, &node);
            let order = Order {
                other_case: !written.contains(node.name()),
                class: class(node.kind()),
                hidden: !node.flags().has(NodeFlags::EXPORTED),
                letters: node.name().chars().count(),
                file: node.file().unwrap_or_default().to_string(),
                line: node.span().start_line,
            };
            let score = scores.score(name, &path) * factor;
            candidates.push(Candidate {
                sym,
                score,
                name: index,
                factor,
                order,
            });
        }
        if candidates.len() >= MAX_NODES {
            break;
        }
    }
    candidates.sort_by(compare);
    Ok(candidates)
}

fn compare(a: &Candidate, b: &Candidate) -> Ordering {
    b.score
        .total_cmp(&a.score)
        .then_with(|| a.order.cmp(&b.order))
        .then(a.sym.cmp(&b.sym))
}

/// In which order names are turned into nodes: the best of each word, then by score.
fn reading_order(scores: &Scores) -> Vec<usize> {
    let by = |value: &dyn Fn(&ScoredName) -> f64| {
        let mut order: Vec<(f64, usize)> = scores.names.iter().map(value).zip(0..).collect();
        order.sort_by(|a, b| {
            let text = |i: usize| {
                scores
                    .names
                    .get(i)
                    .map(|n| (n.hit.text.len(), n.hit.text.as_str()))
            };
            b.0.total_cmp(&a.0).then_with(|| text(a.1).cmp(&text(b.1)))
        });
        order
            .into_iter()
            .filter(|(v, _)| *v > 0.0)
            .map(|(_, i)| i)
            .collect::<Vec<_>>()
    };
    let mut order: Vec<usize> = Vec::new();
    for word in 0..scores.words.len() {
        let best = by(&|n: &ScoredName| n.hits.get(word).map_or(0.0, |h| h.value));
        order.extend(best.into_iter().take(NAMES_PER_WORD));
    }
    order.extend(by(&|n: &ScoredName| scores.score(n, "")));
    let mut seen = FxHashSet::default();
    order.retain(|i| seen.insert(*i));
    order
}

/// Which candidates become seeds, as places in the list.
fn pick(question: &Question, scores: &Scores, candidates: &[Candidate]) -> Vec<usize> {
    let name_of = |c: &Candidate| scores.names.get(c.name).map(|n| n.hit.text.as_str());
    let mut picked: Vec<usize> = Vec::new();
    let lone = question
        .words
        .iter()
        .filter(|w| w.role != Role::Verb)
        .count()
        == 1;
    let top = candidates.first().map_or(0.0, |c| c.score);
    for (i, candidate) in candidates.iter().enumerate() {
        if picked.len() == MAX_TOP || candidate.score < GAP * top || candidate.score <= 0.0 {
            break;
        }
        let taken = picked
            .iter()
            .any(|p| candidates.get(*p).and_then(name_of) == name_of(candidate));
        let name = scores.names.get(candidate.name);
        let exact = name
            .is_some_and(|n| n.whole > 0.0 || n.hits.iter().any(|h| h.tier == Some(Tier::Exact)));
        if !taken || (lone && exact) {
            picked.push(i);
        }
    }
    let only_verbs = !scores.words.iter().any(|w| w.word.role == Role::Content);
    let mut seats: Vec<(f64, usize)> = Vec::new();
    for (word, weighed) in scores.words.iter().enumerate() {
        if weighed.word.role != Role::Content && !only_verbs {
            continue;
        }
        let value = |c: &Candidate| {
            let hit = scores.names.get(c.name).and_then(|n| n.hits.get(word));
            let file = if c.order.class == FILE_CLASS {
                FILE_SEAT
            } else {
                1.0
            };
            hit.map_or(0.0, |h| h.value * h.share * c.factor * file)
        };
        let best = candidates
            .iter()
            .enumerate()
            .filter(|(_, c)| value(c) > 0.0)
            .min_by(|(_, a), (_, b)| value(b).total_cmp(&value(a)).then_with(|| compare(a, b)));
        seats.extend(best.map(|(i, c)| (value(c), i)));
    }
    seats.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    for (_, i) in seats {
        let name = candidates.get(i).and_then(name_of);
        let taken = picked
            .iter()
            .any(|p| *p == i || candidates.get(*p).and_then(name_of) == name);
        if !taken && picked.len() < MAX_SEEDS {
            picked.push(i);
        }
    }
    picked
}

/// The class of whole files in ties.
const FILE_CLASS: u8 = 3;

/// What a node is, for ties: what runs or is a type first, then values, files, members, the rest.
fn class(kind: NodeKind) -> u8 {
    match kind {
        NodeKind::FUNCTION
        | NodeKind::METHOD
        | NodeKind::CLASS
        | NodeKind::INTERFACE
        | NodeKind::STRUCT
        | NodeKind::TRAIT
        | NodeKind::MACRO => 0,
        NodeKind::TYPE_ALIAS
        | NodeKind::ENUM
        | NodeKind::UNION
        | NodeKind::ACCESSOR
        | NodeKind::CONSTRUCTOR => 1,
        NodeKind::CONSTANT | NodeKind::VARIABLE | NodeKind::MODULE | NodeKind::IMPL => 2,
        NodeKind::FILE => FILE_CLASS,
        NodeKind::FIELD | NodeKind::ENUM_MEMBER => 4,
        NodeKind::EXTERNAL
        | NodeKind::UNRESOLVED
        | NodeKind::PACKAGE
        | NodeKind::ENV_VAR
        | NodeKind::MEMORY => 6,
        _ => 2,
    }
}

/// What a node's kind and the role of its file leave of its score.
fn factor(roles: &mut Roles<'_>, node: &NodeView<'_>) -> f64 {
    if node.is_placeholder() {
        return OUTSIDE;
    }
    let role = f64::from(roles.of(node));
    match node.kind() {
        NodeKind::FILE => role * FILE,
        NodeKind::FIELD | NodeKind::ENUM_MEMBER => role * MEMBER,
        _ => role,
    }
}

/// Others of the same spelling that some unit defines.
fn rivals(snapshot: &Snapshot, name: &ScoredName, sym: SymId) -> Result<(Vec<SymId>, u64)> {
    let Some(node) = snapshot.node(sym) else {
        return Ok((Vec::new(), 0));
    };
    if node.is_placeholder() || node.is_unit() {
        return Ok((Vec::new(), 0));
    }
    let others = snapshot.nodes_spelled(&name.hit, node.name())?;
    let count = others.len().saturating_sub(1) as u64;
    let mut total = count;
    let mut read: Vec<(String, u32, SymId)> = Vec::new();
    for other in others
        .into_iter()
        .filter(|o| *o != sym)
        .take(MAX_RIVALS_READ)
    {
        match snapshot.node(other).filter(|n| !n.is_placeholder()) {
            Some(n) => read.push((
                n.file().unwrap_or_default().to_string(),
                n.span().start_line,
                other,
            )),
            None => total -= 1,
        }
    }
    read.sort();
    Ok((read.into_iter().map(|(_, _, sym)| sym).collect(), total))
}

/// The file that stands for a folder of that name: the shortest path through it.
fn folder_file(snapshot: &Snapshot, word: &str) -> Option<SymId> {
    if snapshot.file_count() > MAX_FILES_FOR_FOLDERS {
        return None;
    }
    let through = snapshot.files().filter(|file| {
        let path = fold(file.key());
        let mut folders = path.split('/').rev();
        folders.next();
        folders.any(|folder| folder == word || folder.contains(word))
    });
    let best = through.min_by_key(|file| (file.key().len(), file.key().to_string()))?;
    best.sym()
}

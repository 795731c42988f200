//! The edges of imports and re-exports.

use super::edges::{Drafts, To, label};
use super::eval::Eval;
use super::names::{Found, file};
use super::types::Ty;
use super::world::{Module, Sym};
use crate::ids::LocalNode;
use crate::model::edge::Confidence;
use crate::model::facts::{Exported, Import, ImportId, Imported, Space};
use crate::model::label::{Context, Reason, Relation};
use crate::model::unit::Unit;

/// The edge to an imported module.
pub(super) fn module_edge(
    module: Option<&Module>,
    from: LocalNode,
    relation: Relation,
    context: Context,
    line: u32,
    drafts: &mut Drafts,
) {
    let (to, mut label) = match module {
        Some(Module::Unit(unit)) => (
            To::Sym(file(*unit)),
            label(relation, context, Reason::MODULE, line),
        ),
        Some(Module::External(key)) => (
            To::Outside(key.clone()),
            label(relation, context, Reason::EXTERNAL, line),
        ),
        Some(Module::Missing(path)) => (
            To::Name(path.clone()),
            label(relation, context, Reason::UNRESOLVED, line),
        ),
        Some(Module::Asset | Module::Folder(_)) | None => return,
    };
    if matches!(to, To::Name(_)) {
        label.confidence = Confidence::Unresolved;
    }
    drafts.add(from, to, label);
}

/// The edges of one import: to its module, and to what it takes.
pub(super) fn import_edges(
    eval: &mut Eval<'_>,
    at: u32,
    index: usize,
    import: &Import,
    drafts: &mut Drafts,
) {
    let module = eval.world.module(at, import.module).cloned();
    if names_more(eval, at, index, import) {
        return;
    }
    let (relation, from) = if import.dynamic {
        (Relation::DYNAMIC_IMPORT, import.from)
    } else {
        (Relation::IMPORTS_FROM, LocalNode::UNIT)
    };
    let line = import.line;
    module_edge(
        module.as_ref(),
        from,
        relation,
        Context::IMPORT,
        line,
        drafts,
    );
    if !matches!(import.imported, Imported::Name(_) | Imported::Default) {
        return;
    }
    let Ok(id) = u32::try_from(index) else { return };
    let id = ImportId(id);
    eval.restart();
    let mut targets: Vec<(Sym, u32)> = Vec::new();
    for space in [Space::Value, Space::Type] {
        let hit = eval.import(at, id, space);
        match hit.found {
            Found::Node(sym) if !targets.iter().any(|(s, _)| *s == sym) => {
                targets.push((sym, hit.hops));
            }
            // A module below a package, taken by name.
            Found::Module(unit) if space == Space::Value => {
                let label = label(
                    Relation::IMPORTS_FROM,
                    Context::IMPORT,
                    Reason::MODULE,
                    line,
                );
                drafts.add(LocalNode::UNIT, To::Sym(file(unit)), label);
            }
            Found::External(key) => {
                let label = label(Relation::IMPORTS, Context::IMPORT, Reason::EXTERNAL, line);
                drafts.add(LocalNode::UNIT, To::Outside(key), label);
            }
            Found::Expr(..) | Found::MemberOf(..) | Found::Binding(..) => {
                let value = eval.found_value(&hit.found);
                if let Ty::Def(sym, _) = value {
                    targets.push((sym, hit.hops));
                }
            }
            _ => {}
        }
    }
    for (sym, hops) in targets {
        let reason = if hops == 0 {
            Reason::IMPORT
        } else {
            Reason::RE_EXPORT
        };
        // A variable that another file hands on is used, not taken from where it stands.
        let handed_on = hops > 0 && eval.dialect.hands_on_variables(eval.world.kind(sym));
        let relation = if handed_on {
            Relation::REFERENCES
        } else {
            Relation::IMPORTS
        };
        let label = label(relation, Context::IMPORT, reason, line);
        drafts.add(LocalNode::UNIT, To::Sym(sym), label);
    }
}

/// Whether an import only binds the first name of the longer one behind it (`import a.b` binds `a`).
fn names_more(eval: &Eval<'_>, at: u32, index: usize, import: &Import) -> bool {
    let next = eval.facts(at).and_then(|f| f.imports.get(index + 1));
    let Some(next) = next else { return false };
    let longer = next.imported == Imported::SideEffect
        && import.imported == Imported::Namespace
        && next.line == import.line;
    longer
        && eval
            .world
            .text(at, next.module)
            .strip_prefix(eval.world.text(at, import.module))
            .is_some_and(|rest| rest.starts_with('.'))
}

/// The edges of what a unit hands on.
pub(super) fn export_edges(eval: &mut Eval<'_>, unit: &Unit, at: u32, drafts: &mut Drafts) {
    for export in &unit.facts.exports {
        let line = export.line;
        let module = match export.exported {
            Exported::From { module, .. }
            | Exported::NamespaceOf { module }
            | Exported::StarOf { module } => module,
            _ => continue,
        };
        let relation = Relation::RE_EXPORTS;
        let found = eval.world.module(at, module).cloned();
        module_edge(
            found.as_ref(),
            LocalNode::UNIT,
            relation,
            Context::EXPORT,
            line,
            drafts,
        );
        let (Exported::From { name, .. }, Some(Module::Unit(target))) = (export.exported, found)
        else {
            continue;
        };
        let name = eval.world.text(at, name);
        eval.restart();
        for space in [Space::Value, Space::Type] {
            let hit = eval.export(target, name, space);
            if let Found::Node(sym) = hit.found {
                let label = label(relation, Context::RE_EXPORT, Reason::RE_EXPORT, line);
                drafts.add(LocalNode::UNIT, To::Sym(sym), label);
            }
        }
    }
}

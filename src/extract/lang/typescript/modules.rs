//! Imports and exports of ES modules, and `import x = require()`.

use super::kinds::{F, K};
use super::walker::{Expect, Members, Walker, line_of};
use crate::extract::builder::ScopeId;
use crate::ids::{LocalNode, StrId};
use crate::model::facts::{Bound, Exported, Expr, Import, ImportId, Imported, Space};
use crate::model::label::{Context, NodeKind};
use crate::model::node::NodeFlags;

impl Walker<'_> {
    /// Adds an import of the module `module`.
    pub(super) fn add_import(
        &mut self,
        module: StrId,
        imported: Imported,
        type_only: bool,
        dynamic: bool,
        line: u32,
    ) -> ImportId {
        self.b.import(Import {
            from: self.owner,
            module,
            imported,
            type_only,
            dynamic,
            level: 0,
            line,
        })
    }

    /// `import type` names can still stand in `typeof`, so all are seen as types and values.
    fn bind_import(&mut self, name: StrId, import: ImportId) {
        self.b
            .bind(self.scope, name, Space::Both, Bound::Import(import));
    }

    /// `import … from "m"`.
    pub(super) fn import_statement(&mut self) {
        self.is_module = true;
        let Some(source) = self.child(F::Source).or_else(|| self.required_source()) else {
            return;
        };
        let module = super::literals::bare(self.text_of(source));
        let module = self.b.unit.intern(module);
        let line = self.line();
        let mut type_only = false;
        let mut any = false;
        self.each(|w, kind| match kind {
            K::Type | K::Typeof => type_only = true,
            K::ImportClause => {
                any = true;
                w.import_clause(module, type_only);
            }
            K::ImportRequireClause => {
                any = true;
                w.import_require(module, type_only);
            }
            _ => {}
        });
        if !any {
            self.add_import(module, Imported::SideEffect, false, false, line);
        }
    }

    fn required_source(&self) -> Option<tree_sitter::Node<'_>> {
        let node = self.node();
        (0..node.child_count())
            .filter_map(|i| node.child(i))
            .find(|c| self.kind_of(*c) == K::ImportRequireClause)
            .and_then(|c| c.child_by_field_id(self.tables.field_id(F::Source)))
    }

    fn import_require(&mut self, module: StrId, type_only: bool) {
        let line = self.line();
        self.each(|w, kind| {
            if kind == K::Identifier && w.field() != F::Source {
                let name = w.intern();
                let import = w.add_import(module, Imported::Whole, type_only, false, line);
                w.bind_import(name, import);
            }
        });
    }

    fn import_clause(&mut self, module: StrId, type_only: bool) {
        self.each(|w, kind| match kind {
            K::Identifier => {
                let (name, line) = (w.intern(), w.line());
                let import = w.add_import(module, Imported::Default, type_only, false, line);
                w.bind_import(name, import);
            }
            K::NamespaceImport => w.each(|w, kind| {
                if kind == K::Identifier {
                    let (name, line) = (w.intern(), w.line());
                    let import = w.add_import(module, Imported::Namespace, type_only, false, line);
                    w.bind_import(name, import);
                }
            }),
            K::NamedImports => w.each(|w, kind| {
                if kind == K::ImportSpecifier {
                    w.import_specifier(module, type_only);
                }
            }),
            _ => {}
        });
    }

    fn import_specifier(&mut self, module: StrId, type_only: bool) {
        let Some(name) = self.child(F::Name) else {
            return;
        };
        let local = self.child(F::Alias).unwrap_or(name);
        let type_only = type_only
            || self
                .node()
                .child(0)
                .is_some_and(|c| self.kind_of(c) == K::Type);
        let outside = super::literals::bare(self.text_of(name));
        let outside_id = self.b.unit.intern(outside);
        let local_id = self.b.unit.intern(self.text_of(local));
        let imported = if outside == "default" {
            Imported::Default
        } else {
            Imported::Name(outside_id)
        };
        let line = line_of(name);
        let import = self.add_import(module, imported, type_only, false, line);
        self.bind_import(local_id, import);
    }

    /// `export …` in all its forms.
    pub(super) fn export_statement(&mut self) {
        if self.scope == ScopeId::FILE {
            self.is_module = true;
        }
        let source = self.child(F::Source).map(|s| {
            let module = super::literals::bare(self.text_of(s));
            self.b.unit.intern(module)
        });
        let line = self.line();
        let statement_row = self.node().start_position().row;
        let mut default = false;
        let mut type_only = false;
        let mut whole = false;
        let mut star = false;
        let mut decorators = (self.b.ref_count(), self.b.ref_count());
        self.each(|w, kind| match kind {
            K::Default => default = true,
            K::Type => type_only = true,
            K::Equals => whole = true,
            K::Star => star = true,
            K::Decorator => {
                w.decorator();
                decorators.1 = w.b.ref_count();
            }
            K::ExportClause => w.export_clause(source, type_only),
            K::NamespaceExport => {
                star = false;
                if let Some(module) = source {
                    w.namespace_export(module, type_only);
                }
            }
            K::Comment => {}
            _ => match w.field() {
                F::Declaration => {
                    let first = w.b.unit.nodes().len();
                    // The comment stands before the whole statement.
                    let row = w.node().start_position().row;
                    if let Some(comment) = &mut w.comment
                        && comment.2 + 1 >= statement_row
                    {
                        comment.2 = row;
                    }
                    w.exporting = true;
                    w.exporting_default = default;
                    w.statement(kind);
                    w.take_export();
                    if decorators.0 < decorators.1
                        && let Some(class) = LocalNode::from_index(first)
                    {
                        w.b.reattribute(decorators.0, decorators.1, class);
                    }
                }
                F::Value => w.default_value(kind, line),
                F::Source => {}
                _ if whole && w.node().is_named() => {
                    let value = w.whole_value(kind);
                    w.b.export(StrId::EMPTY, Exported::Whole(value), false, line);
                }
                _ => {}
            },
        });
        if star && let Some(module) = source {
            self.b
                .export(StrId::EMPTY, Exported::StarOf { module }, type_only, line);
        }
    }

    fn namespace_export(&mut self, module: StrId, type_only: bool) {
        self.each(|w, kind| {
            if matches!(kind, K::Identifier | K::String) {
                let name = super::literals::bare(w.text());
                let (name, line) = (w.b.unit.intern(name), w.line());
                w.b.export(name, Exported::NamespaceOf { module }, type_only, line);
            }
        });
    }

    fn export_clause(&mut self, source: Option<StrId>, type_only: bool) {
        self.each(|w, kind| {
            if kind != K::ExportSpecifier {
                return;
            }
            let Some(name) = w.child(F::Name) else {
                return;
            };
            let alias = w.child(F::Alias).unwrap_or(name);
            let inside = w.b.unit.intern(super::literals::bare(w.text_of(name)));
            let outside = w.b.unit.intern(super::literals::bare(w.text_of(alias)));
            let line = line_of(name);
            match source {
                Some(module) => {
                    let exported = Exported::From {
                        module,
                        name: inside,
                    };
                    w.b.export(outside, exported, type_only, line);
                }
                None => {
                    if w.scope == ScopeId::FILE {
                        w.b.export_name(outside, inside, type_only, line);
                    }
                    w.flag_exported(inside);
                }
            }
        });
    }

    /// A definition above is exported by name.
    fn flag_exported(&mut self, name: StrId) {
        if let Some(node) = self.named.get(&(self.owner, name))
            && let Some(node) = self.b.unit.node_mut(*node)
        {
            node.flags = node.flags.with(NodeFlags::EXPORTED);
        }
    }

    /// `export default <expression>`.
    fn default_value(&mut self, kind: K, line: u32) {
        let flags = NodeFlags::EXPORTED.with(NodeFlags::DEFAULT_EXPORT);
        let default = self.b.unit.intern("default");
        let node_kind = match kind {
            K::ArrowFunction | K::FunctionExpression | K::GeneratorFunction => NodeKind::FUNCTION,
            K::Class => NodeKind::CLASS,
            K::Identifier => {
                let name = self.intern();
                let line = self.line();
                self.b
                    .read(self.scope, name, self.owner, line, Context::EXPORT);
                self.b.export_name(default, name, false, line);
                self.flag_exported(name);
                return;
            }
            _ => NodeKind::CONSTANT,
        };
        let at = self.node();
        let own = self.child(F::Name).map(|n| self.text_of(n));
        let name = match node_kind {
            NodeKind::CONSTANT => "default",
            _ => own.unwrap_or("default"),
        };
        let body = self.child(F::Body);
        let head_end = match (node_kind, body) {
            (NodeKind::CONSTANT, _) => at.start_byte(),
            (_, Some(body)) => body.start_byte(),
            _ => at.end_byte(),
        };
        let node = self.define(name, node_kind, self.owner, at, head_end, flags);
        let value = self.value_of_node(node, kind, &Expect::Nothing);
        self.b.def(node).value = value;
        self.b.export(default, Exported::Node(node), false, line);
    }

    /// Visits the value under the cursor, which `node` was made for.
    pub(super) fn value_of_node(
        &mut self,
        node: LocalNode,
        kind: K,
        expect: &Expect<'_>,
    ) -> crate::model::facts::ExprId {
        use super::functions::This;
        match kind {
            K::ArrowFunction => {
                self.function(node, expect, This::Outer);
                crate::model::facts::ExprId::UNKNOWN
            }
            K::FunctionExpression | K::GeneratorFunction => {
                let this = self.b.expr(Expr::This {
                    node,
                    of_type: false,
                });
                let this = if self.javascript {
                    This::Is(this, crate::model::facts::ExprId::UNKNOWN)
                } else {
                    This::UNKNOWN
                };
                self.function(node, expect, this);
                crate::model::facts::ExprId::UNKNOWN
            }
            K::Class => {
                self.class(node);
                crate::model::facts::ExprId::UNKNOWN
            }
            _ => {
                let owner = std::mem::replace(&mut self.owner, node);
                let value = if kind == K::Object {
                    self.object_of(Members::Of(node), expect)
                } else {
                    self.expression_in(expect, Context::ASSIGNMENT)
                };
                self.owner = owner;
                value
            }
        }
    }

    /// The value of the whole module (`export =`, `module.exports =`): functions and classes become nodes.
    pub(super) fn whole_value(&mut self, kind: K) -> crate::model::facts::ExprId {
        let node_kind = match kind {
            K::ArrowFunction | K::FunctionExpression | K::GeneratorFunction => NodeKind::FUNCTION,
            K::Class => NodeKind::CLASS,
            K::Object => return self.object_of(Members::Of(self.owner), &Expect::Nothing),
            _ => return self.expression_in(&Expect::Nothing, Context::EXPORT),
        };
        let at = self.node();
        let name = self.child(F::Name).map_or("default", |n| self.text_of(n));
        let head_end = self
            .child(F::Body)
            .map_or(at.end_byte(), |b| b.start_byte());
        let flags = NodeFlags::EXPORTED.with(NodeFlags::DEFAULT_EXPORT);
        let node = self.define(name, node_kind, self.owner, at, head_end, flags);
        let id = self.b.unit.intern(name);
        self.named.insert((self.owner, id), node);
        self.value_of_node(node, kind, &Expect::Nothing);
        self.b.expr(Expr::Node(node))
    }
}

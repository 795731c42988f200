//! The file as a whole: its package, its imports, and the order in which its declarations are read.

use super::kinds::{F, K};
use super::walker::{Walker, line_of, span_of};
use crate::extract::builder::ScopeId;
use crate::extract::doc;
use crate::ids::LocalNode;
use crate::model::facts::{Bound, Import, Imported, Space};
use crate::model::node::Span;

/// A string literal without its quotes; escapes stay as they are.
pub(super) fn unquoted(text: &str) -> &str {
    let inner = text.strip_prefix(['"', '`']).unwrap_or(text);
    inner.strip_suffix(['"', '`']).unwrap_or(inner)
}

impl Walker<'_> {
    /// The whole file: types first, so that methods find the type that they belong to wherever it stands.
    pub(super) fn file(&mut self) {
        let root = self.node();
        let lines = u32::try_from(root.end_position().row + 1).unwrap_or(u32::MAX);
        self.b.unit.meta.lines = lines;
        let end_byte = u32::try_from(self.source.len()).unwrap_or(u32::MAX);
        if let Some(node) = self.b.unit.node_mut(LocalNode::UNIT) {
            node.span = Span {
                start_line: 1,
                end_line: lines,
                end_byte,
                ..span_of(root)
            };
            node.span.start_byte = 0;
        }
        let errors = self.errors;
        self.each_item(|w, kind| match kind {
            K::PackageClause => w.package_clause(),
            K::ImportDeclaration => w.imports(),
            K::TypeDeclaration => w.define_types(),
            _ => {}
        });
        self.errors = errors;
        self.forget_comment();
        self.each_item(|w, kind| match kind {
            K::PackageClause | K::ImportDeclaration => {}
            kind => w.statement(kind),
        });
    }

    fn package_clause(&mut self) {
        let at = self.node();
        let text = self.take_doc(at);
        let paragraph = self.b.unit.intern(&doc::first_paragraph(&text));
        if let Some(node) = self.b.unit.node_mut(LocalNode::UNIT) {
            node.doc = paragraph;
        }
        let mut name = "";
        self.each_part(|w, _| name = w.text());
        self.b.unit.facts.package = self.b.unit.intern(name);
    }

    fn imports(&mut self) {
        self.each(|w, kind| match kind {
            K::ImportSpec => w.import(),
            K::ImportSpecList => w.each(|w, kind| {
                if kind == K::ImportSpec {
                    w.import();
                }
            }),
            _ => {}
        });
    }

    /// `import name "path"`. Without a name of its own the import is known by what its package calls itself, which only
    /// `link` can see.
    fn import(&mut self) {
        let line = self.line();
        let Some(path) = self.child(F::Path) else {
            return;
        };
        let path = unquoted(self.text_of(path));
        if path.is_empty() {
            return;
        }
        let module = self.b.unit.intern(path);
        let alias = self.child(F::Name);
        let imported = match alias.map(|a| self.kind_of(a)) {
            None => Imported::Package,
            Some(K::Dot) => Imported::Glob,
            Some(K::BlankIdentifier) => Imported::SideEffect,
            Some(_) => Imported::Namespace,
        };
        let import = self.b.import(Import {
            from: LocalNode::UNIT,
            module,
            imported,
            type_only: false,
            dynamic: false,
            level: 0,
            line,
        });
        let is_os = matches!(path, "os" | "syscall");
        match (imported, alias) {
            (Imported::Namespace, Some(alias)) => {
                let name = self.b.unit.intern(self.text_of(alias));
                self.b
                    .bind(ScopeId::FILE, name, Space::Both, Bound::Import(import));
                if is_os {
                    self.os.push(name);
                }
            }
            (Imported::Package, _) if is_os => self.os.push(module),
            _ => {}
        }
    }

    /// Makes the nodes of the types that the declaration under the cursor declares.
    fn define_types(&mut self) {
        let declaration = self.node();
        self.each_item(|w, kind| {
            if !matches!(kind, K::TypeSpec | K::TypeAlias) {
                return;
            }
            let at = w.node();
            let grouped = line_of(at) != line_of(declaration);
            let Some((name, node)) = w.define_type(if grouped { at } else { declaration }) else {
                return;
            };
            w.b.bind(ScopeId::FILE, name, Space::Both, Bound::Node(node));
            w.holders.entry(name).or_insert(node);
            w.declared_types.insert(at.start_byte(), node);
        });
    }
}

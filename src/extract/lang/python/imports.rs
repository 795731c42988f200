//! Imports in all their forms. Module names keep their leading dots; where they lead is `link`'s business.

use super::kinds::{F, K};
use super::walker::Walker;
use crate::extract::builder::ScopeId;
use crate::ids::StrId;
use crate::model::facts::{Bound, Exported, Import, ImportId, Imported};

impl Walker<'_> {
    fn add_import(&mut self, module: StrId, imported: Imported, line: u32) -> ImportId {
        let level = self.b.unit.text(module).bytes().take_while(|b| *b == b'.');
        let level = u32::try_from(level.count()).unwrap_or(u32::MAX);
        self.b.import(Import {
            from: self.owner,
            module,
            imported,
            type_only: self.type_checking,
            dynamic: false,
            level,
            line,
        })
    }

    fn bind_import(&mut self, name: StrId, import: ImportId) {
        if self.frame.globals.contains(&name) {
            self.bind_in(ScopeId::FILE, name, Bound::Import(import));
            return;
        }
        self.bind(name, Bound::Import(import));
    }

    /// `import a`, `import a.b.c`, `import a.b as c`.
    pub(super) fn import_statement(&mut self) {
        self.each_named(|w, kind| match kind {
            K::DottedName => {
                let line = w.line();
                let text = compact(w.text());
                let whole = w.b.unit.intern(&text);
                let first = text.split('.').next().unwrap_or_default();
                let first = w.b.unit.intern(first);
                // `import a.b` binds `a`, and makes sure that `a.b` is there.
                let import = w.add_import(first, Imported::Namespace, line);
                if whole != first {
                    w.add_import(whole, Imported::SideEffect, line);
                }
                w.bind_import(first, import);
            }
            K::AliasedImport => {
                let line = w.line();
                let (Some(name), Some(alias)) = (w.child(F::Name), w.child(F::Alias)) else {
                    return;
                };
                let module = compact(w.text_of(name));
                let module = w.b.unit.intern(&module);
                let alias = w.b.unit.intern(w.text_of(alias));
                let import = w.add_import(module, Imported::Namespace, line);
                w.bind_import(alias, import);
            }
            _ => {}
        });
    }

    /// `from m import a, b as c`, `from . import x`, `from m import *`.
    pub(super) fn import_from_statement(&mut self) {
        let Some(module) = self.child(F::ModuleName) else {
            return;
        };
        let text = compact(self.text_of(module));
        let module = self.b.unit.intern(&text);
        self.each_named(|w, kind| {
            if w.field() == F::ModuleName {
                return;
            }
            let line = w.line();
            match kind {
                K::WildcardImport => {
                    w.add_import(module, Imported::Glob, line);
                    let exported = Exported::StarOf { module };
                    w.b.export(StrId::EMPTY, exported, w.type_checking, line);
                }
                K::DottedName => {
                    let name = w.intern();
                    let import = w.add_import(module, Imported::Name(name), line);
                    w.bind_import(name, import);
                }
                K::AliasedImport => {
                    let (Some(name), Some(alias)) = (w.child(F::Name), w.child(F::Alias)) else {
                        return;
                    };
                    let name = w.b.unit.intern(w.text_of(name));
                    let alias = w.b.unit.intern(w.text_of(alias));
                    let import = w.add_import(module, Imported::Name(name), line);
                    w.bind_import(alias, import);
                }
                _ => {}
            }
        });
    }
}

/// A module name without the blanks and line ends that may stand in it.
fn compact(text: &str) -> std::borrow::Cow<'_, str> {
    if text.contains(char::is_whitespace) {
        text.split_whitespace().collect::<String>().into()
    } else {
        text.into()
    }
}

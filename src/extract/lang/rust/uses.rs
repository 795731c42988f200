//! `use`, `mod x;` and `extern crate`.

use tree_sitter::Node as Syntax;

use super::kinds::{F, K};
use super::walker::{Before, Walker, line_of};
use crate::ids::StrId;
use crate::model::facts::{Bound, List, Space, Use, UseForm};

impl<'t> Walker<'t> {
    fn declare(&mut self, path: &[u32], name: StrId, form: UseForm, public: bool, line: u32) {
        let path: List = self.b.list(path);
        let id = self.b.declare(Use {
            module: self.module,
            path,
            name,
            form,
            local: self.in_body,
            public,
            line,
        });
        if form == UseForm::Glob {
            if self.in_body {
                let scope = self.item_scope();
                self.b.local_glob(scope, id);
            }
            return;
        }
        if name != StrId::EMPTY {
            let scope = self.item_scope();
            let space = if form == UseForm::Name {
                Space::Both
            } else {
                Space::Type
            };
            self.b.bind(scope, name, space, Bound::Use(id));
            if form == UseForm::Name {
                let text = format!("{}!", self.b.unit.text(name));
                let name = self.b.unit.intern(&text);
                self.b.bind(scope, name, Space::Value, Bound::Use(id));
            }
        }
    }

    /// `mod x;`.
    pub(super) fn mod_file(
        &mut self,
        at: Syntax<'t>,
        name: &str,
        public: bool,
        before: &Before<'t>,
    ) {
        let bound = self.b.unit.intern(name);
        let mut path: Vec<u32> = Vec::new();
        for folder in self.folders.clone() {
            path.push(self.b.unit.intern(folder).0);
        }
        path.push(match before.path {
            Some(written) => self.b.unit.intern(written).0,
            None => bound.0,
        });
        self.declare(&path, bound, UseForm::File, public, line_of(at));
    }

    pub(super) fn extern_crate(&mut self, at: Syntax<'t>) {
        let Some(name) = self.child(at, F::Name) else {
            return;
        };
        let path = self.intern(name);
        let bound = match self.child(at, F::Alias) {
            Some(alias) => self.intern(alias),
            None => path,
        };
        let public = at.child(0).is_some_and(|c| self.kind(c) == K::Visibility);
        self.declare(&[path.0], bound, UseForm::Crate, public, line_of(at));
    }

    pub(super) fn use_declaration(&mut self, at: Syntax<'t>) {
        let public = at.child(0).is_some_and(|c| self.kind(c) == K::Visibility);
        if let Some(argument) = self.child(at, F::Argument) {
            self.use_tree(argument, &mut Vec::new(), public);
        }
    }

    fn use_tree(&mut self, at: Syntax<'t>, path: &mut Vec<u32>, public: bool) {
        if !self.deeper() {
            return;
        }
        let height = path.len();
        let line = line_of(at);
        match self.kind(at) {
            K::UseAs => {
                if let Some(inner) = self.child(at, F::Path) {
                    self.use_path(inner, path);
                }
                self.drop_self(path, height);
                let name = match self.child(at, F::Alias) {
                    Some(alias) if self.text(alias) != "_" => self.intern(alias),
                    _ => StrId::EMPTY,
                };
                self.declare(path, name, UseForm::Name, public, line);
            }
            K::UseList => {
                for kid in self.kids(at) {
                    self.use_tree(kid.node, path, public);
                }
            }
            K::UseScoped => {
                match self.child(at, F::Path) {
                    Some(inner) => self.use_path(inner, path),
                    None => self.root(path),
                }
                if let Some(list) = self.child(at, F::List) {
                    self.use_tree(list, path, public);
                }
            }
            K::UseWildcard => {
                match self.kids(at).first().copied() {
                    Some(inner) => self.use_path(inner.node, path),
                    None if self.text(at).starts_with("::") => self.root(path),
                    None => {}
                }
                self.declare(path, StrId::EMPTY, UseForm::Glob, public, line);
            }
            K::Identifier
            | K::ScopedIdentifier
            | K::SelfWord
            | K::CrateWord
            | K::SuperWord
            | K::Metavariable => {
                self.use_path(at, path);
                self.drop_self(path, height);
                let name = path.last().map_or(StrId::EMPTY, |last| StrId(*last));
                self.declare(path, name, UseForm::Name, public, line);
            }
            _ => {}
        }
        path.truncate(height);
        self.depth -= 1;
    }

    /// `a::{self}` is `a` itself.
    fn drop_self(&mut self, path: &mut Vec<u32>, height: usize) {
        let last = path
            .last()
            .map_or("", |last| self.b.unit.text(StrId(*last)));
        if last == "self" && height > 0 && path.len() == height + 1 {
            path.pop();
        }
    }

    /// A path that begins with `::`.
    fn root(&mut self, path: &mut Vec<u32>) {
        if path.is_empty() {
            path.push(self.b.unit.intern("::").0);
        }
    }

    /// Appends the names of a path.
    fn use_path(&mut self, at: Syntax<'t>, path: &mut Vec<u32>) {
        let mut names = Vec::new();
        let mut at = at;
        for _ in 0..64 {
            if self.kind(at) != K::ScopedIdentifier {
                names.push(self.intern(at));
                break;
            }
            if let Some(name) = self.child(at, F::Name) {
                names.push(self.intern(name));
            }
            match self.child(at, F::Path) {
                Some(inner) => at = inner,
                None => {
                    self.root(path);
                    break;
                }
            }
        }
        path.extend(names.iter().rev().map(|n| n.0));
    }
}

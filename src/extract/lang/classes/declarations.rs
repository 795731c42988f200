//! Packages, imports, types and their headers.

use super::flat::Id;
use super::kinds::{Field, Role};
use super::walker::Walker;
use crate::ids::LocalNode;
use crate::model::facts::{Bound, Import, Imported, List, RefTarget, Space, TypeId};
use crate::model::label::{Context, NodeKind, Relation};
use crate::model::node::NodeFlags;

impl Walker<'_> {
    /// A qualified name with dots between its parts and no blanks.
    pub(super) fn dotted(&self, id: Id) -> String {
        let separator = self.spec.separator;
        let text = self.text(id).split_whitespace().collect::<String>();
        let text = text.trim_matches(separator);
        text.replace("::", ".").replace(separator, ".")
    }

    /// `package a.b;`
    pub(super) fn package(&mut self, id: Id) {
        let name = self
            .flat
            .children(id)
            .find(|c| matches!(self.flat.role(*c), Role::Name | Role::ScopedName));
        if let Some(name) = name {
            let package = self.dotted(name);
            let line = self.line(id);
            self.set_package(package, line);
        }
    }

    /// `import a.b.C;`, `import static a.b.C.f;`, `import a.b.*;`
    pub(super) fn import(&mut self, id: Id) {
        let mut path = String::new();
        let mut all = false;
        let mut alias = None;
        for child in self.flat.children(id) {
            match self.flat.role(child) {
                Role::Name if !path.is_empty() => alias = Some(self.text(child)),
                Role::Name | Role::ScopedName => path = self.dotted(child),
                Role::Asterisk => all = true,
                _ => {}
            }
        }
        let line = self.line(id);
        self.add_import(&path, alias, all, line);
    }

    /// Notes an import of a qualified name, by its last name or another one, or of all that it holds.
    pub(super) fn add_import(&mut self, path: &str, alias: Option<&str>, all: bool, line: u32) {
        if path.is_empty() {
            return;
        }
        let imported = if all {
            Imported::Glob
        } else {
            let last = path.rsplit('.').next().unwrap_or(path);
            let name = self.b.unit.intern(alias.unwrap_or(last));
            Imported::Name(name)
        };
        let module = self.b.unit.intern(path);
        self.b.import(Import {
            from: LocalNode::UNIT,
            module,
            imported,
            type_only: false,
            dynamic: false,
            level: 0,
            line,
        });
    }

    /// What a class is by the words before its name.
    pub(super) fn class_kind(&self, id: Id) -> NodeKind {
        if self.flat.part(id, Role::InterfaceWord).is_some() {
            NodeKind::INTERFACE
        } else if self.words(id).enumeration {
            NodeKind::ENUM
        } else {
            NodeKind::CLASS
        }
    }

    /// A type with its members.
    pub(super) fn type_declaration(&mut self, id: Id, kind: NodeKind) {
        let Some(name) = self.flat.child(id, Field::Name) else {
            self.items(id);
            return;
        };
        let words = self.words(id);
        let body = self.body(id);
        let flags = NodeFlags(words.flags.0 & !NodeFlags::STATIC.0);
        let text = self.text(name);
        let node = self.define(text, kind, id, body, flags);
        self.type_parts(id, node);
    }

    /// The part of a declaration that holds what is inside.
    pub(super) fn body(&self, id: Id) -> Option<Id> {
        let body = self.flat.child(id, Field::Body);
        body.or_else(|| self.flat.part(id, Role::Body))
    }

    /// What stands in the declaration of a type whose node is there already.
    pub(super) fn type_parts(&mut self, id: Id, node: LocalNode) {
        if !self.deeper() {
            return;
        }
        let outer = self.owner;
        let around = self.enter(node);
        self.class = node;
        self.in_function = false;
        self.in_static = false;
        for child in self.flat.children(id) {
            match self.flat.role(child) {
                Role::Modifiers => self.annotations(child),
                Role::Annotation => self.annotation(child),
                Role::TypeParams => {
                    let list = self.type_parameters(child);
                    self.b.def(node).type_params = list;
                }
                Role::Extends => self.bases(child, node, outer, Relation::INHERITS),
                Role::Implements => self.bases(child, node, outer, Relation::IMPLEMENTS),
                Role::Constraints => self.constraints(child),
                Role::Params => self.primary_parameters(child, node),
                Role::Primary => {
                    if let Some(params) = self.flat.part(child, Role::Params) {
                        self.kotlin_primary(params, node);
                    }
                }
                Role::Body => self.items(child),
                Role::Statements if self.flat.field(child) == Field::Body => self.items(child),
                _ => {}
            }
        }
        self.leave(around);
        self.higher();
    }

    /// Base types. They are names of the surroundings, not of the type's own members.
    fn bases(&mut self, id: Id, node: LocalNode, outer: LocalNode, relation: Relation) {
        for child in self.flat.children(id) {
            match self.flat.role(child) {
                Role::TypeGroup => self.bases(child, node, outer, relation),
                Role::Comment | Role::Annotation => {}
                Role::Delegation => {
                    let mut parts = self.flat.children(child);
                    if let Some(base) = parts.next() {
                        self.base(base, node, outer, relation);
                    }
                    for value in parts {
                        self.visit(value);
                    }
                }
                Role::Args => {
                    self.arguments(child);
                }
                _ => self.base(child, node, outer, relation),
            }
        }
    }

    /// One base type.
    pub(super) fn base(&mut self, id: Id, node: LocalNode, outer: LocalNode, relation: Relation) {
        let line = self.line(id);
        let ty = self.type_named(id, outer, Context::GENERIC_ARG);
        if ty == TypeId::UNKNOWN {
            return;
        }
        self.b
            .reference(node, RefTarget::Type(ty), relation, Context::BASE, line);
        self.add_bases(node, &[u32::from(relation.0), ty.0]);
    }

    /// Type parameters as bindings of the innermost scope.
    pub(super) fn type_parameters(&mut self, id: Id) -> List {
        let mut bindings = Vec::new();
        for child in self.flat.children(id) {
            if self.flat.role(child) != Role::TypeParam {
                continue;
            }
            let name = self.flat.child(child, Field::Name).or_else(|| {
                let mut parts = self.flat.children(child);
                parts.find(|c| matches!(self.flat.role(*c), Role::TypeName | Role::Name))
            });
            let Some(name) = name else { continue };
            let bound = self.flat.children(child).find(|c| {
                *c != name
                    && !matches!(
                        self.flat.role(*c),
                        Role::Annotation | Role::Modifiers | Role::Modifier | Role::Comment
                    )
            });
            let name = self.intern(name);
            let scope = self.scope;
            let unknown = Bound::TypeParam {
                bound: TypeId::UNKNOWN,
                default: TypeId::UNKNOWN,
            };
            let binding = self.b.bind(scope, name, Space::Type, unknown);
            bindings.push(binding.0);
            self.type_params.push((name, binding));
            let bound = bound.map_or(TypeId::UNKNOWN, |b| self.ty(b, Context::GENERIC_ARG));
            self.b.complete_type_parameter(binding, bound);
        }
        self.b.list(&bindings)
    }

    /// `where T : B`
    pub(super) fn constraints(&mut self, id: Id) {
        let mut binding = None;
        let mut bounded = false;
        for child in self.flat.children(id) {
            if self.flat.role(child) == Role::Name && binding.is_none() {
                let name = self.intern(child);
                let known = self.type_params.iter().rev().find(|(n, _)| *n == name);
                binding = known.map(|(_, binding)| *binding);
                continue;
            }
            let bound = self.ty(child, Context::GENERIC_ARG);
            if let (Some(binding), true, false) = (binding, bound != TypeId::UNKNOWN, bounded) {
                bounded = true;
                self.b.complete_type_parameter(binding, bound);
            }
        }
    }

    /// The annotations among the words before a declaration.
    pub(super) fn annotations(&mut self, id: Id) {
        for child in self.flat.children(id) {
            match self.flat.role(child) {
                Role::Annotation => self.annotation(child),
                Role::Modifiers => self.annotations(child),
                _ => {}
            }
        }
    }

    /// One annotation: a reference to its type, and what its arguments name.
    pub(super) fn annotation(&mut self, id: Id) {
        for child in self.flat.children(id) {
            match self.flat.role(child) {
                Role::Name
                | Role::ScopedName
                | Role::TypeName
                | Role::GenericType
                | Role::UserType
                | Role::TypeGroup
                | Role::ScopedType => {
                    self.ty(child, Context::DECORATOR);
                }
                Role::Args => {
                    self.arguments(child);
                }
                _ => {
                    self.visit(child);
                }
            }
        }
    }
}

//! What a bare or qualified name means where no scope of the file binds it.

use super::members::{Found, Want};
use super::packages::is_type;
use crate::ids::{LocalNode, StrId};
use crate::link::dialect::Dialect;
use crate::link::eval::Eval;
use crate::link::types::Ty;
use crate::link::world::Sym;
use crate::model::facts::{Exported, Expr, ExprId, ImportId, TypeId};
use crate::model::label::{NodeKind, Reason};

/// How many names a qualified name may have.
const PATH_LIMIT: usize = 32;

impl<'w> Eval<'w> {
    pub(super) fn dialect(&self, unit: u32) -> Dialect {
        self.world.dialect(unit)
    }

    /// What a bare name means that stands in `node`.
    pub(super) fn implied(&mut self, unit: u32, node: LocalNode, name: &str, want: Want) -> Found {
        let mut found = Found::default();
        if !self.enter() {
            return found;
        }
        self.around(unit, node, name, want, &mut found);
        if found.is_empty() {
            self.surroundings(unit, node, name, want, &mut found);
        }
        self.leave();
        found
    }

    /// Members of the types around a node, from the innermost outwards.
    fn around(&mut self, unit: u32, node: LocalNode, name: &str, want: Want, found: &mut Found) {
        let mut at = node;
        for _ in 0..64 {
            if at == LocalNode::UNIT {
                return;
            }
            let sym = Sym { unit, node: at };
            let kind = self.world.kind(sym);
            if is_type(kind) || kind == NodeKind::ENUM_MEMBER {
                let hit = self.type_members(sym, &None, name, want, found);
                if hit {
                    found.reason = if found.members.iter().any(|m| m.inherited) {
                        Reason::INHERITANCE
                    } else {
                        Reason::THIS
                    };
                    return;
                }
                if want == Want::Type && self.world.name(sym) == name {
                    found.add(sym);
                    found.reason = Reason::SCOPE;
                    return;
                }
            } else if matches!(
                kind,
                NodeKind::FUNCTION | NodeKind::METHOD | NodeKind::ACCESSOR
            ) {
                // The body of an extension sees the members of what it extends.
                let receiver = self.facts(unit).and_then(|f| f.def(at)).map(|d| d.ty);
                if let Some(ty) = receiver.filter(|t| *t != TypeId::UNKNOWN)
                    && let Ty::Instance(receiver, env) = self.ty(unit, ty, &None)
                    && self.dialect(unit) != Dialect::CSharp
                    && self.type_members(receiver, &env, name, want, found)
                {
                    found.reason = Reason::RECEIVER_TYPE;
                    return;
                }
            }
            let Some(parent) = self.world.node(sym).map(|n| n.parent) else {
                return;
            };
            at = parent;
        }
    }

    /// Imports by name, the own package, imports of everything.
    fn surroundings(
        &mut self,
        unit: u32,
        node: LocalNode,
        name: &str,
        want: Want,
        found: &mut Found,
    ) {
        let world = self.world;
        for import in world.packages.imports(unit, name) {
            let path = self.import_path(unit, *import);
            self.path(unit, path, want, found);
            if !found.is_empty() {
                found.reason = Reason::IMPORT;
                return;
            }
        }
        if found.external.is_some() {
            return;
        }
        let package = self.package_of(unit, node);
        if self.in_package(unit, package, name, want, found) {
            found.reason = Reason::MODULE;
            return;
        }
        let mut outer = package;
        while self.dialect(unit).namespaces_nest()
            && let Some((head, _)) = outer.rsplit_once('.')
        {
            outer = head;
            if self.in_package(unit, outer, name, want, found) {
                found.reason = Reason::MODULE;
                return;
            }
        }
        if self.dialect(unit).falls_to_global()
            && !package.is_empty()
            && self.in_package(unit, "", name, want, found)
        {
            found.reason = Reason::MODULE;
            return;
        }
        self.in_globs(unit, name, want, found);
    }

    fn in_globs(&mut self, unit: u32, name: &str, want: Want, found: &mut Found) {
        let world = self.world;
        for (stated, import) in world.packages.globs(unit) {
            let path = self.import_path(*stated, *import);
            let mut here = Found::default();
            let in_package = self.in_package(unit, path, name, want, &mut here);
            if !in_package && let Some(holder) = self.type_at(unit, path) {
                self.type_members(holder, &None, name, want, &mut here);
                here.members.retain(|m| {
                    self.world
                        .flags(m.sym)
                        .has(crate::model::node::NodeFlags::STATIC)
                        || is_type(self.world.kind(m.sym))
                });
            }
            // Two packages that offer the name: which one is meant is not proved.
            if !found.is_empty() && !here.is_empty() && here.first() != found.first() {
                *found = Found::default();
                found.opaque = true;
                return;
            }
            if found.is_empty() && !here.is_empty() {
                found.members = here.members;
                found.reason = Reason::IMPORT;
            }
        }
    }

    pub(super) fn import_path(&self, unit: u32, import: ImportId) -> &'w str {
        let module = self
            .facts(unit)
            .and_then(|f| f.imports.get(import.index()))
            .map_or(StrId::EMPTY, |i| i.module);
        self.world.text(unit, module)
    }

    /// The package that a node's names are first looked up in.
    fn package_of(&self, unit: u32, node: LocalNode) -> &'w str {
        let mut at = node;
        let Some(u) = self.world.unit(unit) else {
            return "";
        };
        for _ in 0..64 {
            match u.node(at).map(|n| n.parent) {
                Some(parent) if parent != LocalNode::UNIT => at = parent,
                _ => break,
            }
        }
        let exports = &u.facts.exports;
        let found = exports
            .binary_search_by_key(&at, |e| match e.exported {
                Exported::Node(node) => node,
                _ => LocalNode::UNIT,
            })
            .ok()
            .and_then(|place| exports.get(place));
        match found {
            Some(export) if at != LocalNode::UNIT => {
                let qualified = u.text(export.name);
                qualified
                    .rsplit_once('.')
                    .map_or("", |(package, _)| package)
            }
            _ => self.world.packages.package(unit),
        }
    }

    /// A definition of a package.
    fn in_package(
        &mut self,
        unit: u32,
        package: &str,
        name: &str,
        want: Want,
        found: &mut Found,
    ) -> bool {
        let qualified = if package.is_empty() {
            name.to_string()
        } else {
            format!("{package}.{name}")
        };
        self.at(unit, &qualified, want, found)
    }

    /// The definition of a qualified name.
    fn at(&mut self, unit: u32, qualified: &str, want: Want, found: &mut Found) -> bool {
        let last = qualified.rsplit('.').next().unwrap_or(qualified);
        let all = self
            .world
            .packages
            .find(self.dialect(unit), unit, qualified);
        let fits: Vec<Sym> = all
            .into_iter()
            .filter(|s| self.world.name(*s) == last)
            .filter(|s| self.accepts(*s, want))
            .collect();
        if let Want::Call(count) = want {
            for sym in self.by_arity(unit, fits, count, 0) {
                found.add(sym);
            }
        } else if want == Want::Type {
            if let Some(sym) = fits.first() {
                found.add(self.world.packages.canonical(*sym));
            }
        } else {
            fits.iter().for_each(|s| found.add(*s));
        }
        !found.is_empty()
    }

    /// The type of a qualified name, nested ones too.
    pub(super) fn type_at(&mut self, unit: u32, qualified: &str) -> Option<Sym> {
        let mut found = Found::default();
        self.at(unit, qualified, Want::Type, &mut found);
        found.first()
    }

    /// What a path of names means: a definition, or a member of a type on the way. What lies outside has a key.
    pub(super) fn path(&mut self, unit: u32, path: &str, want: Want, found: &mut Found) {
        if self.at(unit, path, want, found) {
            return;
        }
        let mut head = path;
        for _ in 0..PATH_LIMIT {
            let Some((outer, _)) = head.rsplit_once('.') else {
                break;
            };
            head = outer;
            let Some(mut holder) = self.type_at(unit, head) else {
                continue;
            };
            let rest = path.get(head.len() + 1..).unwrap_or_default();
            let mut parts = rest.split('.').peekable();
            while let Some(part) = parts.next() {
                let wanted = if parts.peek().is_some() {
                    Want::Type
                } else {
                    want
                };
                let mut inner = Found::default();
                self.type_members(holder, &None, part, wanted, &mut inner);
                match (inner.first(), parts.peek()) {
                    (Some(sym), Some(_)) => holder = sym,
                    (Some(_), None) => found.members = inner.members,
                    (None, _) => return,
                }
            }
            return;
        }
        let dialect = self.dialect(unit);
        let package = path.rsplit_once('.').map_or("", |(package, _)| package);
        if !self.world.packages.is_package(dialect, package) && !package.is_empty() {
            found.external = Some(dialect.outside(path));
        }
    }

    /// The names of `a.b.c` where an expression is nothing else.
    pub(super) fn names_of(&self, unit: u32, id: ExprId) -> Option<String> {
        let facts = self.facts(unit)?;
        let mut names = Vec::new();
        let mut at = id;
        for _ in 0..PATH_LIMIT {
            match facts.expr(at) {
                Expr::Member { base, name } => {
                    names.push(self.world.text(unit, name));
                    at = base;
                }
                Expr::Implied { name, .. } => {
                    names.push(self.world.text(unit, name));
                    names.reverse();
                    return Some(names.join("."));
                }
                _ => return None,
            }
        }
        None
    }

    /// The type that a written path of names means.
    pub(super) fn implied_type(&mut self, unit: u32, node: LocalNode, path: &[u32]) -> Found {
        let world = self.world;
        let names: Vec<&str> = path.iter().map(|p| world.text(unit, StrId(*p))).collect();
        let Some((first, rest)) = names.split_first() else {
            return Found::default();
        };
        let mut found = self.implied(unit, node, first, Want::Type);
        if rest.is_empty() {
            // An attribute's name leaves out its ending.
            if found.is_empty() && found.external.is_none() && self.dialect(unit) == Dialect::CSharp
            {
                let full = self.implied(unit, node, &format!("{first}Attribute"), Want::Type);
                if !full.is_empty() {
                    return full;
                }
            }
            return found;
        }
        if let Some(sym) = found.first() {
            let mut holder = sym;
            for part in rest {
                let mut inner = Found::default();
                self.type_members(holder, &None, part, Want::Type, &mut inner);
                match inner.first() {
                    Some(sym) => holder = sym,
                    None => return Found::default(),
                }
            }
            let reason = found.reason;
            found = Found::default();
            found.add(holder);
            found.reason = reason;
            return found;
        }
        let mut qualified = names.join(".");
        if let Some(import) = world.packages.imports(unit, first).first() {
            // An import by another name stands for the path behind it.
            let head = self.import_path(unit, *import);
            qualified = format!("{head}.{}", rest.join("."));
        }
        self.qualified(unit, node, &qualified, Want::Type)
    }

    /// A qualified name: from the root of all packages, or from a namespace around.
    pub(super) fn qualified(
        &mut self,
        unit: u32,
        node: LocalNode,
        names: &str,
        want: Want,
    ) -> Found {
        let mut found = Found::default();
        if self.dialect(unit).namespaces_nest() {
            let mut outer = self.package_of(unit, node);
            while !outer.is_empty() {
                self.path(unit, &format!("{outer}.{names}"), want, &mut found);
                if !found.is_empty() {
                    found.reason = Reason::QUALIFIED;
                    return found;
                }
                outer = outer.rsplit_once('.').map_or("", |(head, _)| head);
            }
            found.external = None;
        }
        if self.dialect(unit) == Dialect::Php {
            // What does not begin at the root begins at the own namespace.
            let package = self.package_of(unit, node);
            self.at(unit, &format!("{package}.{names}"), want, &mut found);
        }
        if found.is_empty() {
            self.path(unit, names, want, &mut found);
        }
        found.reason = Reason::QUALIFIED;
        found
    }

    /// Whether a definition is one of what is looked for.
    pub(super) fn accepts(&self, sym: Sym, want: Want) -> bool {
        let kind = self.world.kind(sym);
        match want {
            Want::Type => is_type(kind) || kind == NodeKind::TYPE_ALIAS,
            Want::Call(_) => {
                matches!(kind, NodeKind::METHOD | NodeKind::FUNCTION)
                    || (kind == NodeKind::ACCESSOR && self.dialect(sym.unit) == Dialect::Ruby)
                    || (kind == NodeKind::CONSTRUCTOR && self.dialect(sym.unit) == Dialect::Swift)
            }
            Want::Value => matches!(
                kind,
                NodeKind::FIELD
                    | NodeKind::CONSTANT
                    | NodeKind::VARIABLE
                    | NodeKind::ENUM_MEMBER
                    | NodeKind::ACCESSOR
            ),
            Want::Method => matches!(kind, NodeKind::METHOD | NodeKind::FUNCTION),
        }
    }

    /// The package that a definition lies in.
    pub(super) fn package_around(&self, sym: Sym) -> &'w str {
        self.package_of(sym.unit, sym.node)
    }
}

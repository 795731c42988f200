//! What a name means that its file does not bind: an imported package, a declaration of another file, a dot import.

use std::rc::Rc;

use super::CANDIDATES;
use crate::ids::StrId;
use crate::link::eval::Eval;
use crate::link::names::{Found, Hit, member_key};
use crate::link::references::Answer;
use crate::link::types::Ty;
use crate::link::world::{Module, Sym};
use crate::model::facts::{Imported, Space};
use crate::model::label::Reason;

/// What a name means.
enum Meaning {
    Package(Found),
    /// Declarations of the package, or of one whose names are imported.
    Declared(Vec<Sym>, Reason),
    /// A name that only a package outside can declare.
    Outside(String),
    Nothing,
}

/// Functions that the language itself declares.
fn is_builtin(name: &str) -> bool {
    matches!(
        name,
        "append"
            | "cap"
            | "clear"
            | "close"
            | "complex"
            | "copy"
            | "delete"
            | "imag"
            | "len"
            | "make"
            | "max"
            | "min"
            | "new"
            | "panic"
            | "print"
            | "println"
            | "real"
            | "recover"
            // Types, in conversions.
            | "any"
            | "bool"
            | "byte"
            | "complex64"
            | "complex128"
            | "error"
            | "float32"
            | "float64"
            | "int"
            | "int8"
            | "int16"
            | "int32"
            | "int64"
            | "rune"
            | "string"
            | "uint"
            | "uint8"
            | "uint16"
            | "uint32"
            | "uint64"
            | "uintptr"
            | "_"
    )
}

impl<'w> Eval<'w> {
    fn go_meaning(&mut self, unit: u32, name: &str) -> Meaning {
        let world = self.world;
        if let Some(module) = world.go.import(unit, name) {
            let found = match world.module(unit, module) {
                Some(Module::Unit(first)) => Found::Module(*first),
                Some(Module::External(key)) => Found::External(key.clone()),
                Some(Module::Asset | Module::Folder(_) | Module::Missing(_)) | None => {
                    Found::Missing
                }
            };
            return Meaning::Package(found);
        }
        let declared = world.go.declared(world.units, unit, name, Some(unit));
        if !declared.is_empty() {
            return Meaning::Declared(declared, Reason::SCOPE);
        }
        self.go_dot_import(unit, name)
    }

    fn go_dot_import(&mut self, unit: u32, name: &str) -> Meaning {
        let world = self.world;
        let imports = self.facts(unit).map_or(&[][..], |f| f.imports.as_slice());
        let mut outside: Option<String> = None;
        let mut several = false;
        for import in imports.iter().filter(|i| i.imported == Imported::Glob) {
            match world.module(unit, import.module) {
                Some(Module::Unit(first)) => {
                    let declared = world.go.declared(world.units, *first, name, None);
                    if !declared.is_empty() {
                        return Meaning::Declared(declared, Reason::IMPORT);
                    }
                }
                Some(Module::External(key)) => {
                    several = outside.is_some();
                    outside = Some(member_key(key, name));
                }
                _ => {}
            }
        }
        let exported = name.chars().next().is_some_and(char::is_uppercase);
        match outside {
            Some(key) if exported && !several => Meaning::Outside(key),
            _ => Meaning::Nothing,
        }
    }

    /// The value of a name that the file does not bind.
    pub(in crate::link) fn go_free(&mut self, unit: u32, name: &str) -> Ty {
        match self.go_meaning(unit, name) {
            Meaning::Package(found) => self.found_value(&found),
            Meaning::Declared(all, _) => self.go_any(&all, Self::go_value),
            Meaning::Outside(key) => Ty::External(key.as_str().into()),
            Meaning::Nothing => Ty::Unknown,
        }
    }

    fn go_value(&mut self, sym: Sym) -> Ty {
        self.value_of(sym, &None)
    }

    fn go_any(&mut self, all: &[Sym], what: impl Fn(&mut Self, Sym) -> Ty) -> Ty {
        match all {
            [one] => what(self, *one),
            all if all.len() <= CANDIDATES => {
                self.inferred = true;
                Ty::union(all.iter().map(|s| what(self, *s)).collect())
            }
            _ => Ty::Unknown,
        }
    }

    /// The definitions that such a name can mean where it is called or read.
    pub(in crate::link) fn go_free_target(&mut self, unit: u32, name: &str) -> Answer {
        match self.go_meaning(unit, name) {
            Meaning::Declared(all, reason) => Answer::among(all, reason),
            Meaning::Outside(key) => Answer::outside(key),
            Meaning::Nothing if !is_builtin(name) => Answer::unresolved(name),
            Meaning::Package(_) | Meaning::Nothing => Answer::default(),
        }
    }

    /// A written type whose first name the file does not bind.
    pub(in crate::link) fn go_type(
        &mut self,
        unit: u32,
        name: &str,
        path: &[u32],
        args: Vec<Ty>,
    ) -> Ty {
        let mut args = args.into_iter();
        match name {
            "map" => {
                let key = args.next().unwrap_or(Ty::Unknown);
                let value = args.next().unwrap_or(Ty::Unknown);
                return Ty::Map(Rc::new((key, value)));
            }
            "chan" => return Ty::Promise(Rc::new(args.next().unwrap_or(Ty::Unknown))),
            _ => {}
        }
        let args: Vec<Ty> = args.collect();
        match self.go_named(unit, name, path) {
            Meaning::Declared(all, _) => {
                self.go_any(&all, |e, sym| e.instance_of(sym, args.clone()))
            }
            Meaning::Package(_) | Meaning::Outside(_) => Ty::Opaque,
            Meaning::Nothing if is_builtin(name) => Ty::Opaque,
            Meaning::Nothing => Ty::Unknown,
        }
    }

    /// The meaning of `name`, or of `name.member`.
    fn go_named(&mut self, unit: u32, name: &str, path: &[u32]) -> Meaning {
        let meaning = self.go_meaning(unit, name);
        let Some(member) = path.first() else {
            return meaning;
        };
        let member = self.world.text(unit, StrId(*member));
        match meaning {
            Meaning::Package(Found::Module(first)) => {
                let all = self.go_exported(first, member);
                if all.is_empty() {
                    return Meaning::Package(Found::Missing);
                }
                Meaning::Declared(all, Reason::NAMESPACE)
            }
            Meaning::Package(Found::External(key)) => Meaning::Outside(member_key(&key, member)),
            _ => Meaning::Nothing,
        }
    }

    /// The definitions that a written type can mean.
    pub(in crate::link) fn go_type_target(
        &mut self,
        unit: u32,
        name: &str,
        path: &[u32],
    ) -> Answer {
        match self.go_named(unit, name, path) {
            Meaning::Declared(all, reason) => Answer::among(all, reason),
            Meaning::Outside(key) => Answer::outside(key),
            Meaning::Package(_) | Meaning::Nothing => Answer::default(),
        }
    }

    /// What the package of a file offers to other packages under a name.
    pub(in crate::link) fn go_exported(&self, first: u32, name: &str) -> Vec<Sym> {
        self.world.go.declared(self.world.units, first, name, None)
    }

    /// The same as one answer: the first of several.
    pub(in crate::link) fn go_export(&mut self, first: u32, name: &str, _space: Space) -> Hit {
        let all = self.go_exported(first, name);
        self.inferred |= all.len() > 1;
        let found = match all.first() {
            Some(sym) if all.len() <= CANDIDATES => Found::Node(*sym),
            _ => Found::Missing,
        };
        Hit { found, hops: 0 }
    }
}

impl Answer {
    /// One of several declarations of a name; none where they are too many.
    fn among(all: Vec<Sym>, reason: Reason) -> Self {
        if all.len() > CANDIDATES {
            return Self::default();
        }
        Self {
            targets: all,
            reason: Some(reason),
            ..Self::default()
        }
    }
}

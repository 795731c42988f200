//! Written types.

use super::kinds::{F, K};
use super::walker::Walker;
use crate::extract::builder::ScopeId;
use crate::ids::StrId;
use crate::model::facts::{List, RefTarget, TypeExpr, TypeId};
use crate::model::label::{Context, Relation};

/// Types that the language itself declares.
fn is_predeclared(name: &str) -> bool {
    matches!(
        name,
        "any"
            | "bool"
            | "byte"
            | "comparable"
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
    )
}

impl Walker<'_> {
    /// The type under the cursor, whose names stand in `context`.
    pub(super) fn ty_in(&mut self, context: Context) -> TypeId {
        self.in_context(context, Self::ty)
    }

    /// The type under the cursor. Pointers are the type that they point to: members are the same.
    pub(super) fn ty(&mut self) -> TypeId {
        if !self.deeper() {
            return TypeId::UNKNOWN;
        }
        let ty = match self.kind() {
            K::TypeIdentifier | K::Identifier => self.type_name(List::EMPTY),
            K::QualifiedType => self.qualified_type(List::EMPTY),
            K::GenericType => self.generic_type(),
            K::SliceType | K::ArrayType | K::ImplicitLengthArrayType => self.sequence(),
            K::MapType => {
                let key = self.part(F::Key);
                let value = self.part(F::Value);
                self.built_in("map", &[key.0, value.0])
            }
            K::ChannelType => {
                let value = self.part(F::Value);
                self.built_in("chan", &[value.0])
            }
            K::FunctionType => self.function_type(),
            K::StructType => self.anonymous_struct(),
            K::InterfaceType => self.anonymous_interface(),
            // Pointers, brackets, `~T`, and sets of types.
            _ => {
                let mut all: Vec<TypeId> = Vec::new();
                self.each_part(|w, _| all.push(w.ty()));
                match all.as_slice() {
                    [one] => *one,
                    _ => TypeId::UNKNOWN,
                }
            }
        };
        self.shallower();
        ty
    }

    fn part(&mut self, field: F) -> TypeId {
        let mut ty = TypeId::UNKNOWN;
        self.each_part(|w, _| {
            if w.field() == field {
                ty = w.ty();
            }
        });
        ty
    }

    /// A type of the language that holds others. Its name is a word that no declaration can take.
    fn built_in(&mut self, name: &str, args: &[u32]) -> TypeId {
        let name = self.b.unit.intern(name);
        let args = self.b.list(args);
        let path = List::EMPTY;
        self.b.ty(TypeExpr::Free { name, path, args })
    }

    /// `any`.
    pub(super) fn any(&mut self) -> TypeId {
        let name = self.b.unit.intern("any");
        self.known(name).unwrap_or_default()
    }

    /// A predeclared type, described once per file.
    fn known(&mut self, name: StrId) -> Option<TypeId> {
        if let Some(known) = self.predeclared.get(&name) {
            return *known;
        }
        let known = is_predeclared(self.b.unit.text(name)).then(|| {
            self.b
                .named_type(ScopeId::FILE, name, List::EMPTY, List::EMPTY)
        });
        self.predeclared.insert(name, known);
        known
    }

    /// Whether a name is that of a predeclared type.
    pub(super) fn is_known(&mut self, name: StrId) -> bool {
        self.known(name).is_some()
    }

    fn type_name(&mut self, args: List) -> TypeId {
        let name = self.intern();
        if let Some(known) = self.known(name) {
            return known;
        }
        let line = self.line();
        let ty = self.b.named_type(self.scope, name, List::EMPTY, args);
        self.refer_type(ty, line);
        ty
    }

    fn qualified_type(&mut self, args: List) -> TypeId {
        let (Some(package), Some(name)) = (self.child(F::Package), self.child(F::Name)) else {
            return TypeId::UNKNOWN;
        };
        let (package, name) = (self.text_of(package), self.text_of(name));
        let package = self.b.unit.intern(package);
        let name = self.b.unit.intern(name);
        let path = self.b.list(&[name.0]);
        let line = self.line();
        let ty = self.b.named_type(self.scope, package, path, args);
        self.refer_type(ty, line);
        ty
    }

    fn refer_type(&mut self, ty: TypeId, line: u32) {
        let context = self.type_context;
        self.refer(RefTarget::Type(ty), Relation::REFERENCES, context, line);
    }

    /// `T[A, B]`: the head is described first, and completed when its arguments are known.
    fn generic_type(&mut self) -> TypeId {
        let mut head = TypeId::UNKNOWN;
        let mut args = List::EMPTY;
        self.each_part(|w, kind| match w.field() {
            F::Type => head = w.ty(),
            _ if kind == K::TypeArguments => args = w.type_arguments(),
            _ => {}
        });
        if let Some(TypeExpr::Free { args: slot, .. }) =
            self.b.unit.facts.types.get_mut(head.index())
            && head != TypeId::UNKNOWN
        {
            *slot = args;
        }
        head
    }

    /// The types in the brackets under the cursor.
    pub(super) fn type_arguments(&mut self) -> List {
        let mut args: Vec<u32> = Vec::new();
        self.in_context(Context::GENERIC_ARG, |w| {
            w.each_part(|w, _| args.push(w.ty().0));
        });
        self.b.list(&args)
    }

    fn sequence(&mut self) -> TypeId {
        let mut element = TypeId::UNKNOWN;
        self.each_part(|w, _| match w.field() {
            F::Element => element = w.ty(),
            // The length of an array.
            _ => {
                w.expression(Context::PROPERTY_READ);
            }
        });
        self.b.ty(TypeExpr::Sequence(element))
    }

    /// The parameters and results under the cursor as a type.
    pub(super) fn function_type(&mut self) -> TypeId {
        let function = self.b.function(crate::ids::LocalNode::UNIT);
        self.signature(function, &mut Vec::new());
        self.b.ty(TypeExpr::Function(function))
    }
}

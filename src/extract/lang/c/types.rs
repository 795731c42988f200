//! Written types. Pointers, references and arrays of a type count as that type: a member is looked up all the same.

use tree_sitter::Node as Syntax;

use super::kinds::{F, K};
use super::walker::{Walker, line_of};
use crate::ids::StrId;
use crate::model::facts::{List, RefTarget, TypeExpr, TypeId};
use crate::model::label::{Context, Relation};

impl<'t> Walker<'t> {
    /// The type under the cursor; its names are references.
    pub(super) fn ty(&mut self, context: Context) -> TypeId {
        self.deeper(|w| w.named_record(None, context))
    }

    /// The type under the cursor. A record without a name of its own takes `alias` for its name.
    pub(super) fn named_record(&mut self, alias: Option<&str>, context: Context) -> TypeId {
        match self.kind() {
            K::PrimitiveType | K::SizedTypeSpecifier => self.b.ty(TypeExpr::Builtin),
            K::TypeIdentifier | K::NamespaceIdentifier | K::Identifier => {
                let name = self.intern();
                self.type_name(name, List::EMPTY, List::EMPTY, context)
            }
            K::StructSpecifier | K::UnionSpecifier | K::ClassSpecifier | K::EnumSpecifier => {
                self.record(alias, context)
            }
            K::TemplateType | K::QualifiedIdentifier => self.qualified_type(context),
            K::TypeDescriptor => self.descriptor(context),
            K::DependentType | K::MacroTypeSpecifier => {
                let mut ty = TypeId::UNKNOWN;
                self.each_named(|w, kind| {
                    if kind != K::Identifier {
                        ty = w.ty(context);
                    }
                });
                ty
            }
            K::PlaceholderTypeSpecifier => TypeId::UNKNOWN,
            _ => TypeId::UNKNOWN,
        }
    }

    /// A type inside brackets: a cast, `sizeof`, an argument of a template.
    fn descriptor(&mut self, context: Context) -> TypeId {
        let mut ty = TypeId::UNKNOWN;
        let mut function = false;
        self.each(|w, kind| match w.field() {
            F::Type => ty = w.ty(context),
            F::Declarator => function = kind == K::AbstractFunctionDeclarator,
            _ => {}
        });
        if function && ty != TypeId::UNKNOWN {
            return self.function_type(ty);
        }
        ty
    }

    /// A type by its name, as a reference.
    pub(super) fn type_name(
        &mut self,
        name: StrId,
        path: List,
        args: List,
        context: Context,
    ) -> TypeId {
        let line = self.line();
        let ty = self.b.named_type(self.scope, name, path, args);
        self.type_reference(ty, name, path, context, line);
        ty
    }

    fn type_reference(&mut self, ty: TypeId, name: StrId, path: List, context: Context, line: u32) {
        // Inside a body one mention of a type is enough.
        if self.in_body && path == List::EMPTY && !self.reads.insert((self.owner, name, context)) {
            return;
        }
        self.refer(RefTarget::Type(ty), Relation::REFERENCES, context, line);
    }

    /// `a::b<c>`.
    fn qualified_type(&mut self, context: Context) -> TypeId {
        let at = self.node();
        let mut names: Vec<u32> = Vec::new();
        let mut part = at;
        for _ in 0..32 {
            if self.kind_of(part) != K::QualifiedIdentifier {
                break;
            }
            if let Some(scope) = self.child_of(part, F::Scope) {
                let text = self.scope_name(scope);
                names.push(self.b.unit.intern(text).0);
            }
            match self.child_of(part, F::Name) {
                Some(next) => part = next,
                None => break,
            }
        }
        if self.kind_of(part) == K::DependentType {
            part = part.named_child(0).unwrap_or(part);
        }
        let text = self.scope_name(part);
        if text.is_empty() {
            return TypeId::UNKNOWN;
        }
        names.push(self.b.unit.intern(text).0);
        let args = self.template_arguments_below();
        let args = self.b.list(&args);
        let Some((first, rest)) = names.split_first() else {
            return TypeId::UNKNOWN;
        };
        let path = self.b.list(rest);
        let ty = self.b.named_type(self.scope, StrId(*first), path, args);
        self.type_reference(ty, StrId(*first), path, context, line_of(at));
        ty
    }

    /// The arguments of the last template in the name under the cursor.
    fn template_arguments_below(&mut self) -> Vec<u32> {
        let mut args = Vec::new();
        self.deeper(|w| {
            w.each_named(|w, kind| match kind {
                K::TemplateArgumentList => args = w.template_arguments(),
                K::TemplateType | K::QualifiedIdentifier | K::DependentType => {
                    let below = w.template_arguments_below();
                    if w.field() == F::Name || kind == K::DependentType {
                        args = below;
                    }
                }
                _ => {}
            });
        });
        args
    }

    /// `<a, b, 3>`.
    pub(super) fn template_arguments(&mut self) -> Vec<u32> {
        let mut args = Vec::new();
        self.each_named(|w, kind| {
            if kind == K::TypeDescriptor {
                args.push(w.ty(Context::GENERIC_ARG).0);
            } else {
                w.visit(kind, Context::ARGUMENT);
                args.push(TypeId::UNKNOWN.0);
            }
        });
        args
    }

    /// The name under which a tag is known: in C tags have a name space of their own.
    pub(super) fn tag_name(&mut self, kind: K, name: Syntax<'t>) -> StrId {
        let text = self.text_of(name);
        if self.cpp {
            return self.b.unit.intern(text);
        }
        let word = match kind {
            K::UnionSpecifier => "union",
            K::EnumSpecifier => "enum",
            _ => "struct",
        };
        self.b.unit.intern(&format!("{word} {text}"))
    }
}

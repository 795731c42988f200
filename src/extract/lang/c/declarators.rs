//! Declarators: from `*(*name)[3](int)` to the name and what it is.

use tree_sitter::Node as Syntax;

use super::kinds::{F, K};
use super::walker::Walker;

/// What a declarator declares.
#[derive(Clone, Copy, Default)]
pub(super) struct Declared<'t> {
    /// The name: an identifier, a qualified one, an operator, a destructor.
    pub(super) name: Option<Syntax<'t>>,
    /// The function declarator next to the name.
    pub(super) function: Option<Syntax<'t>>,
    /// Whether the name is a function, not a pointer to one.
    pub(super) is_function: bool,
    /// Whether it is a pointer.
    pub(super) pointer: bool,
}

/// How many steps a declarator may take.
const STEPS: usize = 32;

impl<'t> Walker<'t> {
    /// Looks into a declarator.
    pub(super) fn look(&self, at: Syntax<'t>) -> Declared<'t> {
        let mut declared = Declared::default();
        let mut at = at;
        let mut indirect = false;
        for _ in 0..STEPS {
            let next = match self.kind_of(at) {
                K::Identifier
                | K::FieldIdentifier
                | K::TypeIdentifier
                | K::OperatorName
                | K::DestructorName
                | K::TemplateFunction
                | K::TemplateMethod => {
                    declared.name = Some(at);
                    break;
                }
                K::QualifiedIdentifier => {
                    declared.name = Some(at);
                    // `A::operator bool()` holds its own function declarator.
                    let mut last = at;
                    while let Some(name) = self.child_of(last, F::Name) {
                        last = name;
                        if self.kind_of(last) != K::QualifiedIdentifier {
                            break;
                        }
                    }
                    match self.kind_of(last) {
                        K::OperatorCast => declared.function = self.child_of(last, F::Declarator),
                        // `int (C::*p)(int)`.
                        K::PointerDeclarator => {
                            at = last;
                            indirect = true;
                            declared.name = None;
                            continue;
                        }
                        _ => {}
                    }
                    if self.kind_of(last) == K::OperatorCast {
                        indirect = false;
                    }
                    break;
                }
                K::OperatorCast => {
                    declared.name = Some(at);
                    declared.function = self.child_of(at, F::Declarator);
                    indirect = false;
                    break;
                }
                K::FunctionDeclarator => {
                    declared.function = Some(at);
                    indirect = false;
                    self.child_of(at, F::Declarator)
                }
                kind @ (K::PointerDeclarator | K::ArrayDeclarator) => {
                    declared.pointer |= kind == K::PointerDeclarator;
                    indirect = true;
                    self.child_of(at, F::Declarator)
                }
                K::InitDeclarator => self.child_of(at, F::Declarator),
                K::ReferenceDeclarator
                | K::ParenthesizedDeclarator
                | K::AttributedDeclarator
                | K::VariadicParameterDeclaration => self.last_named(at),
                _ => self.child_of(at, F::Declarator),
            };
            match next {
                Some(next) => at = next,
                None => break,
            }
        }
        declared.is_function = declared.function.is_some() && !indirect && declared.name.is_some();
        declared
    }

    fn last_named(&self, at: Syntax<'t>) -> Option<Syntax<'t>> {
        let count = at.named_child_count();
        (0..count)
            .rev()
            .filter_map(|i| at.named_child(i as u32))
            .find(|n| self.kind_of(*n) != K::Comment)
    }
}

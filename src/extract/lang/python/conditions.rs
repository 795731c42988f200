//! What a condition says about names where it holds, and conditions that are decided before the program runs.

use tree_sitter::Node as Syntax;

use super::kinds::{F, K};
use super::walker::Walker;
use crate::model::facts::{Expr, ExprId, List, TypeExpr, TypeId};

/// How deep conditions are looked into.
const CONDITION_DEPTH: u32 = 12;

/// What is known of a condition without running the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Always {
    Unknown,
    True,
    /// True where types are checked.
    TypeChecking,
    False,
}

impl<'t> Walker<'t> {
    /// Whether a condition is decided: `TYPE_CHECKING`, and versions of the language.
    pub(super) fn always(&self, condition: Syntax<'t>) -> Always {
        let text = self.text_of(condition);
        if text.len() > 80 {
            return Always::Unknown;
        }
        match text.rsplit('.').next() {
            Some("TYPE_CHECKING") if !text.contains(' ') => return Always::TypeChecking,
            Some("TYPE_CHECKING") if text.starts_with("not ") => return Always::False,
            _ => {}
        }
        match text.strip_prefix("sys.version_info") {
            Some(rest) if rest.trim_start().starts_with(">") => Always::True,
            Some(rest) if rest.trim_start().starts_with("<") => Always::False,
            _ => Always::Unknown,
        }
    }

    /// Notes what holds where `condition` is `outcome`.
    pub(super) fn assume(&mut self, condition: Syntax<'t>, outcome: bool) {
        let mut found = Vec::new();
        self.tests(condition, outcome, 0, &mut found);
        for (name, class) in found {
            let ty = self.instance_of(class);
            if ty != TypeId::UNKNOWN {
                let name = self.b.unit.intern(name);
                self.narrow(name, ty);
            }
        }
    }

    /// `isinstance(name, class)` among the parts that must hold.
    fn tests(
        &self,
        condition: Syntax<'t>,
        outcome: bool,
        depth: u32,
        found: &mut Vec<(&'t str, Syntax<'t>)>,
    ) {
        if depth > CONDITION_DEPTH {
            return;
        }
        match self.kind_of(condition) {
            K::ParenthesizedExpression => {
                if let Some(inner) = condition.named_child(0) {
                    self.tests(inner, outcome, depth + 1, found);
                }
            }
            K::NotOperator => {
                if let Some(inner) = self.child_of(condition, F::Argument) {
                    self.tests(inner, !outcome, depth + 1, found);
                }
            }
            K::BooleanOperator => {
                let operator = self.child_of(condition, F::Operator);
                let wanted = if outcome { K::And } else { K::Or };
                if operator.is_none_or(|o| self.kind_of(o) != wanted) {
                    return;
                }
                for side in [F::Left, F::Right] {
                    if let Some(side) = self.child_of(condition, side) {
                        self.tests(side, outcome, depth + 1, found);
                    }
                }
            }
            K::Call if outcome => {
                let function = self.child_of(condition, F::Function);
                if function.is_none_or(|f| self.text_of(f) != "isinstance") {
                    return;
                }
                let Some(arguments) = self.child_of(condition, F::Arguments) else {
                    return;
                };
                let (Some(value), Some(class)) =
                    (arguments.named_child(0), arguments.named_child(1))
                else {
                    return;
                };
                let value = match self.kind_of(value) {
                    K::NamedExpression => self.child_of(value, F::Name).unwrap_or(value),
                    _ => value,
                };
                if self.kind_of(value) == K::Identifier {
                    found.push((self.text_of(value), class));
                }
            }
            _ => {}
        }
    }

    /// An instance of the class, or of one of the classes, that an expression names.
    pub(super) fn instance_of(&mut self, class: Syntax<'t>) -> TypeId {
        match self.kind_of(class) {
            K::Identifier | K::Attribute => {
                let class = self.dotted(class, 0);
                if class == ExprId::UNKNOWN {
                    return TypeId::UNKNOWN;
                }
                let args = List::EMPTY;
                self.b.ty(TypeExpr::Instance { class, args })
            }
            K::Tuple | K::ParenthesizedExpression => {
                let mut all = Vec::new();
                for at in 0..16 {
                    let part = class.named_child(at);
                    if let Some(part) = part
                        && matches!(self.kind_of(part), K::Identifier | K::Attribute)
                    {
                        all.push(self.instance_of(part).0);
                    }
                }
                let list = self.b.list(&all);
                self.b.ty(TypeExpr::Union(list))
            }
            K::BinaryOperator => {
                let sides = [F::Left, F::Right].map(|side| self.child_of(class, side));
                let mut all = Vec::new();
                for side in sides.into_iter().flatten() {
                    if matches!(self.kind_of(side), K::Identifier | K::Attribute) {
                        all.push(self.instance_of(side).0);
                    }
                }
                let list = self.b.list(&all);
                self.b.ty(TypeExpr::Union(list))
            }
            _ => TypeId::UNKNOWN,
        }
    }

    /// `a.b.c` as a value, without a visit.
    pub(super) fn dotted(&mut self, node: Syntax<'t>, depth: u32) -> ExprId {
        if depth > CONDITION_DEPTH {
            return ExprId::UNKNOWN;
        }
        match self.kind_of(node) {
            K::Identifier => {
                let name = self.b.unit.intern(self.text_of(node));
                self.name(name)
            }
            K::Attribute => {
                let (Some(object), Some(attribute)) = (
                    self.child_of(node, F::Object),
                    self.child_of(node, F::Attribute),
                ) else {
                    return ExprId::UNKNOWN;
                };
                let base = self.dotted(object, depth + 1);
                let name = self.b.unit.intern(self.text_of(attribute));
                match base {
                    ExprId::UNKNOWN => base,
                    base => self.b.expr(Expr::Member { base, name }),
                }
            }
            _ => ExprId::UNKNOWN,
        }
    }
}

//! Literals that hold other things: objects with their functions, arrays, templates; and names written as strings.

use super::functions::This;
use super::kinds::{F, K};
use super::walker::{Expect, Members, Walker};
use crate::ids::{LocalNode, StrId};
use crate::model::facts::{Expr, ExprId};
use crate::model::label::{Context, NodeKind};
use crate::model::node::NodeFlags;

/// A name without the quotes that it may be written in.
pub(super) fn bare(text: &str) -> &str {
    for quote in ['"', '\'', '`'] {
        if let Some(inner) = text.strip_prefix(quote) {
            return inner.strip_suffix(quote).unwrap_or(inner);
        }
    }
    text
}

impl Walker<'_> {
    /// The property name under the cursor.
    pub(super) fn property_name(&mut self) -> StrId {
        let text = bare(self.text());
        self.b.unit.intern(text)
    }

    /// The object literal under the cursor; its functions become nodes of whoever holds them.
    pub(super) fn object_of(&mut self, members: Members, expect: &Expect<'_>) -> ExprId {
        let object = self.b.expr(Expr::Unknown);
        if !self.deeper() {
            return object;
        }
        // Where an object is expected to be of some type, that is what `this` is in its methods.
        let this = match self.expected(expect) {
            ExprId::UNKNOWN => object,
            first => self.b.expr(Expr::Fallback {
                first,
                second: object,
            }),
        };
        let mut fields: Vec<u32> = Vec::new();
        let comment = self.comment.take();
        self.each(|w, kind| match kind {
            K::Comment => w.note_comment(),
            K::Pair => {
                if let Some((name, value)) = w.pair(members, this, expect) {
                    fields.extend([name.0, value.0]);
                }
                w.comment = None;
            }
            K::MethodDefinition => {
                if let Some((name, value)) = w.object_method(members, this, expect) {
                    fields.extend([name.0, value.0]);
                }
                w.comment = None;
            }
            K::ShorthandPropertyIdentifier => {
                let name = w.intern();
                let line = w.line();
                let value = w.b.name(w.scope, name);
                w.b.read(w.scope, name, w.owner, line, Context::COLLECTION);
                fields.extend([name.0, value.0]);
            }
            K::SpreadElement => {
                let mut value = ExprId::UNKNOWN;
                w.each(|w, _| {
                    if w.node().is_named() {
                        value = w.expression(&Expect::Nothing);
                    }
                });
                fields.extend([StrId::EMPTY.0, value.0]);
            }
            _ => w.statement_if_named(kind),
        });
        self.comment = comment;
        let fields = self.b.list(&fields);
        self.b.set_expr(object, Expr::Object { fields });
        self.depth -= 1;
        object
    }

    fn pair(
        &mut self,
        members: Members,
        this: ExprId,
        expect: &Expect<'_>,
    ) -> Option<(StrId, ExprId)> {
        let mut name = None;
        let mut value = ExprId::UNKNOWN;
        let at = self.node();
        self.each(|w, kind| match w.field() {
            F::Key => {
                if kind == K::ComputedPropertyName {
                    w.each(|w, k| w.statement_if_named(k));
                } else {
                    let text = bare(w.text());
                    name = Some((text, w.b.unit.intern(text)));
                }
            }
            F::Value => {
                let wanted = match name {
                    Some((_, id)) => Expect::Property(expect, id),
                    None => Expect::Nothing,
                };
                let peeled = w.peeled(w.node());
                let is_function = matches!(
                    w.kind_of(peeled),
                    K::ArrowFunction | K::FunctionExpression | K::GeneratorFunction
                );
                value = match (kind, name, members) {
                    (_, Some((text, _)), Members::Of(holder)) if is_function => {
                        let body = peeled.child_by_field_id(w.tables.field_id(F::Body));
                        let head_end = body.map_or(at.end_byte(), |b| b.start_byte());
                        let node = w.function_member(text, holder, at, head_end);
                        w.pending = Some((peeled.id(), node, This::Is(this, ExprId::UNKNOWN)));
                        let value = w.expression_in(&wanted, Context::COLLECTION);
                        w.pending = None;
                        if let Expr::Typed { ty } = w.b.unit.facts.expr(value) {
                            w.b.def(node).ty = ty;
                        }
                        w.b.expr(Expr::Node(node))
                    }
                    (K::FunctionExpression | K::GeneratorFunction, ..) => {
                        let this = This::Is(this, ExprId::UNKNOWN);
                        let f = w.function(LocalNode::UNIT, &wanted, this);
                        w.b.expr(Expr::Function(f))
                    }
                    (K::Object, ..) => w.object_of(members, &wanted),
                    _ => w.expression_in(&wanted, Context::COLLECTION),
                };
            }
            _ => {}
        });
        name.map(|(_, id)| (id, value))
    }

    fn function_member(
        &mut self,
        name: &str,
        holder: LocalNode,
        at: tree_sitter::Node<'_>,
        head_end: usize,
    ) -> LocalNode {
        // Functions below a file or a namespace stand on their own; below anything else they are members.
        let kind = match self.b.kind(holder) {
            NodeKind::FILE | NodeKind::MODULE => NodeKind::FUNCTION,
            _ => NodeKind::METHOD,
        };
        self.define(name, kind, holder, at, head_end, NodeFlags::default())
    }

    fn object_method(
        &mut self,
        members: Members,
        this: ExprId,
        expect: &Expect<'_>,
    ) -> Option<(StrId, ExprId)> {
        let name = self.child(F::Name)?;
        let (Members::Of(holder) | Members::Methods(holder)) = members;
        let computed = self.kind_of(name) == K::ComputedPropertyName;
        let text = bare(self.text_of(name));
        let id = self.b.unit.intern(text);
        let at = self.node();
        let head_end = self
            .child(F::Body)
            .map_or(at.end_byte(), |b| b.start_byte());
        let is_accessor = (0..at.child_count())
            .filter_map(|i| at.child(i))
            .take_while(|c| *c != name)
            .any(|c| matches!(self.kind_of(c), K::Get | K::Set));
        let node = self.function_member(text, holder, at, head_end);
        if is_accessor && let Some(node) = self.b.unit.node_mut(node) {
            node.kind = NodeKind::ACCESSOR;
        }
        if computed {
            self.each(|w, k| {
                if k == K::ComputedPropertyName {
                    w.each(|w, k| w.statement_if_named(k));
                }
            });
        }
        let wanted = Expect::Property(expect, id);
        let function = self.function(node, &wanted, This::Is(this, ExprId::UNKNOWN));
        let value = if is_accessor {
            let callee = self.b.expr(Expr::Function(function));
            self.b.expr(Expr::Call {
                callee,
                args: crate::model::facts::List::EMPTY,
                type_args: crate::model::facts::List::EMPTY,
            })
        } else {
            self.b.expr(Expr::Node(node))
        };
        (!computed).then_some((id, value))
    }

    /// The array literal under the cursor.
    pub(super) fn array(&mut self, expect: &Expect<'_>) -> ExprId {
        let mut elements: Vec<u32> = Vec::new();
        self.each(|w, kind| {
            if !w.node().is_named() || kind == K::Comment {
                return;
            }
            let wanted = Expect::Element(expect);
            if kind == K::SpreadElement {
                let mut base = ExprId::UNKNOWN;
                w.each(|w, _| {
                    if w.node().is_named() {
                        base = w.expression(&Expect::Nothing);
                    }
                });
                if base != ExprId::UNKNOWN {
                    let element = w.b.expr(Expr::Element { base });
                    elements.push(element.0);
                }
                return;
            }
            let value = w.expression_in(&wanted, Context::COLLECTION);
            // Long tables: their first elements tell what they hold.
            if elements.len() < 16 {
                elements.push(value.0);
            }
        });
        let elements = self.b.list(&elements);
        self.b.expr(Expr::Array { elements })
    }

    /// The template under the cursor.
    pub(super) fn template(&mut self) -> ExprId {
        self.each(|w, kind| {
            if kind == K::TemplateSubstitution {
                w.each(|w, k| w.statement_if_named(k));
            }
        });
        self.b.builtin()
    }

    /// A read of the name under the cursor, in a position that may pass it on.
    pub(super) fn read_name(&mut self, context: Context) -> ExprId {
        let name = self.intern();
        let line = self.line();
        self.b.read(self.scope, name, self.owner, line, context);
        self.b.name(self.scope, name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_no_part_of_a_name() {
        assert_eq!(bare("\"a b\""), "a b");
        assert_eq!(bare("'x'"), "x");
        assert_eq!(bare("plain"), "plain");
        assert_eq!(bare("\"open"), "open");
    }
}

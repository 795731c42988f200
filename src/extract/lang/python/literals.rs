//! Literals that hold other things: lists, tuples, tables, texts with values in them; and doc strings.

use tree_sitter::Node as Syntax;

use super::kinds::{F, K};
use super::walker::Walker;
use crate::extract::doc;
use crate::model::facts::{Expr, ExprId, List, TypeExpr};
use crate::model::label::Context;

/// A text without its prefix and quotes.
pub(super) fn bare(text: &str) -> &str {
    let text = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    for quote in ["\"\"\"", "'''", "\"", "'"] {
        if let Some(inner) = text.strip_prefix(quote) {
            return inner.strip_suffix(quote).unwrap_or(inner);
        }
    }
    text
}

impl<'t> Walker<'t> {
    /// The text under the cursor: only what is put into it is visited.
    pub(super) fn string(&mut self) {
        if !self.deeper() {
            return;
        }
        self.each_named(|w, kind| match kind {
            K::String => w.string(),
            K::Interpolation => w.each_named(|w, _| {
                w.expression();
            }),
            _ => {}
        });
        self.depth -= 1;
    }

    /// The first paragraph of the text that a body begins with.
    pub(super) fn docstring(&self, body: Syntax<'t>) -> String {
        let mut first = None;
        for at in 0..8 {
            let child = body.named_child(at);
            if child.is_some_and(|c| self.kind_of(c) != K::Comment) {
                first = child;
                break;
            }
        }
        let text = first
            .filter(|s| self.kind_of(*s) == K::ExpressionStatement)
            .and_then(|s| s.named_child(0))
            .filter(|s| self.kind_of(*s) == K::String)
            .map_or("", |s| self.text_of(s));
        if text.is_empty() {
            return String::new();
        }
        let lines: Vec<&str> = bare(text).lines().map(str::trim).collect();
        doc::first_paragraph(&lines.join("\n"))
    }

    /// `[a, b]`, `{a, b}`.
    pub(super) fn sequence(&mut self) -> ExprId {
        let mut elements: Vec<u32> = Vec::new();
        self.each_named(|w, kind| {
            let value = w.expression_in(Context::COLLECTION);
            if !matches!(kind, K::ListSplat) {
                elements.push(value.0);
            }
        });
        self.sequence_of(&elements)
    }

    /// `(a, b)`, `a, b`.
    pub(super) fn tuple(&mut self) -> ExprId {
        let mut elements: Vec<u32> = Vec::new();
        let mut counted = true;
        self.each_named(|w, kind| {
            let value = w.expression_in(Context::COLLECTION);
            counted &= kind != K::ListSplat;
            elements.push(value.0);
        });
        if !counted {
            return self.sequence_of(&elements);
        }
        let elements = self.b.list(&elements);
        self.b.expr(Expr::Array { elements })
    }

    /// `{"a": f, "b": g}`: a table whose values are known by their keys. Keys stand in brackets, so that they are no members.
    pub(super) fn dictionary(&mut self) -> ExprId {
        let mut fields: Vec<u32> = Vec::new();
        let mut keys: Vec<u32> = Vec::new();
        let mut values: Vec<u32> = Vec::new();
        let mut known = true;
        self.each_named(|w, kind| {
            if kind != K::Pair {
                known = false;
                w.expression();
                return;
            }
            let mut name = None;
            w.each_named(|w, kind| match w.field() {
                F::Key => {
                    if kind == K::String {
                        name = Some(format!("[{}]", bare(w.text())));
                    }
                    let key = w.expression();
                    keys.push(key.0);
                }
                F::Value => {
                    let value = w.expression_in(Context::COLLECTION);
                    values.push(value.0);
                    match &name {
                        Some(name) => {
                            let name = w.b.unit.intern(name);
                            fields.extend([name.0, value.0]);
                        }
                        None => known = false,
                    }
                }
                _ => {}
            });
        });
        if known && !fields.is_empty() {
            let fields = self.b.list(&fields);
            return self.b.expr(Expr::Object { fields });
        }
        self.map_of(&keys, &values)
    }

    /// A value of a map from one of `keys` to one of `values`.
    pub(super) fn map_of(&mut self, keys: &[u32], values: &[u32]) -> ExprId {
        let mut args: Vec<u32> = Vec::new();
        for side in [keys, values] {
            let sequence = self.sequence_of(side);
            let whole = self.b.ty(TypeExpr::Of(sequence));
            let element = self.b.ty(TypeExpr::Element(whole));
            args.push(element.0);
        }
        let args = self.b.list(&args);
        let name = self.b.unit.intern("dict");
        let path = List::EMPTY;
        let ty = self.b.ty(TypeExpr::Free { name, path, args });
        self.b.expr(Expr::Typed { ty })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_lose_their_prefix_and_quotes() {
        for (text, inner) in [
            ("'a'", "a"),
            ("rb\"b\"", "b"),
            ("\"\"\"c\nd\"\"\"", "c\nd"),
            ("f'''e'''", "e"),
            ("'", ""),
        ] {
            assert_eq!(bare(text), inner);
        }
    }
}

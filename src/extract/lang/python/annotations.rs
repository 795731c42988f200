//! Annotations: written types, quoted or not, read from their text.
//!
//! One small parser reads all of them, because a quoted annotation is text in the syntax tree: names with dots, arguments
//! in brackets, `|`, and the few names of `typing` whose meaning is their form. Every name is mentioned and referred to.

use tree_sitter::Node as Syntax;

use super::kinds::K;
use super::walker::{Walker, line_of};
use crate::ids::{LocalNode, StrId};
use crate::model::facts::{BindingId, Bound, List, RefTarget, TypeExpr, TypeId};
use crate::model::label::{Context, Relation};

/// How deep types may nest.
const TYPE_DEPTH: u32 = 40;

/// The text that is being read.
struct Text<'a> {
    rest: &'a str,
    line: u32,
    depth: u32,
}

impl<'a> Text<'a> {
    /// The next character that counts.
    fn peek(&mut self) -> Option<char> {
        loop {
            let c = self.rest.chars().next()?;
            match c {
                '\n' => self.line += 1,
                '#' => {
                    let end = self.rest.find('\n').unwrap_or(self.rest.len());
                    self.rest = self.rest.get(end..).unwrap_or_default();
                    continue;
                }
                c if c.is_whitespace() || c == '\\' => {}
                c => return Some(c),
            }
            self.rest = self.rest.get(c.len_utf8()..).unwrap_or_default();
        }
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.rest = self.rest.get(wanted.len_utf8()..).unwrap_or_default();
        }
        found
    }

    fn skip(&mut self) {
        if let Some(c) = self.rest.chars().next() {
            self.rest = self.rest.get(c.len_utf8()..).unwrap_or_default();
        }
    }

    fn word(&mut self) -> &'a str {
        let end = self
            .rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(self.rest.len());
        let word = self.rest.get(..end).unwrap_or_default();
        self.rest = self.rest.get(end..).unwrap_or_default();
        word
    }

    /// A quoted text, without its quotes.
    fn quoted(&mut self) -> &'a str {
        for quote in ["\"\"\"", "'''", "\"", "'"] {
            if let Some(rest) = self.rest.strip_prefix(quote) {
                let end = rest.find(quote).unwrap_or(rest.len());
                let inner = rest.get(..end).unwrap_or_default();
                self.rest = rest.get(end + quote.len()..).unwrap_or_default();
                return inner;
            }
        }
        self.skip();
        ""
    }

    /// Passes over what an opened bracket holds, its end included.
    fn skip_brackets(&mut self) {
        let mut open = 1u32;
        while let Some(c) = self.peek() {
            match c {
                '"' | '\'' => {
                    self.quoted();
                    continue;
                }
                '[' | '(' | '{' => open += 1,
                ']' | ')' | '}' => open -= 1,
                _ => {}
            }
            self.skip();
            if open == 0 {
                break;
            }
        }
    }
}

impl<'t> Walker<'t> {
    /// The annotation under the cursor.
    pub(super) fn annotation(&mut self, context: Context) -> TypeId {
        let node = self.node();
        let ty = self.type_of(node, context);
        // Values can stand inside (`Annotated[T, f(x)]`).
        if self.text().contains('(') {
            self.calls_inside();
        }
        ty
    }

    fn calls_inside(&mut self) {
        if !self.deeper() {
            return;
        }
        self.each_named(|w, kind| match kind {
            K::Call => {
                w.expression();
            }
            K::String => {}
            _ => w.calls_inside(),
        });
        self.depth -= 1;
    }

    /// The type that the text of a node writes.
    pub(super) fn type_of(&mut self, node: Syntax<'t>, context: Context) -> TypeId {
        let outer = std::mem::replace(&mut self.type_context, context);
        let mut text = Text {
            rest: self.text_of(node),
            line: line_of(node),
            depth: 0,
        };
        let ty = self.union(&mut text);
        self.type_context = outer;
        ty
    }

    /// `A | B`.
    fn union(&mut self, text: &mut Text<'_>) -> TypeId {
        if text.depth >= TYPE_DEPTH {
            self.incomplete = true;
            text.rest = "";
            return TypeId::UNKNOWN;
        }
        text.depth += 1;
        let first = self.one(text);
        let mut all = vec![first.0];
        while text.take('|') {
            let next = self.one(text);
            all.push(next.0);
        }
        text.depth -= 1;
        match all.len() {
            1 => first,
            _ => {
                let list = self.b.list(&all);
                self.b.ty(TypeExpr::Union(list))
            }
        }
    }

    fn one(&mut self, text: &mut Text<'_>) -> TypeId {
        match text.peek() {
            Some('"' | '\'') => {
                let inner = text.quoted();
                let mut quoted = Text {
                    rest: inner,
                    line: text.line,
                    depth: text.depth + 1,
                };
                self.union(&mut quoted)
            }
            Some('(') => {
                text.skip();
                let ty = self.union(text);
                if text.peek() == Some(')') {
                    text.skip();
                } else {
                    text.skip_brackets();
                }
                ty
            }
            Some('[') => {
                text.skip();
                let all = self.arguments_of(text);
                let list = self.b.list(&all);
                self.b.ty(TypeExpr::Tuple(list))
            }
            Some('.') => {
                while text.peek() == Some('.') {
                    text.skip();
                }
                self.b.ty(TypeExpr::Builtin)
            }
            Some('*') => {
                text.skip();
                self.one(text)
            }
            Some(c) if c.is_alphabetic() || c == '_' => self.named(text),
            Some(',' | ']' | ')' | '|') | None => TypeId::UNKNOWN,
            Some(_) => {
                // Numbers and whatever else is no type.
                text.skip();
                while text
                    .rest
                    .chars()
                    .next()
                    .is_some_and(|c| c.is_alphanumeric() || c == '.' || c == '_')
                {
                    text.skip();
                }
                self.b.ty(TypeExpr::Builtin)
            }
        }
    }

    /// Types behind an opened bracket, its end included.
    fn arguments_of(&mut self, text: &mut Text<'_>) -> Vec<u32> {
        let mut all = Vec::new();
        loop {
            match text.peek() {
                None => break,
                Some(']') => {
                    text.skip();
                    break;
                }
                Some(',') => text.skip(),
                Some(_) => {
                    let before = text.rest.len();
                    all.push(self.union(text).0);
                    if text.rest.len() == before {
                        text.skip();
                    }
                }
            }
        }
        all
    }

    /// A name with what follows it.
    fn named(&mut self, text: &mut Text<'_>) -> TypeId {
        let line = text.line;
        let first = text.word();
        // A prefix of a quoted text.
        if matches!(text.rest.chars().next(), Some('"' | '\'')) && first.len() <= 2 {
            return self.one(text);
        }
        let mut path: Vec<&str> = Vec::new();
        while text.rest.starts_with('.') {
            text.skip();
            path.push(text.word());
        }
        let last = path.last().copied().unwrap_or(first);
        let bracket = text.take('[');
        if !bracket && text.peek() == Some('(') {
            text.skip();
            text.skip_brackets();
            return TypeId::UNKNOWN;
        }
        if path.is_empty() && matches!(first, "None" | "True" | "False") {
            return self.b.ty(TypeExpr::Builtin);
        }
        if bracket && let Some(ty) = self.by_form(last, text) {
            return ty;
        }
        match last {
            "Self" => return self.self_type(),
            "Literal" | "LiteralString" if bracket => {
                text.skip_brackets();
                return self.b.ty(TypeExpr::Builtin);
            }
            _ => {}
        }
        let args = if bracket {
            let outer = std::mem::replace(&mut self.type_context, Context::GENERIC_ARG);
            let args = self.arguments_of(text);
            self.type_context = outer;
            args
        } else {
            Vec::new()
        };
        let name = self.b.unit.intern(first);
        if path.is_empty() && self.self_var == Some(name) {
            return self.self_type();
        }
        let path: Vec<u32> = path.iter().map(|p| self.b.unit.intern(p).0).collect();
        self.mention(name, &path, &args, line)
    }

    /// The type around.
    fn self_type(&mut self) -> TypeId {
        match self.frame.class {
            LocalNode::UNIT => TypeId::UNKNOWN,
            node => self.b.ty(TypeExpr::SelfType { node }),
        }
    }

    fn mention(&mut self, name: StrId, path: &[u32], args: &[u32], line: u32) -> TypeId {
        let path = self.b.list(path);
        let args = self.b.list(args);
        if path == List::EMPTY
            && let Some(binding) = self.type_vars.get(&name)
        {
            let binding = *binding;
            if !self.met_vars.contains(&binding.0) {
                self.met_vars.push(binding.0);
            }
            return self.b.ty(TypeExpr::Bound {
                binding,
                path,
                args,
            });
        }
        let ty = self.b.named_type(self.scope, name, path, args);
        let context = self.type_context;
        self.refer(RefTarget::Type(ty), Relation::REFERENCES, context, line);
        ty
    }

    /// Names of `typing` that say how their arguments are to be read; the bracket is open.
    fn by_form(&mut self, name: &str, text: &mut Text<'_>) -> Option<TypeId> {
        let ty = match name {
            "Optional" | "ClassVar" | "Final" | "Required" | "NotRequired" | "ReadOnly"
            | "InitVar" | "Annotated" | "TypeGuard" | "TypeIs" | "Unpack" => {
                let inner = self.union(text);
                text.skip_brackets();
                match name {
                    "TypeGuard" | "TypeIs" => self.b.ty(TypeExpr::Builtin),
                    _ => inner,
                }
            }
            "Union" => {
                let all = self.arguments_of(text);
                let list = self.b.list(&all);
                self.b.ty(TypeExpr::Union(list))
            }
            "Literal" => {
                text.skip_brackets();
                self.b.ty(TypeExpr::Builtin)
            }
            "Callable" => self.callable(text),
            "tuple" | "Tuple" => {
                let all = self.arguments_of(text);
                match all.as_slice() {
                    [element, rest] if self.is_rest(TypeId(*rest)) => {
                        self.b.ty(TypeExpr::Sequence(TypeId(*element)))
                    }
                    _ => {
                        let list = self.b.list(&all);
                        self.b.ty(TypeExpr::Tuple(list))
                    }
                }
            }
            _ => return None,
        };
        Some(ty)
    }

    /// `...` is read as a type of the language itself, as nothing else in a tuple's second place is that names no type.
    fn is_rest(&self, ty: TypeId) -> bool {
        matches!(self.b.unit.facts.ty(ty), TypeExpr::Builtin)
    }

    /// `Callable[[A, B], R]`, `Callable[..., R]`.
    fn callable(&mut self, text: &mut Text<'_>) -> TypeId {
        let params = if text.take('[') {
            self.arguments_of(text)
        } else {
            self.union(text);
            Vec::new()
        };
        let result = if text.take(',') {
            self.union(text)
        } else {
            TypeId::UNKNOWN
        };
        text.skip_brackets();
        let function = self.b.function(LocalNode::UNIT);
        let params = self.b.list(&params);
        if let Some(f) = self.b.function_mut(function) {
            f.params = params;
            f.result = result;
        }
        self.b.ty(TypeExpr::Function(function))
    }

    /// `[T, U: B]` behind a name: type parameters of a function or class.
    pub(super) fn type_parameters(&mut self) {
        self.each_named(|w, _| {
            let text = w.text();
            let name = text.trim_start_matches('*');
            let end = name
                .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                .unwrap_or(name.len());
            let (name, rest) = name.split_at(end);
            let bound = match rest.trim_start().strip_prefix(':') {
                Some(bound) => {
                    let mut text = Text {
                        rest: bound,
                        line: w.line(),
                        depth: 0,
                    };
                    w.union(&mut text)
                }
                None => TypeId::UNKNOWN,
            };
            w.type_parameter(name, bound);
        });
    }

    fn type_parameter(&mut self, name: &str, bound: TypeId) {
        let name = self.b.unit.intern(name);
        let default = TypeId::UNKNOWN;
        let inside = self.b.open();
        self.b.close(inside);
        let param = Bound::TypeParam { bound, default };
        let space = crate::model::facts::Space::Type;
        let binding: BindingId = self.b.bind(inside, name, space, param);
        self.type_vars.insert(name, binding);
        self.met_vars.push(binding.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_comments_and_brackets_are_passed_over() {
        let mut text = Text {
            rest: " \n # no\n a[ \"]\" (x) ] | b",
            line: 1,
            depth: 0,
        };
        assert_eq!(text.peek(), Some('a'));
        assert_eq!(text.line, 3);
        assert_eq!(text.word(), "a");
        assert!(text.take('['));
        text.skip_brackets();
        assert_eq!(text.peek(), Some('|'));
    }
}

//! Macros: what is invoked, and the calls that stand in its arguments.
//!
//! Arguments are tokens to the grammar. A small reader finds paths, calls, members and closures among them; what it does
//! not understand it steps over.

use tree_sitter::Node as Syntax;

use super::kinds::{F, K};
use super::walker::{Kid, Walker, line_of, plain};
use crate::ids::StrId;
use crate::model::facts::{Expr, ExprId, List, RefTarget, TypeExpr, TypeId};
use crate::model::label::{Context, Relation};

/// Macros of the standard library that are seen everywhere.
const LIBRARY: &[&str] = &[
    "addr_of",
    "assert",
    "assert_eq",
    "assert_ne",
    "cfg",
    "column",
    "compile_error",
    "concat",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "env",
    "eprint",
    "eprintln",
    "file",
    "format",
    "format_args",
    "include",
    "include_bytes",
    "include_str",
    "line",
    "matches",
    "module_path",
    "option_env",
    "panic",
    "pin",
    "print",
    "println",
    "stringify",
    "thread_local",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

impl<'t> Walker<'t> {
    /// `name!(…)`.
    pub(super) fn macro_invocation(&mut self, at: Syntax<'t>) -> ExprId {
        if !self.deeper() {
            return ExprId::UNKNOWN;
        }
        let value = self.macro_now(at);
        self.depth -= 1;
        value
    }

    fn macro_now(&mut self, at: Syntax<'t>) -> ExprId {
        let Some(name) = self.child(at, F::Macro) else {
            return ExprId::UNKNOWN;
        };
        let tree = self
            .kids(at)
            .into_iter()
            .find(|k| k.kind == K::TokenTree)
            .map(|k| k.node);
        let text = plain(self.text(name));
        if !LIBRARY.contains(&text) {
            self.macro_reference(name, text);
        }
        if matches!(text, "env" | "option_env")
            && let Some(tree) = tree
            && let Some(literal) = self.kids(tree).first().copied()
        {
            self.reads_environment(literal.node);
        }
        let args = match tree {
            Some(tree) => self.tokens(tree),
            None => Vec::new(),
        };
        self.macro_value(text, &args)
    }

    fn macro_reference(&mut self, name: Syntax<'t>, text: &str) {
        let callee = if self.kind(name) == K::ScopedIdentifier {
            let last = self.child(name, F::Name).map_or("", |n| self.text(n));
            let bang = self.b.unit.intern(&format!("{}!", plain(last)));
            match self.child(name, F::Path) {
                Some(path) => {
                    let ty = self.path_type(path, List::EMPTY);
                    self.member_of_type(ty, bang)
                }
                None => ExprId::UNKNOWN,
            }
        } else {
            let bang = self.b.unit.intern(&format!("{text}!"));
            self.b.name(self.scope, bang)
        };
        self.refer(
            RefTarget::Expr(callee),
            Relation::CALLS,
            Context::CALL,
            line_of(name),
        );
    }

    /// What a macro of the standard library yields.
    fn macro_value(&mut self, name: &str, args: &[ExprId]) -> ExprId {
        let ty = match name {
            "vec" => {
                let elements: Vec<u32> = args.iter().take(8).map(|a| a.0).collect();
                let elements = self.b.list(&elements);
                return self.b.expr(Expr::Array { elements });
            }
            "dbg" | "pin" => return args.first().copied().unwrap_or(ExprId::UNKNOWN),
            "format" => self.raw_type("String"),
            "concat" | "stringify" | "env" | "file" | "module_path" | "include_str" => {
                self.primitive("str")
            }
            "matches" | "cfg" => self.primitive("bool"),
            "include_bytes" => {
                let byte = self.primitive("u8");
                self.b.ty(TypeExpr::Sequence(byte))
            }
            _ => return ExprId::UNKNOWN,
        };
        self.b.expr(Expr::Typed { ty })
    }

    /// The values between the commas of a token tree, as far as they are understood.
    pub(super) fn tokens(&mut self, tree: Syntax<'t>) -> Vec<ExprId> {
        if !self.deeper() {
            return Vec::new();
        }
        let kids = self.all_kids(tree);
        let mut values = Vec::new();
        self.in_scope(|w| {
            let mut reader = Reader {
                kids: &kids,
                at: 0,
                value: None,
                mixed: false,
            };
            while let Some(kid) = reader.peek() {
                let text = w.text(kid.node);
                match text {
                    "," | ";" => {
                        values.push(reader.take());
                        reader.at += 1;
                    }
                    "(" | ")" | "[" | "]" | "{" | "}" if !kid.node.is_named() => reader.at += 1,
                    _ => w.token(&mut reader, kid, text),
                }
            }
            if reader.value.is_some() {
                values.push(reader.take());
            }
        });
        self.depth -= 1;
        values
    }

    fn token(&mut self, reader: &mut Reader<'_, 't>, kid: Kid<'t>, text: &'t str) {
        match kid.kind {
            K::LineComment | K::BlockComment => reader.at += 1,
            K::Identifier if text == "let" => self.token_let(reader),
            K::Identifier | K::SelfWord | K::SuperWord | K::CrateWord => {
                if matches!(
                    text,
                    "fn" | "struct" | "enum" | "trait" | "mod" | "use" | "type"
                ) {
                    // What a macro defines has no node: its name is no use of another one.
                    reader.at += 2;
                    return;
                }
                if is_word(text) {
                    reader.at += 1;
                    return;
                }
                let value = self.token_path(reader);
                self.token_steps(reader, value);
            }
            K::TokenTree => {
                reader.at += 1;
                let inner = self.tokens(kid.node);
                let value = match inner.as_slice() {
                    [one] if text.starts_with('(') => *one,
                    _ => ExprId::UNKNOWN,
                };
                self.token_steps(reader, value);
            }
            K::TokenRepetition => {
                reader.at += 1;
                self.tokens(kid.node);
            }
            K::String | K::RawString => {
                reader.at += 1;
                let ty = self.primitive("str");
                let value = self.b.expr(Expr::Typed { ty });
                self.token_steps(reader, value);
            }
            _ => {
                reader.at += 1;
                match text {
                    "let" => {
                        reader.at -= 1;
                        self.token_let(reader);
                    }
                    "fn" | "struct" | "enum" | "trait" | "mod" | "use" | "type" => reader.at += 1,
                    "|" if reader.value.is_none() => self.token_closure(reader),
                    "&" | "*" | "!" | "-" | "mut" | "move" | "ref" if reader.value.is_none() => {}
                    "." | "?" => {}
                    _ => reader.mixed = true,
                }
            }
        }
    }

    /// A path, with the call, construction or macro that it begins.
    fn token_path(&mut self, reader: &mut Reader<'_, 't>) -> ExprId {
        let mut names: Vec<Syntax<'t>> = Vec::new();
        while let Some(kid) = reader.peek() {
            names.push(kid.node);
            reader.at += 1;
            if reader.text(self) != "::" {
                break;
            }
            let next = reader.kids.get(reader.at + 1);
            if next.is_some_and(|k| self.text(k.node) == "<") {
                reader.at += 1;
                self.skip_angles(reader);
                if reader.text(self) != "::" {
                    break;
                }
            }
            let next = reader.kids.get(reader.at + 1);
            let is_name = next.is_some_and(|k| {
                matches!(
                    k.kind,
                    K::Identifier | K::SelfWord | K::SuperWord | K::CrateWord
                )
            });
            reader.at += 1;
            if !is_name {
                break;
            }
        }
        let Some(last) = names.last().copied() else {
            return ExprId::UNKNOWN;
        };
        let line = line_of(last);
        let bang = reader.text(self) == "!"
            && reader
                .kids
                .get(reader.at + 1)
                .is_some_and(|k| k.kind == K::TokenTree);
        if bang {
            let text = plain(self.text(last));
            if names.len() == 1 && !LIBRARY.contains(&text) {
                self.macro_reference(last, text);
            }
            reader.at += 1;
            let args = match reader.peek() {
                Some(tree) => self.tokens(tree.node),
                None => Vec::new(),
            };
            reader.at += 1;
            return self.macro_value(text, &args);
        }
        let opens = reader.peek().filter(|k| k.kind == K::TokenTree);
        let opening = opens.map_or("", |k| self.text(k.node));
        if opening.starts_with('(') {
            let callee = self.token_name(&names);
            return self.token_call(reader, callee, line);
        }
        if names.len() == 1 {
            let text = self.text(last);
            let value = self.token_name(&names);
            if text != "self" && text != "Self" {
                let name = self.intern(last);
                let context = Context::ARGUMENT;
                self.b.read(self.scope, name, self.owner, line, context);
            }
            return value;
        }
        let value = self.token_name(&names);
        self.refer(
            RefTarget::Expr(value),
            Relation::REFERENCES,
            Context::ARGUMENT,
            line,
        );
        value
    }

    fn token_name(&mut self, names: &[Syntax<'t>]) -> ExprId {
        let [head @ .., last] = names else {
            return ExprId::UNKNOWN;
        };
        let Some((first, path)) = head.split_first() else {
            return self.path(*last);
        };
        let path: Vec<u32> = path.iter().map(|n| self.intern(*n).0).collect();
        let ty = if self.text(*first) == "Self" {
            let base = self.self_ty;
            self.members_of(base, &path)
        } else {
            let head = self.intern(*first);
            let path = self.b.list(&path);
            self.b.named_type(self.scope, head, path, List::EMPTY)
        };
        let name = self.intern(*last);
        self.member_of_type(ty, name)
    }

    /// The arguments under the reader, given to `callee`.
    fn token_call(&mut self, reader: &mut Reader<'_, 't>, callee: ExprId, line: u32) -> ExprId {
        let Some(tree) = reader.peek() else {
            return ExprId::UNKNOWN;
        };
        reader.at += 1;
        self.refer(
            RefTarget::Expr(callee),
            Relation::CALLS,
            Context::CALL,
            line,
        );
        let args: Vec<u32> = self.tokens(tree.node).iter().map(|a| a.0).collect();
        if callee == ExprId::UNKNOWN {
            return callee;
        }
        let args = self.b.list(&args);
        self.b.expr(Expr::Call {
            callee,
            args,
            type_args: List::EMPTY,
        })
    }

    /// `.name`, `.name(…)`, `?`, `[…]` after a value.
    fn token_steps(&mut self, reader: &mut Reader<'_, 't>, mut value: ExprId) {
        while let Some(kid) = reader.peek() {
            let text = self.text(kid.node);
            if text == "?" {
                reader.at += 1;
                if value != ExprId::UNKNOWN {
                    value = self.b.expr(Expr::Unwrap { base: value });
                }
                continue;
            }
            if kid.kind == K::TokenTree && text.starts_with('[') {
                reader.at += 1;
                self.tokens(kid.node);
                if value != ExprId::UNKNOWN {
                    value = self.b.expr(Expr::Index {
                        base: value,
                        index: 0,
                    });
                }
                continue;
            }
            if text != "." {
                break;
            }
            let Some(name) = reader.kids.get(reader.at + 1).copied() else {
                break;
            };
            if !matches!(name.kind, K::Identifier | K::Integer) {
                break;
            }
            reader.at += 2;
            let line = line_of(name.node);
            let member: StrId = self.intern(name.node);
            value = self.b.member(value, member);
            if reader.text(self) == "::" {
                reader.at += 1;
                self.skip_angles(reader);
            }
            let calls = reader
                .peek()
                .is_some_and(|k| k.kind == K::TokenTree && self.text(k.node).starts_with('('));
            if calls {
                value = self.token_call(reader, value, line);
            }
        }
        if reader.value.is_none() {
            reader.value = Some(value);
        } else {
            reader.mixed = true;
        }
    }

    fn skip_angles(&mut self, reader: &mut Reader<'_, 't>) {
        let mut open = 0i32;
        while let Some(kid) = reader.peek() {
            match self.text(kid.node) {
                "<" => open += 1,
                ">" => open -= 1,
                ">>" => open -= 2,
                _ => {}
            }
            reader.at += 1;
            if open <= 0 {
                return;
            }
        }
    }

    /// The parameters of a closure, behind its first `|`.
    fn token_closure(&mut self, reader: &mut Reader<'_, 't>) {
        let mut names = Vec::new();
        let mut in_type = false;
        while let Some(kid) = reader.peek() {
            let text = self.text(kid.node);
            reader.at += 1;
            match text {
                "|" => break,
                ":" => in_type = true,
                "," => in_type = false,
                _ if kid.kind == K::Identifier && !in_type => names.push(kid.node),
                _ => {}
            }
        }
        self.open();
        for name in names {
            let name = self.intern(name);
            self.local(name, TypeId::UNKNOWN, ExprId::UNKNOWN);
        }
    }

    /// `let name = value`.
    fn token_let(&mut self, reader: &mut Reader<'_, 't>) {
        reader.at += 1;
        let mut names = Vec::new();
        let mut in_type = false;
        while let Some(kid) = reader.peek() {
            let text = self.text(kid.node);
            match text {
                "=" | ";" => break,
                ":" => in_type = true,
                _ if kid.kind == K::Identifier
                    && !in_type
                    && !is_word(text)
                    && !text.starts_with(char::is_uppercase) =>
                {
                    names.push(kid.node);
                }
                _ => {}
            }
            reader.at += 1;
        }
        if reader.text(self) == "=" {
            reader.at += 1;
        }
        let first = reader.peek().map(|k| (k.kind, self.text(k.node)));
        let mut value = ExprId::UNKNOWN;
        if let Some((K::Identifier | K::SelfWord | K::CrateWord | K::SuperWord, text)) = first
            && !is_word(text)
            && let [_] = names.as_slice()
        {
            let path = self.token_path(reader);
            self.token_steps(reader, path);
            value = reader.take();
        }
        reader.take();
        self.open();
        for name in names {
            let name = self.intern(name);
            self.local(name, TypeId::UNKNOWN, value);
        }
    }
}

/// A place in a row of tokens, and the value that has been read since the last comma.
struct Reader<'k, 't> {
    kids: &'k [Kid<'t>],
    at: usize,
    value: Option<ExprId>,
    /// More than one value, with an operator between.
    mixed: bool,
}

impl<'t> Reader<'_, 't> {
    fn peek(&self) -> Option<Kid<'t>> {
        self.kids.get(self.at).copied()
    }

    fn text(&self, walker: &Walker<'t>) -> &'t str {
        self.peek().map_or("", |k| walker.text(k.node))
    }

    fn take(&mut self) -> ExprId {
        let mixed = std::mem::take(&mut self.mixed);
        let value = self.value.take();
        match value {
            Some(value) if !mixed => value,
            _ => ExprId::UNKNOWN,
        }
    }
}

/// A word of the language that the grammar reads as a name among tokens.
fn is_word(text: &str) -> bool {
    matches!(
        text,
        "if" | "else"
            | "match"
            | "for"
            | "in"
            | "while"
            | "loop"
            | "return"
            | "break"
            | "continue"
            | "let"
            | "mut"
            | "ref"
            | "move"
            | "as"
            | "async"
            | "await"
            | "unsafe"
            | "pub"
            | "impl"
            | "dyn"
            | "const"
            | "static"
            | "where"
            | "extern"
            | "true"
            | "false"
            | "_"
    )
}

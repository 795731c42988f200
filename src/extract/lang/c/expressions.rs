//! Expressions: what is called, made, read and passed on.

use super::kinds::{F, K};
use super::walker::Walker;
use crate::model::facts::{Expr, ExprId, List, RefTarget, TypeId};
use crate::model::label::{Context, Relation};

impl<'t> Walker<'t> {
    /// The statement or expression under the cursor; `context` says what becomes of its value.
    pub(super) fn visit(&mut self, kind: K, context: Context) -> ExprId {
        self.deeper(|w| w.visit_now(kind, Some(context)))
    }

    /// The expression under the cursor, whose use is recorded by whoever asked.
    fn callee(&mut self, kind: K) -> ExprId {
        self.deeper(|w| w.visit_now(kind, None))
    }

    fn visit_now(&mut self, kind: K, context: Option<Context>) -> ExprId {
        match kind {
            K::Identifier => {
                if let Some(tag) = self.tag_before() {
                    let ty = self.type_name(tag, List::EMPTY, List::EMPTY, Context::TYPE);
                    return self.b.expr(Expr::Typed { ty });
                }
                let name = self.intern();
                if let Some(context) = context {
                    let line = self.line();
                    self.read(name, context, line);
                }
                self.mention(name)
            }
            K::NumberLiteral | K::CharLiteral | K::True | K::False => self.b.builtin(),
            K::StringLiteral | K::ConcatenatedString | K::Comment => ExprId::UNKNOWN,
            K::This => self.this,
            K::CallExpression => self.call(),
            K::FieldExpression => self.field_expression(),
            K::QualifiedIdentifier | K::TemplateFunction => self.qualified(context),
            K::SubscriptExpression => self.subscript(),
            K::PointerExpression | K::ParenthesizedExpression => {
                let mut value = ExprId::UNKNOWN;
                self.each_named(|w, kind| value = w.deeper(|w| w.visit_now(kind, context)));
                value
            }
            K::CastExpression | K::CompoundLiteralExpression => self.cast(context),
            K::AssignmentExpression => self.assignment(),
            K::ConditionalExpression => self.conditional(context),
            K::BinaryExpression => {
                self.binary();
                self.b.builtin()
            }
            K::CommaExpression => {
                let mut value = ExprId::UNKNOWN;
                self.each_named(|w, kind| value = w.deeper(|w| w.visit_now(kind, context)));
                value
            }
            K::InitializerList => self.table(),
            K::LambdaExpression => self.lambda(),
            K::NewExpression => self.new_instance(),
            K::TypeDescriptor => {
                self.ty(Context::TYPE);
                ExprId::UNKNOWN
            }
            K::StructSpecifier | K::UnionSpecifier | K::ClassSpecifier | K::EnumSpecifier => {
                self.ty(Context::TYPE);
                ExprId::UNKNOWN
            }
            K::WhileStatement => {
                self.loop_macro();
                self.in_scope(Self::parts);
                ExprId::UNKNOWN
            }
            K::CompoundStatement | K::ForStatement | K::IfStatement => {
                self.in_scope(Self::parts);
                ExprId::UNKNOWN
            }
            K::Declaration => {
                self.local_declaration();
                ExprId::UNKNOWN
            }
            K::ReturnStatement => {
                self.each_named(|w, kind| {
                    let value = w.visit(kind, Context::RETURN);
                    if w.cpp && value != ExprId::UNKNOWN && w.returns.len() < 16 {
                        w.returns.push(value.0);
                    }
                });
                ExprId::UNKNOWN
            }
            K::ForRangeLoop => {
                self.for_range();
                ExprId::UNKNOWN
            }
            K::CatchClause => {
                self.catch();
                ExprId::UNKNOWN
            }
            K::Error => {
                self.errors += 1;
                self.parts();
                ExprId::UNKNOWN
            }
            K::PreprocIf
            | K::PreprocIfdef
            | K::PreprocElse
            | K::PreprocElif
            | K::PreprocElifdef => {
                self.each_named(|w, kind| {
                    if !matches!(w.field(), F::Name | F::Condition) {
                        w.visit(kind, Context::PROPERTY_READ);
                    }
                });
                ExprId::UNKNOWN
            }
            K::PreprocInclude
            | K::PreprocDef
            | K::PreprocFunctionDef
            | K::FunctionDefinition
            | K::TypeDefinition
            | K::UsingDeclaration
            | K::AliasDeclaration
            | K::NamespaceAliasDefinition
            | K::TemplateDeclaration
            | K::NamespaceDefinition
            | K::LinkageSpecification => {
                self.nested_item(kind);
                ExprId::UNKNOWN
            }
            K::PreprocCall | K::PreprocArg => ExprId::UNKNOWN,
            _ => {
                self.parts();
                ExprId::UNKNOWN
            }
        }
    }

    /// `struct name` as an argument: the word before the name was hidden from the grammar.
    fn tag_before(&mut self) -> Option<crate::ids::StrId> {
        let name = self.node();
        let before = self.source.get(..name.start_byte())?;
        let blanks = before.len() - before.trim_end_matches([' ', '\t']).len();
        if blanks == 0 {
            return None;
        }
        let before = before.get(..before.len() - blanks)?;
        let (word, kind) = [
            ("struct", K::StructSpecifier),
            ("union", K::UnionSpecifier),
            ("enum", K::EnumSpecifier),
        ]
        .into_iter()
        .find(|(word, _)| before.ends_with(word))?;
        let rest = before.get(..before.len() - word.len())?;
        let apart = !rest.bytes().next_back().is_some_and(super::tokens::is_word);
        apart.then(|| self.tag_name(kind, name))
    }

    /// `for_each_node(n) statement`, which reads like a loop of the language: its name is a call.
    fn loop_macro(&mut self) {
        let text = self.text().as_bytes();
        let len = text
            .iter()
            .take_while(|b| super::tokens::is_word(**b))
            .count();
        let word = text.get(..len).unwrap_or_default();
        if word == super::conditionals::LOOP {
            return;
        }
        let Ok(name) = std::str::from_utf8(word) else {
            return;
        };
        let line = self.line();
        let name = self.b.unit.intern(name);
        let callee = self.b.name(self.scope, name);
        self.refer(
            RefTarget::Expr(callee),
            Relation::CALLS,
            Context::CALL,
            line,
        );
    }

    /// A definition that stands inside a function (or where errors made it seem so) belongs to what holds the function.
    fn nested_item(&mut self, kind: K) {
        let comment = self.comment.take();
        match kind {
            K::TypeDefinition | K::UsingDeclaration | K::AliasDeclaration => {
                let scope = std::mem::replace(&mut self.member_scope, self.scope);
                self.item(kind);
                self.member_scope = scope;
            }
            _ => self.item(kind),
        }
        self.comment = comment;
    }

    fn parts(&mut self) {
        self.each_named(|w, kind| {
            w.visit(kind, Context::PROPERTY_READ);
        });
    }

    /// `a + b + …` nests to the left and can be thousands long: walked down and up in a loop.
    fn binary(&mut self) {
        let mut levels = 0usize;
        loop {
            if !self.cursor.goto_first_child() {
                break;
            }
            levels += 1;
            if self.kind() != K::BinaryExpression {
                break;
            }
        }
        if levels == 0 {
            return;
        }
        let kind = self.kind();
        if kind != K::BinaryExpression && self.node().is_named() {
            self.visit(kind, Context::PROPERTY_READ);
        }
        loop {
            while self.cursor.goto_next_sibling() {
                let kind = self.kind();
                if self.node().is_named() && kind != K::Comment {
                    self.visit(kind, Context::PROPERTY_READ);
                }
            }
            self.cursor.goto_parent();
            levels -= 1;
            if levels == 0 {
                break;
            }
        }
    }

    /// Arguments; yields how many there are.
    pub(super) fn arguments(&mut self) -> usize {
        let mut count = 0;
        self.each_named(|w, kind| {
            w.visit(kind, Context::ARGUMENT);
            count += 1;
        });
        count
    }

    fn unknown_arguments(&mut self, count: usize) -> List {
        let count = count.min(64);
        while self.argument_lists.len() <= count {
            let zeros = vec![0u32; self.argument_lists.len()];
            let list = self.b.list(&zeros);
            self.argument_lists.push(list);
        }
        self.argument_lists
            .get(count)
            .copied()
            .unwrap_or(List::EMPTY)
    }

    fn call(&mut self) -> ExprId {
        let line = self.line();
        if let Some(ty) = self.cast_call() {
            return ty;
        }
        let mut callee = ExprId::UNKNOWN;
        let mut count = 0;
        self.each(|w, kind| match w.field() {
            F::Function => {
                callee = match kind {
                    K::PrimitiveType => w.b.builtin(),
                    kind => w.callee(kind),
                };
            }
            F::Arguments => count = w.arguments(),
            _ => {}
        });
        if callee == ExprId::UNKNOWN {
            return callee;
        }
        // How many arguments there are tells overloads apart, which C does not have.
        let args = if self.cpp {
            self.unknown_arguments(count)
        } else {
            List::EMPTY
        };
        let call = self.b.expr(Expr::Call {
            callee,
            args,
            type_args: List::EMPTY,
        });
        let target = if self.cpp { call } else { callee };
        self.refer(
            RefTarget::Expr(target),
            Relation::CALLS,
            Context::CALL,
            line,
        );
        call
    }

    /// `static_cast<T>(x)`, `std::make_unique<T>(…)`: a value of a written type.
    fn cast_call(&mut self) -> Option<ExprId> {
        if !self.cpp {
            return None;
        }
        let function = self.child(F::Function)?;
        let mut name = function;
        while self.kind_of(name) == K::QualifiedIdentifier {
            name = self.child_of(name, F::Name)?;
        }
        if self.kind_of(name) != K::TemplateFunction {
            return None;
        }
        let text = self.scope_name(name);
        let makes = matches!(text, "make_unique" | "make_shared" | "make_optional");
        let casts = matches!(
            text,
            "static_cast"
                | "dynamic_cast"
                | "reinterpret_cast"
                | "const_cast"
                | "static_pointer_cast"
                | "dynamic_pointer_cast"
        );
        if !makes && !casts {
            return None;
        }
        let line = self.line();
        let mut ty = TypeId::UNKNOWN;
        self.each(|w, _| match w.field() {
            F::Function => ty = w.first_template_argument(),
            F::Arguments => {
                w.arguments();
            }
            _ => {}
        });
        if makes {
            self.construct(ty, line);
        }
        if ty == TypeId::UNKNOWN {
            return Some(ExprId::UNKNOWN);
        }
        Some(self.b.expr(Expr::Typed { ty }))
    }

    fn first_template_argument(&mut self) -> TypeId {
        let mut ty = TypeId::UNKNOWN;
        self.deeper(|w| {
            w.each_named(|w, kind| match kind {
                K::TemplateArgumentList => {
                    let args = w.template_arguments();
                    ty = TypeId(args.first().copied().unwrap_or(0));
                }
                K::TemplateFunction | K::QualifiedIdentifier => ty = w.first_template_argument(),
                _ => {}
            });
        });
        ty
    }

    /// `a.b`, `a->b`.
    fn field_expression(&mut self) -> ExprId {
        let mut base = ExprId::UNKNOWN;
        let mut value = ExprId::UNKNOWN;
        self.each(|w, kind| match w.field() {
            F::Argument => base = w.visit(kind, Context::PROPERTY_READ),
            F::Field => {
                let name = match kind {
                    K::FieldIdentifier => Some(w.text()),
                    K::TemplateMethod | K::DependentName => {
                        let node = w.node();
                        let inner = match kind {
                            K::DependentName => node.named_child(0).unwrap_or(node),
                            _ => node,
                        };
                        w.child_of(inner, F::Name).map(|n| w.text_of(n))
                    }
                    K::QualifiedIdentifier => w.text().rsplit("::").next(),
                    _ => None,
                };
                if let Some(name) = name {
                    let name = w.b.unit.intern(name);
                    value = w.b.member(base, name);
                }
            }
            _ => {}
        });
        value
    }

    /// `a::b::c` as a value.
    fn qualified(&mut self, context: Option<Context>) -> ExprId {
        let at = self.node();
        let line = self.line();
        let mut names: Vec<&'t str> = Vec::new();
        let mut rooted = false;
        let mut part = at;
        for _ in 0..32 {
            if self.kind_of(part) != K::QualifiedIdentifier {
                break;
            }
            match self.child_of(part, F::Scope) {
                Some(scope) => names.push(self.scope_name(scope)),
                None => rooted = true,
            }
            match self.child_of(part, F::Name) {
                Some(next) => part = next,
                None => break,
            }
        }
        if self.kind_of(part) == K::DependentName {
            part = part.named_child(0).unwrap_or(part);
        }
        names.push(self.scope_name(part));
        self.written_arguments();
        let mut value = ExprId::UNKNOWN;
        for (i, name) in names.iter().enumerate() {
            let name = self.b.unit.intern(name);
            value = match (i, rooted) {
                (0, true) => self.b.expr(Expr::Free { name }),
                (0, false) if names.len() == 1 => self.mention(name),
                (0, false) => self.b.name(self.scope, name),
                _ => self.b.expr(Expr::Member { base: value, name }),
            };
        }
        if let (Some(context), true) = (context, names.len() > 1) {
            self.refer(RefTarget::Expr(value), Relation::REFERENCES, context, line);
        }
        value
    }

    /// Arguments of templates below the cursor are references.
    fn written_arguments(&mut self) {
        self.deeper(|w| {
            w.each_named(|w, kind| match kind {
                K::TemplateArgumentList => {
                    w.template_arguments();
                }
                K::QualifiedIdentifier
                | K::TemplateFunction
                | K::TemplateType
                | K::DependentName => w.written_arguments(),
                _ => {}
            });
        });
    }

    fn subscript(&mut self) -> ExprId {
        let mut base = ExprId::UNKNOWN;
        self.each_named(|w, kind| match w.field() {
            F::Argument => base = w.visit(kind, Context::PROPERTY_READ),
            _ => {
                w.visit(kind, Context::PROPERTY_READ);
            }
        });
        if base == ExprId::UNKNOWN || !self.cpp {
            return base;
        }
        self.b.expr(Expr::Element { base })
    }

    /// `(type) value`, `(type){ … }`.
    fn cast(&mut self, context: Option<Context>) -> ExprId {
        let mut ty = TypeId::UNKNOWN;
        self.each(|w, kind| match w.field() {
            F::Type => ty = w.ty(Context::TYPE),
            F::Value => {
                w.deeper(|w| w.visit_now(kind, context));
            }
            _ => {}
        });
        if ty == TypeId::UNKNOWN {
            return ExprId::UNKNOWN;
        }
        self.b.expr(Expr::Typed { ty })
    }

    fn assignment(&mut self) -> ExprId {
        let mut value = ExprId::UNKNOWN;
        self.each_named(|w, kind| match w.field() {
            F::Right => value = w.visit(kind, Context::ASSIGNMENT),
            _ => {
                w.visit(kind, Context::PROPERTY_READ);
            }
        });
        value
    }

    fn conditional(&mut self, context: Option<Context>) -> ExprId {
        let mut sides = Vec::new();
        self.each_named(|w, kind| match w.field() {
            F::Condition => {
                w.visit(kind, Context::PROPERTY_READ);
            }
            _ => sides.push(w.deeper(|w| w.visit_now(kind, context))),
        });
        match sides.as_slice() {
            [left, right] if *left != ExprId::UNKNOWN && *right != ExprId::UNKNOWN => {
                let (left, right) = (*left, *right);
                self.b.expr(Expr::Either { left, right })
            }
            [left, right] => ExprId(left.0.max(right.0)),
            _ => ExprId::UNKNOWN,
        }
    }

    /// `{ .a = f, g, [3] = h }`.
    fn table(&mut self) -> ExprId {
        let mut fields: Vec<u32> = Vec::new();
        self.each_named(|w, kind| {
            if kind != K::InitializerPair {
                w.visit(kind, Context::COLLECTION);
                return;
            }
            let mut name = None;
            w.each_named(|w, kind| match (w.field(), kind) {
                (F::Designator, K::FieldDesignator) => {
                    let inner = w.node().named_child(0);
                    name = inner.map(|n| w.text_of(n));
                }
                (F::Designator, K::FieldIdentifier) => name = Some(w.text()),
                (F::Designator, _) => {
                    w.each_named(|w, kind| {
                        w.visit(kind, Context::PROPERTY_READ);
                    });
                }
                (F::Value, _) => {
                    let value = w.visit(kind, Context::COLLECTION);
                    if let (Some(name), K::Identifier | K::PointerExpression) = (name, kind) {
                        let name = w.b.unit.intern(name);
                        fields.extend([name.0, value.0]);
                    }
                }
                _ => {}
            });
        });
        if fields.is_empty() || self.in_body {
            return ExprId::UNKNOWN;
        }
        let fields = self.b.list(&fields);
        self.b.expr(Expr::Object { fields })
    }

    /// `new T(…)`.
    fn new_instance(&mut self) -> ExprId {
        let line = self.line();
        let mut ty = TypeId::UNKNOWN;
        self.each(|w, kind| match w.field() {
            F::Type => ty = w.ty(Context::TYPE),
            F::Arguments => {
                w.arguments();
            }
            _ if kind == K::ArgumentList => {
                w.arguments();
            }
            _ => {}
        });
        if ty == TypeId::UNKNOWN {
            return ExprId::UNKNOWN;
        }
        self.construct(ty, line);
        self.b.expr(Expr::Typed { ty })
    }
}

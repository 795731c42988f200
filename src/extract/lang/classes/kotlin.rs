//! Kotlin: its grammar's kinds, and what only it has.

use super::flat::Id;
use super::kinds::{Field, Role, Spec};
use super::walker::Walker;
use crate::ids::{LocalNode, StrId};
use crate::model::facts::{Expr, ExprId, FunctionFlags, List, TypeId};
use crate::model::label::{Context, Language, NodeKind};
use crate::model::node::NodeFlags;

/// Kotlin.
pub(super) static SPEC: Spec = Spec {
    language: Language::KOTLIN,
    separator: '.',
    methods_apart: false,
    kinds: &[
        ("line_comment", Role::Comment),
        ("block_comment", Role::Comment),
        ("package_header", Role::Package),
        ("import", Role::Import),
        ("*", Role::Asterisk),
        ("class_declaration", Role::Class),
        ("interface", Role::InterfaceWord),
        ("object_declaration", Role::Object),
        ("companion_object", Role::Companion),
        ("class_body", Role::Body),
        ("enum_class_body", Role::Body),
        ("enum_entry", Role::EnumMember),
        ("function_declaration", Role::Function),
        ("function_body", Role::FunctionBody),
        ("property_declaration", Role::Variables),
        ("getter", Role::Accessor),
        ("setter", Role::Accessor),
        ("property_delegate", Role::ByDelegate),
        ("variable_declaration", Role::Variable),
        ("multi_variable_declaration", Role::VariableList),
        ("primary_constructor", Role::Primary),
        ("secondary_constructor", Role::Constructor),
        ("constructor_delegation_call", Role::ConstructorCall),
        ("type_alias", Role::Alias),
        ("modifiers", Role::Modifiers),
        ("class_modifier", Role::Modifier),
        ("function_modifier", Role::Modifier),
        ("inheritance_modifier", Role::Modifier),
        ("member_modifier", Role::Modifier),
        ("property_modifier", Role::Modifier),
        ("visibility_modifier", Role::Modifier),
        ("parameter_modifier", Role::Modifier),
        ("platform_modifier", Role::Modifier),
        ("val", Role::Modifier),
        ("var", Role::Modifier),
        ("parameter_modifiers", Role::Modifiers),
        ("type_modifiers", Role::Modifiers),
        ("type_parameter_modifiers", Role::Modifiers),
        ("annotation", Role::Annotation),
        ("file_annotation", Role::Annotation),
        ("use_site_target", Role::Skip),
        ("function_value_parameters", Role::Params),
        ("class_parameters", Role::Params),
        ("parameter", Role::Param),
        ("class_parameter", Role::Param),
        ("type_parameters", Role::TypeParams),
        ("type_parameter", Role::TypeParam),
        ("type_constraints", Role::Other),
        ("type_constraint", Role::Constraints),
        ("delegation_specifiers", Role::Extends),
        ("delegation_specifier", Role::TypeGroup),
        ("constructor_invocation", Role::TypeGroup),
        ("explicit_delegation", Role::Delegation),
        ("user_type", Role::UserType),
        ("nullable_type", Role::TypeGroup),
        ("non_nullable_type", Role::TypeGroup),
        ("parenthesized_type", Role::TypeGroup),
        ("type_projection", Role::TypeGroup),
        ("function_type", Role::FunctionType),
        ("function_type_parameters", Role::Params),
        ("type_arguments", Role::TypeArgs),
        ("value_arguments", Role::Args),
        ("value_argument", Role::Argument),
        ("identifier", Role::Name),
        ("qualified_identifier", Role::ScopedName),
        ("this_expression", Role::This),
        ("this", Role::This),
        ("super_expression", Role::Super),
        ("super", Role::Super),
        ("call_expression", Role::Chained),
        ("navigation_expression", Role::Navigation),
        ("callable_reference", Role::MethodRef),
        ("object_literal", Role::Anonymous),
        ("lambda_literal", Role::Braces),
        ("annotated_lambda", Role::Wrap),
        ("lambda_parameters", Role::Params),
        ("anonymous_function", Role::Lambda),
        ("index_expression", Role::Subscript),
        ("as_expression", Role::Cast),
        ("is_expression", Role::InstanceOf),
        ("infix_expression", Role::Infix),
        ("unary_expression", Role::Unary),
        ("!!", Role::Bang),
        ("binary_expression", Role::Binary),
        ("?:", Role::Elvis),
        ("parenthesized_expression", Role::Paren),
        ("assignment", Role::Assign),
        ("if_expression", Role::If),
        ("when_expression", Role::When),
        ("when_subject", Role::Subject),
        ("when_entry", Role::Entry),
        ("type_test", Role::TypeTest),
        ("for_statement", Role::For),
        ("catch_block", Role::Catch),
        ("block", Role::Block),
        ("return_expression", Role::Return),
        ("label", Role::Skip),
        ("string_literal", Role::Text),
        ("multiline_string_literal", Role::Text),
        ("character_literal", Role::Literal),
        ("number_literal", Role::Literal),
        ("float_literal", Role::Literal),
    ],
    fields: &[
        ("name", Field::Name),
        ("type", Field::Name),
        ("label", Field::Name),
        ("left", Field::Left),
        ("right", Field::Right),
        ("argument", Field::Object),
        ("condition", Field::Condition),
        ("operator", Field::Operator),
    ],
};

/// Functions of the library whose lambda has the value before the dot, or the first argument, as its own.
const WITH_RECEIVER: [&str; 3] = ["apply", "run", "with"];

impl<'t> Walker<'t> {
    /// `object O { … }`: a type with one instance.
    pub(super) fn object(&mut self, id: Id, default: &str) {
        let name = self.flat.child(id, Field::Name);
        let text = match name {
            // A companion's own name is hardly ever used; its type reaches its members without it.
            Some(name) if default.is_empty() => self.text(name),
            _ => default,
        };
        let body = self.body(id);
        let flags = self.words(id).flags.with(NodeFlags::STATIC);
        let node = self.define(text, NodeKind::CLASS, id, body, flags);
        self.type_parts(id, node);
    }

    /// `fun f(…) …`, `fun T.f(…) …`
    pub(super) fn kotlin_function(&mut self, id: Id) {
        let Some(name) = self.flat.child(id, Field::Name) else {
            self.each(id);
            return;
        };
        let words = self.words(id);
        let body = self.flat.part(id, Role::FunctionBody);
        let mut flags = words.flags;
        if body.is_none() {
            flags = flags.with(NodeFlags::ABSTRACT);
        }
        let member = self.class != LocalNode::UNIT && self.owner == self.class;
        let kind = if member {
            NodeKind::METHOD
        } else {
            NodeKind::FUNCTION
        };
        let text = self.text(name);
        let node = self.define(text, kind, id, body, flags);
        if !self.deeper() {
            return;
        }
        let function = self.b.function(node);
        self.b.add_signature(node, function);
        let around = self.enter(node);
        self.in_function = true;
        let mut result = TypeId::UNKNOWN;
        let mut named = false;
        for child in self.flat.children(id) {
            match self.flat.role(child) {
                Role::Modifiers => self.annotations(child),
                Role::TypeParams => {
                    let list = self.type_parameters(child);
                    if let Some(f) = self.b.function_mut(function) {
                        f.type_params = list;
                    }
                }
                Role::Name => named = true,
                role if role.is_type() && !named => {
                    let ty = self.ty(child, Context::PARAMETER_TYPE);
                    self.b.def(node).ty = ty;
                    self.receiver_type = ty;
                }
                role if role.is_type() => result = self.ty(child, Context::RETURN_TYPE),
                Role::Params => self.parameters(child, function),
                Role::FunctionBody => self.kotlin_body(child),
                Role::Modifier | Role::Comment => {}
                _ => {
                    self.visit(child);
                }
            }
        }
        self.complete_function(function, result);
        self.leave(around);
        self.higher();
    }

    /// A block, or one expression behind a sign of equality.
    pub(super) fn kotlin_body(&mut self, id: Id) {
        for child in self.flat.children(id) {
            self.function_body(child);
        }
    }

    /// `val x: T = v`, `var x by …`, `val x get() = …`: a local, a field, or what runs when it is read.
    pub(super) fn variables(&mut self, id: Id) {
        if self.flat.part(id, Role::VariableList).is_some() || self.in_function {
            self.local_variables(id);
            return;
        }
        let Some(variable) = self.flat.part(id, Role::Variable) else {
            self.each(id);
            return;
        };
        let Some(name) = self.flat.part(variable, Role::Name) else {
            return;
        };
        let words = self.words(id);
        let accessor = self.flat.part(id, Role::Accessor);
        let getter = self.flat.children(id).find(|c| {
            self.flat.role(*c) == Role::Accessor && self.text(*c).trim_start().starts_with("get")
        });
        let kind = match (getter, self.class) {
            (Some(_), _) => NodeKind::ACCESSOR,
            (_, LocalNode::UNIT) if words.changes => NodeKind::VARIABLE,
            (_, LocalNode::UNIT) => NodeKind::CONSTANT,
            _ => NodeKind::FIELD,
        };
        let text = self.text(name);
        let node = self.define(text, kind, id, accessor, words.flags);
        let mut ty = TypeId::UNKNOWN;
        let mut value = ExprId::UNKNOWN;
        let mut accessors = Vec::new();
        let mut receiver = TypeId::UNKNOWN;
        for child in self.flat.children(id) {
            match self.flat.role(child) {
                Role::Modifiers => self.annotations(child),
                Role::Modifier | Role::Comment => {}
                Role::Variable => ty = self.variable_type(child, Context::FIELD),
                Role::Accessor => accessors.push(child),
                Role::ByDelegate => value = self.delegated(child),
                role if role.is_type() => receiver = self.ty(child, Context::PARAMETER_TYPE),
                _ => value = self.initial(child, ty),
            }
        }
        let def = self.b.def(node);
        def.ty = if kind == NodeKind::ACCESSOR {
            receiver
        } else {
            ty
        };
        def.value = value;
        if accessors.is_empty() {
            return;
        }
        let function = self.b.function(node);
        self.b.add_signature(node, function);
        let around = self.enter(node);
        self.in_function = true;
        self.receiver_type = receiver;
        for accessor in accessors {
            for child in self.flat.children(accessor) {
                match self.flat.role(child) {
                    Role::FunctionBody => self.kotlin_body(child),
                    role if role.is_type() => ty = self.ty(child, Context::RETURN_TYPE),
                    Role::Name => {
                        let name = self.intern(child);
                        self.declare(name, ty, ExprId::UNKNOWN);
                    }
                    _ => {}
                }
            }
        }
        self.complete_function(function, ty);
        self.leave(around);
    }

    fn local_variables(&mut self, id: Id) {
        let mut ty = TypeId::UNKNOWN;
        let mut value = ExprId::UNKNOWN;
        let mut names: Vec<(StrId, TypeId)> = Vec::new();
        for child in self.flat.children(id) {
            match self.flat.role(child) {
                Role::Variable => {
                    ty = self.variable_type(child, Context::TYPE);
                    if let Some(name) = self.flat.part(child, Role::Name) {
                        names.push((self.intern(name), ty));
                    }
                }
                Role::VariableList => {
                    for variable in self.flat.children(child) {
                        let ty = self.variable_type(variable, Context::TYPE);
                        if let Some(name) = self.flat.part(variable, Role::Name) {
                            names.push((self.intern(name), ty));
                        }
                    }
                }
                Role::Modifiers | Role::Modifier | Role::Comment => {}
                Role::ByDelegate => value = self.delegated(child),
                role if role.is_type() => {
                    self.ty(child, Context::TYPE);
                }
                _ => value = self.initial(child, ty),
            }
        }
        let one = names.len() == 1;
        for (name, ty) in names {
            let value = if one { value } else { ExprId::UNKNOWN };
            self.declare(name, ty, value);
        }
    }

    fn variable_type(&mut self, id: Id, context: Context) -> TypeId {
        let mut ty = TypeId::UNKNOWN;
        for child in self.flat.children(id) {
            if self.flat.role(child).is_type() {
                ty = self.ty(child, context);
            }
        }
        ty
    }

    /// `by lazy { v }`: what the lambda yields.
    fn delegated(&mut self, id: Id) -> ExprId {
        let mut value = ExprId::UNKNOWN;
        self.last_lambda = ExprId::UNKNOWN;
        for child in self.flat.children(id) {
            self.visit(child);
            if self.text(child).trim_start().starts_with("lazy")
                && self.last_lambda != ExprId::UNKNOWN
            {
                let callee = self.last_lambda;
                value = self.b.expr(Expr::Call {
                    callee,
                    args: List::EMPTY,
                    type_args: List::EMPTY,
                });
            }
        }
        value
    }

    /// `f(…) { … }`, `a.f(…)`
    pub(super) fn chained_call(&mut self, id: Id) -> ExprId {
        let mut callee = ExprId::UNKNOWN;
        let mut base = ExprId::UNKNOWN;
        let mut name = "";
        let mut type_args = List::EMPTY;
        let mut args: Vec<u32> = Vec::new();
        let mut line = self.line(id);
        let mut first = true;
        for child in self.flat.children(id) {
            match self.flat.role(child) {
                Role::Comment => continue,
                _ if first => {
                    first = false;
                    (callee, base, line) = self.chained_callee(child);
                    name = self.called_name(child);
                }
                Role::TypeArgs => type_args = self.type_arguments(child),
                Role::Args => {
                    let list = self.arguments(child);
                    args.extend_from_slice(self.b.unit.facts.list(list));
                }
                _ => {
                    let receiver = match name {
                        "with" => args.first().map_or(ExprId::UNKNOWN, |a| ExprId(*a)),
                        _ => base,
                    };
                    let own = WITH_RECEIVER.contains(&name);
                    if own {
                        self.lambda_receivers.push(receiver);
                    }
                    args.push(self.visit(child).0);
                    if own {
                        self.lambda_receivers.pop();
                    }
                }
            }
        }
        let args = self.b.list(&args);
        self.called(callee, args, type_args, line)
    }

    fn chained_callee(&mut self, id: Id) -> (ExprId, ExprId, u32) {
        match self.flat.role(id) {
            Role::Name => {
                let line = self.line(id);
                let name = self.intern(id);
                let callee = self.bare_callee(name);
                (self.in_lambda_receiver(callee, name), ExprId::UNKNOWN, line)
            }
            Role::Navigation => {
                let (base, name) = self.navigation_parts(id);
                let line = name.map_or_else(|| self.line(id), |n| self.line(n));
                let name = name.map_or(StrId::EMPTY, |n| self.intern(n));
                (self.b.member(base, name), base, line)
            }
            _ => {
                let line = self.line(id);
                (self.visit(id), ExprId::UNKNOWN, line)
            }
        }
    }

    /// A bare name in a lambda that has a value as its own: that value's member first.
    fn in_lambda_receiver(&mut self, callee: ExprId, name: StrId) -> ExprId {
        let Some(receiver) = self.lambda_receivers.last().copied() else {
            return callee;
        };
        if receiver == ExprId::UNKNOWN {
            return callee;
        }
        let first = self.b.member(receiver, name);
        self.b.expr(Expr::Fallback {
            first,
            second: callee,
        })
    }

    fn called_name(&self, id: Id) -> &'t str {
        match self.flat.role(id) {
            Role::Name => self.text(id),
            Role::Navigation => {
                let name = self
                    .flat
                    .children(id)
                    .filter(|c| self.flat.role(*c) == Role::Name);
                name.last().map_or("", |n| self.text(n))
            }
            _ => "",
        }
    }

    /// What stands before the last dot, and the name behind it.
    fn navigation_parts(&mut self, id: Id) -> (ExprId, Option<Id>) {
        let mut parts = Vec::new();
        for child in self.flat.children(id) {
            if self.flat.role(child) != Role::Comment {
                parts.push(child);
            }
        }
        let Some((first, rest)) = parts.split_first() else {
            return (ExprId::UNKNOWN, None);
        };
        let base = self.receiver(*first);
        let name = rest
            .iter()
            .copied()
            .find(|c| self.flat.role(*c) == Role::Name);
        (base, name)
    }

    /// `a.b` as a value, without a reference to it.
    pub(super) fn navigation(&mut self, id: Id) -> ExprId {
        let (base, name) = self.navigation_parts(id);
        match name {
            Some(name) => {
                let name = self.intern(name);
                self.b.member(base, name)
            }
            None => ExprId::UNKNOWN,
        }
    }

    /// `{ a, b -> … }`: its last expression is what it yields.
    pub(super) fn kotlin_lambda(&mut self, id: Id) -> ExprId {
        let function = self.b.function(LocalNode::UNIT);
        let returns = std::mem::take(&mut self.returns);
        let mark = self.open_scope();
        let local = std::mem::replace(&mut self.in_function, true);
        let mut value = ExprId::UNKNOWN;
        if self.flat.part(id, Role::Params).is_none() {
            let name = self.b.unit.intern("it");
            let it = self.b.expr(Expr::Param { function, index: 0 });
            self.declare(name, TypeId::UNKNOWN, it);
            let list = self.b.list(&[TypeId::UNKNOWN.0]);
            if let Some(f) = self.b.function_mut(function) {
                f.params = list;
            }
        }
        for child in self.flat.children(id) {
            match self.flat.role(child) {
                Role::Params => self.lambda_parameters(child, function),
                Role::Comment => {}
                _ => value = self.visit(child),
            }
        }
        if value != ExprId::UNKNOWN {
            self.returns.push(value.0);
        }
        self.complete_function(function, TypeId::UNKNOWN);
        self.close_scopes(mark);
        self.in_function = local;
        self.returns = returns;
        let lambda = self.b.expr(Expr::Function(function));
        self.last_lambda = lambda;
        lambda
    }

    fn lambda_parameters(&mut self, id: Id, function: crate::model::facts::FunctionId) {
        let mut types: Vec<u32> = Vec::new();
        for child in self.flat.children(id) {
            match self.flat.role(child) {
                Role::Variable => {
                    let ty = self.variable_type(child, Context::PARAMETER_TYPE);
                    let index = u32::try_from(types.len()).unwrap_or(u32::MAX);
                    types.push(ty.0);
                    if let Some(name) = self.flat.part(child, Role::Name) {
                        let name = self.intern(name);
                        let value = self.b.expr(Expr::Param { function, index });
                        self.declare(name, ty, value);
                    }
                }
                Role::VariableList => {
                    types.push(TypeId::UNKNOWN.0);
                    for variable in self.flat.children(child) {
                        let ty = self.variable_type(variable, Context::PARAMETER_TYPE);
                        if let Some(name) = self.flat.part(variable, Role::Name) {
                            let name = self.intern(name);
                            self.declare(name, ty, ExprId::UNKNOWN);
                        }
                    }
                }
                _ => {}
            }
        }
        let list = self.b.list(&types);
        if let Some(f) = self.b.function_mut(function) {
            f.params = list;
        }
    }

    /// `object : T { … }`
    pub(super) fn object_literal(&mut self, id: Id) -> ExprId {
        let bases = self.flat.part(id, Role::Extends);
        let first = bases.and_then(|b| self.flat.children(b).next());
        let text = first.map_or("object", |b| self.text(b));
        let base = text.split(['<', '(', ' ']).next().unwrap_or(text);
        let base = base.rsplit('.').next().unwrap_or(base);
        let name = format!("{}$", base.trim());
        let body = self.body(id);
        let kind = NodeKind::CLASS;
        let node = self.define(&name, kind, id, body, NodeFlags::default());
        self.type_parts(id, node);
        self.b.expr(Expr::This {
            node,
            of_type: false,
        })
    }

    /// `a f b`
    pub(super) fn infix(&mut self, id: Id) -> ExprId {
        let parts: Vec<Id> = self
            .flat
            .children(id)
            .filter(|c| self.flat.role(*c) != Role::Comment)
            .collect();
        let [left, name, right] = parts.as_slice() else {
            self.each(id);
            return ExprId::UNKNOWN;
        };
        let base = self.receiver(*left);
        let line = self.line(*name);
        let name = self.intern(*name);
        let callee = self.b.member(base, name);
        let arg = self.value(*right, Context::ARGUMENT);
        let args = self.b.list(&[arg.0]);
        self.called(callee, args, List::EMPTY, line)
    }

    /// `!a`, `a!!`
    pub(super) fn unary(&mut self, id: Id) -> ExprId {
        let sure = self.flat.part(id, Role::Bang).is_some();
        let mut base = ExprId::UNKNOWN;
        for child in self.flat.children(id) {
            if self.flat.role(child) != Role::Bang {
                base = self.visit(child);
            }
        }
        match (sure, base) {
            (_, ExprId::UNKNOWN) => base,
            (true, base) => self.b.expr(Expr::Unwrap { base }),
            (false, _) => self.b.builtin(),
        }
    }

    /// `a[i]`
    pub(super) fn subscript(&mut self, id: Id) -> ExprId {
        let mut base = None;
        for child in self.flat.children(id) {
            let value = self.visit(child);
            base = base.or(Some(value));
        }
        self.keyed(base.unwrap_or(ExprId::UNKNOWN))
    }

    /// `if (c) a else b`; a test of a type says what the name is inside.
    pub(super) fn if_expression(&mut self, id: Id) -> ExprId {
        let mut tested = None;
        let mut branches = Vec::new();
        for child in self.flat.children(id) {
            if self.flat.field(child) == Field::Condition {
                self.visit(child);
                tested = self.tested(child);
                continue;
            }
            let mark = self.open_scope();
            if let Some((name, ty)) = tested.take() {
                self.declare(name, ty, ExprId::UNKNOWN);
            }
            branches.push(self.value(child, Context::ASSIGNMENT));
            self.close_scopes(mark);
        }
        self.one_of(&branches)
    }

    fn one_of(&mut self, branches: &[ExprId]) -> ExprId {
        let mut known = branches.iter().copied().filter(|b| *b != ExprId::UNKNOWN);
        let Some(mut value) = known.next() else {
            return ExprId::UNKNOWN;
        };
        for right in known {
            let left = value;
            value = self.b.expr(Expr::Either { left, right });
        }
        value
    }

    /// The name that `x is T` tests, with the type.
    fn tested(&mut self, id: Id) -> Option<(StrId, TypeId)> {
        if self.flat.role(id) != Role::InstanceOf || self.text(id).contains("!is") {
            return None;
        }
        let left = self.flat.child(id, Field::Left)?;
        let right = self.flat.child(id, Field::Right)?;
        if self.flat.role(left) != Role::Name {
            return None;
        }
        let owner = self.owner;
        let ty = self.type_named(right, owner, Context::TYPE);
        Some((self.intern(left), ty))
    }

    /// `when (x) { is T -> … }`
    pub(super) fn when(&mut self, id: Id) -> ExprId {
        let mark = self.open_scope();
        let mut subject = None;
        let mut branches = Vec::new();
        for child in self.flat.children(id) {
            match self.flat.role(child) {
                Role::Subject => {
                    self.local_variables(child);
                    let name = self.flat.part(child, Role::Variable).unwrap_or(child);
                    subject = self.flat.part(name, Role::Name).map(|n| self.intern(n));
                }
                Role::Entry => {
                    let inner = self.open_scope();
                    branches.push(self.entry(child, subject));
                    self.close_scopes(inner);
                }
                _ => {
                    self.visit(child);
                }
            }
        }
        self.close_scopes(mark);
        self.one_of(&branches)
    }

    fn entry(&mut self, id: Id, subject: Option<StrId>) -> ExprId {
        let mut value = ExprId::UNKNOWN;
        let mut tests = 0;
        for child in self.flat.children(id) {
            if self.flat.role(child) == Role::TypeTest {
                tests += 1;
                let ty = self.variable_type(child, Context::TYPE);
                if let (Some(name), 1, false) = (subject, tests, self.text(child).starts_with('!'))
                {
                    self.declare(name, ty, ExprId::UNKNOWN);
                }
            } else {
                value = self.visit(child);
            }
        }
        value
    }

    /// `for (x in xs) …`
    pub(super) fn for_loop(&mut self, id: Id) {
        let mark = self.open_scope();
        let mut variable = None;
        let mut bound = false;
        for child in self.flat.children(id) {
            match self.flat.role(child) {
                Role::Variable | Role::VariableList if variable.is_none() => variable = Some(child),
                Role::Annotation | Role::Comment | Role::Skip => {}
                _ if !bound => {
                    bound = true;
                    let base = self.visit(child);
                    let value = match base {
                        ExprId::UNKNOWN => base,
                        base => self.b.expr(Expr::Element { base }),
                    };
                    self.loop_variables(variable, value);
                }
                _ => {
                    self.visit(child);
                }
            }
        }
        self.close_scopes(mark);
    }

    fn loop_variables(&mut self, variable: Option<Id>, value: ExprId) {
        let Some(variable) = variable else { return };
        if self.flat.role(variable) == Role::Variable {
            let ty = self.variable_type(variable, Context::TYPE);
            if let Some(name) = self.flat.part(variable, Role::Name) {
                let name = self.intern(name);
                self.declare(name, ty, value);
            }
            return;
        }
        for (index, part) in (0u32..).zip(self.flat.children(variable)) {
            let ty = self.variable_type(part, Context::TYPE);
            if let Some(name) = self.flat.part(part, Role::Name) {
                let name = self.intern(name);
                let value = match value {
                    ExprId::UNKNOWN => value,
                    base => self.b.expr(Expr::Index { base, index }),
                };
                self.declare(name, ty, value);
            }
        }
    }

    /// `catch (e: T) { … }`
    pub(super) fn catch(&mut self, id: Id) {
        let mark = self.open_scope();
        let ty = self.variable_type(id, Context::TYPE);
        for child in self.flat.children(id) {
            match self.flat.role(child) {
                Role::Name => {
                    let name = self.intern(child);
                    self.declare(name, ty, ExprId::UNKNOWN);
                }
                role if role.is_type() => {}
                _ => {
                    self.visit(child);
                }
            }
        }
        self.close_scopes(mark);
    }

    /// `typealias X = T`
    pub(super) fn alias(&mut self, id: Id) {
        let Some(name) = self.flat.child(id, Field::Name) else {
            return;
        };
        let flags = self.words(id).flags;
        let text = self.text(name);
        let node = self.define(text, NodeKind::TYPE_ALIAS, id, None, flags);
        let around = self.enter(node);
        for child in self.flat.children(id).filter(|c| *c != name) {
            match self.flat.role(child) {
                Role::TypeParams => {
                    let list = self.type_parameters(child);
                    self.b.def(node).type_params = list;
                }
                role if role.is_type() => {
                    let ty = self.ty(child, Context::TYPE);
                    self.b.def(node).ty = ty;
                }
                _ => {}
            }
        }
        self.leave(around);
    }

    /// An argument, by its place or its name.
    pub(super) fn argument(&mut self, id: Id) -> ExprId {
        let parts: Vec<Id> = self
            .flat
            .children(id)
            .filter(|c| self.flat.role(*c) != Role::Comment)
            .collect();
        match parts.as_slice() {
            [.., last] => self.value(*last, Context::ARGUMENT),
            [] => ExprId::UNKNOWN,
        }
    }

    /// The parameters between a type's name and its body: fields where they say so, else names of its initialisers.
    pub(super) fn kotlin_primary(&mut self, id: Id, class: LocalNode) {
        let function = self.b.function(class);
        self.b.add_signature(class, function);
        let mut types: Vec<u32> = Vec::new();
        let mut flags = 0;
        for child in self.flat.children(id) {
            if self.flat.role(child) != Role::Param {
                continue;
            }
            let words = self.words(child);
            let parameter = self.parameter(child);
            if parameter.optional {
                flags |= FunctionFlags::optional(u32::MAX);
            }
            types.push(parameter.ty.0);
            if words.property {
                let name = self.b.unit.text(parameter.name).to_string();
                let field = self.define(&name, NodeKind::FIELD, child, None, parameter.words);
                self.b.def(field).ty = parameter.ty;
            } else {
                self.declare(parameter.name, parameter.ty, ExprId::UNKNOWN);
            }
        }
        let list = self.b.list(&types);
        if let Some(f) = self.b.function_mut(function) {
            f.params = list;
            f.flags |= flags;
        }
    }
}

//! What stands at the top of a file, in a namespace or in a record.

use super::declarators::Declared;
use super::kinds::{F, K};
use super::walker::{Walker, line_of};
use crate::ids::LocalNode;
use crate::model::facts::{Bound, ExprId, Space, TypeExpr, TypeId};
use crate::model::label::{Context, NodeKind};
use crate::model::node::NodeFlags;

/// What the words before a declarator say.
#[derive(Clone, Copy, Default)]
pub(super) struct Words {
    pub(super) is_static: bool,
    pub(super) is_extern: bool,
    pub(super) is_const: bool,
    pub(super) is_virtual: bool,
    pub(super) is_constexpr: bool,
}

impl Walker<'_> {
    /// The children of the node under the cursor as declarations.
    pub(super) fn items(&mut self) {
        self.comment = None;
        self.each(|w, kind| {
            if kind == K::Comment {
                w.note_comment();
                return;
            }
            if w.node().is_named() {
                w.item(kind);
                w.comment = None;
            }
        });
    }

    /// One declaration.
    pub(super) fn item(&mut self, kind: K) {
        let awaiting = self.awaiting_body.take();
        match kind {
            K::PreprocInclude => self.include(),
            K::PreprocDef => self.constant_macro(),
            K::PreprocFunctionDef => self.function_macro(),
            K::PreprocIf
            | K::PreprocIfdef
            | K::PreprocElse
            | K::PreprocElif
            | K::PreprocElifdef => self.deeper(Self::branch),
            K::LinkageSpecification | K::DeclarationList => self.deeper(Self::items),
            K::Error => {
                self.errors += 1;
                self.deeper(Self::items);
            }
            K::FunctionDefinition => self.deeper(Self::function_definition),
            K::Declaration | K::FieldDeclaration => self.deeper(Self::declaration),
            K::TypeDefinition => self.deeper(Self::type_definition),
            K::StructSpecifier | K::UnionSpecifier | K::ClassSpecifier | K::EnumSpecifier => {
                self.ty(Context::TYPE);
            }
            K::NamespaceDefinition => self.deeper(Self::namespace),
            K::NamespaceAliasDefinition => self.namespace_alias(),
            K::UsingDeclaration => self.using(),
            K::AliasDeclaration => self.deeper(Self::alias),
            K::TemplateDeclaration => self.deeper(Self::template),
            K::FriendDeclaration => self.deeper(Self::friend),
            K::ExpressionStatement => self.macro_statement(),
            K::CompoundStatement => match awaiting {
                Some(node) => self.hidden_body(node),
                None => {
                    self.visit(kind, Context::PROPERTY_READ);
                }
            },
            K::AccessSpecifier | K::PreprocCall | K::ConceptDefinition => {}
            // In an error's pieces.
            K::Identifier | K::TypeIdentifier | K::FieldIdentifier | K::PrimitiveType => {}
            _ => {
                self.visit(kind, Context::PROPERTY_READ);
            }
        }
    }

    /// The declarations of a conditional's branch.
    fn branch(&mut self) {
        self.each(|w, kind| {
            let skip = matches!(w.field(), F::Name | F::Condition) || !w.node().is_named();
            if kind == K::Comment {
                w.note_comment();
            } else if !skip {
                w.item(kind);
                w.comment = None;
            }
        });
    }

    /// Storage and qualifiers of the declaration under the cursor.
    pub(super) fn words(&mut self) -> Words {
        let mut words = Words::default();
        let node = self.node();
        let mut cursor = node.walk();
        if !cursor.goto_first_child() {
            return words;
        }
        loop {
            let child = cursor.node();
            match self.kind_of(child) {
                K::StorageClassSpecifier => match self.text_of(child) {
                    "static" => words.is_static = true,
                    "extern" => words.is_extern = true,
                    _ => {}
                },
                K::TypeQualifier => match self.text_of(child) {
                    "const" => words.is_const = true,
                    "constexpr" => words.is_constexpr = true,
                    _ => {}
                },
                K::CompoundStatement | K::FunctionDeclarator | K::InitDeclarator => break,
                K::Other if self.cpp && !words.is_virtual => {
                    words.is_virtual = child.kind() == "virtual";
                }
                _ => {}
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
        words
    }

    /// `type a, *b = 1, f(int);`
    pub(super) fn declaration(&mut self) {
        let words = self.words();
        let at = self.node();
        let type_context = if self.in_record {
            Context::FIELD
        } else {
            Context::TYPE
        };
        let owner = self.owner;
        let mut ty = TypeId::UNKNOWN;
        let mut last = None;
        let comment = self.comment;
        self.each(|w, kind| match w.field() {
            F::Type => {
                // A type that is named before the thing is a node belongs to the thing: see below.
                let first = w.b.ref_count();
                ty = w.ty(type_context);
                last = Some((first, w.b.ref_count()));
                w.comment = comment;
            }
            F::Declarator => {
                let node = w.declared(at, words, ty);
                if let (Some(node), Some((start, end))) = (node, last.take()) {
                    w.b.reattribute(start, end, node);
                }
                w.owner = owner;
            }
            F::DefaultValue => {
                w.visit(kind, Context::ASSIGNMENT);
            }
            _ => {}
        });
        // `struct { int a; };` in a record: its members are the record's; read by the record's own visitor.
    }

    /// One declarator at the top or in a record; yields the node.
    fn declared(
        &mut self,
        at: tree_sitter::Node<'_>,
        words: Words,
        ty: TypeId,
    ) -> Option<LocalNode> {
        let declared = self.look(self.node());
        let name_node = declared.name?;
        if declared.is_function {
            return Some(self.prototype(at, &declared, words, ty));
        }
        let name = self.text_of(name_node);
        let name = name.rsplit("::").next().unwrap_or(name);
        if name.is_empty() {
            return None;
        }
        let ty = self.declarator_type(&declared, ty);
        if self.in_record {
            return Some(self.field_node(name, &declared, words, ty));
        }
        let value = match self.kind() {
            K::InitDeclarator => self.child(F::Value),
            _ => None,
        };
        let is_constant = (words.is_const && !declared.pointer) || words.is_constexpr;
        let kind = if is_constant {
            NodeKind::CONSTANT
        } else {
            NodeKind::VARIABLE
        };
        let mut flags = if words.is_static {
            NodeFlags::PRIVATE
        } else {
            NodeFlags::EXPORTED
        };
        if words.is_extern && value.is_none() {
            flags = flags.with(NodeFlags::ABSTRACT);
        }
        let head_end = value.map_or(at.end_byte(), |v| v.start_byte());
        let id = self.b.unit.intern(name);
        let node = match self.known_declaration(id, flags) {
            Some(node) => {
                if !flags.has(NodeFlags::ABSTRACT) {
                    self.redefine(node, at, head_end, flags);
                }
                node
            }
            None => {
                let node = self.define(name, kind, self.holder, at, head_end, flags);
                self.named.insert((self.holder, id), node);
                self.b
                    .bind(self.member_scope, id, Space::Value, Bound::Node(node));
                node
            }
        };
        let def = self.b.def(node);
        if def.ty == TypeId::UNKNOWN {
            def.ty = ty;
        }
        self.owner = node;
        let value = self.initializer();
        if value != ExprId::UNKNOWN {
            self.b.def(node).value = value;
        }
        Some(node)
    }

    /// An earlier declaration without a body that this one completes or repeats.
    pub(super) fn known_declaration(
        &self,
        name: crate::ids::StrId,
        flags: NodeFlags,
    ) -> Option<LocalNode> {
        let node = *self.named.get(&(self.holder, name))?;
        let known = self.b.unit.node(node)?;
        let open = known.flags.has(NodeFlags::ABSTRACT);
        // A function of the file alone is no definition of one that others see.
        let linkage = !flags.has(NodeFlags::PRIVATE) || known.flags.has(NodeFlags::PRIVATE);
        let repeats = flags.has(NodeFlags::ABSTRACT);
        ((open && linkage) || repeats).then_some(node)
    }

    /// The value of the init declarator under the cursor.
    pub(super) fn initializer(&mut self) -> ExprId {
        let mut value = ExprId::UNKNOWN;
        self.each(|w, kind| match w.field() {
            F::Value => value = w.visit(kind, Context::ASSIGNMENT),
            F::Declarator | F::Other => w.sizes(kind),
            _ => {}
        });
        value
    }

    /// Names in the brackets of array declarators.
    fn sizes(&mut self, kind: K) {
        match kind {
            K::ArrayDeclarator | K::PointerDeclarator | K::ParenthesizedDeclarator => {
                self.deeper(|w| {
                    w.each_named(|w, kind| match kind {
                        K::ArrayDeclarator | K::PointerDeclarator | K::ParenthesizedDeclarator => {
                            w.sizes(kind);
                        }
                        _ if w.field() == F::Declarator => {}
                        _ => {
                            w.visit(kind, Context::PROPERTY_READ);
                        }
                    });
                });
            }
            _ => {}
        }
    }

    fn field_node(
        &mut self,
        name: &str,
        declared: &Declared<'_>,
        words: Words,
        ty: TypeId,
    ) -> LocalNode {
        let at = self.node();
        let at = at.parent().unwrap_or(at);
        let mut flags = NodeFlags::EXPORTED;
        if words.is_static {
            flags = flags.with(NodeFlags::STATIC);
        }
        let head_end = declared.name.map_or(at.end_byte(), |_| at.end_byte());
        let node = self.define(name, NodeKind::FIELD, self.holder, at, head_end, flags);
        if self.cpp {
            let id = self.b.unit.intern(name);
            self.b
                .bind(self.member_scope, id, Space::Value, Bound::Node(node));
        }
        self.b.def(node).ty = ty;
        node
    }

    /// `typedef type a, *b;`
    fn type_definition(&mut self) {
        let at = self.node();
        let first = self.child(F::Declarator);
        let inner = self.child(F::Type);
        let names_itself = match (first, inner) {
            (Some(first), Some(inner)) => self.typedef_of_record(first, inner),
            _ => false,
        };
        let mut ty = TypeId::UNKNOWN;
        let mut skip = names_itself;
        let comment = self.comment;
        let start = self.b.ref_count();
        let mut end = start;
        self.each(|w, _| match w.field() {
            F::Type => {
                let alias = if names_itself {
                    first.map(|f| w.text_of(f))
                } else {
                    None
                };
                ty = w.named_record(alias, Context::TYPE);
                end = w.b.ref_count();
                w.comment = comment;
            }
            F::Declarator if skip => skip = false,
            F::Declarator => {
                let declared = w.look(w.node());
                let Some(name) = declared.name else { return };
                let text = w.text_of(name);
                if text.is_empty() {
                    return;
                }
                let ty = w.declarator_type(&declared, ty);
                let node = w.define(
                    text,
                    NodeKind::TYPE_ALIAS,
                    w.holder,
                    at,
                    at.end_byte(),
                    NodeFlags::EXPORTED,
                );
                let id = w.b.unit.intern(text);
                w.b.bind(w.member_scope, id, Space::Type, Bound::Node(node));
                w.b.def(node).ty = ty;
                w.b.reattribute(start, end, node);
            }
            _ => {}
        });
    }

    /// `typedef struct { … } a;` and `typedef struct a … a;`: one type, not two.
    fn typedef_of_record(
        &self,
        first: tree_sitter::Node<'_>,
        inner: tree_sitter::Node<'_>,
    ) -> bool {
        if !matches!(
            self.kind_of(inner),
            K::StructSpecifier | K::UnionSpecifier | K::EnumSpecifier | K::ClassSpecifier
        ) || self.kind_of(first) != K::TypeIdentifier
        {
            return false;
        }
        let name = inner.child_by_field_id(self.tables.field_id(F::Name));
        let body = inner.child_by_field_id(self.tables.field_id(F::Body));
        match name {
            None => body.is_some(),
            Some(name) => self.text_of(name) == self.text_of(first),
        }
    }

    /// `using a = b;`
    fn alias(&mut self) {
        let at = self.node();
        let Some(name) = self.child(F::Name) else {
            return;
        };
        let text = self.text_of(name);
        let node = self.define(
            text,
            NodeKind::TYPE_ALIAS,
            self.holder,
            at,
            at.end_byte(),
            NodeFlags::EXPORTED,
        );
        let id = self.b.unit.intern(text);
        self.b
            .bind(self.member_scope, id, Space::Type, Bound::Node(node));
        let owner = std::mem::replace(&mut self.owner, node);
        let mut ty = TypeId::UNKNOWN;
        self.each(|w, _| {
            if w.field() == F::Type {
                ty = w.ty(Context::TYPE);
            }
        });
        self.owner = owner;
        let params = std::mem::take(&mut self.type_params);
        let params = self.b.list(&params);
        let def = self.b.def(node);
        def.ty = ty;
        def.type_params = params;
    }

    /// `MACRO(name, …);` or, before a body, `MACRO(name, …)`.
    fn macro_statement(&mut self) {
        let mut call = None;
        for i in 0..self.node().named_child_count() {
            call = self.node().named_child(i as u32);
            if call.is_some() {
                break;
            }
        }
        let Some(call) = call.filter(|c| self.kind_of(*c) == K::CallExpression) else {
            self.visit(K::ExpressionStatement, Context::PROPERTY_READ);
            return;
        };
        let name = self
            .child_of(call, F::Function)
            .filter(|f| self.kind_of(*f) == K::Identifier)
            .map(|f| self.text_of(f));
        let argument = self
            .child_of(call, F::Arguments)
            .and_then(|a| a.named_child(0))
            .filter(|a| self.kind_of(*a) == K::Identifier)
            .map(|a| self.text_of(a));
        let at = self.node();
        let body = at
            .next_named_sibling()
            .filter(|n| self.kind_of(*n) == K::CompoundStatement);
        match (name, argument, body) {
            (Some(_), Some(argument), Some(body)) => {
                let flags = NodeFlags::EXPORTED;
                let node = self.define(
                    argument,
                    NodeKind::FUNCTION,
                    self.holder,
                    at,
                    at.end_byte(),
                    flags,
                );
                if let Some(node) = self.b.unit.node_mut(node) {
                    let span = super::walker::span_of(body);
                    node.span.end_line = span.end_line;
                    node.span.end_byte = span.end_byte;
                }
                self.awaiting_body = Some(node);
                self.in_scope(|_| {});
            }
            // `DEFINE_SPINLOCK(name);` is a variable.
            (Some(name), Some(argument), None)
                if name.starts_with("DEFINE_") && !name.contains("EVENT") =>
            {
                let node = self.define(
                    argument,
                    NodeKind::VARIABLE,
                    self.holder,
                    at,
                    at.end_byte(),
                    NodeFlags::EXPORTED,
                );
                let id = self.b.unit.intern(argument);
                self.b
                    .bind(self.member_scope, id, Space::Value, Bound::Node(node));
                let line = line_of(at);
                let callee = self.b.unit.intern(name);
                let callee = self.b.name(self.scope, callee);
                self.b.reference(
                    node,
                    crate::model::facts::RefTarget::Expr(callee),
                    crate::model::label::Relation::CALLS,
                    Context::CALL,
                    line,
                );
            }
            (Some(name), ..) if name.starts_with("EXPORT_SYMBOL") => {}
            _ => {
                self.visit(K::ExpressionStatement, Context::PROPERTY_READ);
            }
        }
    }

    /// The type of what a declarator declares: pointers and arrays of a type count as that type.
    pub(super) fn declarator_type(&mut self, declared: &Declared<'_>, ty: TypeId) -> TypeId {
        if declared.function.is_none() || declared.is_function {
            return ty;
        }
        if ty == TypeId::UNKNOWN {
            return ty;
        }
        let function = self.b.function(LocalNode::UNIT);
        if let Some(f) = self.b.function_mut(function) {
            f.result = ty;
        }
        self.b.ty(TypeExpr::Function(function))
    }
}

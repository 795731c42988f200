//! Classes: bases, members, what is taken for an enumeration.

use tree_sitter::Node as Syntax;

use super::kinds::{F, K};
use super::walker::{Around, Frame, Walker};
use crate::extract::builder::ScopeId;
use crate::ids::LocalNode;
use crate::model::facts::{Bound, ExprId, List, RefTarget, TypeExpr};
use crate::model::label::{Context, NodeKind, Relation};
use crate::model::node::NodeFlags;

impl<'t> Walker<'t> {
    /// `class C: …` without decorators.
    pub(super) fn class_definition(&mut self) {
        let whole = self.node();
        self.class(whole, &[]);
    }

    /// The class under the cursor; `whole` is the same with its decorators.
    pub(super) fn class(&mut self, whole: Syntax<'t>, decorators: &[Syntax<'t>]) {
        let Some(name) = self.child(F::Name) else {
            self.each_named(|w, k| w.statement(k));
            return;
        };
        if !self.deeper() {
            return;
        }
        let at = self.node();
        let text = self.text_of(name);
        let id = self.b.unit.intern(text);
        let body = self.child(F::Body);
        let head_end = body.map_or(at.end_byte(), |b| b.start_byte());
        let doc = body.map(|b| self.docstring(b)).unwrap_or_default();
        let owner = self.owner;
        let flags = NodeFlags::default();
        let node = self.define(
            text,
            NodeKind::CLASS,
            owner,
            at,
            whole,
            head_end,
            &doc,
            flags,
        );
        self.named.insert((owner, id), node);
        if self.frame.globals.contains(&id) {
            self.bind_in(ScopeId::FILE, id, Bound::Node(node));
        } else {
            self.bind(id, Bound::Node(node));
        }
        self.decorates(node, decorators);
        let outside = self.scope;
        let vars = self.type_vars.clone();
        let met = std::mem::take(&mut self.met_vars);
        let heritage = self.child(F::Superclasses);
        // Never closed: functions inside do not see what is bound here.
        let scope = self.b.open();
        let mut frame = Frame::new(Around::Class, scope, node);
        frame.is_enum = heritage.is_some_and(|h| is_enumeration(self.text_of(h)));
        let mut inner = Some(frame);
        let mut outer = None;
        self.each_named(|w, kind| match w.field() {
            F::TypeParameters => w.type_parameters(),
            F::Superclasses => w.superclasses(node),
            F::Body => {
                w.owner = node;
                w.scope = scope;
                if let Some(frame) = inner.take() {
                    outer = Some(std::mem::replace(&mut w.frame, frame));
                }
                let params = w.b.list(&w.met_vars.clone());
                w.b.def(node).type_params = params;
                w.statement(kind);
            }
            _ => {}
        });
        if let Some(outer) = outer {
            self.frame = outer;
        }
        self.owner = owner;
        self.scope = outside;
        self.type_vars = vars;
        self.met_vars = met;
        self.depth -= 1;
    }

    /// The bases and keywords behind a class's name.
    fn superclasses(&mut self, node: LocalNode) {
        let mut bases: Vec<u32> = Vec::new();
        self.each_named(|w, kind| {
            let line = w.line();
            match kind {
                K::KeywordArgument => w.each_named(|w, _| {
                    if w.field() == F::Value {
                        w.expression_in(Context::ARGUMENT);
                    }
                }),
                K::ListSplat | K::DictionarySplat => {
                    w.expression();
                }
                _ => {
                    let (class, args) = w.base();
                    if class == ExprId::UNKNOWN {
                        return;
                    }
                    let ty = w.b.ty(TypeExpr::Instance { class, args });
                    w.b.reference(
                        node,
                        RefTarget::Expr(class),
                        Relation::INHERITS,
                        Context::BASE,
                        line,
                    );
                    bases.extend([u32::from(Relation::INHERITS.0), ty.0]);
                }
            }
        });
        if !bases.is_empty() {
            let list = self.b.list(&bases);
            self.b.def(node).bases = list;
        }
    }

    /// One base: the class and the arguments in brackets behind it.
    fn base(&mut self) -> (ExprId, List) {
        if self.kind() != K::Subscript {
            return (self.callee(), List::EMPTY);
        }
        let mut class = ExprId::UNKNOWN;
        let mut args: Vec<u32> = Vec::new();
        self.each_named(|w, _| {
            if w.field() == F::Value {
                class = w.callee();
            } else {
                let ty = w.annotation(Context::GENERIC_ARG);
                args.push(ty.0);
            }
        });
        let args = self.b.list(&args);
        (class, args)
    }
}

/// Whether bases as written are those of an enumeration.
fn is_enumeration(bases: &str) -> bool {
    bases
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .any(|word| {
            matches!(
                word,
                "Enum"
                    | "IntEnum"
                    | "StrEnum"
                    | "Flag"
                    | "IntFlag"
                    | "TextChoices"
                    | "IntegerChoices"
            )
        })
}

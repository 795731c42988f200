//! Calls, constructions and decorators, with what their arguments are expected to be.

use super::kinds::K;
use super::walker::{Expect, Members, Walker};
use crate::model::facts::{Expr, ExprId, Imported, List, RefTarget};
use crate::model::label::{Context, Relation};

impl Walker<'_> {
    /// A call whose callee is `callee`; the cursor is on the callee.
    pub(super) fn call(&mut self, callee: ExprId) -> ExprId {
        let is_import = self.kind() == K::Import;
        let is_require = self.kind() == K::Identifier && self.text() == "require";
        let line = self.callee_line();
        // The grammar binds `await f<T>(x)` as a call of `await f`: the call is awaited, not the function.
        let (callee, awaited) = match self.b.unit.facts.expr(callee) {
            Expr::Await { base } if self.kind() == K::AwaitExpression => {
                self.forget_read(base);
                (base, true)
            }
            _ => (callee, false),
        };
        let call = self.b.expr(Expr::Unknown);
        if callee != ExprId::UNKNOWN && !is_require {
            self.refer(
                RefTarget::Expr(callee),
                Relation::CALLS,
                Context::CALL,
                line,
            );
        }
        let mut args = List::EMPTY;
        let mut type_args = List::EMPTY;
        let mut module = None;
        while self.cursor.goto_next_sibling() {
            match self.kind() {
                K::TypeArguments => type_args = self.type_arguments(),
                K::Arguments => {
                    if is_import || is_require {
                        module = self.module_argument();
                    }
                    args = self.arguments(call);
                }
                K::TemplateString => {
                    self.template();
                }
                _ => {}
            }
        }
        if let Some(module) = module {
            let import = self.add_import(module, Imported::Whole, false, is_import, line);
            if !is_import {
                self.is_module = true;
            }
            self.b.set_expr(call, Expr::Module(import));
            return call;
        }
        if callee == ExprId::UNKNOWN {
            return ExprId::UNKNOWN;
        }
        self.b.set_expr(
            call,
            Expr::Call {
                callee,
                args,
                type_args,
            },
        );
        if awaited {
            return self.b.expr(Expr::Await { base: call });
        }
        call
    }

    /// Takes back the read of a member that turned out to be a callee.
    pub(super) fn forget_read(&mut self, value: ExprId) {
        let refs = &mut self.b.unit.facts.refs;
        let is_read = refs.last().is_some_and(|r| {
            r.target == RefTarget::Expr(value) && r.relation == Relation::REFERENCES
        });
        if is_read {
            refs.pop();
        }
    }

    /// The line of the callee's last name: where a long chain calls.
    fn callee_line(&self) -> u32 {
        u32::try_from(self.node().end_position().row + 1).unwrap_or(u32::MAX)
    }

    /// The module named by the only argument.
    fn module_argument(&mut self) -> Option<crate::ids::StrId> {
        let arguments = self.node();
        let first = arguments.named_child(0)?;
        if !matches!(self.kind_of(first), K::String | K::TemplateString) {
            return None;
        }
        let text = super::literals::bare(self.text_of(first));
        if text.is_empty() || text.contains("${") {
            return None;
        }
        Some(self.b.unit.intern(text))
    }

    /// The arguments under the cursor, of the call `call`.
    pub(super) fn arguments(&mut self, call: ExprId) -> List {
        let mut args: Vec<u32> = Vec::new();
        self.each(|w, kind| {
            if !w.node().is_named() || kind == K::Comment {
                return;
            }
            let index = u32::try_from(args.len()).unwrap_or(u32::MAX);
            let wanted = Expect::Argument(call, index);
            let value = match kind {
                K::Object => {
                    let holder = w.owner;
                    w.object_of(Members::Methods(holder), &wanted)
                }
                _ => w.expression_in(&wanted, Context::ARGUMENT),
            };
            args.push(value.0);
        });
        self.b.list(&args)
    }

    pub(super) fn new_instance(&mut self) -> ExprId {
        let made = self.b.expr(Expr::Unknown);
        let line = self.line();
        let mut class = ExprId::UNKNOWN;
        let mut args = List::EMPTY;
        let mut type_args = List::EMPTY;
        let mut seen = false;
        self.each(|w, kind| match kind {
            K::TypeArguments => type_args = w.type_arguments(),
            K::Arguments => args = w.arguments(made),
            _ if w.node().is_named() && kind != K::Comment && !seen => {
                seen = true;
                class = w.callee();
                w.refer(
                    RefTarget::Expr(class),
                    Relation::CALLS,
                    Context::CONSTRUCTOR,
                    line,
                );
            }
            _ => {}
        });
        if class == ExprId::UNKNOWN {
            return class;
        }
        self.b.set_expr(
            made,
            Expr::New {
                class,
                args,
                type_args,
            },
        );
        made
    }

    /// `@decorator` or `@decorator(…)`: a call either way.
    pub(super) fn decorator(&mut self) {
        let line = self.line();
        let this = std::mem::replace(&mut self.this, ExprId::UNKNOWN);
        self.each(|w, kind| {
            if !w.node().is_named() || kind == K::Comment {
                return;
            }
            let before = w.b.ref_count();
            let value = w.callee();
            if kind == K::CallExpression {
                // The chain has recorded the call; it stands here as a decorator.
                if let Some(r) = w.b.unit.facts.refs.get_mut(before)
                    && r.relation == Relation::CALLS
                {
                    r.context = Context::DECORATOR;
                }
            } else {
                w.refer(
                    RefTarget::Expr(value),
                    Relation::CALLS,
                    Context::DECORATOR,
                    line,
                );
            }
        });
        self.this = this;
    }
}

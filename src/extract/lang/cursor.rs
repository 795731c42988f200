//! What every walker that follows a cursor can say of the place where it stands.
//!
//! Where it sits: under the walkers, which differ in what they make of a tree and not in how they step through it. Used
//! inside `impl<'t> Walker<'t>`; the walker has the fields `cursor`, `source`, `tables` and `b`.

/// The methods.
macro_rules! cursor {
    () => {
        /// The node under the cursor.
        #[inline]
        pub(super) fn node(&self) -> tree_sitter::Node<'t> {
            self.cursor.node()
        }

        /// The kind of the node under the cursor.
        #[inline]
        pub(super) fn kind(&self) -> K {
            self.tables.kind(self.cursor.node().kind_id())
        }

        /// The kind of another node.
        #[inline]
        pub(super) fn kind_of(&self, node: tree_sitter::Node<'_>) -> K {
            self.tables.kind(node.kind_id())
        }

        /// The field that the node under the cursor fills in its parent.
        #[inline]
        pub(super) fn field(&self) -> F {
            self.cursor
                .field_id()
                .map_or(F::Other, |id| self.tables.field(id.get()))
        }

        /// A child of a node, for a look ahead.
        #[inline]
        pub(super) fn child_of(
            &self,
            node: tree_sitter::Node<'t>,
            field: F,
        ) -> Option<tree_sitter::Node<'t>> {
            node.child_by_field_id(self.tables.field_id(field))
        }

        /// A child of the node under the cursor, for a look ahead.
        #[inline]
        pub(super) fn child(&self, field: F) -> Option<tree_sitter::Node<'t>> {
            self.child_of(self.node(), field)
        }

        /// The text of a node.
        #[inline]
        pub(super) fn text_of(&self, node: tree_sitter::Node<'_>) -> &'t str {
            self.source.get(node.byte_range()).unwrap_or_default()
        }

        /// The text under the cursor.
        #[inline]
        pub(super) fn text(&self) -> &'t str {
            self.text_of(self.node())
        }

        /// The text under the cursor as a string of the unit.
        #[inline]
        pub(super) fn intern(&mut self) -> $crate::ids::StrId {
            let text = self.text();
            self.b.unit.intern(text)
        }

        /// The line under the cursor, from 1.
        #[inline]
        pub(super) fn line(&self) -> u32 {
            line_of(self.node())
        }

        /// Visits the children in order.
        pub(super) fn each(&mut self, mut visit: impl FnMut(&mut Self, K)) {
            if !self.cursor.goto_first_child() {
                return;
            }
            loop {
                let kind = self.kind();
                visit(self, kind);
                if !self.cursor.goto_next_sibling() {
                    break;
                }
            }
            self.cursor.goto_parent();
        }
    };
}

pub(super) use cursor;

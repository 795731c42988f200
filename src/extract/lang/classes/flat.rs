//! A syntax tree as one array in the order of its text: what the walkers of class languages read instead of the tree.
//!
//! Where it sits: made from the parsed tree by one pass, dropped when the file is done. Tokens without a role are left
//! out, so most punctuation never gets here. Invariant: the subtree of item `i` is the run `i + 1 .. next(i)`.

use tree_sitter::Tree;

use super::kinds::{Field, Role, Tables};

/// The place of an item in the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Id(u32);

/// One syntax node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) role: Role,
    /// What it is to its parent.
    pub(super) field: Field,
    /// Whether there is a syntax error in it.
    pub(super) broken: bool,
    pub(super) start: u32,
    pub(super) end: u32,
    /// First row, from 0.
    pub(super) row: u32,
    /// Last row, from 0.
    pub(super) end_row: u32,
    next: u32,
}

/// All items of a file.
pub(super) struct Flat {
    items: Vec<Item>,
}

const NOTHING: Item = Item {
    role: Role::Skip,
    field: Field::Other,
    broken: false,
    start: 0,
    end: 0,
    row: 0,
    end_row: 0,
    next: u32::MAX,
};

fn narrow(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

impl Flat {
    pub(super) fn new(tree: &Tree, tables: &Tables) -> Self {
        let mut items: Vec<Item> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            let role = tables.role(node.kind_id());
            let keep = node.is_named() || role != Role::Other || node.is_error();
            if keep {
                let at = items.len();
                items.push(Item {
                    role: if node.is_error() { Role::Error } else { role },
                    field: cursor
                        .field_id()
                        .map_or(Field::Other, |id| tables.field(id.get())),
                    broken: node.has_error(),
                    start: narrow(node.start_byte()),
                    end: narrow(node.end_byte()),
                    row: narrow(node.start_position().row),
                    end_row: narrow(node.end_position().row),
                    next: 0,
                });
                open.push(at);
                if cursor.goto_first_child() {
                    continue;
                }
                close(&mut items, &mut open);
            }
            loop {
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    return Self { items };
                }
                close(&mut items, &mut open);
            }
        }
    }

    /// The root.
    pub(super) fn root(&self) -> Id {
        Id(0)
    }

    pub(super) fn item(&self, id: Id) -> &Item {
        self.items.get(id.0 as usize).unwrap_or(&NOTHING)
    }

    pub(super) fn role(&self, id: Id) -> Role {
        self.item(id).role
    }

    pub(super) fn field(&self, id: Id) -> Field {
        self.item(id).field
    }

    /// The children in order.
    pub(super) fn children(&self, id: Id) -> Children<'_> {
        Children {
            flat: self,
            at: id.0.saturating_add(1),
            end: self.item(id).next.min(narrow(self.items.len())),
        }
    }

    /// The first child that fills a field.
    pub(super) fn child(&self, id: Id, field: Field) -> Option<Id> {
        self.children(id).find(|c| self.field(*c) == field)
    }

    /// The first child of that role.
    pub(super) fn part(&self, id: Id, role: Role) -> Option<Id> {
        self.children(id).find(|c| self.role(*c) == role)
    }
}

fn close(items: &mut [Item], open: &mut Vec<usize>) {
    let end = narrow(items.len());
    if let Some(item) = open.pop().and_then(|at| items.get_mut(at)) {
        item.next = end;
    }
}

/// The children of an item.
#[derive(Clone)]
pub(super) struct Children<'a> {
    flat: &'a Flat,
    at: u32,
    end: u32,
}

impl Iterator for Children<'_> {
    type Item = Id;

    fn next(&mut self) -> Option<Id> {
        if self.at >= self.end {
            return None;
        }
        let id = Id(self.at);
        // Damaged runs end the iteration; they cannot make it stand still.
        self.at = self.flat.item(id).next.max(self.at.saturating_add(1));
        Some(id)
    }
}

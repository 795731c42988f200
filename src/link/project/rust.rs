//! Module names of Rust.

use super::{Project, Resolved};

impl Project {
    /// Where the module name `name` leads that stands in the Rust file `from`.
    pub(crate) fn resolve_rust(&self, _from: &str, name: &str) -> Resolved {
        Resolved::External(name.to_string())
    }
}

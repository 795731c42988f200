//! Module names of Go.

use super::{Project, Resolved};

impl Project {
    /// Where the module name `name` leads that stands in the Go file `from`.
    pub(crate) fn resolve_go(&self, _from: &str, name: &str) -> Resolved {
        Resolved::External(name.to_string())
    }
}

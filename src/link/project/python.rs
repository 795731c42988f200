//! Module names of Python.

use super::{Project, Resolved};

impl Project {
    /// Where the module name `name` leads that stands in the Python file `from`.
    pub(crate) fn resolve_python(&self, _from: &str, name: &str) -> Resolved {
        Resolved::External(name.to_string())
    }
}

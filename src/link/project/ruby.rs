//! Files that Ruby's `require` and `require_relative` name.

use super::{Project, Resolved, paths};

impl Project {
    /// Where `name` leads that the Ruby file `from` requires; a relative one begins with a dot.
    pub(crate) fn resolve_ruby(&self, from: &str, name: &str) -> Resolved {
        let file = if name.ends_with(".rb") {
            name.to_string()
        } else {
            format!("{name}.rb")
        };
        let folder = paths::parent(from);
        if name.starts_with('.') {
            let path = paths::join(folder, &file);
            return match path {
                Some(path) if self.known.contains(&path) => Resolved::File(path),
                Some(path) => Resolved::Missing(path),
                None => Resolved::Missing(file),
            };
        }
        // The load path of a library is its `lib`.
        let mut at = folder;
        loop {
            for library in ["lib", "app", ""] {
                let base = [at, library, &file];
                let parts: Vec<&str> = base.into_iter().filter(|p| !p.is_empty()).collect();
                let path = parts.join("/");
                if self.known.contains(&path) {
                    return Resolved::File(path);
                }
            }
            match at.rsplit_once('/') {
                Some((outer, _)) => at = outer,
                None if !at.is_empty() => at = "",
                None => break,
            }
        }
        let gem = name.split('/').next().unwrap_or(name);
        Resolved::External(format!("gem:{gem}"))
    }
}

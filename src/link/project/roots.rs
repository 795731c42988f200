//! Where one project of a tree ends and the next begins, for languages whose names have no path: folders with a manifest.

use rustc_hash::FxHashSet;

use super::Project;

impl Project {
    /// The folders that hold a file whose name passes, without a slash at their end.
    pub(crate) fn folders_with(&self, is_manifest: impl Fn(&str) -> bool) -> FxHashSet<&str> {
        self.known
            .iter()
            .filter_map(|path| {
                let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
                is_manifest(name).then_some(folder)
            })
            .collect()
    }
}

/// The innermost of `roots` that a path lies in; the tree itself where it lies in none.
pub(crate) fn root_of<'p>(roots: &FxHashSet<&str>, path: &'p str) -> &'p str {
    let mut at = path;
    while let Some((folder, _)) = at.rsplit_once('/') {
        if roots.contains(folder) {
            return folder;
        }
        at = folder;
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_folder_with_a_manifest_counts() {
        let project = Project::new(
            [],
            ["pom.xml", "a/pom.xml", "a/src/A.java", "b/src/B.java"].map(String::from),
        );
        let roots = project.folders_with(|name| name == "pom.xml");
        assert_eq!(root_of(&roots, "a/src/A.java"), "a");
        assert_eq!(root_of(&roots, "b/src/B.java"), "");
        assert_eq!(root_of(&roots, "ab/src/B.java"), "");
    }
}

//! Git repositories as the walk needs them: where one begins, which of its files are tracked, what it excludes.
//!
//! Where it sits: beside [`crate::source::rules`]; opened for the root and again for every repository below it.
//! Invariants: no program is run and no configuration is executed; what is missing or damaged counts as absent.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::source::git_index::Tracked;
use crate::source::rules::Rules;

/// What a folder's `.git` says the folder is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Border {
    /// Not the top of a repository.
    None,
    /// The top of a repository or submodule, with its git folder.
    Top(PathBuf),
    /// Another work tree of a repository that has its own place.
    OtherWorkTree,
}

/// One repository.
#[derive(Debug)]
pub struct Repository {
    top: PathBuf,
    git_dir: PathBuf,
    /// `info/exclude` and the user's own excludes, the weaker last.
    excludes: [Rules; 2],
    tracked: OnceLock<Tracked>,
}

impl Repository {
    /// The repository whose work tree has its top at `top`.
    pub fn open(top: &Path, git_dir: PathBuf) -> Self {
        let common = common_dir(&git_dir);
        let excludes = [
            Rules::read(top, &common.join("info/exclude")),
            Rules::of_user(top),
        ];
        Self {
            top: top.to_path_buf(),
            git_dir,
            excludes,
            tracked: OnceLock::new(),
        }
    }

    /// The repository that `folder` lies in, if any.
    pub fn around(folder: &Path) -> Option<Self> {
        folder.ancestors().find_map(|top| {
            let git_dir = git_dir_of(top)?;
            git_dir
                .join("HEAD")
                .exists()
                .then(|| Self::open(top, git_dir))
        })
    }

    /// The top of the work tree.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// Whether the repository's excludes leave a path out (`Some(true)`), bring it back, or say nothing.
    pub fn excluded(&self, path: &Path, is_dir: bool) -> Option<bool> {
        self.excludes
            .iter()
            .find_map(|rules| rules.ignores(path, is_dir))
    }

    /// Whether git tracks the file.
    pub fn tracks_file(&self, path: &Path) -> bool {
        self.relative(path)
            .is_some_and(|p| self.tracked().has_file(&p))
    }

    /// Whether git tracks anything in the folder.
    pub fn tracks_under(&self, path: &Path) -> bool {
        self.relative(path)
            .is_some_and(|p| self.tracked().has_under(&p))
    }

    /// Whether the folder is a submodule of this repository.
    pub fn has_submodule(&self, path: &Path) -> bool {
        self.relative(path)
            .is_some_and(|p| self.tracked().has_submodule(&p))
    }

    /// The index is read when it is first asked for: most trees ignore something, but an empty one need not.
    fn tracked(&self) -> &Tracked {
        self.tracked
            .get_or_init(|| Tracked::read(&self.git_dir, self.id_len()))
    }

    fn id_len(&self) -> usize {
        let config = std::fs::read(common_dir(&self.git_dir).join("config")).unwrap_or_default();
        let text = String::from_utf8_lossy(&config).to_ascii_lowercase();
        let words: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        if words.contains("objectformat=sha256") {
            32
        } else {
            20
        }
    }

    fn relative(&self, path: &Path) -> Option<Vec<u8>> {
        let relative = path.strip_prefix(&self.top).ok()?;
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt;
            Some(relative.as_os_str().as_bytes().to_vec())
        }
        #[cfg(not(unix))]
        {
            Some(relative.to_string_lossy().replace('\\', "/").into_bytes())
        }
    }
}

/// What the folder is by its `.git`.
pub fn border(folder: &Path) -> Border {
    let marker = folder.join(".git");
    let Some(git_dir) = git_dir_of(folder) else {
        return Border::None;
    };
    let linked = marker.is_file()
        && (git_dir.join("commondir").exists()
            || (!git_dir.exists() && names_a_work_tree(&git_dir)));
    if linked {
        Border::OtherWorkTree
    } else if git_dir.join("HEAD").exists() {
        Border::Top(git_dir)
    } else {
        Border::None
    }
}

/// The git folder of a work tree whose top is `top`: `.git` itself or what the file of that name points at.
fn git_dir_of(top: &Path) -> Option<PathBuf> {
    let marker = top.join(".git");
    let metadata = std::fs::metadata(&marker).ok()?;
    if metadata.is_dir() {
        return Some(marker);
    }
    if !metadata.is_file() || metadata.len() > 64 * 1024 {
        return None;
    }
    let text = std::fs::read_to_string(&marker).ok()?;
    let target = text.strip_prefix("gitdir:")?.trim();
    Some(top.join(target))
}

/// Where a linked work tree's git folder keeps what all its siblings share; the folder itself otherwise.
fn common_dir(git_dir: &Path) -> PathBuf {
    let text = std::fs::read_to_string(git_dir.join("commondir")).unwrap_or_default();
    if text.trim().is_empty() {
        return git_dir.to_path_buf();
    }
    git_dir.join(text.trim())
}

/// `…/worktrees/NAME`: a work tree that was moved or copied here without its repository.
fn names_a_work_tree(git_dir: &Path) -> bool {
    git_dir
        .parent()
        .and_then(Path::file_name)
        .is_some_and(|name| name == "worktrees")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn tops_submodules_and_linked_work_trees_are_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        write(&root.join("main/.git/HEAD"), "ref: refs/heads/main\n");
        write(&root.join("main/.git/modules/sub/HEAD"), "x");
        write(&root.join("main/.git/worktrees/side/HEAD"), "x");
        write(&root.join("main/.git/worktrees/side/commondir"), "../..\n");
        write(&root.join("main/sub/.git"), "gitdir: ../.git/modules/sub\n");
        write(
            &root.join("side/.git"),
            &format!(
                "gitdir: {}\n",
                root.join("main/.git/worktrees/side").display()
            ),
        );
        write(
            &root.join("lost/.git"),
            "gitdir: /nowhere/.git/worktrees/lost\n",
        );
        std::fs::create_dir_all(root.join("empty/.git")).unwrap();
        write(&root.join("odd/.git"), "what is this");
        assert_eq!(
            border(&root.join("main")),
            Border::Top(root.join("main/.git"))
        );
        assert!(matches!(border(&root.join("main/sub")), Border::Top(_)));
        assert_eq!(border(&root.join("side")), Border::OtherWorkTree);
        assert_eq!(border(&root.join("lost")), Border::OtherWorkTree);
        for plain in ["empty", "odd", ""] {
            assert_eq!(border(&root.join(plain)), Border::None, "{plain}");
        }
        let side = Repository::around(&root.join("side")).unwrap();
        assert_eq!(side.top(), root.join("side"));
    }

    #[test]
    fn excludes_of_the_repository_hold_in_every_work_tree() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        write(&root.join(".git/HEAD"), "x");
        write(&root.join(".git/info/exclude"), "private/\n*.tmp\n");
        let repository = Repository::around(root).unwrap();
        assert_eq!(
            repository.excluded(&root.join("a/private"), true),
            Some(true)
        );
        assert_eq!(repository.excluded(&root.join("a/private"), false), None);
        assert_eq!(repository.excluded(&root.join("b.tmp"), false), Some(true));
        assert!(!repository.tracks_under(root));
    }
}

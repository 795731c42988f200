//! The walk: from a folder to the list of files that may be indexed.
//!
//! Where it sits: first step of every run of `index`. Git's rules decide as git would (nested files, negation, excludes,
//! tracked files survive them), `.graphifyignore` files of the same syntax come before them, then the names of
//! [`crate::source::folders`]. Invariants: links are never followed and nothing but regular files is listed; a file or
//! folder that cannot be read is reported and the walk goes on; the result is sorted by key, so it does not depend on
//! the number of threads or on the order in which the file system lists names.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::FileType;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::overrides::{Override, OverrideBuilder};

use crate::error::{Error, ErrorKind, Result};
use crate::model::label::Language;
use crate::model::path;
use crate::model::progress::{Cancel, Progress, Stage};
use crate::source::folders::{self, Beside, Verdict};
use crate::source::language::{self, Kind};
use crate::source::repository::{self, Border, Repository};
use crate::source::rules::{Chain, Rules};
use crate::source::skipped::{SkipReason, Skipped};
use crate::source::stat::{self, Stat};
use crate::source::{config, secret};

/// The name of our own ignore files.
pub const IGNORE_FILE: &str = ".graphifyignore";
/// The default limit of a file's size: 2 MiB.
pub const MAX_FILE_SIZE: u64 = 2 << 20;

/// What a walk takes and leaves.
#[derive(Clone, Debug)]
pub struct WalkOptions {
    /// Obey `.gitignore` files, `info/exclude` and the user's excludes.
    pub git_rules: bool,
    /// Patterns of which a file must match one, if there are any.
    pub include: Vec<String>,
    /// Patterns of files and folders to leave out; stronger than everything else.
    pub exclude: Vec<String>,
    /// The languages to take; `None` takes all.
    pub languages: Option<Vec<Language>>,
    /// Files over this many bytes are left out and listed.
    pub max_file_size: u64,
    /// Folders to leave out wherever they are (the output folder).
    pub skip_paths: Vec<PathBuf>,
}

impl Default for WalkOptions {
    fn default() -> Self {
        Self {
            git_rules: true,
            include: Vec::new(),
            exclude: Vec::new(),
            languages: None,
            max_file_size: MAX_FILE_SIZE,
            skip_paths: Vec::new(),
        }
    }
}

/// A file that may be indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its path below the root, encoded (see [`crate::model::path`]).
    pub key: String,
    /// Where to open it.
    pub path: PathBuf,
    /// What the file system said of it.
    pub stat: Stat,
    /// Its language; [`Language::NONE`] for a configuration file.
    pub language: Language,
}

/// The result of a walk. All lists are sorted by key.
#[derive(Clone, Debug, Default)]
pub struct Walked {
    /// The root as the file system spells it.
    pub root: PathBuf,
    /// When the walk began, in nanoseconds since 1970: files changed from then on may have been missed.
    pub started_ns: i64,
    /// Source files.
    pub files: Vec<Candidate>,
    /// Files that decide how module names are found.
    pub configs: Vec<Candidate>,
    /// What was left out and why.
    pub skipped: Vec<Skipped>,
    /// Source files in languages without a compiled-in grammar, by language.
    pub no_grammar: BTreeMap<&'static str, u64>,
}

/// Walks `root` on the threads of the current rayon pool.
///
/// # Errors
/// [`ErrorKind::Io`] if the root cannot be listed, [`ErrorKind::Invalid`] for a bad pattern or a root that is no folder,
/// [`ErrorKind::Interrupted`] if `cancel` was requested.
pub fn walk(
    root: &Path,
    options: &WalkOptions,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<Walked> {
    let started_ns = stat::now_ns();
    let root = std::fs::canonicalize(root).map_err(|e| Error::io("open the folder", root, e))?;
    if !root.is_dir() {
        return Err(Error::new(ErrorKind::Invalid, "not a folder")
            .at(root)
            .remedy("name the folder to index"));
    }
    std::fs::read_dir(&root).map_err(|e| Error::io("list the folder", &root, e))?;
    let walker = Walker {
        selection: selection(&root, options)?,
        options,
        root: &root,
        progress,
        cancel,
        found: Mutex::new(Found::default()),
    };
    progress.begin(Stage::Walk, None);
    rayon::scope(|scope| {
        let place = walker.top();
        let walker = &walker;
        scope.spawn(move |scope| walker.visit(scope, PathBuf::new(), place));
    });
    progress.end();
    cancel.check()?;
    let found = walker
        .found
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    Ok(found.into_walked(root, started_ns))
}

/// The patterns of the command line as one matcher.
fn selection(root: &Path, options: &WalkOptions) -> Result<Override> {
    let mut builder = OverrideBuilder::new(root);
    let excluded = options.exclude.iter().map(|p| format!("!{p}"));
    for pattern in options.include.iter().cloned().chain(excluded) {
        builder.add(&pattern).map_err(|e| {
            Error::new(
                ErrorKind::Invalid,
                format!("bad pattern `{}`", pattern.trim_start_matches('!')),
            )
            .caused_by(e)
            .remedy("patterns are written as in .gitignore: `src/**/*.ts`, `legacy/`")
        })?;
    }
    builder
        .build()
        .map_err(|e| Error::new(ErrorKind::Invalid, "bad pattern").caused_by(e))
}

/// What one thread has found in one folder, or all have found together.
#[derive(Debug, Default)]
struct Found {
    files: Vec<Candidate>,
    configs: Vec<Candidate>,
    skipped: Vec<Skipped>,
    no_grammar: BTreeMap<&'static str, u64>,
}

impl Found {
    fn absorb(&mut self, other: Self) {
        self.files.extend(other.files);
        self.configs.extend(other.configs);
        self.skipped.extend(other.skipped);
        for (language, count) in other.no_grammar {
            *self.no_grammar.entry(language).or_default() += count;
        }
    }

    fn into_walked(mut self, root: PathBuf, started_ns: i64) -> Walked {
        self.files.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        self.configs.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        self.skipped.sort_unstable();
        Walked {
            root,
            started_ns,
            files: self.files,
            configs: self.configs,
            skipped: self.skipped,
            no_grammar: self.no_grammar,
        }
    }

    fn skip(&mut self, relative: &Path, is_dir: bool, reason: SkipReason, size: u64) {
        let mut key = path::encode(relative);
        if is_dir {
            key.push('/');
        }
        self.skipped.push(Skipped { key, reason, size });
    }
}

/// What holds for the entries of one folder.
#[derive(Clone, Debug)]
struct Place {
    /// `.graphifyignore` files from the root down to here.
    own: Chain,
    /// `.gitignore` files from the top of the repository (or the root) down to here.
    git: Chain,
    /// The repository around.
    repository: Option<Arc<Repository>>,
    /// Git ignores this folder: only what it tracks nevertheless is taken.
    tracked_only: bool,
}

/// One name of a folder.
struct Entry {
    name: OsString,
    text: String,
    kind: FileType,
}

struct Walker<'w> {
    root: &'w Path,
    options: &'w WalkOptions,
    selection: Override,
    progress: &'w dyn Progress,
    cancel: &'w Cancel,
    found: Mutex<Found>,
}

impl Walker<'_> {
    /// The place of the root: in a repository the ignore files above the root count too, outside of one they do not.
    fn top(&self) -> Place {
        let repository = Repository::around(self.root).map(Arc::new);
        let mut git = Chain::default();
        if let Some(repository) = repository.as_deref().filter(|_| self.options.git_rules) {
            let mut above: Vec<&Path> = self
                .root
                .ancestors()
                .skip(1)
                .take_while(|folder| folder.starts_with(repository.top()))
                .collect();
            above.reverse();
            for folder in above {
                git = git.with(Rules::read(folder, &folder.join(".gitignore")));
            }
        }
        Place {
            own: Chain::default(),
            git,
            repository,
            tracked_only: false,
        }
    }

    /// Lists one folder, keeps its files and starts a task for each of its folders.
    fn visit<'s>(&'s self, scope: &rayon::Scope<'s>, relative: PathBuf, place: Place) {
        if self.cancel.is_requested() {
            return;
        }
        let folder = self.root.join(&relative);
        let mut found = Found::default();
        match list(&folder) {
            Ok(entries) => {
                if let Some(place) = self.enter(&folder, &relative, &entries, place, &mut found) {
                    self.take(scope, &folder, &relative, &entries, &place, &mut found);
                }
            }
            // A folder that went away in the meantime is no news.
            Err(err) if err.kind() == std::io::ErrorKind::NotFound => {}
            Err(err) => found.skip(&relative, true, SkipReason::unreadable(&err), 0),
        }
        self.progress.advance(1);
        self.found
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .absorb(found);
    }

    /// The place inside a folder, or `None` if what it holds shows that it is not to be walked.
    fn enter(
        &self,
        folder: &Path,
        relative: &Path,
        entries: &[Entry],
        mut place: Place,
        found: &mut Found,
    ) -> Option<Place> {
        let has = |name: &str| entries.iter().any(|e| e.text == name);
        let is_root = relative.as_os_str().is_empty();
        if !is_root && has(".git") {
            match repository::border(folder) {
                Border::None => {}
                Border::OtherWorkTree => {
                    found.skip(relative, true, SkipReason::OtherWorkTree, 0);
                    return None;
                }
                Border::Top(git_dir) => {
                    place.repository = Some(Arc::new(Repository::open(folder, git_dir)));
                    place.git = Chain::default();
                    place.tracked_only = false;
                }
            }
        }
        let tracked = || {
            place
                .repository
                .as_ref()
                .is_some_and(|r| r.tracks_under(folder))
        };
        let cache = has(folders::CACHE_FILE)
            && starts_with(&folder.join(folders::CACHE_FILE), folders::CACHE_MARK);
        if !is_root && (has(folders::VENV_FILE) || cache) && !tracked() {
            found.skip(relative, true, SkipReason::DefaultFolder, 0);
            return None;
        }
        if self.options.git_rules && has(".gitignore") {
            place.git = place
                .git
                .with(Rules::read(folder, &folder.join(".gitignore")));
        }
        if has(IGNORE_FILE) {
            place.own = place
                .own
                .with(Rules::read(folder, &folder.join(IGNORE_FILE)));
        }
        Some(place)
    }

    fn take<'s>(
        &'s self,
        scope: &rayon::Scope<'s>,
        folder: &Path,
        relative: &Path,
        entries: &[Entry],
        place: &Place,
        found: &mut Found,
    ) {
        let mut beside = Beside::default();
        entries.iter().for_each(|e| beside.note(&e.text));
        for entry in entries {
            let path = folder.join(&entry.name);
            let below = relative.join(&entry.name);
            if entry.kind.is_dir() {
                if let Some(tracked_only) =
                    self.wants_folder(&path, &below, entry, beside, place, found)
                {
                    let place = Place {
                        tracked_only,
                        ..place.clone()
                    };
                    scope.spawn(move |scope| self.visit(scope, below, place));
                }
            } else {
                self.take_file(path, &below, entry, place, found);
            }
        }
    }

    /// Whether to walk a folder, and if so, whether only for the files that git tracks in it.
    fn wants_folder(
        &self,
        path: &Path,
        below: &Path,
        entry: &Entry,
        beside: Beside,
        place: &Place,
        found: &mut Found,
    ) -> Option<bool> {
        if self.options.skip_paths.iter().any(|skip| skip == path)
            || self.selection.matched(path, true).is_ignore()
        {
            return None;
        }
        let own = place.own.ignores(path, true);
        if own == Some(true) {
            return None;
        }
        let repository = place.repository.as_deref();
        let git = self.git_ignores(path, true, place);
        let at_top = below.parent().is_some_and(|p| p.as_os_str().is_empty())
            || repository.is_some_and(|r| path.parent() == Some(r.top()));
        let tracked = || repository.map(|r| r.tracks_under(path));
        match folders::of_name(&entry.text, at_top, beside, tracked) {
            Verdict::Never if own != Some(false) => return None,
            Verdict::Product if own != Some(false) && git != Some(false) => {
                if git.is_none() && !place.tracked_only {
                    found.skip(below, true, SkipReason::DefaultFolder, 0);
                }
                return None;
            }
            _ => {}
        }
        if own == Some(false) {
            return Some(false);
        }
        if git == Some(true) || place.tracked_only {
            let repository = repository?;
            if repository.has_submodule(path) {
                return Some(false);
            }
            return repository.tracks_under(path).then_some(true);
        }
        Some(false)
    }

    fn take_file(
        &self,
        path: PathBuf,
        below: &Path,
        entry: &Entry,
        place: &Place,
        found: &mut Found,
    ) {
        let kind = language::of_name(&entry.text);
        let is_config = config::is_config(&entry.text);
        let may_be_script = kind == Kind::Other && language::may_have_shebang(&entry.text);
        let is_secret = secret::looks_secret(below);
        let of_interest = kind != Kind::Other || is_config || is_secret || may_be_script;
        if !of_interest || !self.wants_file(&path, place) {
            return;
        }
        let named = kind != Kind::Other || is_config;
        if is_secret {
            found.skip(below, false, SkipReason::Secret, 0);
        } else if entry.kind.is_symlink() {
            if named {
                found.skip(below, false, SkipReason::Link, 0);
            }
        } else if !entry.kind.is_file() {
            if named {
                found.skip(below, false, SkipReason::Special, 0);
            }
        } else {
            let kind = if may_be_script { shebang(&path) } else { kind };
            self.keep(path, below, kind, is_config, found);
        }
    }

    fn keep(&self, path: PathBuf, below: &Path, kind: Kind, is_config: bool, found: &mut Found) {
        let language = match kind {
            Kind::Source(language) if self.wants_language(language) => language,
            Kind::NoGrammar(name) => {
                if self.options.languages.is_none() {
                    *found.no_grammar.entry(name).or_default() += 1;
                }
                return;
            }
            _ if is_config => Language::NONE,
            _ => return,
        };
        let stat = match std::fs::symlink_metadata(&path) {
            Ok(metadata) => Stat::of(&metadata),
            Err(err) if err.kind() == std::io::ErrorKind::NotFound => return,
            Err(err) => return found.skip(below, false, SkipReason::unreadable(&err), 0),
        };
        let limit = self.options.max_file_size;
        if stat.size > limit {
            return found.skip(below, false, SkipReason::Oversized { limit }, stat.size);
        }
        let candidate = Candidate {
            key: path::encode(below),
            path,
            stat,
            language,
        };
        if is_config {
            found.configs.push(candidate);
        } else {
            found.files.push(candidate);
        }
    }

    fn wants_file(&self, path: &Path, place: &Place) -> bool {
        if self.selection.matched(path, false).is_ignore() {
            return false;
        }
        match place.own.ignores(path, false) {
            Some(ignored) => !ignored,
            None => {
                let left_out =
                    place.tracked_only || self.git_ignores(path, false, place) == Some(true);
                !left_out
                    || place
                        .repository
                        .as_ref()
                        .is_some_and(|r| r.tracks_file(path))
            }
        }
    }

    fn wants_language(&self, language: Language) -> bool {
        let wanted = self.options.languages.as_ref();
        wanted.is_none_or(|wanted| wanted.contains(&language))
    }

    fn git_ignores(&self, path: &Path, is_dir: bool, place: &Place) -> Option<bool> {
        if !self.options.git_rules {
            return None;
        }
        let by_files = place.git.ignores(path, is_dir);
        by_files.or_else(|| place.repository.as_ref()?.excluded(path, is_dir))
    }
}

fn list(folder: &Path) -> std::io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        let name = entry.file_name();
        entries.push(Entry {
            text: name.to_string_lossy().into_owned(),
            name,
            kind,
        });
    }
    Ok(entries)
}

/// The language of a script without an ending. Only executable files are opened: there are many others without one.
fn shebang(path: &Path) -> Kind {
    if !is_executable(path) {
        return Kind::Other;
    }
    let mut head = Vec::with_capacity(128);
    let read = std::fs::File::open(path).and_then(|file| file.take(128).read_to_end(&mut head));
    read.map_or(Kind::Other, |_| language::of_shebang(&head))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::symlink_metadata(path)
        .is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(_path: &Path) -> bool {
    true
}

fn starts_with(path: &Path, mark: &[u8]) -> bool {
    let mut head = Vec::with_capacity(mark.len());
    let regular = std::fs::symlink_metadata(path).is_ok_and(|m| m.is_file());
    regular
        && std::fs::File::open(path)
            .and_then(|file| file.take(mark.len() as u64).read_to_end(&mut head))
            .is_ok_and(|_| head == mark)
}

#[cfg(test)]
mod tests;

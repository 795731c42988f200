//! Module names of Python: packages by folder, source roots by where their outermost packages stand.
//!
//! Order for absolute names: the root of the importing file (the folder around its outermost package); the folders around
//! that, and their `src`; names that the language brings along; other source roots of the tree, the nearest first; the
//! importing file's own folder. What is found nowhere is a package outside.

use rustc_hash::FxHashSet;

use super::paths::{ancestors, join, parent};
use super::{Project, Resolved};

/// Folders of the tree that matter to Python.
#[derive(Debug, Default)]
pub(super) struct PythonRoots {
    /// Folders that hold Python files, at any depth.
    folders: FxHashSet<String>,
    /// Folders around outermost packages, sorted.
    roots: Vec<String>,
}

impl PythonRoots {
    /// Reads the paths of the tree.
    pub(super) fn new(known: &FxHashSet<String>) -> Self {
        let mut folders: FxHashSet<String> = FxHashSet::default();
        let mut roots: FxHashSet<String> = FxHashSet::default();
        for path in known {
            let Some(stem) = path
                .strip_suffix(".py")
                .or_else(|| path.strip_suffix(".pyi"))
            else {
                continue;
            };
            for folder in ancestors(parent(path)) {
                if folders.contains(folder) {
                    break;
                }
                folders.insert(folder.to_string());
            }
            if stem == "__init__" || stem.ends_with("/__init__") {
                let around = parent(parent(path));
                if !parent(path).is_empty() && !is_package(known, around) {
                    roots.insert(around.to_string());
                }
            }
        }
        let mut roots: Vec<String> = roots.into_iter().collect();
        roots.sort();
        Self { folders, roots }
    }
}

fn is_package(known: &FxHashSet<String>, folder: &str) -> bool {
    ["__init__.py", "__init__.pyi"]
        .iter()
        .any(|name| known.contains(&inside(folder, name)))
}

fn inside(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_string()
    } else {
        format!("{folder}/{name}")
    }
}

impl Project {
    /// Where the module name `name`, with its leading dots, leads that stands in the Python file `from`.
    pub(crate) fn resolve_python(&self, from: &str, name: &str) -> Resolved {
        let dotted = name.trim_start_matches('.');
        let level = name.len() - dotted.len();
        if level > 0 {
            return self.relative_module(from, dotted, level);
        }
        let path = dotted.replace('.', "/");
        let first = dotted.split('.').next().unwrap_or(dotted);
        let own = self.python_root(from);
        let platform = PLATFORM.binary_search(&first).is_ok();
        // What the language brings along gives way only to a file at the importing file's own root.
        if let Some(found) = self.module_at(&own, &path, from)
            && !(platform && matches!(found, Resolved::Folder(_)))
        {
            return found;
        }
        if platform {
            return Resolved::External(format!("py:{dotted}"));
        }
        for around in ancestors(&own) {
            for root in [
                around.to_string(),
                inside(around, "src"),
                inside(around, "lib"),
            ] {
                if let Some(found) = self.module_at(&root, &path, from) {
                    return found;
                }
            }
        }
        if let Some(found) = self.other_root(&path, first, from) {
            return found;
        }
        match self.module_at(parent(from), &path, from) {
            Some(found @ Resolved::File(_)) => found,
            _ => Resolved::External(format!("pypi:{first}")),
        }
    }

    fn relative_module(&self, from: &str, dotted: &str, level: usize) -> Resolved {
        let mut folder = parent(from);
        for _ in 1..level {
            if folder.is_empty() {
                return Resolved::Missing(format!("{}{dotted}", ".".repeat(level.min(8))));
            }
            folder = parent(folder);
        }
        let path = dotted.replace('.', "/");
        let found = if path.is_empty() {
            self.package_at(folder)
        } else {
            join(folder, &path).and_then(|path| self.module_path(&path))
        };
        match found {
            Some(found) => found,
            None => Resolved::Missing(inside(folder, &path)),
        }
    }

    /// The folder around the outermost package that a file lies in.
    fn python_root(&self, from: &str) -> String {
        let mut folder = parent(from);
        while !folder.is_empty() && is_package(&self.known, folder) {
            folder = parent(folder);
        }
        folder.to_string()
    }

    fn module_at(&self, root: &str, path: &str, from: &str) -> Option<Resolved> {
        let found = self.module_path(&inside(root, path))?;
        // A script that is called like what it imports means something else.
        match &found {
            Resolved::File(file) if file == from => None,
            _ => Some(found),
        }
    }

    /// A package or module by its path without an ending.
    pub(crate) fn module_path(&self, path: &str) -> Option<Resolved> {
        for ending in ["/__init__.py", ".py", "/__init__.pyi", ".pyi"] {
            let file = format!("{path}{ending}");
            if self.known.contains(&file) {
                return Some(Resolved::File(file));
            }
        }
        let is_folder = self.python.folders.contains(path);
        is_folder.then(|| Resolved::Folder(path.to_string()))
    }

    /// The package that a folder is.
    fn package_at(&self, folder: &str) -> Option<Resolved> {
        for name in ["__init__.py", "__init__.pyi"] {
            let file = inside(folder, name);
            if self.known.contains(&file) {
                return Some(Resolved::File(file));
            }
        }
        let is_folder = self.python.folders.contains(folder);
        is_folder.then(|| Resolved::Folder(folder.to_string()))
    }

    /// The nearest other source root that has the package; none where two are equally near.
    fn other_root(&self, path: &str, first: &str, from: &str) -> Option<Resolved> {
        let mut best: Option<(usize, &str)> = None;
        let mut tie = false;
        for root in &self.python.roots {
            if is_aside(root) && !from.starts_with(root.as_str()) {
                continue;
            }
            let package = inside(root, first);
            if !is_package(&self.known, &package) {
                continue;
            }
            let near = common(root, parent(from));
            match best {
                Some((best, _)) if near < best => {}
                Some((best, _)) if near == best => tie = true,
                _ => {
                    best = Some((near, root));
                    tie = false;
                }
            }
        }
        let (_, root) = best.filter(|_| !tie)?;
        self.module_at(root, path, from)
    }
}

/// How many folders two paths have in common.
fn common(a: &str, b: &str) -> usize {
    a.split('/')
        .zip(b.split('/'))
        .take_while(|(a, b)| a == b && !a.is_empty())
        .count()
}

/// Packages made up for tests and examples are not what others import.
fn is_aside(root: &str) -> bool {
    root.split('/').any(|part| {
        matches!(
            part,
            "test"
                | "tests"
                | "testing"
                | "fixtures"
                | "examples"
                | "example"
                | "docs"
                | "testdata"
                | "test_data"
                | "samples"
                | "vendor"
                | "_vendor"
        ) || part.starts_with("test_")
    })
}

/// Modules that the language brings along, sorted.
const PLATFORM: [&str; 217] = [
    "__future__",
    "_thread",
    "_typeshed",
    "abc",
    "aifc",
    "argparse",
    "array",
    "ast",
    "asynchat",
    "asyncio",
    "asyncore",
    "atexit",
    "audioop",
    "base64",
    "bdb",
    "binascii",
    "bisect",
    "builtins",
    "bz2",
    "cProfile",
    "calendar",
    "cgi",
    "cgitb",
    "chunk",
    "cmath",
    "cmd",
    "code",
    "codecs",
    "codeop",
    "collections",
    "colorsys",
    "compileall",
    "concurrent",
    "configparser",
    "contextlib",
    "contextvars",
    "copy",
    "copyreg",
    "crypt",
    "csv",
    "ctypes",
    "curses",
    "dataclasses",
    "datetime",
    "dbm",
    "decimal",
    "difflib",
    "dis",
    "distutils",
    "doctest",
    "email",
    "encodings",
    "ensurepip",
    "enum",
    "errno",
    "faulthandler",
    "fcntl",
    "filecmp",
    "fileinput",
    "fnmatch",
    "fractions",
    "ftplib",
    "functools",
    "gc",
    "genericpath",
    "getopt",
    "getpass",
    "gettext",
    "glob",
    "graphlib",
    "grp",
    "gzip",
    "hashlib",
    "heapq",
    "hmac",
    "html",
    "http",
    "imaplib",
    "imghdr",
    "imp",
    "importlib",
    "inspect",
    "io",
    "ipaddress",
    "itertools",
    "json",
    "keyword",
    "lib2to3",
    "linecache",
    "locale",
    "logging",
    "lzma",
    "mailbox",
    "mailcap",
    "marshal",
    "math",
    "mimetypes",
    "mmap",
    "modulefinder",
    "msilib",
    "msvcrt",
    "multiprocessing",
    "netrc",
    "nis",
    "nntplib",
    "nt",
    "ntpath",
    "nturl2path",
    "numbers",
    "opcode",
    "operator",
    "optparse",
    "os",
    "ossaudiodev",
    "pathlib",
    "pdb",
    "pickle",
    "pickletools",
    "pipes",
    "pkgutil",
    "platform",
    "plistlib",
    "poplib",
    "posix",
    "posixpath",
    "pprint",
    "profile",
    "pstats",
    "pty",
    "pwd",
    "py_compile",
    "pyclbr",
    "pydoc",
    "pydoc_data",
    "pyexpat",
    "queue",
    "quopri",
    "random",
    "re",
    "readline",
    "reprlib",
    "resource",
    "rlcompleter",
    "runpy",
    "sched",
    "secrets",
    "select",
    "selectors",
    "shelve",
    "shlex",
    "shutil",
    "signal",
    "site",
    "smtpd",
    "smtplib",
    "sndhdr",
    "socket",
    "socketserver",
    "spwd",
    "sqlite3",
    "sre_compile",
    "sre_constants",
    "sre_parse",
    "ssl",
    "stat",
    "statistics",
    "string",
    "stringprep",
    "struct",
    "subprocess",
    "sunau",
    "symtable",
    "sys",
    "sysconfig",
    "syslog",
    "tabnanny",
    "tarfile",
    "telnetlib",
    "tempfile",
    "termios",
    "test",
    "textwrap",
    "threading",
    "time",
    "timeit",
    "tkinter",
    "token",
    "tokenize",
    "tomllib",
    "trace",
    "traceback",
    "tracemalloc",
    "tty",
    "turtle",
    "types",
    "typing",
    "unicodedata",
    "unittest",
    "urllib",
    "uu",
    "uuid",
    "venv",
    "warnings",
    "wave",
    "weakref",
    "webbrowser",
    "winreg",
    "winsound",
    "wsgiref",
    "xdrlib",
    "xml",
    "xmlrpc",
    "zipapp",
    "zipfile",
    "zipimport",
    "zlib",
    "zoneinfo",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn project(known: &[&str]) -> Project {
        Project::new([], known.iter().map(|k| (*k).to_string()))
    }

    fn file(path: &str) -> Resolved {
        Resolved::File(path.to_string())
    }

    #[test]
    fn the_table_is_sorted() {
        assert!(PLATFORM.is_sorted());
    }

    #[test]
    fn relative_names_climb_packages_and_stop_at_the_root() {
        let p = project(&[
            "a/__init__.py",
            "a/b/__init__.py",
            "a/b/c.py",
            "a/d.py",
            "n/e.py",
        ]);
        for (name, path) in [
            (".", "a/b/__init__.py"),
            ("..", "a/__init__.py"),
            ("..d", "a/d.py"),
            (".c", "a/b/c.py"),
            ("..b.c", "a/b/c.py"),
        ] {
            assert_eq!(p.resolve_python("a/b/c.py", name), file(path), "{name}");
        }
        assert!(matches!(
            p.resolve_python("a/b/c.py", "....x"),
            Resolved::Missing(_)
        ));
        assert_eq!(
            p.resolve_python("n/e.py", "."),
            Resolved::Folder("n".into())
        );
    }

    #[test]
    fn absolute_names_are_looked_up_at_the_own_root_first() {
        let p = project(&[
            "src/flask/__init__.py",
            "src/flask/logging.py",
            "src/flask/json/__init__.py",
            "tests/test_a.py",
            "tests/apps/flask.py",
            "tests/apps/__init__.py",
            "tests/flask.py",
            "tests/logging/x.py",
            "tools/run.py",
            "tools/helper.py",
        ]);
        let flask = file("src/flask/__init__.py");
        assert_eq!(
            p.resolve_python("tests/apps/flask.py", "flask"),
            file("tests/flask.py")
        );
        assert_eq!(p.resolve_python("tests/flask.py", "flask"), flask);
        assert_eq!(
            p.resolve_python("src/flask/json/__init__.py", "flask"),
            flask
        );
        assert_eq!(
            p.resolve_python("tools/run.py", "flask.json"),
            file("src/flask/json/__init__.py")
        );
        assert_eq!(
            p.resolve_python("tools/run.py", "helper"),
            file("tools/helper.py")
        );
        for from in ["src/flask/__init__.py", "tests/test_a.py"] {
            assert_eq!(
                p.resolve_python(from, "logging"),
                Resolved::External("py:logging".into())
            );
        }
        assert_eq!(
            p.resolve_python("src/flask/__init__.py", "werkzeug.local"),
            Resolved::External("pypi:werkzeug".into())
        );
    }

    #[test]
    fn a_source_wins_over_its_stub_and_equal_strangers_are_not_linked() {
        let p = project(&[
            "m.py",
            "m.pyi",
            "s.pyi",
            "x/a/u/__init__.py",
            "x/b/u/__init__.py",
            "y/c.py",
        ]);
        assert_eq!(p.resolve_python("y/c.py", "m"), file("m.py"));
        assert_eq!(p.resolve_python("y/c.py", "s"), file("s.pyi"));
        assert_eq!(
            p.resolve_python("y/c.py", "u"),
            Resolved::External("pypi:u".into())
        );
        assert_eq!(p.resolve_python("x/a/v.py", "u"), file("x/a/u/__init__.py"));
    }
}

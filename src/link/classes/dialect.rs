//! What the class languages do differently from each other.

use crate::link::dialect::Dialect;

impl Dialect {
    /// Whether the language puts the members of its types in scope and its files in packages.
    pub(in crate::link) fn is_classes(self) -> bool {
        matches!(
            self,
            Self::Jvm | Self::CSharp | Self::Php | Self::Ruby | Self::Swift
        )
    }

    /// Whether a file of that name marks its folder as a project.
    pub(in crate::link) fn is_manifest(self, name: &str) -> bool {
        match self {
            Self::Jvm => matches!(name, "pom.xml" | "build.gradle" | "build.gradle.kts"),
            Self::CSharp => name.ends_with(".csproj"),
            Self::Php => name == "composer.json",
            Self::Ruby => name == "Gemfile" || name.ends_with(".gemspec"),
            Self::Swift => name == "Package.swift",
            _ => false,
        }
    }

    /// The project of a file that lies in the folder `root` of a manifest.
    pub(in crate::link) fn project_of(self, path: &str, root: &str) -> String {
        if self == Self::Swift {
            // A package's targets do not see each other's names without saying so.
            let inside = path.get(root.len()..).unwrap_or_default();
            let mut folders = inside.trim_start_matches('/').split('/');
            if let (Some(kind @ ("Sources" | "Tests")), Some(target)) =
                (folders.next(), folders.next())
            {
                return format!("{root}/{kind}/{target}");
            }
        }
        root.to_string()
    }

    /// The key of a package outside.
    fn scheme(self) -> &'static str {
        match self {
            Self::CSharp => "cs",
            Self::Php => "php",
            Self::Ruby => "gem",
            Self::Swift => "swift",
            _ => "java",
        }
    }

    /// The key of what an import names that is not in the tree: its package, and the first name in it.
    pub(in crate::link) fn outside(self, path: &str) -> String {
        let scheme = self.scheme();
        match self {
            Self::Ruby | Self::Swift => format!("{scheme}:{path}"),
            Self::Php => match path.rsplit_once('.') {
                Some((package, name)) => {
                    format!("{scheme}:{}::{name}", package.replace('.', "\\"))
                }
                None => format!("{scheme}:{path}"),
            },
            Self::CSharp => format!("{scheme}:{path}"),
            _ => {
                // Packages are written small, types are not.
                let mut end = 0;
                for part in path.split('.') {
                    if part.starts_with(char::is_uppercase) {
                        let package = path.get(..end).unwrap_or_default();
                        return format!("{scheme}:{}::{part}", package.trim_end_matches('.'));
                    }
                    end += part.len() + 1;
                }
                match path.rsplit_once('.') {
                    Some((package, name)) => format!("{scheme}:{package}::{name}"),
                    None => format!("{scheme}:{path}"),
                }
            }
        }
    }

    /// The key of a package outside of which everything is imported.
    pub(in crate::link) fn outside_package(self, path: &str) -> String {
        match self {
            Self::Php => format!("php:{}", path.replace('.', "\\")),
            _ => format!("{}:{path}", self.scheme()),
        }
    }

    /// Whether a call must have as many arguments as the method has parameters.
    pub(in crate::link) fn counts_arguments(self) -> bool {
        self == Self::Jvm
    }

    /// Whether a type's name that is called makes an instance.
    pub(in crate::link) fn names_construct(self) -> bool {
        matches!(self, Self::Jvm | Self::Swift)
    }

    /// Whether a namespace sees the names of those around it.
    pub(in crate::link) fn namespaces_nest(self) -> bool {
        matches!(self, Self::CSharp | Self::Ruby)
    }

    /// Whether what a namespace lacks is looked up outside of all namespaces.
    pub(in crate::link) fn falls_to_global(self) -> bool {
        matches!(self, Self::CSharp | Self::Php | Self::Ruby)
    }

    /// Whether a type's name reaches members of its instances too (`parent::f()`).
    pub(in crate::link) fn reaches_all_by_type(self) -> bool {
        self == Self::Php
    }

    /// What a constructor is called in a type.
    pub(in crate::link) fn constructor_names(self) -> &'static [&'static str] {
        match self {
            Self::Php => &["__construct"],
            Self::Ruby => &["initialize"],
            Self::Swift => &["init"],
            _ => &["constructor"],
        }
    }

    /// Whether a property can take the place of one of a base type.
    pub(in crate::link) fn overrides_fields(self) -> bool {
        self != Self::Php && self != Self::Ruby
    }

    /// Whether a bare call of that name is one of the platform's own.
    pub(in crate::link) fn is_platform_call(self, name: &str) -> bool {
        match self {
            Self::Ruby => matches!(
                name,
                "puts"
                    | "print"
                    | "p"
                    | "pp"
                    | "raise"
                    | "require"
                    | "lambda"
                    | "proc"
                    | "loop"
                    | "format"
                    | "sprintf"
                    | "rand"
                    | "sleep"
                    | "freeze"
                    | "send"
                    | "private"
                    | "public"
                    | "protected"
                    | "catch"
                    | "throw"
                    | "exit"
                    | "binding"
                    | "warn"
                    | "alias_method"
                    | "private_constant"
                    | "module_function"
                    | "autoload"
            ),
            Self::CSharp => name == "nameof",
            Self::Swift => matches!(
                name,
                "print"
                    | "fatalError"
                    | "precondition"
                    | "assert"
                    | "min"
                    | "max"
                    | "abs"
                    | "type"
                    | "zip"
                    | "stride"
                    | "debugPrint"
                    | "preconditionFailure"
            ),
            _ => false,
        }
    }
}

//! Which files are never opened because they look like secrets.
//!
//! Where it sits: asked by the walk before a file is read for any reason. Invariant: the decision is made from the path
//! alone, and a file it refuses is neither read nor hashed. Programming-language sources are exempt from the rules that
//! look for words (`credentials.ts` is code about credentials), never from those for key material.

use std::path::Path;

/// Endings of key material, certificates with keys, and password stores.
const ENDINGS: &[&str] = &[
    "pem",
    "key",
    "p8",
    "p12",
    "pfx",
    "pkcs12",
    "jks",
    "keystore",
    "kdb",
    "kdbx",
    "ppk",
    "asc",
    "gpg",
    "age",
    "ovpn",
    "mobileprovision",
    "tfvars",
    "tfstate",
];

/// Names of files that hold credentials by convention.
const NAMES: &[&str] = &[
    ".netrc",
    "_netrc",
    ".pgpass",
    ".htpasswd",
    ".npmrc",
    ".yarnrc",
    ".pypirc",
    ".git-credentials",
    ".dockercfg",
    ".dockerconfigjson",
    ".s3cfg",
    ".boto",
    ".my.cnf",
    ".vault-token",
    ".esmtprc",
    "secring",
    "shadow",
    "kubeconfig",
];

/// Folders whose files are secrets whatever they are called.
const FOLDERS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".gcloud",
    ".kube",
    ".docker",
    ".password-store",
];

/// Words that make a data file a secret when its name ends in one of them.
const WORDS: &[&str] = &[
    "credential",
    "credentials",
    "secret",
    "secrets",
    "password",
    "passwords",
    "passwd",
    "token",
    "tokens",
];

/// Endings of data files, to which the word rule applies (and names without any).
const DATA: &[&str] = &[
    "json",
    "yaml",
    "yml",
    "toml",
    "ini",
    "cfg",
    "conf",
    "txt",
    "csv",
    "xml",
    "properties",
    "db",
    "sqlite",
    "plist",
];

/// Whether the file at `relative` (a path below the root) looks like a secret.
pub fn looks_secret(relative: &Path) -> bool {
    let Some(name) = relative
        .file_name()
        .map(|n| n.to_string_lossy().to_ascii_lowercase())
    else {
        return false;
    };
    let (stem, ending) = match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() => (stem, ending),
        _ => (name.as_str(), ""),
    };
    is_environment(&name)
        || ENDINGS.contains(&ending)
        || NAMES.contains(&name.as_str())
        || is_ssh_key(&name)
        || in_secret_folder(relative)
        || (is_data(ending) && has_secret_word(stem))
}

/// `.env`, `.env.local`, `prod.env`; not the samples that are meant to be shared.
fn is_environment(name: &str) -> bool {
    let sample = [
        "example", "sample", "template", "dist", "defaults", "schema",
    ];
    let is_code = matches!(super::language::of_name(name), k if k != super::language::Kind::Other);
    if is_code
        || sample
            .iter()
            .any(|s| name.split('.').any(|part| part == *s))
    {
        return false;
    }
    name == ".env" || name.starts_with(".env.") || name == ".envrc" || name.ends_with(".env")
}

fn is_ssh_key(name: &str) -> bool {
    let key = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];
    key.iter().any(|k| name.starts_with(k)) && !name.ends_with(".pub")
}

fn in_secret_folder(relative: &Path) -> bool {
    let mut folders = relative.components();
    folders.next_back();
    folders.any(|c| {
        let name = c.as_os_str().to_string_lossy();
        FOLDERS.iter().any(|f| name.eq_ignore_ascii_case(f))
    })
}

fn is_data(ending: &str) -> bool {
    ending.is_empty() || DATA.contains(&ending)
}

/// Whether a short name ends in one of the words, alone or behind a separator.
fn has_secret_word(stem: &str) -> bool {
    let mut parts = stem.split(['-', '_', '.', ' ']).filter(|p| !p.is_empty());
    let count = parts.clone().count();
    let last = parts.next_back().unwrap_or_default();
    let whole_account = stem.contains("service-account")
        || stem.contains("service_account")
        || stem.contains("serviceaccount");
    (count <= 3 && WORDS.contains(&last)) || whole_account
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(path: &str) -> bool {
        looks_secret(Path::new(path))
    }

    #[test]
    fn key_files_environments_and_credentials_are_refused() {
        for path in [
            ".env",
            "app/.env.local",
            ".env.production",
            "prod.env",
            ".envrc",
            "keys/id_rsa",
            "id_ed25519",
            "server.pem",
            "certs/tls.KEY",
            "a.kdbx",
            "credentials.json",
            "config/client_secret.json",
            "db-password.txt",
            ".npmrc",
            ".aws/config",
            ".ssh/known_hosts",
            "service-account-prod.json",
            "terraform.tfvars",
            "secrets.yaml",
            "token",
        ] {
            assert!(secret(path), "{path}");
        }
    }

    #[test]
    fn code_samples_and_public_keys_are_not() {
        for path in [
            "src/credentials.ts",
            "src/token.py",
            ".env.example",
            "sample.env.example",
            "id_rsa.pub",
            "package.json",
            "tsconfig.json",
            "src/env.ts",
            ".env.d.ts",
            "tokenizer.json",
            "docs/about-the-password-policy-and-secret-rotation-of-tokens-words.md",
            "aws/config",
            "design-tokens/colors.json",
        ] {
            assert!(!secret(path), "{path}");
        }
    }
}

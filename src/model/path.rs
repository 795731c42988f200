//! How a file's path is written inside the index: relative to the root, `/` between parts, always valid text.
//!
//! Where it sits: `source` encodes what the file system says, everything else sees only the encoded form, and whoever
//! opens a file decodes it again. Invariant: encoding loses nothing. Bytes that are no UTF-8, control characters and
//! backslashes are written `\xNN`; so is `:`, which separates the path from the symbol in a key, and a leading `?`,
//! which marks an unresolved name.

use std::path::{Path, PathBuf};

/// The encoded form of a relative path.
#[cfg(unix)]
pub fn encode(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    encode_bytes(path.as_os_str().as_bytes())
}

/// The encoded form of a relative path; the system's separator becomes `/`.
#[cfg(not(unix))]
pub fn encode(path: &Path) -> String {
    let text: Vec<_> = path
        .components()
        .map(|c| c.as_os_str().to_string_lossy().into_owned())
        .collect();
    encode_bytes(text.join("/").as_bytes())
}

fn encode_bytes(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            let leading_mark = c == '?' && out.is_empty();
            if c.is_control() || c == '\\' || c == ':' || leading_mark {
                let mut buffer = [0; 4];
                c.encode_utf8(&mut buffer)
                    .bytes()
                    .for_each(|b| push_hex(&mut out, b));
            } else {
                out.push(c);
            }
        }
        chunk.invalid().iter().for_each(|b| push_hex(&mut out, *b));
    }
    out
}

fn push_hex(out: &mut String, byte: u8) {
    use std::fmt::Write;
    let _ = write!(out, "\\x{byte:02X}");
}

/// The path that [`encode`] was given. Text that no encoder wrote is taken as it stands.
pub fn decode(encoded: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded;
    while let Some(at) = rest.find("\\x") {
        let (before, after) = rest.split_at(at);
        bytes.extend_from_slice(before.as_bytes());
        match after
            .get(2..4)
            .and_then(|hex| u8::from_str_radix(hex, 16).ok())
        {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(4..).unwrap_or_default();
            }
            None => {
                bytes.extend_from_slice(b"\\x");
                rest = after.get(2..).unwrap_or_default();
            }
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    from_bytes(bytes)
}

#[cfg(unix)]
fn from_bytes(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

#[cfg(not(unix))]
fn from_bytes(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_paths_stay_as_they_are() {
        assert_eq!(encode(Path::new("src/größe/用户.ts")), "src/größe/用户.ts");
        assert_eq!(decode("src/größe/用户.ts"), Path::new("src/größe/用户.ts"));
    }

    #[cfg(unix)]
    #[test]
    fn odd_bytes_survive_the_round_trip() {
        use std::os::unix::ffi::OsStrExt;
        for raw in [
            &b"caf\xe9.ts"[..],
            b"two\nlines.ts",
            b"a\\b.ts",
            b"c:d::e",
            b"?x",
            b"\\x41",
            b"\xff\xfe/\xf0\x9f",
        ] {
            let path = Path::new(std::ffi::OsStr::from_bytes(raw));
            let encoded = encode(path);
            assert!(
                !encoded.contains("::") && !encoded.starts_with('?') && !encoded.contains('\n'),
                "{encoded}"
            );
            assert_eq!(decode(&encoded), path, "{encoded}");
        }
    }
}

//! Numbers of bytes as people write and read them.

/// A number of bytes with an optional unit (`500K`, `2M`, `2MiB`, `1048576`).
///
/// # Errors
/// A sentence for whoever typed it.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let lower = text.trim().to_ascii_lowercase();
    let bare = lower
        .strip_suffix("ib")
        .or_else(|| lower.strip_suffix('b'))
        .unwrap_or(&lower);
    let units = [('k', 10), ('m', 20), ('g', 30)];
    let unit = units
        .iter()
        .find_map(|(letter, shift)| Some((bare.strip_suffix(*letter)?, *shift)));
    let (digits, shift) = unit.unwrap_or((bare, 0));
    let number: u64 = digits
        .parse()
        .map_err(|_| "not a size (`500K`, `2M`, `1048576`)".to_string())?;
    let bytes = number.checked_mul(1 << shift).filter(|bytes| *bytes > 0);
    bytes.ok_or_else(|| "out of range".to_string())
}

/// A number of bytes in the largest unit that leaves at least one.
pub(crate) fn human(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let unit = units.iter().find(|(shift, _)| bytes >> shift > 0);
    let Some((shift, name)) = unit else {
        return format!("{bytes} bytes");
    };
    let tenths = bytes.saturating_mul(10) >> shift;
    format!("{}.{} {name}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in [
            ("1", 1),
            ("500K", 500 << 10),
            ("2M", 2 << 20),
            ("2MiB", 2 << 20),
            ("1gb", 1 << 30),
        ] {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
        for text in ["", "M", "-1", "0", "1.5M", "99999999999G", "2T", "5kk"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn bytes_are_shown_in_their_unit() {
        for (bytes, text) in [
            (0, "0 bytes"),
            (1023, "1023 bytes"),
            (1536, "1.5 KiB"),
            (3 << 20, "3.0 MiB"),
            (5 << 30, "5.0 GiB"),
        ] {
            assert_eq!(human(bytes), text);
        }
    }
}

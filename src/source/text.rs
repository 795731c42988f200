//! From a file's bytes to text: marks, encodings, line ends, binary and minified content.
//!
//! Where it sits: between reading a file and parsing it; whoever shows source later decodes it by the same function.
//! Invariants: the text has the lines that an editor shows (a lone carriage return ends a line); for a file that is
//! plain UTF-8 without a mark, byte offsets in the text are offsets in the file. For every other file they count the
//! bytes of the decoded text, so spans must be applied to the result of [`decode`], never to the raw bytes.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// How many bytes are looked at to tell text from binary data.
const PROBE: usize = 8 * 1024;
/// A line longer than this counts as long.
const LONG_LINE: usize = 1_000;
/// Smaller files are never called minified: parsing them costs nothing.
const MINIFIED_FROM: usize = 8 * 1024;

/// Text and what had to be done to get it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The decoded text without a byte order mark; line ends are `\n` or `\r\n`.
    pub text: String,
    /// The encoding's name as the web calls it (`UTF-8`, `UTF-16LE`, `GBK` …).
    pub encoding: &'static str,
    /// Some bytes had no meaning in that encoding and became U+FFFD.
    pub lossy: bool,
    /// Offsets in the text are offsets in the file.
    pub offsets_match: bool,
}

/// What a file's bytes are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decoded {
    /// Text.
    Text(Text),
    /// Binary data.
    Binary,
    /// Text in an encoding that is not read; the name is for people.
    Unsupported(&'static str),
}

/// Decodes a whole file.
///
/// A mark decides first, then a NUL in the first 8 KiB makes the file binary (unless the NULs stand as in UTF-16), then
/// UTF-8 is tried. What is left is guessed: an encoding of East Asia or of one byte per letter.
pub fn decode(bytes: Vec<u8>) -> Decoded {
    if bytes.starts_with(&[0xFF, 0xFE, 0, 0]) || bytes.starts_with(&[0, 0, 0xFE, 0xFF]) {
        return Decoded::Unsupported("UTF-32");
    }
    if let Some((encoding, _)) = Encoding::for_bom(&bytes) {
        return Decoded::Text(decode_as(encoding, &bytes));
    }
    let probe = bytes.get(..PROBE).unwrap_or(&bytes);
    if probe.contains(&0) {
        return match utf16_without_mark(probe) {
            Some(encoding) => Decoded::Text(decode_as(encoding, &bytes)),
            None => Decoded::Binary,
        };
    }
    match String::from_utf8(bytes) {
        Ok(text) => Decoded::Text(Text {
            text: end_lines(text),
            encoding: UTF_8.name(),
            lossy: false,
            offsets_match: true,
        }),
        Err(err) => {
            let bytes = err.into_bytes();
            Decoded::Text(decode_as(guess(&bytes), &bytes))
        }
    }
}

/// The number of lines, as an editor counts them: a last line without an end counts, an empty one after an end does not.
pub fn line_count(text: &str) -> u32 {
    let ends = text.bytes().filter(|b| *b == b'\n').count();
    let open = usize::from(!text.is_empty() && !text.ends_with('\n'));
    u32::try_from(ends + open).unwrap_or(u32::MAX)
}

/// Whether a text is the product of a minifier: most of it stands in very long lines that are dense with punctuation of
/// code and do without the blank that people, and the programs that write for them, put behind a comma. A long line of
/// data (an embedded image, a table of numbers) is not, nor is a long list of exported names.
pub fn is_minified(text: &str) -> bool {
    if text.len() < MINIFIED_FROM {
        return false;
    }
    let (mut long, mut marks, mut commas, mut spaced) = (0usize, 0usize, 0usize, 0usize);
    for line in text.as_bytes().split(|b| *b == b'\n') {
        if line.len() <= LONG_LINE {
            continue;
        }
        long += line.len();
        let mut next = line.iter().skip(1);
        for byte in line {
            let after = next.next();
            match byte {
                b';' | b'{' | b'}' | b'(' | b')' | b'=' => marks += 1,
                b',' => {
                    commas += 1;
                    spaced += usize::from(after == Some(&b' '));
                }
                _ => {}
            }
        }
    }
    long * 2 > text.len() && marks * 20 > long && spaced * 2 <= commas
}

fn decode_as(encoding: &'static Encoding, bytes: &[u8]) -> Text {
    let (text, used, lossy) = encoding.decode(bytes);
    Text {
        text: end_lines(text.into_owned()),
        encoding: used.name(),
        lossy,
        offsets_match: false,
    }
}

/// Replaces carriage returns that end a line by themselves. The length stays the same, and with it every offset.
fn end_lines(text: String) -> String {
    let bytes = text.as_bytes();
    let mut next = bytes.iter().skip(1).chain(std::iter::once(&0));
    let lone = bytes.iter().any(|b| {
        let after = next.next();
        *b == b'\r' && after != Some(&b'\n')
    });
    if !lone {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let ends_alone = c == '\r' && chars.peek() != Some(&'\n');
        out.push(if ends_alone { '\n' } else { c });
    }
    out
}

/// UTF-16 that nobody marked: every second byte of mostly Latin text is zero.
fn utf16_without_mark(probe: &[u8]) -> Option<&'static Encoding> {
    let pairs = probe.chunks_exact(2);
    let count = pairs.len();
    if count < 4 {
        return None;
    }
    let (mut high_first, mut low_first) = (0, 0);
    for pair in pairs {
        match pair {
            [0, low] if *low != 0 => high_first += 1,
            [low, 0] if *low != 0 => low_first += 1,
            _ => {}
        }
    }
    let enough = count * 9 / 10;
    if low_first >= enough {
        Some(UTF_16LE)
    } else if high_first >= enough {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// The likeliest encoding of bytes that are not UTF-8. A file that is UTF-8 but for a few bytes stays UTF-8.
fn guess(bytes: &[u8]) -> &'static Encoding {
    let (mut good, mut bad) = (0usize, 0usize);
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    if good > bad {
        return UTF_8;
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, chardetng::Utf8Detection::Deny)
}

#[cfg(test)]
#[allow(clippy::panic)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> Text {
        match decode(bytes.to_vec()) {
            Decoded::Text(text) => text,
            other => panic!("not text: {other:?}"),
        }
    }

    #[test]
    fn plain_text_is_taken_as_it_is() {
        let plain = text("a = 'größe';\r\nb\n".as_bytes());
        assert_eq!(plain.text, "a = 'größe';\r\nb\n");
        assert!(plain.offsets_match && !plain.lossy);
        assert_eq!(text(b"").text, "");
    }

    #[test]
    fn marks_are_taken_off_and_decide_the_encoding() {
        let marked = text(b"\xEF\xBB\xBFlet a;\r\n");
        assert_eq!(
            (marked.text.as_str(), marked.encoding),
            ("let a;\r\n", "UTF-8")
        );
        assert!(!marked.offsets_match);
        let little: Vec<u8> = "\u{feff}é1\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(
            (text(&little).text.as_str(), text(&little).encoding),
            ("é1\n", "UTF-16LE")
        );
        let big: Vec<u8> = "\u{feff}é1\n"
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect();
        assert_eq!(
            (text(&big).text.as_str(), text(&big).encoding),
            ("é1\n", "UTF-16BE")
        );
        let odd = [little.as_slice(), b"x"].concat();
        assert!(text(&odd).lossy, "half a unit at the end");
        let wide = [0xFF, 0xFE, 0, 0, 0x41, 0, 0, 0];
        assert_eq!(decode(wide.to_vec()), Decoded::Unsupported("UTF-32"));
    }

    #[test]
    fn utf16_without_a_mark_is_seen_by_its_zeros() {
        let little: Vec<u8> = "export const a = 1;\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(text(&little).text, "export const a = 1;\n");
        let big: Vec<u8> = "export const a = 1;\n"
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect();
        assert_eq!(text(&big).text, "export const a = 1;\n");
    }

    #[test]
    fn a_zero_near_the_start_means_binary() {
        assert_eq!(
            decode(b"\x7FELF\x02\x01\x01\0\0\0\0\0".to_vec()),
            Decoded::Binary
        );
        assert_eq!(decode(vec![0; 100]), Decoded::Binary);
        let late = [vec![b'a'; PROBE], vec![0]].concat();
        assert!(matches!(decode(late), Decoded::Text(_)));
    }

    #[test]
    fn other_encodings_keep_letters_and_lines() {
        let latin = text(b"// Gr\xF6\xDFe der Schrift, \xFCber alles\nlet a;\n");
        assert_eq!(latin.text, "// Größe der Schrift, über alles\nlet a;\n");
        let (gbk, _, _) = encoding_rs::GBK.encode("// 用户认证服务的入口函数\nlet 变量 = 1;\n");
        assert_eq!(
            text(&gbk).text,
            "// 用户认证服务的入口函数\nlet 变量 = 1;\n"
        );
        let mixed = text(
            "// größe, 用户 and one \u{1}bad byte\n"
                .replace('\u{1}', "?")
                .as_bytes(),
        );
        assert!(!mixed.lossy);
        let broken = text(b"// gr\xC3\xB6\xC3\x9Fe \xC3\xBC \xFF\nlet a;\n");
        assert_eq!(broken.text, "// größe ü \u{fffd}\nlet a;\n");
        assert!(broken.lossy);
    }

    #[test]
    fn a_lone_carriage_return_ends_a_line_and_moves_nothing() {
        let old = text(b"one\rtwo\r\nthree\r");
        assert_eq!(old.text, "one\ntwo\r\nthree\n");
        assert!(old.offsets_match);
        assert_eq!(line_count(&old.text), 3);
    }

    #[test]
    fn lines_are_counted_as_an_editor_does() {
        for (text, lines) in [
            ("", 0),
            ("a", 1),
            ("a\n", 1),
            ("a\nb", 2),
            ("\n\n", 2),
            ("a\r\nb\r\n", 2),
        ] {
            assert_eq!(line_count(text), lines, "{text:?}");
        }
    }

    #[test]
    fn minified_code_is_told_from_long_data_and_from_code() {
        let minified = "function r(e,t){return e?t+1:r(t,e)};".repeat(400);
        assert!(is_minified(&minified));
        let licence = format!("/* a licence */\n{minified}\n//# sourceMappingURL=x\n");
        assert!(is_minified(&licence));
        let code = "export function total(rows: Row[]) {\n  return rows.length;\n}\n".repeat(400);
        assert!(!is_minified(&code));
        let data = format!("{code}const wasm = '{}';\n", "AGFzbQEAAAAB".repeat(9000));
        assert!(!is_minified(&data));
        let names = format!(
            "export {{ {} }} from './all';\n",
            "Name, type Other, ".repeat(900)
        );
        assert!(!is_minified(&names));
        let dense = format!("call({});\n", "f(x, { y: 1 }), ".repeat(900));
        assert!(!is_minified(&dense));
        assert!(
            !is_minified(&"f(a);".repeat(300)),
            "small files are parsed whatever they look like"
        );
    }
}

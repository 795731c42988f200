//! Tokens of a C source, as far as they are needed to find conditionals and words of the preprocessor.
//!
//! Where it sits: read by [`super::conditionals`] before parsing, and by [`super::macros`] for the bodies of macros.
//! Invariant: every call makes progress; places are byte offsets inside the source.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// An identifier or keyword.
    Word,
    /// A string or character literal.
    Literal,
    /// A number.
    Number,
    /// A directive: from its `#` to the end of its last line.
    Directive,
    /// One byte of punctuation.
    Mark(u8),
}

/// Reads tokens one after the other.
pub(super) struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Whether only blanks stand before the next byte on its line.
    line_start: bool,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            line_start: true,
        }
    }

    /// A second reader at the same place.
    pub(super) fn fork(&self) -> Self {
        Self { ..*self }
    }

    /// The next byte that is no blank and no comment, without moving.
    pub(super) fn peek(&self) -> Option<u8> {
        let mut ahead = Self { ..*self };
        ahead.skip_blanks();
        ahead.bytes.get(ahead.at).copied()
    }

    /// Whether the next token is this word.
    pub(super) fn peek_is(&self, word: &[u8]) -> bool {
        let mut ahead = Self { ..*self };
        ahead.skip_blanks();
        let rest = ahead.bytes.get(ahead.at..).unwrap_or_default();
        rest.starts_with(word) && !rest.get(word.len()).is_some_and(|b| is_word(*b))
    }

    /// Whether a line feed stands before the next token.
    pub(super) fn line_ends(&self) -> bool {
        let mut ahead = Self {
            line_start: false,
            ..*self
        };
        ahead.skip_blanks();
        ahead.line_start || ahead.at >= ahead.bytes.len()
    }

    fn skip_blanks(&mut self) {
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => {
                    self.line_start = true;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'\\' if matches!(self.bytes.get(self.at + 1), Some(b'\n' | b'\r')) => {
                    self.at += 2;
                }
                b'/' => match self.bytes.get(self.at + 1) {
                    Some(b'/') => self.at = line_end(self.bytes, self.at),
                    Some(b'*') => self.at = comment_end(self.bytes, self.at),
                    _ => break,
                },
                _ => break,
            }
        }
    }

    fn literal(&mut self, quote: u8) {
        self.at += 1;
        while let Some(byte) = self.bytes.get(self.at) {
            match *byte {
                b'\\' => self.at += 2,
                // A literal that does not end is no literal: an apostrophe in assembler or text.
                b'\n' => break,
                byte => {
                    self.at += 1;
                    if byte == quote {
                        break;
                    }
                }
            }
        }
        self.at = self.at.min(self.bytes.len());
    }

    /// `R"tag( … )tag"`; the cursor is on the quote.
    fn raw_literal(&mut self) {
        let rest = self.bytes.get(self.at + 1..).unwrap_or_default();
        let Some(open) = rest.iter().take(17).position(|b| *b == b'(') else {
            self.literal(b'"');
            return;
        };
        let tag = rest.get(..open).unwrap_or_default();
        let mut close = Vec::with_capacity(tag.len() + 2);
        close.push(b')');
        close.extend_from_slice(tag);
        close.push(b'"');
        let body = rest.get(open..).unwrap_or_default();
        let end = body
            .windows(close.len())
            .position(|w| w == close)
            .map_or(body.len(), |p| p + close.len());
        self.at = (self.at + 1 + open + end).min(self.bytes.len());
    }
}

impl Iterator for Tokens<'_> {
    type Item = (Token, usize, usize);

    fn next(&mut self) -> Option<Self::Item> {
        self.skip_blanks();
        let start = self.at;
        let first = *self.bytes.get(start)?;
        let at_line_start = std::mem::replace(&mut self.line_start, false);
        let token = match first {
            b'#' if at_line_start => {
                self.at = directive_end(self.bytes, start);
                Token::Directive
            }
            b'"' | b'\'' => {
                self.literal(first);
                Token::Literal
            }
            b if b.is_ascii_digit() => {
                while self
                    .bytes
                    .get(self.at)
                    .is_some_and(|b| is_word(*b) || matches!(b, b'.' | b'\''))
                {
                    self.at += 1;
                }
                Token::Number
            }
            b if is_word(b) => {
                while self.bytes.get(self.at).is_some_and(|b| is_word(*b)) {
                    self.at += 1;
                }
                let word = self.bytes.get(start..self.at).unwrap_or_default();
                if self.bytes.get(self.at) == Some(&b'"')
                    && matches!(word, b"R" | b"LR" | b"uR" | b"UR" | b"u8R")
                {
                    self.raw_literal();
                    Token::Literal
                } else {
                    Token::Word
                }
            }
            b => {
                self.at += 1;
                Token::Mark(b)
            }
        };
        Some((token, start, self.at))
    }
}

/// Whether a byte belongs to a word. Bytes beyond ASCII do: identifiers may hold them.
#[inline]
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    rest.iter()
        .position(|b| *b == b'\n')
        .map_or(bytes.len(), |p| from + p)
}

fn comment_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from + 2;
    while let Some(byte) = bytes.get(at) {
        if *byte == b'*' && bytes.get(at + 1) == Some(&b'/') {
            return at + 2;
        }
        at += 1;
    }
    bytes.len()
}

/// The end of a directive: its line, continued by a backslash or by a comment that goes on.
fn directive_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\n' => return at,
            b'\\' => {
                at += 1;
                if bytes.get(at) == Some(&b'\r') {
                    at += 1;
                }
                at += 1;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => at = comment_end(bytes, at),
            b'/' if bytes.get(at + 1) == Some(&b'/') => return line_end(bytes, at),
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn tokens_skip_comments_and_keep_directives_whole() {
        let source = b"#define A(x) \\\n  f(x) /* a\n b */ 1\nint /* # */ x = 0x1F; 'a' \"b\\\"c\" R\"t(\")t\" y";
        let found: Vec<(Token, &str)> = Tokens::new(source)
            .map(|(t, a, b)| (t, std::str::from_utf8(&source[a..b]).unwrap()))
            .collect();
        assert_eq!(found[0].0, Token::Directive);
        assert!(found[0].1.ends_with(" 1"));
        let rest: Vec<&str> = found[1..].iter().map(|f| f.1).collect();
        assert_eq!(
            rest,
            [
                "int",
                "x",
                "=",
                "0x1F",
                ";",
                "'a'",
                "\"b\\\"c\"",
                "R\"t(\")t\"",
                "y"
            ]
        );
    }
}

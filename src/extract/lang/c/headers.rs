//! Whether a `.h` file is C or C++: its name does not say, its text does.
//!
//! Where it sits: asked before a header is parsed. A header is C++ as soon as it holds something that C cannot: a class
//! with a body, a namespace, a template, `public:`, a qualified name. What stands in conditionals on `__cplusplus` is meant
//! for both and says nothing. Invariant: the answer depends on the file alone.

use super::tokens::{Token, Tokens};

/// Whether a header can only be C++.
pub(super) fn is_cpp(source: &str) -> bool {
    let bytes = source.as_bytes();
    let text = |start: usize, end: usize| bytes.get(start..end).unwrap_or_default();
    let mut tokens = Tokens::new(bytes);
    // Conditionals on C++ that are open, and those inside them.
    let mut hidden = 0u32;
    let mut before: &[u8] = b"";
    // Names behind the word `class`: `class API Name` and then a bracket.
    let mut class: Option<u32> = None;
    let mut colon = false;
    while let Some((token, start, end)) = tokens.next() {
        match token {
            Token::Directive => {
                hidden = after_directive(text(start, end), hidden);
                continue;
            }
            _ if hidden > 0 => continue,
            Token::Word => {
                let word = text(start, end);
                let next = tokens.peek();
                match word {
                    b"template" if next == Some(b'<') => return true,
                    b"public" | b"private" | b"protected" if next == Some(b':') => return true,
                    b"namespace" if next == Some(b'{') || before == b"using" => return true,
                    _ => {}
                }
                if before == b"namespace" && matches!(next, Some(b'{' | b':')) {
                    return true;
                }
                class = match class {
                    _ if word == b"class" && !matches!(before, b"struct" | b"union") => Some(0),
                    Some(names) => Some(names + 1),
                    None => None,
                };
                before = word;
            }
            Token::Mark(mark @ (b'{' | b':' | b';')) => {
                if matches!(class.take(), Some(1..=3)) {
                    return true;
                }
                if mark == b':' {
                    if colon && bytes.get(start.wrapping_sub(1)) == Some(&b':') {
                        return true;
                    }
                    colon = true;
                    continue;
                }
                before = b"";
            }
            _ => {
                before = b"";
                class = None;
            }
        }
        colon = false;
    }
    false
}

/// How many conditionals are open inside one on `__cplusplus`, that one included.
fn after_directive(text: &[u8], hidden: u32) -> u32 {
    let word: Vec<u8> = text
        .iter()
        .skip(1)
        .copied()
        .skip_while(|b| matches!(b, b' ' | b'\t'))
        .take_while(u8::is_ascii_alphabetic)
        .take(8)
        .collect();
    match word.as_slice() {
        b"if" | b"ifdef" | b"ifndef" if hidden > 0 => hidden + 1,
        b"if" | b"ifdef" if text.windows(11).any(|w| w == b"__cplusplus") => 1,
        b"endif" => hidden.saturating_sub(1),
        b"else" | b"elif" if hidden == 1 => 0,
        _ => hidden,
    }
}

#[cfg(test)]
mod tests {
    use super::is_cpp;

    #[test]
    fn the_text_of_a_header_says_its_language() {
        for text in [
            "class A { int x; };",
            "class API A : public B {\n};",
            "class Forward;",
            "namespace a { int x; }",
            "namespace a::b { }",
            "template <class T> T f(T x);",
            "std::string f();",
            "struct A { public: int x; };",
        ] {
            assert!(is_cpp(text), "{text}");
        }
        for text in [
            "#ifdef __cplusplus\nextern \"C\" {\nclass A { };\n#endif\nint f(void);\n",
            "struct class { int new; }; int private;",
            "struct s { struct class *class; u32 template : 3; };",
            "/* class A { */ int x; // a::b\nint g(int namespace);",
            "#define X a::b\nint y;",
        ] {
            assert!(!is_cpp(text), "{text}");
        }
    }
}

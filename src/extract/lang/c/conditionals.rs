//! The source without what a grammar cannot read before the preprocessor has run.
//!
//! Where it sits: between the text of a file and its parse. Conditionals whose branches are whole declarations or
//! statements stay as they are: both branches become part of the tree. Where a conditional cuts through a construct
//! (braces that do not balance, a condition, a list of arguments, an initialiser), its directives are blanked, and of
//! branches that exclude each other the first stays. Words that are attributes are blanked too (see [`super::marks`]).
//!
//! Invariants: as many bytes, every line feed in its place; one pass, no work but per token.

use std::borrow::Cow;

use super::marks::{self, Head};
use super::tokens::{Token, Tokens};

/// What a brace holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Brace {
    /// Declarations: a namespace, `extern "C"`.
    Space,
    /// Members of a record.
    Record,
    /// Enumerators.
    Enum,
    /// Statements.
    Body,
    /// An initialiser.
    Init,
    /// A round or square bracket.
    Round,
}

/// What stood last, as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    /// Nothing is open: `;`, `{`, `}`, a colon, the start of the file.
    Boundary,
    /// `,`.
    Comma,
    /// `)` or `]`.
    Close,
    /// `=`.
    Equals,
    /// Anything else.
    Inside,
}

/// How far a reader is nested, and what stood last.
#[derive(Clone, Debug)]
struct State {
    open: Vec<Brace>,
    last: Last,
}

impl State {
    fn inner(&self) -> Option<Brace> {
        self.open.last().copied()
    }

    /// Whether a new declaration, statement or element may begin here.
    fn at_boundary(&self) -> bool {
        match self.inner() {
            Some(Brace::Init | Brace::Enum) => {
                matches!(self.last, Last::Boundary | Last::Comma)
            }
            Some(Brace::Round) => false,
            // A macro call without a semicolon ends declarations; a condition does not end a statement.
            None | Some(Brace::Space | Brace::Record) => {
                matches!(self.last, Last::Boundary | Last::Close)
            }
            Some(Brace::Body) => self.last == Last::Boundary,
        }
    }
}

/// A conditional that is being read.
struct Group {
    /// Where its directives stand.
    directives: Vec<(usize, usize)>,
    before: State,
    /// The state behind the first branch.
    first: Option<State>,
    /// The branches do not fit each other or what is around them.
    cuts: bool,
}

/// How deep conditionals and brackets may nest before they are left to the parser.
const NEST_LIMIT: usize = 512;

struct Reader<'a> {
    bytes: &'a [u8],
    cpp: bool,
    state: State,
    groups: Vec<Group>,
    head: Head,
    blanks: Vec<(usize, usize)>,
    /// Depth of angle brackets in the head, in C++.
    angles: u32,
    /// A word whose brackets go with it, and how many are open.
    swallowing: Option<(usize, u32)>,
    /// Names of macros that begin loops.
    loops: Vec<(usize, usize)>,
}

/// What stands for the name of a macro that begins a loop.
pub(super) const LOOP: &[u8] = b"while";

fn holds(word: &[u8], part: &[u8]) -> bool {
    word.windows(part.len()).any(|w| w == part)
}

/// Whether something other than the end of a statement or expression follows the brackets that open next.
fn statement_follows(tokens: &Tokens<'_>) -> bool {
    let mut ahead = tokens.fork();
    let mut open = 0u32;
    for (token, ..) in ahead.by_ref().take(256) {
        match token {
            Token::Mark(b'(') => open += 1,
            Token::Mark(b')') => {
                open = open.saturating_sub(1);
                if open == 0 {
                    break;
                }
            }
            Token::Directive | Token::Mark(b'{' | b'}' | b';') => return false,
            _ => {}
        }
    }
    let next = ahead.peek();
    open == 0 && next.is_some_and(|b| super::tokens::is_word(b) || matches!(b, b'{' | b'*' | b'('))
}

/// See the module.
pub(super) fn readable(source: &str, cpp: bool) -> Cow<'_, str> {
    let mut reader = Reader {
        bytes: source.as_bytes(),
        cpp,
        state: State {
            open: Vec::new(),
            last: Last::Boundary,
        },
        groups: Vec::new(),
        head: Head::default(),
        blanks: Vec::new(),
        angles: 0,
        swallowing: None,
        loops: Vec::new(),
    };
    reader.read();
    if reader.blanks.is_empty() && reader.loops.is_empty() {
        return Cow::Borrowed(source);
    }
    let mut bytes = source.as_bytes().to_vec();
    reader.blanks.extend(&reader.loops);
    for (start, end) in reader.blanks {
        for byte in bytes.get_mut(start..end).unwrap_or_default() {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    for (start, _) in reader.loops {
        if let Some(slot) = bytes.get_mut(start..start + LOOP.len()) {
            slot.copy_from_slice(LOOP);
        }
    }
    match String::from_utf8(bytes) {
        Ok(text) => Cow::Owned(text),
        Err(_) => Cow::Borrowed(source),
    }
}

impl Reader<'_> {
    fn read(&mut self) {
        let mut tokens = Tokens::new(self.bytes);
        while let Some((token, start, end)) = tokens.next() {
            if let Some((from, open)) = self.swallowing {
                self.swallow(token, start, end, from, open);
                continue;
            }
            match token {
                Token::Directive => self.directive(start, end, &tokens),
                Token::Word => self.word(start, end, &tokens),
                Token::Literal => self.state.last = Last::Inside,
                Token::Number => {
                    self.state.last = Last::Inside;
                    self.head.spoil();
                }
                Token::Mark(mark) => self.mark(mark, start, &tokens),
            }
        }
    }

    /// The brackets behind a word that is blanked with them.
    fn swallow(&mut self, token: Token, start: usize, end: usize, from: usize, open: u32) {
        let open = match token {
            Token::Mark(b'(') => open + 1,
            Token::Mark(b')') => open.saturating_sub(1),
            // Something is wrong with the brackets: leave them to the parser.
            Token::Directive | Token::Mark(b'{' | b'}' | b';') => {
                self.swallowing = None;
                return;
            }
            _ => open,
        };
        if open == 0 {
            self.swallowing = None;
            let end = if token == Token::Mark(b')') {
                end
            } else {
                start
            };
            self.blanks.push((from, end));
        } else {
            self.swallowing = Some((from, open));
        }
    }

    fn in_declarations(&self) -> bool {
        matches!(
            self.state.inner(),
            None | Some(Brace::Space | Brace::Record)
        )
    }

    fn word(&mut self, start: usize, end: usize, tokens: &Tokens<'_>) {
        let word = self.bytes.get(start..end).unwrap_or_default();
        if marks::is_attribute(word) {
            self.blanks.push((start, end));
            return;
        }
        if marks::is_attribute_call(word) && tokens.peek() == Some(b'(') {
            self.swallowing = Some((start, 0));
            return;
        }
        if self.angles > 0 {
            return;
        }
        let before = std::mem::replace(&mut self.state.last, Last::Inside);
        let after_tag = self.head.after_tag;
        self.head.word(word, start, end);
        if self.in_body() {
            self.word_in_body(word, (start, end), before, tokens);
            return;
        }
        // `class API(x) Name`.
        if after_tag
            && self.head.record
            && self.in_declarations()
            && marks::is_capitals(word)
            && tokens.peek() == Some(b'(')
        {
            self.swallowing = Some((start, 0));
            self.head.clear();
            self.head.word(b"struct", start, start);
        }
    }

    /// Whether the innermost brace holds statements.
    fn in_body(&self) -> bool {
        let mut outer = self.state.open.iter().rev();
        outer.find(|b| **b != Brace::Round) == Some(&Brace::Body)
    }

    /// Two things that macros take and functions do not: a statement of their own behind the brackets, and types.
    fn word_in_body(
        &mut self,
        word: &[u8],
        place: (usize, usize),
        before: Last,
        tokens: &Tokens<'_>,
    ) {
        let in_call = self.state.inner() == Some(Brace::Round);
        // `container_of(p, struct s, m)`: the name alone reads like a value. The walker looks for the word before it.
        if in_call && before == Last::Comma && matches!(word, b"struct" | b"union" | b"enum") {
            self.blanks.push(place);
            self.state.last = Last::Comma;
            return;
        }
        // `for_each_node(n) statement` reads like `while (n) statement`. The walker looks at the word.
        let loops = word.len() >= LOOP.len() && holds(word, b"for_each") || holds(word, b"FOREACH");
        if loops && !in_call && tokens.peek() == Some(b'(') && statement_follows(tokens) {
            self.loops.push(place);
        }
    }

    fn settle(&mut self, next: u8) {
        if self.in_declarations() {
            self.head.excess(self.bytes, next, &mut self.blanks);
        }
    }

    fn mark(&mut self, mark: u8, start: usize, tokens: &Tokens<'_>) {
        if self.angles > 0 {
            match mark {
                b'<' => self.angles += 1,
                b'>' => self.angles -= 1,
                b';' | b'{' | b'}' => self.angles = 0,
                _ => {}
            }
            if self.angles > 0 || mark == b'>' {
                return;
            }
        }
        match mark {
            b'(' | b'[' => {
                self.settle(mark);
                if self.lone_macro(mark, start) {
                    return;
                }
                self.open(Brace::Round);
                self.state.last = Last::Inside;
                self.head.spoil();
            }
            b')' | b']' => {
                if self.state.inner() == Some(Brace::Round) {
                    self.state.open.pop();
                }
                self.state.last = Last::Close;
            }
            b'{' => {
                self.settle(mark);
                let brace = self.brace();
                self.open(brace);
                self.boundary();
            }
            b'}' => {
                // Brackets that were left open end here.
                while self.state.inner() == Some(Brace::Round) {
                    self.state.open.pop();
                }
                let held = self.state.open.pop();
                self.boundary();
                // `struct { … } name`, `= { … }`: the declaration goes on.
                if matches!(held, Some(Brace::Record | Brace::Enum | Brace::Init)) {
                    self.head.spoil();
                }
                if held == Some(Brace::Init) {
                    self.state.last = Last::Inside;
                }
            }
            b';' => {
                self.settle(mark);
                self.boundary();
            }
            b',' => {
                self.state.last = Last::Comma;
                self.head.spoil();
            }
            b'=' => {
                self.settle(mark);
                self.state.last = Last::Equals;
                self.head.spoil();
            }
            b':' => {
                if tokens.peek() == Some(b':') {
                    self.head.qualify();
                    self.state.last = Last::Inside;
                    return;
                }
                if self.bytes.get(start.wrapping_sub(1)) == Some(&b':') {
                    return;
                }
                self.settle(mark);
                let in_list = matches!(self.state.inner(), Some(Brace::Round | Brace::Init));
                if in_list || self.head.record {
                    self.state.last = Last::Inside;
                } else {
                    // `public:`, `case 1:`, a label.
                    self.boundary();
                }
            }
            b'<' if self.cpp && self.in_declarations() => self.angles = 1,
            b'*' | b'&' | b'~' => self.state.last = Last::Inside,
            _ => {
                self.state.last = Last::Inside;
                self.head.spoil();
            }
        }
    }

    /// `MACRO(…)` alone on its lines where declarations stand, without a semicolon: it would swallow what follows.
    fn lone_macro(&mut self, mark: u8, start: usize) -> bool {
        if mark != b'(' || !self.in_declarations() {
            return false;
        }
        let Some((from, to)) = self.head.lone() else {
            return false;
        };
        let word = self.bytes.get(from..to).unwrap_or_default();
        if !marks::is_capitals(word) || start < to {
            return false;
        }
        let mut ahead = Tokens::new(self.bytes.get(start..).unwrap_or_default());
        let mut open = 0u32;
        let mut closed = false;
        for (token, ..) in ahead.by_ref().take(64) {
            match token {
                Token::Mark(b'(') => open += 1,
                Token::Mark(b')') => {
                    open = open.saturating_sub(1);
                    if open == 0 {
                        closed = true;
                        break;
                    }
                }
                Token::Directive | Token::Mark(b'{' | b'}' | b';') => break,
                _ => {}
            }
        }
        let follows = ahead
            .peek()
            .is_some_and(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'#' | b'}' | b'~'));
        if !(closed && follows && ahead.line_ends()) {
            return false;
        }
        self.swallowing = Some((from, 1));
        self.boundary();
        true
    }

    fn boundary(&mut self) {
        self.state.last = Last::Boundary;
        self.head.clear();
        self.angles = 0;
    }

    fn open(&mut self, brace: Brace) {
        if self.state.open.len() < NEST_LIMIT {
            self.state.open.push(brace);
        }
    }

    /// What the brace that opens now will hold.
    fn brace(&self) -> Brace {
        let outer = self.state.inner();
        match self.state.last {
            Last::Equals => return Brace::Init,
            Last::Comma if matches!(outer, Some(Brace::Init | Brace::Round)) => return Brace::Init,
            Last::Boundary if outer == Some(Brace::Init) => return Brace::Init,
            Last::Close if outer == Some(Brace::Init) => return Brace::Init,
            _ => {}
        }
        if self.head.record && self.state.last != Last::Close {
            return if self.head.is_enum() {
                Brace::Enum
            } else {
                Brace::Record
            };
        }
        match (outer, self.state.last) {
            (None | Some(Brace::Space), Last::Inside) if self.head.holds_declarations() => {
                Brace::Space
            }
            _ => Brace::Body,
        }
    }

    fn directive(&mut self, start: usize, end: usize, tokens: &Tokens<'_>) {
        let text = self.bytes.get(start + 1..end).unwrap_or_default();
        let skip = text
            .iter()
            .take_while(|b| matches!(b, b' ' | b'\t'))
            .count();
        let word: &[u8] = text.get(skip..).unwrap_or_default();
        let len = word.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        match word.get(..len).unwrap_or_default() {
            b"if" | b"ifdef" | b"ifndef" => {
                if self.groups.len() >= NEST_LIMIT {
                    return;
                }
                let cuts = !self.state.at_boundary() || tokens.peek_is(b"else");
                self.groups.push(Group {
                    directives: vec![(start, end)],
                    before: self.state.clone(),
                    first: None,
                    cuts,
                });
            }
            b"else" | b"elif" | b"elifdef" | b"elifndef" => {
                let Some(mut group) = self.groups.pop() else {
                    return;
                };
                self.close_branch(&mut group, tokens);
                group.directives.push((start, end));
                group.cuts |= tokens.peek_is(b"else");
                self.state = group.before.clone();
                self.head.clear();
                self.groups.push(group);
            }
            b"endif" => {
                if let Some(mut group) = self.groups.pop() {
                    self.close_branch(&mut group, tokens);
                    group.directives.push((start, end));
                    self.end_group(group);
                }
            }
            // Definitions of macros inside a construct: the grammar has no place for them.
            b"define" | b"undef" | b"pragma" | b"include" | b"error" | b"warning" | b"line" => {
                let inner = self.state.inner();
                if matches!(inner, Some(Brace::Round | Brace::Init | Brace::Enum)) {
                    self.blanks.push((start, end));
                }
            }
            _ => {}
        }
    }

    fn close_branch(&mut self, group: &mut Group, tokens: &Tokens<'_>) {
        let depth = group.before.open.len();
        group.cuts |= self.state.open.len() != depth;
        group.cuts |= !self.state.at_boundary();
        // The head of a function whose body follows all branches.
        group.cuts |= self.state.last == Last::Close && tokens.peek() == Some(b'{');
        if group.first.is_none() {
            group.first = Some(self.state.clone());
        }
    }

    fn end_group(&mut self, group: Group) {
        let first = group.first.unwrap_or_else(|| self.state.clone());
        let in_list = matches!(group.before.inner(), Some(Brace::Init | Brace::Round));
        if !group.cuts && !in_list {
            return;
        }
        self.blanks.extend(group.directives.iter().copied());
        if group.cuts {
            // Of branches that exclude each other the first stays.
            for pair in group.directives.windows(2).skip(1) {
                if let [(_, from), (to, _)] = pair {
                    self.blanks.push((*from, *to));
                }
            }
        }
        self.state = first;
        self.head.clear();
        self.head.spoil();
    }
}

#[cfg(test)]
mod tests {
    use super::readable;

    fn check(source: &str, wanted: &str) {
        let result = readable(source, false);
        assert_eq!(result.len(), source.len());
        assert_eq!(result.lines().count(), source.lines().count());
        let squeezed: Vec<&str> = result.split_whitespace().collect();
        assert_eq!(squeezed.join(" "), wanted, "{source}");
    }

    #[test]
    fn branches_that_are_whole_stay() {
        let source = "#ifdef A\nint f(void);\n#else\nint f(void) { return 1; }\n#endif\n";
        assert_eq!(readable(source, false), source);
        let source = "int g(void) {\n#ifdef A\n f();\n#else\n h();\n#endif\n return 1; }\n";
        assert_eq!(readable(source, false), source);
    }

    #[test]
    fn of_branches_that_cut_through_braces_the_first_stays() {
        check(
            "void f(void) {\n#ifdef A\n if (x) {\n#else\n if (y) {\n#endif\n g(); }\n}\nint z;\n",
            "void f(void) { if (x) { g(); } } int z;",
        );
        check(
            "#ifdef A\nint f(int a)\n#else\nint f(void)\n#endif\n{ return 1; }\n",
            "int f(int a) { return 1; }",
        );
        check(
            "void f(void) {\n if (a)\n  b();\n#ifdef X\n else\n  c();\n#endif\n}\n",
            "void f(void) { if (a) b(); else c(); }",
        );
        check(
            "void f(void) {\n g(a,\n#ifdef X\n b\n#else\n c\n#endif\n );\n}\n",
            "void f(void) { g(a, b ); }",
        );
    }

    #[test]
    fn macros_that_take_types_or_statements_read_like_the_language() {
        check(
            "void f(void) { list_for_each_entry(a, &b, c)\n g(a);\n }",
            "void f(void) { while (a, &b, c) g(a); }",
        );
        check(
            "void f(void) { p = container_of(q, struct s, m); for_each_x(); }",
            "void f(void) { p = container_of(q, s, m); for_each_x(); }",
        );
        check(
            "int f(int a, struct s *b); static struct kobj a = __ATTR_RO(b);",
            "int f(int a, struct s *b); static struct kobj a = __ATTR_RO(b);",
        );
    }

    #[test]
    fn all_branches_of_an_initialiser_stay() {
        check(
            "struct o t = {\n .a = f,\n#ifdef X\n .b = g,\n#else\n .b = h,\n#endif\n};\n",
            "struct o t = { .a = f, .b = g, .b = h, };",
        );
    }

    #[test]
    fn attributes_are_blanked_and_names_are_not() {
        check(
            "static int __init foo_init(void) { return 0; }",
            "static int foo_init(void) { return 0; }",
        );
        check("ZEXTERN int ZEXPORT f(char *p);", "int f(char *p);");
        check("LIB_API foo_t *bar(void);", "foo_t *bar(void);");
        check("foo_t bar(void);", "foo_t bar(void);");
        check("struct foo bar(void);", "struct foo bar(void);");
        check("unsigned long MAX(int);", "unsigned long MAX(int);");
        check(
            "static struct foo bar __initdata2 = { 1 };",
            "static struct foo bar = { 1 };",
        );
        check(
            "class DRAW_API Tri : public Shape { };",
            "class Tri : public Shape { };",
        );
        check("struct S f __aligned(8);", "struct S f ;");
        check("EXPORT_IT(foo)\nint g(void);", "int g(void);");
        check("DEFINE_IT(foo)\n{ int a; }", "DEFINE_IT(foo) { int a; }");
    }
}

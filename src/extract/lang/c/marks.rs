//! Words in declarations that only a preprocessor gives a meaning: attributes hidden in macros.
//!
//! Where it sits: asked by [`super::conditionals`] for each word and each head of a declaration. Invariant: what is
//! blanked never names the thing that is declared: of several unknown words before a bracket the last one stays.

use super::tokens::is_word;

/// What a word in the head of a declaration does there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A type of the language.
    Builtin,
    /// Storage, qualifiers: says nothing about how many names follow.
    Plain,
    /// `struct` and its like: the next name belongs to it.
    Tag,
    /// Begins something that is no declaration.
    Foreign,
    /// Any other name.
    Name,
}

/// What a word does in a head.
pub(super) fn role(word: &[u8]) -> Role {
    match word {
        b"void" | b"int" | b"char" | b"short" | b"long" | b"float" | b"double" | b"unsigned"
        | b"signed" | b"bool" | b"_Bool" | b"auto" | b"wchar_t" | b"size_t" | b"ssize_t"
        | b"__signed__" | b"int8_t" | b"int16_t" | b"int32_t" | b"int64_t" | b"uint8_t"
        | b"uint16_t" | b"uint32_t" | b"uint64_t" | b"intptr_t" | b"uintptr_t" | b"ptrdiff_t"
        | b"char8_t" | b"char16_t" | b"char32_t" | b"__int128" => Role::Builtin,
        b"static" | b"extern" | b"inline" | b"const" | b"volatile" | b"register" | b"typedef"
        | b"constexpr" | b"consteval" | b"constinit" | b"virtual" | b"explicit" | b"mutable"
        | b"restrict" | b"__inline" | b"__inline__" | b"__restrict" | b"__restrict__"
        | b"__const" | b"__volatile__" | b"_Noreturn" | b"noreturn" | b"thread_local"
        | b"_Thread_local" | b"__thread" | b"__extension__" | b"final" => Role::Plain,
        b"struct" | b"union" | b"enum" | b"class" => Role::Tag,
        b"return" | b"case" | b"goto" | b"else" | b"using" | b"namespace" | b"template"
        | b"operator" | b"new" | b"delete" | b"throw" | b"if" | b"while" | b"for" | b"switch"
        | b"do" | b"default" | b"public" | b"private" | b"protected" | b"friend" | b"typename"
        | b"decltype" | b"typeof" | b"__typeof__" | b"sizeof" | b"asm" | b"__asm__"
        | b"concept" | b"requires" | b"co_return" | b"__attribute__" | b"__declspec"
        | b"alignas" | b"_Alignas" | b"static_assert" | b"_Static_assert" => Role::Foreign,
        _ => Role::Name,
    }
}

/// A word that is an attribute wherever it stands.
pub(super) fn is_attribute(word: &[u8]) -> bool {
    if !matches!(word, [b'_' | b'Q' | b'n', _, _, ..]) {
        return false;
    }
    matches!(
        word,
        b"__init"
            | b"__exit"
            | b"__user"
            | b"__iomem"
            | b"__force"
            | b"__kernel"
            | b"__percpu"
            | b"__rcu"
            | b"__safe"
            | b"__nocast"
            | b"__bitwise"
            | b"__private"
            | b"__must_check"
            | b"__always_inline"
            | b"__always_unused"
            | b"__maybe_unused"
            | b"__used"
            | b"__unused"
            | b"__weak"
            | b"__pure"
            | b"__cold"
            | b"__hot"
            | b"__malloc"
            | b"__deprecated"
            | b"__visible"
            | b"__packed"
            | b"__noreturn"
            | b"__noclone"
            | b"__no_sanitize_address"
            | b"__initdata"
            | b"__initconst"
            | b"__initdata_or_module"
            | b"__initconst_or_module"
            | b"__init_or_module"
            | b"__init_refok"
            | b"__exitdata"
            | b"__exitconst"
            | b"__refdata"
            | b"__refconst"
            | b"__ref"
            | b"__ro_after_init"
            | b"__read_mostly"
            | b"__net_init"
            | b"__net_exit"
            | b"__net_initdata"
            | b"__meminit"
            | b"__meminitdata"
            | b"__memexit"
            | b"__cpuinit"
            | b"__cpuinitdata"
            | b"__devinit"
            | b"__devinitdata"
            | b"__devinitconst"
            | b"__devexit"
            | b"__kprobes"
            | b"__sched"
            | b"__lockfunc"
            | b"__cpuidle"
            | b"__irq_entry"
            | b"__softirq_entry"
            | b"__latent_entropy"
            | b"__attribute_const__"
            | b"__cacheline_aligned"
            | b"__cacheline_aligned_in_smp"
            | b"____cacheline_aligned"
            | b"____cacheline_aligned_in_smp"
            | b"____cacheline_internodealigned_in_smp"
            | b"__page_aligned_data"
            | b"__page_aligned_bss"
            | b"__randomize_layout"
            | b"__no_randomize_layout"
            | b"__noinitretpoline"
            | b"__nocfi"
            | b"__noendbr"
            | b"__naked"
            | b"__flatten"
            | b"__function_aligned"
            | b"__mustuse"
            | b"_X_EXPORT"
            | b"_X_NORETURN"
            | b"Q_OBJECT"
            | b"Q_GADGET"
            | b"Q_INVOKABLE"
            | b"noinline"
            | b"noinstr"
            | b"notrace"
            | b"noinline_for_stack"
    )
}

/// An attribute with arguments.
pub(super) fn is_attribute_call(word: &[u8]) -> bool {
    matches!(
        word,
        b"__aligned"
            | b"__printf"
            | b"__scanf"
            | b"__acquires"
            | b"__releases"
            | b"__must_hold"
            | b"__cond_acquires"
            | b"__section"
            | b"__alloc_size"
            | b"__realloc_size"
            | b"__counted_by"
            | b"__assume_aligned"
            | b"__attribute_alloc_size__"
            | b"__no_sanitize"
            | b"__ATTR_DEPRECATED"
            | b"__error"
            | b"__warning"
            | b"__alias"
            | b"__format_printf"
            | b"Q_PROPERTY"
            | b"Q_ENUM"
            | b"Q_DECLARE_TR_FUNCTIONS"
            | b"Q_DISABLE_COPY"
            | b"GENERATED_BODY"
            | b"UPROPERTY"
            | b"UFUNCTION"
            | b"UCLASS"
            | b"USTRUCT"
            | b"UENUM"
    )
}

/// Capitals, digits and underscores only, as macros are written.
pub(super) fn is_capitals(word: &[u8]) -> bool {
    word.len() > 1
        && word
            .iter()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_')
        && word.iter().any(u8::is_ascii_uppercase)
}

/// The words of a declaration from its beginning up to where it shows what it is.
#[derive(Default)]
pub(super) struct Head {
    /// Names with their places.
    names: Vec<(usize, usize)>,
    builtin: bool,
    tagged: bool,
    /// The last word was `struct` or its like.
    pub(super) after_tag: bool,
    /// The next name continues a qualified one.
    qualified: bool,
    /// Something stood there that belongs to no head.
    foreign: bool,
    /// The first word: a tag.
    pub(super) record: bool,
    /// An `enum`.
    enumeration: bool,
    /// `namespace`, `extern`.
    space: bool,
    /// A word at all.
    started: bool,
}

impl Head {
    pub(super) fn clear(&mut self) {
        self.names.clear();
        self.builtin = false;
        self.tagged = false;
        self.after_tag = false;
        self.qualified = false;
        self.foreign = false;
        self.record = false;
        self.started = false;
        self.enumeration = false;
        self.space = false;
    }

    /// The head holds something that this module does not weigh.
    pub(super) fn spoil(&mut self) {
        self.foreign = true;
    }

    /// Whether the head names a type of a list of names: an `enum`.
    pub(super) fn is_enum(&self) -> bool {
        self.enumeration
    }

    /// Whether the head begins with words that declarations in braces follow.
    pub(super) fn holds_declarations(&self) -> bool {
        self.space
    }

    /// Whether the head is a single name.
    pub(super) fn lone(&self) -> Option<(usize, usize)> {
        match self.names.as_slice() {
            [name] if !self.builtin && !self.tagged && !self.foreign => Some(*name),
            _ => None,
        }
    }

    /// `::` continues the last name.
    pub(super) fn qualify(&mut self) {
        self.qualified = true;
    }

    pub(super) fn word(&mut self, word: &[u8], start: usize, end: usize) {
        let qualified = std::mem::take(&mut self.qualified);
        let first = !std::mem::replace(&mut self.started, true);
        self.after_tag = false;
        self.enumeration |= word == b"enum";
        self.space |= word == b"namespace" || (first && word == b"extern");
        match role(word) {
            Role::Builtin => self.builtin = true,
            Role::Plain => {}
            Role::Tag => {
                self.record |= first || !self.tagged;
                self.tagged = true;
                self.after_tag = true;
            }
            Role::Foreign => self.foreign = true,
            Role::Name if qualified && !self.names.is_empty() => {
                if let Some(last) = self.names.last_mut() {
                    last.1 = end;
                }
            }
            Role::Name => self.names.push((start, end)),
        }
    }

    /// The words too many where the declaration goes on with `next`: a declaration has one type and one name.
    pub(super) fn excess(&self, bytes: &[u8], next: u8, out: &mut Vec<(usize, usize)>) {
        if self.foreign || self.names.len() < 2 {
            return;
        }
        let before_body = self.record && matches!(next, b'{' | b':');
        let allowed = match (before_body, self.builtin, self.tagged) {
            // `struct API Name {`: one name.
            (true, ..) => 1,
            (false, true, false) => 1,
            // `struct s name(` and `type name(`.
            (false, ..) => 2,
        };
        let mut too_many = self.names.len().saturating_sub(allowed);
        if too_many == 0 || too_many > 4 {
            return;
        }
        let text = |(start, end): &(usize, usize)| bytes.get(*start..*end).unwrap_or_default();
        let last = self.names.len() - 1;
        // Which of two unknown words is the attribute: the one written like a macro, else the first.
        let variable = matches!(next, b'=' | b';' | b'[');
        let macro_like = |w: &[u8]| is_capitals(w) || w.starts_with(b"__");
        let mut taken = vec![false; self.names.len()];
        if variable
            && self
                .names
                .last()
                .is_some_and(|n| text(n).starts_with(b"__"))
            && let Some(slot) = taken.last_mut()
        {
            *slot = true;
            too_many -= 1;
        }
        for pass in 0..2 {
            for (name, slot) in self.names.iter().zip(&mut taken).take(last) {
                let plain = text(name).iter().all(|b| is_word(*b));
                let fits = plain && (pass == 1 || macro_like(text(name)));
                if too_many > 0 && !*slot && fits {
                    *slot = true;
                    too_many -= 1;
                }
            }
        }
        if too_many == 0 {
            let chosen = self.names.iter().zip(&taken).filter(|(_, t)| **t);
            out.extend(chosen.map(|(n, _)| *n));
        }
    }
}

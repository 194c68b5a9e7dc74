//! Sentences as the pieces of words that BERT reads, uncased.
//!
//! Text is cleaned, brought to lower case and stripped of accents, split at white space and around every mark of
//! punctuation, and each word taken apart from its left, the longest piece of the vocabulary first. That is what BERT's
//! own tokeniser does with English. Deliberately absent: characters of Chinese and Japanese are no words of their own,
//! accents outside of Latin letters stay, marks outside of Latin and general punctuation split nothing, and the names of
//! special pieces (`[SEP]`) in a sentence are ordinary text.

use std::collections::BTreeMap;

/// Letters of a word that are looked at; a longer one is unknown.
const LONGEST: usize = 100;

/// The pieces of words, each with its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordPiece {
    pieces: BTreeMap<String, u32>,
    unknown: u32,
    begin: u32,
    end: u32,
}

impl WordPiece {
    /// The vocabulary of these pieces, each with its number.
    ///
    /// # Errors
    ///
    /// If one of `[UNK]`, `[CLS]` and `[SEP]` is missing.
    pub fn new(pieces: BTreeMap<String, u32>) -> Result<Self, String> {
        let special = |name: &str| pieces.get(name).copied().ok_or_else(|| format!("has no piece `{name}`"));
        let (unknown, begin, end) = (special("[UNK]")?, special("[CLS]")?, special("[SEP]")?);
        Ok(Self { pieces, unknown, begin, end })
    }

    /// The vocabulary of a `vocab.txt`: a piece a line, numbered from 0.
    ///
    /// # Errors
    ///
    /// As [`Self::new`], or if a piece comes twice.
    pub fn of_lines(text: &str) -> Result<Self, String> {
        let mut pieces = BTreeMap::new();
        for (number, line) in text.lines().enumerate() {
            if pieces.insert(line.to_owned(), number as u32).is_some() {
                return Err(format!("line {}: the piece `{line}` is there before", number + 1));
            }
        }
        Self::new(pieces)
    }

    /// The greatest number of a piece.
    #[must_use]
    pub fn greatest(&self) -> u32 {
        self.pieces.values().copied().max().unwrap_or(0)
    }

    /// The numbers of the pieces of a sentence, between the one that begins and the one that ends it, at most `most`.
    #[must_use]
    pub fn tokens(&self, text: &str, most: usize) -> Vec<u32> {
        let mut tokens = vec![self.begin];
        for word in &words(text) {
            self.take_apart(word, &mut tokens);
        }
        tokens.truncate(most.saturating_sub(1).max(1));
        tokens.push(self.end);
        tokens
    }

    fn take_apart(&self, word: &str, tokens: &mut Vec<u32>) {
        let from = tokens.len();
        let mut rest = if word.chars().count() > LONGEST { None } else { Some(word) };
        while let Some(left) = rest.filter(|left| !left.is_empty()) {
            let inside = left.len() < word.len();
            let ends = left.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
            let known = |end: usize| {
                let piece = if inside { format!("##{}", &left[..end]) } else { left[..end].to_owned() };
                Some((end, *self.pieces.get(&piece)?))
            };
            rest = ends.into_iter().find_map(known).map(|(end, token)| {
                tokens.push(token);
                &left[end..]
            });
        }
        // A word of which anything is unknown is unknown as a whole.
        if rest.is_none() {
            tokens.truncate(from);
            tokens.push(self.unknown);
        }
    }
}

/// Words and marks of punctuation, in lower case and without accents.
fn words(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut goes_on = false;
    for c in text.chars() {
        if dropped(c) {
            continue;
        }
        if c.is_whitespace() {
            goes_on = false;
            continue;
        }
        for c in c.to_lowercase().map(unaccented).filter(|c| !is_accent(*c)) {
            let mark = is_mark(c);
            match all.last_mut() {
                Some(word) if goes_on && !mark => word.push(c),
                _ => all.push(c.to_string()),
            }
            goes_on = !mark;
        }
    }
    all
}

/// Characters that stand for nothing: of control, of format, and the one for what could not be read.
fn dropped(c: char) -> bool {
    let control = c.is_control() && !"\t\n\r".contains(c);
    control
        || "\u{ad}\u{feff}\u{fffd}".contains(c)
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
}

fn is_mark(c: char) -> bool {
    c.is_ascii_punctuation()
        || "¡§«¶·»¿".contains(c)
        || matches!(c, '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{2043}' | '\u{2045}'..='\u{2051}' | '\u{2053}'..='\u{205e}')
}

fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// Small Latin letters with accents, behind the letter without.
const ACCENTED: &[(char, &str)] = &[
    ('a', "àáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặ"),
    ('b', "ḃḅḇ"),
    ('c', "çćĉċčḉ"),
    ('d', "ďḋḍḏḑḓ"),
    ('e', "èéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ"),
    ('f', "ḟ"),
    ('g', "ĝğġģǧǵḡ"),
    ('h', "ĥȟḣḥḧḩḫẖ"),
    ('i', "ìíîïĩīĭįǐȉȋḭḯỉị"),
    ('j', "ĵǰ"),
    ('k', "ķǩḱḳḵ"),
    ('l', "ĺļľḷḹḻḽ"),
    ('m', "ḿṁṃ"),
    ('n', "ñńņňǹṅṇṉṋ"),
    ('o', "òóôõöōŏőơǒǫǭȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợ"),
    ('p', "ṕṗ"),
    ('r', "ŕŗřȑȓṙṛṝṟ"),
    ('s', "śŝşšșṡṣṥṧṩ"),
    ('t', "ţťțṫṭṯṱẗ"),
    ('u', "ùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự"),
    ('v', "ṽṿ"),
    ('w', "ŵẁẃẅẇẉẘ"),
    ('x', "ẋẍ"),
    ('y', "ýÿŷȳẏẙỳỵỷỹ"),
    ('z', "źżžẑẓẕ"),
    ('æ', "ǣǽ"),
    ('ø', "ǿ"),
    ('ſ', "ẛ"),
    ('ʒ', "ǯ"),
];

fn unaccented(c: char) -> char {
    if c.is_ascii() {
        return c;
    }
    ACCENTED.iter().find(|(_, with)| with.contains(c)).map_or(c, |(plain, _)| *plain)
}

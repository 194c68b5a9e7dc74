//! What a report consists of, before it is HTML or Markdown.
//!
//! Texts have a small mark-up, which is a part of Markdown's: `**strong**`, backticks for code, `[text](#anchor)` for a
//! place of the same report, and a backslash before a sign that is meant as itself. Whatever comes from records or
//! protocols goes through [`plain`] or [`code`].

/// A report.
#[derive(Clone, Debug, Default)]
pub(super) struct Document {
    pub(super) title: String,
    pub(super) blocks: Vec<Block>,
}

/// A piece of a report.
#[derive(Clone, Debug)]
pub(super) enum Block {
    /// A heading of level 2 to 4.
    Heading(u8, String),
    Paragraph(String),
    /// A paragraph that warns.
    Warning(String),
    List(Vec<String>),
    Table(Table),
    /// Figures that stand side by side where there is room.
    Figures(Vec<Figure>),
    /// Pictures that stand side by side, below what is said of all of them.
    Pictures(String, Vec<Picture>),
    /// What is unfolded only when asked for: its title, and what it holds.
    Folded(String, Vec<Block>),
    /// Lines as they are.
    Code(String),
}

/// A table; the first `headers` cells of a row say what the row is about.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    pub(super) caption: String,
    pub(super) headers: usize,
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
    /// Columns that hold words, not numbers.
    pub(super) words: Vec<usize>,
    /// Whether it is long and secondary, and unfolded only when asked for.
    pub(super) folded: bool,
    /// The anchors of its rows; a row without one has no anchor.
    pub(super) anchors: Vec<String>,
}

/// A drawing that says in words what it shows.
#[derive(Clone, Debug)]
pub(super) struct Figure {
    pub(super) caption: String,
    pub(super) svg: String,
}

/// A picture as a PNG file.
#[derive(Clone, Debug)]
pub(super) struct Picture {
    pub(super) caption: String,
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) png: Vec<u8>,
}

impl Document {
    pub(super) fn heading(&mut self, level: u8, text: impl Into<String>) {
        self.blocks.push(Block::Heading(level, text.into()));
    }

    pub(super) fn paragraph(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Paragraph(text.into()));
    }

    pub(super) fn warning(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Warning(text.into()));
    }

    pub(super) fn list(&mut self, items: Vec<String>) {
        if !items.is_empty() {
            self.blocks.push(Block::List(items));
        }
    }

    /// Adds a table without the columns that say nothing, unless it has no rows or an earlier one says the same.
    pub(super) fn table(&mut self, mut table: Table) {
        table.tidy();
        let same = |block: &Block| matches!(block, Block::Table(known) if known.says_as_much_as(&table));
        if !table.rows.is_empty() && !self.blocks.iter().any(same) {
            self.blocks.push(Block::Table(table));
        }
    }

    pub(super) fn figures(&mut self, figures: Vec<Figure>) {
        if !figures.is_empty() {
            self.blocks.push(Block::Figures(figures));
        }
    }

    /// Takes away headings under which nothing stands.
    pub(super) fn tidy(&mut self) {
        let level = |block: &Block| match block {
            Block::Heading(level, _) => Some(*level),
            _ => None,
        };
        // From the end, so that a heading whose parts all go goes too.
        for i in (0..self.blocks.len()).rev() {
            let Some(own) = level(&self.blocks[i]) else { continue };
            if self.blocks.get(i + 1).is_none_or(|next| level(next).is_some_and(|next| next <= own)) {
                self.blocks.remove(i);
            }
        }
    }
}

/// What stands in a cell where there is nothing to say.
pub(super) const NOTHING: &str = "–";

impl Table {
    pub(super) fn new(caption: impl Into<String>, headers: usize, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|c| (*c).to_owned()).collect();
        Self { caption: caption.into(), headers, columns, ..Self::default() }
    }

    /// Takes away columns, and then rows, whose cells say nothing.
    fn tidy(&mut self) {
        let silent = |cell: &String| cell.is_empty() || cell == NOTHING;
        let said = |column: &usize| self.rows.iter().any(|row| !silent(&row[*column]));
        let kept: Vec<usize> = (0..self.columns.len()).filter(|i| *i < self.headers || said(i)).collect();
        let of = |cells: &[String]| kept.iter().map(|&i| cells[i].clone()).collect::<Vec<_>>();
        self.columns = of(&self.columns);
        self.rows = self.rows.iter().map(|row| of(row)).collect();
        self.words = (0..kept.len()).filter(|&i| self.words.contains(&kept[i])).collect();
        if self.anchors.is_empty() {
            self.rows.retain(|row| row[self.headers..].iter().any(|cell| !silent(cell)));
        }
    }

    fn says_as_much_as(&self, other: &Self) -> bool {
        (&self.columns, &self.rows) == (&other.columns, &other.rows)
    }
}

/// A piece of marked-up text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Span {
    Plain(String),
    Strong(String),
    Code(String),
    /// A text, and the anchor of the same report that it leads to.
    Link(String, String),
}

/// `text` as itself, whatever signs it holds.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if "\\`*_[]<>|#".contains(c) {
            out.push('\\');
        }
        out.push(if c.is_control() { ' ' } else { c });
    }
    out
}

/// `text` as code.
pub(super) fn code(text: &str) -> String {
    let safe: String = text.chars().map(|c| if c == '`' { '\'' } else { c }).collect();
    format!("`{}`", safe.replace(['\n', '\r'], " "))
}

/// `text`, which is marked up, as a link to an anchor of the same report.
pub(super) fn link(text: &str, anchor: &str) -> String {
    format!("[{text}](#{anchor})")
}

/// The pieces of a marked-up text.
pub(super) fn spans(text: &str) -> Vec<Span> {
    fn end(spans: &mut Vec<Span>, now: &mut String, strong: bool) {
        if !now.is_empty() {
            let text = std::mem::take(now);
            spans.push(if strong { Span::Strong(text) } else { Span::Plain(text) });
        }
    }
    let (mut spans, mut now, mut strong) = (Vec::new(), String::new(), false);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = after;
        match c {
            '\\' => {
                let meant = after.chars().next();
                now.extend(meant);
                rest = &after[meant.map_or(0, char::len_utf8)..];
            }
            '*' if after.starts_with('*') => {
                end(&mut spans, &mut now, strong);
                strong = !strong;
                rest = &after[1..];
            }
            '`' => {
                end(&mut spans, &mut now, strong);
                let (inner, more) = after.split_once('`').unwrap_or((after, ""));
                spans.push(Span::Code(inner.to_owned()));
                rest = more;
            }
            '[' => match linked(after) {
                Some((text, anchor, more)) => {
                    end(&mut spans, &mut now, strong);
                    spans.push(Span::Link(text, anchor));
                    rest = more;
                }
                None => now.push('['),
            },
            c => now.push(c),
        }
    }
    end(&mut spans, &mut now, strong);
    spans
}

/// The text and the anchor of a link whose `[` has been read, and what follows it.
fn linked(text: &str) -> Option<(String, String, &str)> {
    let (shown, rest) = text.split_once("](#")?;
    let (anchor, more) = rest.split_once(')')?;
    let shown = if shown.contains(['[', '`']) { return None } else { bare(shown) };
    Some((shown, anchor.to_owned(), more))
}

/// Text without mark-up.
pub(super) fn bare(text: &str) -> String {
    let span = |span: Span| match span {
        Span::Plain(text) | Span::Strong(text) | Span::Code(text) | Span::Link(text, _) => text,
    };
    spans(text).into_iter().map(span).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_up_text_falls_into_its_pieces() {
        let text = format!("a **b {}** {} {}", plain("*_<c>|`"), code("d*e`"), plain("\\"));
        let expected = [
            Span::Plain("a ".into()),
            Span::Strong("b *_<c>|`".into()),
            Span::Plain(" ".into()),
            Span::Code("d*e'".into()),
            Span::Plain(" \\".into()),
        ];
        assert_eq!(spans(&text), expected);
        let text = format!("see {}, {}", link("3 x 8", "e-1"), plain("[a](#b)"));
        let expected =
            [Span::Plain("see ".into()), Span::Link("3 x 8".into(), "e-1".into()), Span::Plain(", [a](#b)".into())];
        assert_eq!(spans(&text), expected);
    }

    #[test]
    fn what_says_nothing_is_left_out() {
        let mut document = Document::default();
        let table = |cells: [&str; 3]| {
            let mut table = Table::new("", 1, &["a", "b", "c"]);
            table.words = vec![2];
            table.rows.push(cells.map(str::to_owned).into());
            table
        };
        document.heading(2, "kept");
        document.heading(3, "empty");
        document.table(table(["x", "–", ""]));
        document.heading(3, "full");
        document.table(table(["x", "–", "1"]));
        document.heading(3, "repeated");
        document.table(table(["x", "", "1"]));
        document.heading(2, "empty too");
        document.tidy();
        let [Block::Heading(2, _), Block::Heading(3, title), Block::Table(table)] = &document.blocks[..] else {
            panic!("{:?}", document.blocks);
        };
        assert_eq!(
            (title.as_str(), &table.columns[..], &table.words[..]),
            ("full", &["a".into(), "c".into()][..], &[1][..])
        );
    }
}

//! What a report consists of, before it is HTML or Markdown.
//!
//! Texts have a small mark-up, which is a part of Markdown's: `**strong**`, backticks for code, and a backslash before a
//! sign that is meant as itself. Whatever comes from records or protocols goes through [`plain`] or [`code`].

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
    /// Pictures that stand side by side.
    Pictures(Vec<Picture>),
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

    /// Adds a table, unless it has no rows.
    pub(super) fn table(&mut self, table: Table) {
        if !table.rows.is_empty() {
            self.blocks.push(Block::Table(table));
        }
    }

    pub(super) fn figures(&mut self, figures: Vec<Figure>) {
        if !figures.is_empty() {
            self.blocks.push(Block::Figures(figures));
        }
    }
}

impl Table {
    pub(super) fn new(caption: impl Into<String>, headers: usize, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|c| (*c).to_owned()).collect();
        Self { caption: caption.into(), headers, columns, rows: Vec::new(), words: Vec::new(), folded: false }
    }
}

/// A piece of marked-up text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Span {
    Plain(String),
    Strong(String),
    Code(String),
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

/// The pieces of a marked-up text.
pub(super) fn spans(text: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    let (mut now, mut strong) = (String::new(), false);
    let mut end = |now: &mut String, strong: bool| {
        if !now.is_empty() {
            let text = std::mem::take(now);
            spans.push(if strong { Span::Strong(text) } else { Span::Plain(text) });
        }
    };
    let mut codes = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => now.extend(chars.next()),
            '*' if chars.peek() == Some(&'*') => {
                chars.next();
                end(&mut now, strong);
                strong = !strong;
            }
            '`' => {
                end(&mut now, strong);
                let inner: String = chars.by_ref().take_while(|&c| c != '`').collect();
                codes.push(inner);
                // Its place is kept by a piece that no text can be.
                now.push('\0');
                end(&mut now, false);
            }
            c => now.push(c),
        }
    }
    end(&mut now, strong);
    let mut codes = codes.into_iter();
    let place = |span: Span| match span {
        Span::Plain(text) if text == "\0" => Span::Code(codes.next().unwrap_or_default()),
        other => other,
    };
    spans.into_iter().map(place).collect()
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
    }
}

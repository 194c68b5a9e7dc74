//! A report as one HTML file that needs nothing else: no network; style, drawings and a small script inside. Without the
//! script nothing is missing but sorting.

use super::document::{Block, Document, Figure, Picture, Span, Table, bare, spans};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Letters of a row's header that are kept on one line.
const SHORT: usize = 34;
/// Letters that a row of a table has room for on a sheet of A4 that stands upright.
const UPRIGHT: usize = 104;
/// The same of a sheet that lies; what needs more is set smaller.
const LYING: usize = 150;

/// Text as HTML.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            c => out.push(c),
        }
    }
    out
}

fn inline(text: &str) -> String {
    let span = |span: Span| match span {
        Span::Plain(text) => escaped(&text),
        Span::Strong(text) => format!("<strong>{}</strong>", escaped(&text)),
        Span::Code(text) => format!("<code>{}</code>", escaped(&text)),
        Span::Link(text, anchor) => format!("<a href=\"#{}\">{}</a>", escaped(&anchor), escaped(&text)),
    };
    spans(text).into_iter().map(span).collect()
}

/// Names of headings in links, each once.
struct Anchors(Vec<String>);

impl Anchors {
    fn next(&mut self, text: &str) -> String {
        let sign = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
        let base: String = bare(text).chars().map(sign).collect();
        let taken = self.0.iter().filter(|b| **b == base).count();
        self.0.push(base.clone());
        if taken == 0 { base } else { format!("{base}-{}", taken + 1) }
    }
}

pub(super) fn page(document: &Document) -> String {
    let mut anchors = Anchors(Vec::new());
    let (mut body, mut contents) = (String::new(), String::new());
    // Headings wait for what follows them: they go with a table onto a sheet of its own.
    let mut headings = String::new();
    for block in &document.blocks {
        if let Block::Heading(level, text) = block {
            let id = anchors.next(text);
            if *level == 2 {
                contents += &format!("<li><a href=\"#{id}\">{}</a></li>\n", inline(text));
            }
            headings += &format!("<h{level} id=\"{id}\">{}</h{level}>\n", inline(text));
            continue;
        }
        let headings = std::mem::take(&mut headings);
        body += &match block {
            Block::Table(table) if breadth(table) > UPRIGHT => {
                let dense = if breadth(table) > LYING { " dense" } else { "" };
                format!("<div class=\"sheet{dense}\">\n{headings}{}</div>\n", table_of(table))
            }
            block => headings + &block_of(block),
        };
    }
    let title = inline(&document.title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n<header>\n<h1>{title}</h1>\n</header>\n<nav aria-label=\"Contents\">\n<ul>\n{contents}</ul>\n</nav>\n\
         <main>\n{body}</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        escaped(&bare(&document.title))
    )
}

fn block_of(block: &Block) -> String {
    match block {
        Block::Heading(..) => String::new(),
        Block::Paragraph(text) => format!("<p>{}</p>\n", inline(text)),
        Block::Warning(text) => format!("<p class=\"warning\"><strong>Note.</strong> {}</p>\n", inline(text)),
        Block::List(items) => {
            let items: Vec<String> = items.iter().map(|item| format!("<li>{}</li>\n", inline(item))).collect();
            format!("<ul>\n{}</ul>\n", items.concat())
        }
        Block::Table(table) => table_of(table),
        Block::Figures(figures) => {
            // Two or four stand two by two.
            let few = if [1, 2, 4].contains(&figures.len()) { " few" } else { "" };
            let figures: String = figures.iter().map(figure).collect();
            format!("<div class=\"figures{few}\">\n{figures}</div>\n")
        }
        Block::Pictures(caption, pictures) => {
            let pictures: String = pictures.iter().map(picture).collect();
            format!("<p class=\"film\">{}</p>\n<div class=\"pictures\">\n{pictures}</div>\n", inline(caption))
        }
        Block::Folded(title, blocks) => {
            let inner: String = blocks.iter().map(block_of).collect();
            format!("<details>\n<summary>{}</summary>\n{inner}</details>\n", inline(title))
        }
        // It may be wider than the page: then it is scrolled, by keyboard too.
        Block::Code(text) => format!("<pre tabindex=\"0\"><code>{}</code></pre>\n", escaped(text)),
    }
}

/// Letters that a row of a table needs on paper.
fn breadth(table: &Table) -> usize {
    let longest_word = |text: &str| text.split([' ', '-']).map(|word| word.chars().count()).max().unwrap_or(0);
    let column = |i: usize| {
        let cells = table.rows.iter().filter_map(|row| row.get(i)).map(|cell| bare(cell));
        let room = |text: String| match () {
            () if i < table.headers || table.words.contains(&i) => text.chars().count().min(SHORT),
            () => text.split(" (").map(|part| part.chars().count()).max().unwrap_or(0) + 1,
        };
        cells.map(room).max().unwrap_or(0).max(longest_word(&bare(&table.columns[i]))) + 2
    };
    (0..table.columns.len()).map(column).sum()
}

/// A cell of numbers: its interval may stand below the number, but neither is broken.
fn number(cell: &str) -> String {
    match cell.split_once(" (") {
        Some((value, interval)) => {
            format!("{} <span class=\"interval\">({}</span>", inline(value), inline(interval))
        }
        None => inline(cell),
    }
}

fn table_of(table: &Table) -> String {
    let caption = inline(&table.caption);
    let column = |(i, title): (usize, &String)| {
        let number = i >= table.headers && !table.words.contains(&i);
        format!("<th scope=\"col\"{}>{}</th>", if number { " class=\"number\"" } else { "" }, inline(title))
    };
    let columns = table.columns.iter().enumerate().map(column).collect::<Vec<_>>().concat();
    let mut rows = String::new();
    let mut above: &[String] = &[];
    for (row, anchor) in table.rows.iter().zip(table.anchors.iter().map(Some).chain(std::iter::repeat(None))) {
        let anchor = anchor.filter(|anchor| !anchor.is_empty());
        rows += &anchor.map_or("<tr>".to_owned(), |anchor| format!("<tr id=\"{}\">", escaped(anchor)));
        for (i, cell) in row.iter().enumerate() {
            if i >= table.headers {
                rows += &if table.words.contains(&i) {
                    format!("<td class=\"words\">{}</td>", inline(cell))
                } else {
                    format!("<td>{}</td>", number(cell))
                };
                continue;
            }
            // What repeats the row above is there for those who listen, and pale for those who look.
            let again = above.len() > i && above[..=i] == row[..=i] && i + 1 < table.headers;
            let short = bare(cell).chars().count() <= SHORT;
            let classes = [again.then_some("again"), short.then_some("short")].into_iter().flatten();
            let classes = classes.collect::<Vec<_>>().join(" ");
            rows += &format!("<th scope=\"row\" class=\"{classes}\">{}</th>", inline(cell));
        }
        rows += "</tr>\n";
        above = row;
    }
    let whole = format!(
        "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n<table>\n<caption><span>{caption}</span></caption>\n\
         <thead><tr>{columns}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n",
        escaped(&format!("Table: {}", bare(&table.caption)))
    );
    if table.folded { format!("<details>\n<summary>{caption}</summary>\n{whole}</details>\n") } else { whole }
}

fn figure(figure: &Figure) -> String {
    format!("<figure>\n<figcaption>{}</figcaption>\n{}\n</figure>\n", inline(&figure.caption), figure.svg)
}

fn picture(picture: &Picture) -> String {
    let Picture { caption, width, height, png } = picture;
    format!(
        "<figure>\n<img src=\"data:image/png;base64,{}\" width=\"{width}\" height=\"{height}\" alt=\"{}\">\n\
         <figcaption>{}</figcaption>\n</figure>\n",
        base64(png),
        escaped(&bare(caption)),
        inline(caption)
    )
}

/// RFC 4648, with padding.
fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for i in 0..4 {
            let sign = SIGNS[(bits >> (18 - 6 * i) & 63) as usize];
            out.push(if i <= chunk.len() { char::from(sign) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        // RFC 4648, section 10.
        let vectors = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (text, expected) in vectors {
            assert_eq!(base64(text.as_bytes()), expected);
        }
        assert_eq!(base64(&[0xff, 0xef, 0xbe]), "/+++");
    }

    #[test]
    fn headings_of_one_name_have_names_of_their_own() {
        let mut anchors = Anchors(Vec::new());
        assert_eq!(["A b", "A b", "C"].map(|text| anchors.next(text)), ["a-b", "a-b-2", "c"]);
    }
}

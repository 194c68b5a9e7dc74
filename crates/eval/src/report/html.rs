//! A report as one HTML file that needs nothing else: no network, no script, style and drawings inside.

use super::document::{Block, Document, Figure, Picture, Span, Table, spans};

const STYLE: &str = include_str!("style.css");

/// Letters of a row's header that are kept on one line.
const SHORT: usize = 34;

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
    };
    spans(text).into_iter().map(span).collect()
}

/// Text without mark-up.
fn bare(text: &str) -> String {
    let span = |span: Span| match span {
        Span::Plain(text) | Span::Strong(text) | Span::Code(text) => text,
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
    for block in &document.blocks {
        if let Block::Heading(level, text) = block {
            let id = anchors.next(text);
            if *level == 2 {
                contents += &format!("<li><a href=\"#{id}\">{}</a></li>\n", inline(text));
            }
            body += &format!("<h{level} id=\"{id}\">{}</h{level}>\n", inline(text));
        } else {
            body += &block_of(block);
        }
    }
    let title = inline(&document.title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n<header>\n<h1>{title}</h1>\n</header>\n<nav aria-label=\"Contents\">\n<ul>\n{contents}</ul>\n</nav>\n\
         <main>\n{body}</main>\n</body>\n</html>\n",
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
            let figures: String = figures.iter().map(figure).collect();
            format!("<div class=\"figures\">\n{figures}</div>\n")
        }
        Block::Pictures(pictures) => {
            let pictures: String = pictures.iter().map(picture).collect();
            format!("<div class=\"pictures\">\n{pictures}</div>\n")
        }
        // It may be wider than the page: then it is scrolled, by keyboard too.
        Block::Code(text) => format!("<pre tabindex=\"0\"><code>{}</code></pre>\n", escaped(text)),
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
    for row in &table.rows {
        rows += "<tr>";
        for (i, cell) in row.iter().enumerate() {
            let text = inline(cell);
            if i >= table.headers {
                let class = if table.words.contains(&i) { " class=\"words\"" } else { "" };
                rows += &format!("<td{class}>{text}</td>");
                continue;
            }
            // What repeats the row above is there for those who listen, and pale for those who look.
            let again = above.len() > i && above[..=i] == row[..=i] && i + 1 < table.headers;
            let again = if again { "again" } else { "" };
            let short = if cell.chars().count() <= SHORT { "short" } else { "" };
            rows += &format!("<th scope=\"row\" class=\"{again} {short}\">{text}</th>");
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

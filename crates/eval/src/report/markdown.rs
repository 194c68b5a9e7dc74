//! A report as Markdown, for places that show no HTML. Drawings and pictures are left to the HTML file; every number
//! that they show stands in a table. Links within the report are plain text here.

use super::document::{Block, Document, Span, Table, spans};
use super::words::count;

pub(super) fn page(document: &Document) -> String {
    let mut out = format!("# {}\n", document.title);
    write(&mut out, &document.blocks);
    out
}

fn write(out: &mut String, blocks: &[Block]) {
    for block in blocks {
        out.push('\n');
        match block {
            Block::Heading(level, text) => *out += &format!("{} {text}\n", "#".repeat(usize::from(*level))),
            Block::Paragraph(text) => *out += &format!("{text}\n"),
            Block::Warning(text) => *out += &format!("> **Note.** {text}\n"),
            Block::List(items) => out.extend(items.iter().map(|item| format!("- {item}\n"))),
            Block::Table(table) => *out += &table_of(table),
            Block::Figures(figures) => {
                out.extend(figures.iter().map(|f| format!("- Figure, in the HTML report: {}\n", f.caption)));
            }
            Block::Pictures(caption, pictures) => {
                *out += &format!("{caption} ({}, in the HTML report)\n", count(pictures.len(), "picture"));
            }
            Block::Folded(title, blocks) => {
                *out += &format!("**{title}**\n");
                let told = |block: &&Block| !matches!(block, Block::Pictures(..) | Block::Folded(..));
                write(out, &blocks.iter().filter(told).cloned().collect::<Vec<_>>());
            }
            Block::Code(text) => *out += &format!("```text\n{}\n```\n", text.trim_end()),
        }
    }
}

fn table_of(table: &Table) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| unlinked(cell)).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let left = |i: usize| i < table.headers || table.words.contains(&i);
    let rule: String = (0..table.columns.len()).map(|i| if left(i) { "---|" } else { "--:|" }).collect();
    let rows: String = table.rows.iter().map(|row| line(row)).collect();
    format!("*{}*\n\n{}|{rule}\n{rows}", table.caption, line(&table.columns))
}

/// A marked-up text in which links are their own text.
fn unlinked(text: &str) -> String {
    let links = spans(text).into_iter().filter_map(|span| match span {
        Span::Link(text, anchor) => Some((text, anchor)),
        _ => None,
    });
    links.fold(text.to_owned(), |text, (shown, anchor)| text.replace(&super::document::link(&shown, &anchor), &shown))
}

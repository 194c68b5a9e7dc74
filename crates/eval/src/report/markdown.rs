//! A report as Markdown, for places that show no HTML. Drawings and pictures are left to the HTML file; every number
//! that they show stands in a table.

use super::document::{Block, Document, Table};

pub(super) fn page(document: &Document) -> String {
    let mut out = format!("# {}\n", document.title);
    for block in &document.blocks {
        out.push('\n');
        match block {
            Block::Heading(level, text) => out += &format!("{} {text}\n", "#".repeat(usize::from(*level))),
            Block::Paragraph(text) => out += &format!("{text}\n"),
            Block::Warning(text) => out += &format!("> **Note.** {text}\n"),
            Block::List(items) => out.extend(items.iter().map(|item| format!("- {item}\n"))),
            Block::Table(table) => out += &table_of(table),
            Block::Figures(figures) => {
                out.extend(figures.iter().map(|f| format!("- Figure, in the HTML report: {}\n", f.caption)));
            }
            Block::Pictures(pictures) => {
                out += &format!("{} example pictures are in the HTML report.\n", pictures.len());
            }
            Block::Code(text) => out += &format!("```text\n{}\n```\n", text.trim_end()),
        }
    }
    out
}

fn table_of(table: &Table) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let left = |i: usize| i < table.headers || table.words.contains(&i);
    let rule: String = (0..table.columns.len()).map(|i| if left(i) { "---|" } else { "--:|" }).collect();
    let rows: String = table.rows.iter().map(|row| line(row)).collect();
    format!("*{}*\n\n{}|{rule}\n{rows}", table.caption, line(&table.columns))
}

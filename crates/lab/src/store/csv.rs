use crate::{Columns, Values};

/// The head of a table as CSV (RFC 4180).
pub(crate) fn head(Columns(columns): &Columns) -> String {
    let mut out = String::new();
    push_row(&mut out, columns.iter().map(|column| quoted(&column.name)));
    out
}

/// The rows of a table.
pub(crate) fn rows(table: &Columns) -> String {
    let mut out = String::new();
    for row in 0..table.rows() {
        let cells = table.0.iter().map(|column| match &column.values {
            Values::Numbers(numbers) => numbers[row].map_or_else(String::new, |n| n.to_string()),
            Values::Texts(texts) => texts[row].as_deref().map_or_else(String::new, quoted),
        });
        push_row(&mut out, cells);
    }
    out
}

fn push_row(out: &mut String, cells: impl Iterator<Item = String>) {
    for (place, cell) in cells.enumerate() {
        if place > 0 {
            out.push(',');
        }
        out.push_str(&cell);
    }
    out.push_str("\r\n");
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

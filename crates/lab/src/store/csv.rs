use crate::{Columns, Record, Values};

/// Records as CSV (RFC 4180), one row each, with a head.
pub(crate) fn csv(records: &[&Record]) -> String {
    let Columns(columns) = Columns::of(records);
    let mut out = String::new();
    let head = columns.iter().map(|column| quoted(&column.name));
    push_row(&mut out, head);
    for row in 0..records.len() {
        let cells = columns.iter().map(|column| match &column.values {
            Values::Numbers(numbers) => numbers[row].map_or_else(String::new, |n| n.to_string()),
            Values::Texts(texts) => texts[row].as_deref().map_or_else(String::new, quoted),
        });
        push_row(&mut out, cells);
    }
    out
}

fn push_row(out: &mut String, cells: impl Iterator<Item = String>) {
    let cells: Vec<String> = cells.collect();
    out.push_str(&cells.join(","));
    out.push_str("\r\n");
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

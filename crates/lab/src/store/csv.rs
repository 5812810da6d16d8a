use core::fmt::Write;

use crate::{Columns, Values};

/// The header line of a table as CSV (RFC 4180).
pub(crate) fn head(Columns(columns): &Columns) -> String {
    let mut out = String::new();
    for (place, column) in columns.iter().enumerate() {
        separate(&mut out, place);
        push_text(&mut out, &column.name);
    }
    out + "\r\n"
}

/// The rows of a table as CSV.
pub(crate) fn rows(table: &Columns) -> String {
    let mut out = String::new();
    for row in 0..table.rows() {
        for (place, column) in table.0.iter().enumerate() {
            separate(&mut out, place);
            match &column.values {
                Values::Numbers(numbers) => {
                    numbers[row].inspect(|number| push_number(&mut out, *number));
                }
                Values::Texts(texts) => {
                    let text = texts[row].as_deref();
                    text.inspect(|text| push_text(&mut out, text));
                }
            }
        }
        out.push_str("\r\n");
    }
    out
}

fn separate(out: &mut String, place: usize) {
    if place > 0 {
        out.push(',');
    }
}

/// Up to this value, every integer has an exact `f64`.
const WHOLE: f64 = 9e15;

fn push_number(out: &mut String, number: f64) {
    let is_whole = number.fract() == 0.0 && number.abs() < WHOLE;
    // Most numbers are counts, which format faster as integers. The double -0 keeps its sign.
    let written = match is_whole && (number != 0.0 || number.is_sign_positive()) {
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and small")]
        true => write!(out, "{}", number as i64),
        false => write!(out, "{number}"),
    };
    debug_assert!(written.is_ok(), "a string takes all that is written");
}

fn push_text(out: &mut String, text: &str) {
    if text.contains([',', '"', '\n', '\r']) {
        out.push('"');
        out.push_str(&text.replace('"', "\"\""));
        out.push('"');
    } else {
        out.push_str(text);
    }
}

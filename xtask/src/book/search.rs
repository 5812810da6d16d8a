//! The index that the book is searched by: the text below each heading.

use pulldown_cmark::{Event, Tag};

use super::file_of;
use super::summary::Summary;
use crate::pages::{Pages, headings, parser};

/// A line of JavaScript with an array of `[title, address, text]`.
pub(super) fn index(summary: &Summary, pages: &Pages) -> String {
    let mut rows = Vec::new();
    for entry in &summary.entries {
        let Some(text) = pages.get(&entry.page) else {
            continue;
        };
        let file = file_of(&entry.page);
        for (heading, words) in headings(text).iter().zip(sections(text)) {
            let title = if heading.level == 1 {
                entry.title.clone()
            } else {
                format!("{}: {}", entry.title, heading.text)
            };
            let address = format!("{file}#{}", heading.anchor);
            rows.push(format!(
                "[{},{},{}]",
                quoted(&title),
                quoted(&address),
                quoted(&words)
            ));
        }
    }
    format!("const INDEX = [{}];\n", rows.join(",\n"))
}

/// The words below each heading.
fn sections(text: &str) -> Vec<String> {
    let mut sections: Vec<String> = Vec::new();
    for event in parser(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => sections.push(String::new()),
            Event::Text(part) | Event::Code(part) => {
                if let Some(words) = sections.last_mut() {
                    *words = std::mem::take(words) + &part + " ";
                }
            }
            _ => {}
        }
    }
    sections
}

/// Text as a string of JavaScript.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\n' | '\r' => quoted.push(' '),
            letter => quoted.push(letter),
        }
    }
    quoted + "\""
}

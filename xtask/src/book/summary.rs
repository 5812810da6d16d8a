//! The list of chapters, in the format of mdBook's `SUMMARY.md`.

use pulldown_cmark::{Event, Tag, TagEnd};

use crate::pages::{parser, resolve};

/// A chapter in the list.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Heading that the chapter stands under, if it is the first one there.
    pub(super) part: Option<String>,
    pub(super) title: String,
    /// Path of the page from the root of the repository.
    pub(super) page: String,
}

/// The chapters of the book, in their order.
pub(super) struct Summary {
    pub(super) entries: Vec<Entry>,
}

impl Summary {
    /// Reads the list; its first heading, the name of the list itself, is passed over.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut entries = Vec::new();
        let mut part = None;
        let mut words = String::new();
        let mut page = String::new();
        for event in parser(text) {
            match event {
                Event::Start(Tag::Heading { .. }) => words.clear(),
                Event::End(TagEnd::Heading(_)) => {
                    part = (!entries.is_empty()).then(|| words.clone());
                }
                Event::Start(Tag::Link { dest_url, .. }) => {
                    words.clear();
                    let resolved = resolve(super::SUMMARY, &dest_url);
                    page = resolved.ok_or(format!("{dest_url} leads nowhere"))?;
                }
                Event::End(TagEnd::Link) => entries.push(Entry {
                    part: part.take(),
                    title: words.clone(),
                    page: page.clone(),
                }),
                Event::Text(part) | Event::Code(part) => words.push_str(&part),
                _ => {}
            }
        }
        Ok(Self { entries })
    }

    /// Whether a page is a chapter.
    pub(super) fn has(&self, page: &str) -> bool {
        self.entries.iter().any(|entry| entry.page == page)
    }
}

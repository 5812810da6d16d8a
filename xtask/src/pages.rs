//! The pages of this repository: Markdown files, with their links and headings.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::extensions::anchor;

/// The text of each page, by its path from the root, with `/` between its parts.
pub(crate) type Pages = BTreeMap<String, String>;

/// Reads all pages: those at the root, in `docs` and `interop`, and each crate's own.
pub(crate) fn read(root: &Path) -> io::Result<Pages> {
    let mut pages = Pages::new();
    for folder in ["", "interop/", "crates/", "docs/"] {
        add(&mut pages, root, folder)?;
    }
    Ok(pages)
}

/// Adds the pages of a folder, whose name ends with `/`; below `docs` and `crates` those of all
/// folders in it.
fn add(pages: &mut Pages, root: &Path, folder: &str) -> io::Result<()> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let name = format!("{folder}{}", entry.file_name().to_string_lossy());
        let is_folder = entry.file_type()?.is_dir();
        if is_folder && (name.starts_with("docs/") || folder == "crates/") {
            add(pages, root, &format!("{name}/"))?;
        } else if !is_folder && name.ends_with(".md") {
            pages.insert(name, fs::read_to_string(entry.path())?);
        }
    }
    Ok(())
}

/// The parser of all pages: what browsers of repositories read.
pub(crate) fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH)
}

/// Targets of the links and images of a page.
pub(crate) fn targets(text: &str) -> impl Iterator<Item = String> {
    parser(text).filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some(dest_url.to_string())
        }
        _ => None,
    })
}

/// Targets of the links and images of a page that lead to files or headings of this repository.
pub(crate) fn links(text: &str) -> Vec<String> {
    targets(text).filter(|target| is_local(target)).collect()
}

/// Whether a link leads to a file or a heading of this repository.
pub(crate) fn is_local(target: &str) -> bool {
    !target.contains("://") && !target.starts_with("mailto:")
}

/// A heading of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heading {
    /// Level, from 1.
    pub(crate) level: u8,
    /// Words, without marks.
    pub(crate) text: String,
    /// Anchor: of equal ones, the second has `-1` behind.
    pub(crate) anchor: String,
}

/// The headings of a page.
pub(crate) fn headings(text: &str) -> Vec<Heading> {
    let mut headings: Vec<Heading> = Vec::new();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut words: Option<String> = None;
    for event in parser(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => words = Some(String::new()),
            Event::Text(part) | Event::Code(part) => {
                if let Some(words) = &mut words {
                    words.push_str(&part);
                }
            }
            Event::End(TagEnd::Heading(level)) => {
                let text = words.take().unwrap_or_default();
                let mut anchor = anchor(&text);
                let times = seen.entry(anchor.clone()).or_default();
                if *times > 0 {
                    anchor = format!("{anchor}-{times}");
                }
                *times += 1;
                headings.push(Heading {
                    level: level as u8,
                    text,
                    anchor,
                });
            }
            _ => {}
        }
    }
    headings
}

/// The path that a link in `page` leads to, from the root: without its anchor; the page itself for
/// an anchor alone. `None` if it leads out of the repository.
pub(crate) fn resolve(page: &str, target: &str) -> Option<String> {
    let path = target.split('#').next().unwrap_or_default();
    if path.is_empty() {
        return Some(page.to_owned());
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests;

//! The pages as a book: a folder of HTML that opens without a server.
//!
//! `docs/SUMMARY.md` lists the chapters, in the format of mdBook. mdBook itself is not used: built
//! as a library it takes two minutes of two cores, and the pages at the root lie outside its
//! folder.

mod chapter;
mod search;
mod summary;

use std::error::Error;
use std::fs;
use std::path::Path;

use crate::pages::{self, Pages};
use chapter::Chapter;
use summary::Summary;

/// The file that lists the chapters.
const SUMMARY: &str = "docs/SUMMARY.md";
const STYLE: &str = include_str!("book/style.css");
const SCRIPT: &str = include_str!("book/search.js");

/// Builds the book into a folder, which is emptied first.
/// Errors: a page cannot be read, a chapter is missing, or the folder cannot be written.
pub(crate) fn build(root: &Path, folder: &Path) -> Result<(), Box<dyn Error>> {
    let pages = pages::read(root)?;
    let summary = Summary::parse(pages.get(SUMMARY).ok_or("no docs/SUMMARY.md")?)?;
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    write(folder, "style.css", STYLE)?;
    write(
        folder,
        "search.js",
        &(search::index(&summary, &pages) + SCRIPT),
    )?;
    for (number, entry) in summary.entries.iter().enumerate() {
        let text = pages.get(&entry.page).ok_or(format!("no {}", entry.page))?;
        let chapter = Chapter {
            number,
            text,
            summary: &summary,
        };
        write(folder, &file_of(&entry.page), chapter.html())?;
        copy_files(root, folder, &pages, &entry.page, text)?;
    }
    Ok(())
}

/// Copies the files that a page links to and that are no pages themselves.
fn copy_files(
    root: &Path,
    folder: &Path,
    pages: &Pages,
    page: &str,
    text: &str,
) -> Result<(), Box<dyn Error>> {
    for link in pages::links(text) {
        let path = pages::resolve(page, &link).ok_or(format!("{page}: {link}"))?;
        if !pages.contains_key(&path) {
            let bytes = fs::read(root.join(&path)).map_err(|_| format!("{page}: {link}"))?;
            write(folder, &path, bytes)?;
        }
    }
    Ok(())
}

fn write(folder: &Path, path: &str, content: impl AsRef<[u8]>) -> std::io::Result<()> {
    let path = folder.join(path);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(path, content)
}

/// The file of the book that holds a page.
fn file_of(page: &str) -> String {
    match page {
        "README.md" => "index.html".to_owned(),
        page => page.trim_end_matches(".md").to_owned() + ".html",
    }
}

/// Text in HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests;

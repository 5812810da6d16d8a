//! Links and paths in the pages: each leads somewhere.

use std::io;
use std::path::Path;

use crate::pages::{self, Pages};

/// The repository's address of its files: pages that a registry shows use it.
const HERE: &str = "https://github.com/sheave-sctp/sheave/blob/main/";

/// The links that lead nowhere, each with its page.
pub(crate) fn broken(root: &Path) -> io::Result<Vec<String>> {
    let pages = pages::read(root)?;
    let mut broken = Vec::new();
    for (page, text) in &pages {
        for link in
            pages::targets(text).filter(|link| pages::is_local(link) || link.starts_with(HERE))
        {
            if let Err(reason) = check(root, &pages, page, &link) {
                broken.push(format!("{page}: {link}: {reason}"));
            }
        }
    }
    Ok(broken)
}

fn check(root: &Path, pages: &Pages, page: &str, link: &str) -> Result<(), &'static str> {
    let (page, link) = match link.strip_prefix(HERE) {
        Some(path) => ("README.md", path),
        None => (page, link),
    };
    let path = pages::resolve(page, link).ok_or("leads out of the repository")?;
    let Some(text) = pages.get(&path) else {
        // The book has a copy of each file that is linked to, and no page for a folder.
        let is_file = root.join(&path).is_file();
        return is_file.then_some(()).ok_or("there is no such file");
    };
    match link.split_once('#') {
        Some((_, anchor)) => {
            let found = pages::headings(text)
                .iter()
                .any(|heading| heading.anchor == anchor);
            found.then_some(()).ok_or("there is no such heading")
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;

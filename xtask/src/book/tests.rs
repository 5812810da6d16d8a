use std::collections::BTreeSet;
use std::fs;

use super::chapter::Chapter;
use super::summary::{Entry, Summary};
use super::{SUMMARY, build, file_of};
use crate::pages;

const LIST: &str = "# Book\n\n[Start](../README.md)\n\n# Guide\n\n- [One](guide/one.md)\n";

fn entry(part: Option<&str>, title: &str, page: &str) -> Entry {
    Entry {
        part: part.map(String::from),
        title: title.to_owned(),
        page: page.to_owned(),
    }
}

#[test]
fn the_list_of_chapters_is_read_with_its_parts() {
    let summary = Summary::parse(LIST).unwrap();
    assert_eq!(
        summary.entries,
        [
            entry(None, "Start", "README.md"),
            entry(Some("Guide"), "One", "docs/guide/one.md")
        ]
    );
}

#[test]
fn a_link_to_a_page_leads_to_its_chapter() {
    let summary = Summary::parse(LIST).unwrap();
    let text = "# One\n\n[a](../../README.md#try-it) [b](../../LICENSE-MIT)";
    let html = Chapter {
        number: 1,
        text,
        summary: &summary,
    }
    .html();
    assert!(html.contains("href=\"../../index.html#try-it\""), "{html}");
    assert!(html.contains("href=\"../../LICENSE-MIT\""), "{html}");
    assert!(html.contains("<h1 id=\"one\">"), "{html}");
}

#[test]
fn every_page_is_a_chapter() {
    let pages = pages::read(crate::root()).unwrap();
    let summary = Summary::parse(&pages[SUMMARY]).unwrap();
    for page in pages.keys() {
        let is_listed = page == SUMMARY || page.starts_with("crates/") || summary.has(page);
        assert!(is_listed, "docs/SUMMARY.md does not list {page}");
    }
    let distinct: BTreeSet<_> = summary.entries.iter().map(|entry| &entry.page).collect();
    assert_eq!(distinct.len(), summary.entries.len());
}

#[test]
fn the_book_is_built_with_a_file_for_every_chapter() {
    let folder = std::env::temp_dir().join(format!("sheave-book-{}", std::process::id()));
    build(crate::root(), &folder).unwrap();
    let pages = pages::read(crate::root()).unwrap();
    for entry in Summary::parse(&pages[SUMMARY]).unwrap().entries {
        let html = fs::read_to_string(folder.join(file_of(&entry.page))).unwrap();
        assert!(html.contains("</main>"), "{}", entry.page);
    }
    fs::remove_dir_all(folder).unwrap();
}

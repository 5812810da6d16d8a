use super::{headings, links, resolve};

#[test]
fn a_link_is_resolved_from_the_folder_of_its_page() {
    let to = |target| resolve("docs/guide/install.md", target);
    assert_eq!(to("tuning.md#rto"), Some("docs/guide/tuning.md".to_owned()));
    assert_eq!(to("../../README.md"), Some("README.md".to_owned()));
    assert_eq!(to("#here"), Some("docs/guide/install.md".to_owned()));
    assert_eq!(to("../../../elsewhere"), None);
}

#[test]
fn links_to_other_sites_do_not_count() {
    let text = "[a](b.md), [c](https://example.org/d.md), `[no](link)`\n\n![e](f.svg)";
    assert_eq!(links(text), ["b.md", "f.svg"]);
}

#[test]
fn equal_headings_have_anchors_of_their_own() {
    let found = headings("# `sheave bench`\n\n## Ours\n\n## Ours\n");
    let anchors: Vec<_> = found.iter().map(|heading| &heading.anchor).collect();
    assert_eq!(anchors, ["sheave-bench", "ours", "ours-1"]);
    assert_eq!(found[0].text, "sheave bench");
}

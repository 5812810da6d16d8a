use super::{Deviation, all, comments, page};
use crate::sources::Sources;

#[test]
fn a_comment_of_several_lines_is_one_deviation() {
    let text = "fn f() {\n    // DEVIATION RFC 9260 §6.1 D: bursts\n    // are paced.\n    g();\n}";
    let comments = comments(text);
    assert_eq!(comments, ["DEVIATION RFC 9260 §6.1 D: bursts are paced."]);
    let deviation = Deviation::parse(&comments[0], "crates/engine/src/path.rs").unwrap();
    assert_eq!(
        deviation.row(),
        "| 9260 | §6.1 D | Bursts are paced. | [path.rs](../crates/engine/src/path.rs) |\n"
    );
}

#[test]
fn sections_stand_in_the_order_of_the_rfc() {
    let text = "// DEVIATION RFC 9260 §6.10: b\n\n// DEVIATION RFC 9260 §6.2: a\nfn f() {}";
    let sources = Sources::from([("crates/a/src/b.rs".to_owned(), text.to_owned())]);
    let sections: Vec<_> = all(&sources).unwrap();
    assert_eq!(sections[0].section, "§6.2");
    assert_eq!(sections[1].section, "§6.10");
}

#[test]
fn a_deviation_without_a_section_is_refused() {
    let text = "// DEVIATION RFC 9260: because";
    let sources = Sources::from([("crates/a/src/b.rs".to_owned(), text.to_owned())]);
    assert!(all(&sources).unwrap_err().contains("crates/a/src/b.rs"));
}

#[test]
fn the_committed_index_of_deviations_is_current() {
    let page = page(crate::root()).unwrap();
    assert!(page.text.lines().count() > 15, "{}", page.text);
    page.assert_committed("cargo xtask deviations");
}

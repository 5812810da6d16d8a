//! `docs/handover.md`: the format of handovers, from the comments of the module that reads it.

use std::path::Path;

use crate::generated::{Page, Result};

const SOURCE: &str = "crates/engine/src/handover.rs";

const HEAD: &str = "\
# The handover format

The bytes in which an association moves from one process to another:
[Replace a running server](howto/handover.md) tells how. This page is the documentation of the module in
`crates/engine/src/handover.rs`, copied by `cargo xtask handover`; a test keeps it current.

";

/// The page as it should be.
pub(crate) fn page(root: &Path) -> Result {
    let source = std::fs::read_to_string(root.join(SOURCE))?;
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let lines = lines.map(|line| as_page(line.strip_prefix(' ').unwrap_or(line)));
    Ok(Page {
        path: "docs/handover.md",
        text: HEAD.to_owned() + &lines.collect::<String>(),
    })
}

/// A line of documentation as one of the page: headings one level down, links to items as code.
fn as_page(line: &str) -> String {
    let mut text = if line.starts_with('#') {
        format!("#{line}")
    } else {
        line.to_owned()
    };
    while let Some((before, rest)) = text.split_once("[`") {
        let Some((name, rest)) = rest.split_once("`]") else {
            break;
        };
        let after = match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            Some((_, after)) => after,
            None => rest,
        };
        text = format!("{before}`{name}`{after}");
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::{as_page, page};

    #[test]
    fn links_to_items_are_code() {
        let line = "[`A::b`](crate::A::b) and [`C`] lie in [a page](x.md)";
        assert_eq!(as_page(line), "`A::b` and `C` lie in [a page](x.md)\n");
        assert_eq!(as_page("# Format"), "## Format\n");
    }

    #[test]
    fn the_committed_page_of_handovers_is_current() {
        page(crate::root())
            .unwrap()
            .assert_committed("cargo xtask handover");
    }
}

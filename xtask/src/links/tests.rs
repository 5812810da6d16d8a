use super::{broken, check};
use crate::pages::{self, Pages};

fn checked(link: &str) -> Result<(), &'static str> {
    let pages = Pages::from([
        ("docs/a.md".to_owned(), "# A\n".to_owned()),
        ("docs/b.md".to_owned(), "# B\n\n## More of b\n".to_owned()),
    ]);
    check(crate::root(), &pages, "docs/a.md", link)
}

#[test]
fn a_link_to_a_heading_of_another_page_is_followed() {
    assert_eq!(checked("b.md#more-of-b"), Ok(()));
    assert_eq!(checked("b.md#less"), Err("there is no such heading"));
}

#[test]
fn a_link_to_a_file_must_find_it() {
    assert_eq!(checked("../Cargo.toml"), Ok(()));
    assert_eq!(checked("../nothing"), Err("there is no such file"));
    assert_eq!(checked("../crates"), Err("there is no such file"));
}

#[test]
fn a_link_by_the_repository_s_address_must_find_its_file() {
    let address = |path| format!("{}{path}", super::HERE);
    assert_eq!(checked(&address("docs/b.md#more-of-b")), Ok(()));
    assert_eq!(checked(&address("docs/c.md")), Err("there is no such file"));
}

#[test]
fn every_link_of_every_page_leads_somewhere() {
    let broken = broken(crate::root()).unwrap();
    assert!(broken.is_empty(), "{broken:#?}");
}

/// Paths that a page names in code: the part before a wildcard or a placeholder must exist.
#[test]
fn every_path_that_a_page_names_exists() {
    let root = crate::root();
    for (page, text) in pages::read(root).unwrap() {
        if page == "CHANGELOG.md" {
            continue;
        }
        for code in text.split('`').skip(1).step_by(2) {
            let begins = [
                "crates/",
                "docs/",
                "interop/",
                "scenarios/",
                "fuzz/",
                "xtask/",
            ];
            if !begins.iter().any(|begin| code.starts_with(begin)) || code.contains(' ') {
                continue;
            }
            let end = code.find(['*', '<', '{', ':']).unwrap_or(code.len());
            let path = &code[..end];
            let path = if end < code.len() {
                path.rsplit_once('/').map_or(path, |(folder, _)| folder)
            } else {
                path
            };
            assert!(root.join(path).exists(), "{page} names {code}");
        }
    }
}

#[test]
fn every_test_that_the_page_on_the_kernels_faults_names_exists() {
    let root = crate::root();
    let page = std::fs::read_to_string(root.join("docs/howto/instead-of-the-kernel.md")).unwrap();
    let sources = crate::sources::read(root).unwrap();
    let there = crate::sources::tests(&sources);
    let codes = page.split('`').skip(1).step_by(2);
    let named: Vec<_> = codes.filter(|code| code.matches('_').count() > 3).collect();
    assert!(named.len() > 8, "{named:?}");
    for test in named {
        assert!(there.contains_key(test), "no test {test}");
    }
}

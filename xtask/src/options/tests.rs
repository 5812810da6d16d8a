use super::*;

#[test]
fn the_committed_page_is_current() {
    let page = page(crate::root()).unwrap();
    page.assert_committed("cargo xtask options");
}

#[test]
fn the_default_profile_stands_in_the_first_column() {
    assert_eq!(Profile::ALL[0], Profile::default());
}

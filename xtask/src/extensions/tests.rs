use std::collections::BTreeMap;

use super::{Extension, all, anchor, page, stacks};

fn extension() -> Extension {
    Extension {
        name: "Zero checksum".to_owned(),
        source: "RFC 9653".to_owned(),
        default: "off".to_owned(),
        tests: ["it_works", "the_kernel_has_it"].map(str::to_owned).into(),
        peers: Vec::new(),
    }
}

#[test]
fn a_row_names_the_peers_of_the_tests() {
    let places = BTreeMap::from([
        ("it_works", vec!["crates/engine/tests/a.rs"]),
        ("the_kernel_has_it", vec!["interop/peers/tests/kernel/b.rs"]),
    ]);
    assert_eq!(
        extension().row(&places).unwrap(),
        "| [Zero checksum](#zero-checksum) | RFC 9653 | off | Linux |\n"
    );
}

#[test]
fn a_test_that_is_not_there_is_refused() {
    let error = extension().row(&BTreeMap::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Zero checksum: there is no test it_works"
    );
}

#[test]
fn a_test_of_ours_alone_has_no_peer() {
    assert!(stacks("crates/engine/tests/scenarios/pion.rs").is_empty());
    assert_eq!(stacks("interop/peers/tests/usrsctp_chunks.rs"), ["usrsctp"]);
    assert_eq!(
        stacks("interop/peers/tests/streams.rs"),
        ["pion/sctp", "usrsctp"]
    );
}

#[test]
fn anchors_are_those_of_the_browsers() {
    assert_eq!(
        anchor("Interleaving (I-DATA), of `a`"),
        "interleaving-i-data-of-a"
    );
}

#[test]
fn every_extension_has_a_test() {
    for extension in all(crate::root()).unwrap() {
        assert!(!extension.tests.is_empty(), "{}", extension.name);
    }
}

#[test]
fn the_committed_page_of_extensions_is_current() {
    page(crate::root())
        .unwrap()
        .assert_committed("cargo xtask extensions");
}

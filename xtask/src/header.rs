//! `sheave.h`, the header of the C library, from the sources of `crates/capi`.

use std::path::Path;

use cbindgen::{Builder, Config, DocumentationStyle, Language, Style};

use crate::generated::{Page, Result};

/// Sources in the order of the header.
const SOURCES: &str = "status endpoint listener association send receive message \
    event streams stats authentication tuning";

/// Names of types in Rust and in C.
const NAMES: [(&str, &str); 16] = [
    ("Status", "sheave_status"),
    ("Endpoint", "sheave_endpoint"),
    ("Listener", "sheave_listener"),
    ("Association", "sheave_association"),
    ("Message", "sheave_message"),
    ("Event", "sheave_event"),
    ("EventKind", "sheave_event_kind"),
    ("PathEvent", "sheave_path_event"),
    ("CloseReason", "sheave_close_reason"),
    ("PathCondition", "sheave_path_condition"),
    ("SendInfo", "sheave_send_info"),
    ("ReceiveInfo", "sheave_receive_info"),
    ("Origin", "sheave_origin"),
    ("AuthenticationEvent", "sheave_authentication_event"),
    ("Path", "sheave_path"),
    ("AssociationStats", "sheave_association_stats"),
];

/// The comment at its head.
const HEAD: &str = include_str!("header/head.h");

/// The header as it should be.
pub(crate) fn page(root: &Path) -> Result {
    let mut config = Config {
        language: Language::C,
        style: Style::Tag,
        cpp_compat: true,
        include_guard: Some("SHEAVE_H".into()),
        header: Some(HEAD.trim_end().into()),
        no_includes: true,
        sys_includes: ["stddef.h", "stdint.h"].map(String::from).into(),
        documentation_style: DocumentationStyle::Doxy,
        line_length: 100,
        ..Config::default()
    };
    let rename = |(rust, c): (&str, &str)| (rust.to_owned(), c.to_owned());
    config.export.rename = NAMES.into_iter().map(rename).collect();
    config.enumeration.rename_variants = cbindgen::RenameRule::QualifiedScreamingSnakeCase;
    config.usize_is_size_t = true;
    let source = |name| root.join(format!("crates/capi/src/{name}.rs"));
    let builder = SOURCES
        .split(' ')
        .fold(Builder::new().with_config(config), |builder, name| {
            builder.with_src(source(name))
        });
    let mut text = Vec::new();
    builder.generate()?.write(&mut text);
    Ok(Page {
        path: "crates/capi/include/sheave.h",
        text: String::from_utf8(text)?,
    })
}

#[test]
fn the_header_is_current() {
    let page = page(crate::root()).unwrap();
    page.assert_committed("cargo xtask header");
}

#[test]
fn every_function_and_type_is_documented() {
    let header = page(crate::root()).unwrap().text;
    let lines: Vec<&str> = header.lines().collect();
    let is_item = |line: &str| {
        let begins = [
            "typedef ",
            "enum sheave",
            "struct sheave",
            "#define SHEAVE_",
        ];
        let is_function = line.contains("sheave_") && line.contains('(') && !line.starts_with(' ');
        let is_guard = line == "#define SHEAVE_H";
        (begins.iter().any(|begin| line.starts_with(begin)) || is_function) && !is_guard
    };
    let bare = lines.windows(2).filter(|pair| {
        is_item(pair[1]) && !pair[1].starts_with("typedef enum") && !pair[0].ends_with("*/")
    });
    let bare: Vec<&str> = bare.map(|pair| pair[1]).collect();
    assert!(bare.is_empty(), "{bare:#?}");
}

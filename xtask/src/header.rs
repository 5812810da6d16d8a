//! `sheave.h`, the header of the C library, from the sources of `crates/capi`.

use std::path::Path;

use cbindgen::{Builder, Config, DocumentationStyle, Language, Style};

use crate::generated::{Page, Result};

/// Sources in the order of the header.
const SOURCES: [&str; 12] = [
    "status",
    "endpoint",
    "listener",
    "association",
    "send",
    "receive",
    "message",
    "event",
    "streams",
    "stats",
    "authentication",
    "tuning",
];

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

const HEAD: &str = "\
/* libsheave: SCTP in user space (RFC 9260), over UDP and over plain IP.
 *
 * Written by `cargo xtask header` from the sources in crates/capi; change those instead.
 *
 * Handles. An endpoint has listeners and associations. Each handle is made by one call and freed by
 * the function with its name and _free, which does nothing with NULL. The order does not matter.
 *
 * Outcomes. Most functions return a status, SHEAVE_STATUS_OK being 0; sheave_strerror() describes it,
 * and sheave_last_error() says more about the last failure of the calling thread. A call that fails
 * leaves the places for its results as they are, unless it says otherwise.
 *
 * Time. A timeout is a number of milliseconds, as for poll(2): a negative one waits for as long as
 * it takes, 0 does not wait. Nothing calls back: an event loop waits for the file descriptor of each
 * handle, which is readable while something waits there. It is not for reading, but for poll(2),
 * select(2) and their like.
 *
 * Threads. Any thread may use any handle at any time, and several may use one at once; only freeing
 * is for a thread that knows that nobody else uses the handle. Messages and events that were
 * received are plain memory, for any number of readers. A child of fork() finds all handles closed.
 *
 * Pointers. A pointer to a handle is NULL or came from this library and was not freed. A text ends
 * in a zero and is UTF-8. A pointer to a place for a result leads to memory for it, which nobody
 * else uses during the call. Where an argument is NULL that must not be, the call returns
 * SHEAVE_STATUS_INVALID_ARGUMENT, or NULL, 0 or -1.
 */";

/// The header as it should be.
///
/// # Errors
/// A source cannot be read.
pub(crate) fn page(root: &Path) -> Result {
    let mut config = Config {
        language: Language::C,
        style: Style::Tag,
        cpp_compat: true,
        include_guard: Some("SHEAVE_H".into()),
        header: Some(HEAD.into()),
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
        .into_iter()
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

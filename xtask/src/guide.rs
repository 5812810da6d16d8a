//! The guide's examples are compiled, and its figures are those of the table of options.

use std::fs;

use sheave_engine::{Options, Profile};

use crate::{pages, root};

/// The files whose documentation tests compile the pages.
const DOCTESTS: [&str; 2] = ["crates/net/src/lib.rs", "crates/datachannel/src/lib.rs"];

#[test]
fn every_rust_example_of_a_page_is_compiled() {
    let compiled = DOCTESTS.map(|file| fs::read_to_string(root().join(file)).unwrap());
    for (name, text) in pages::read(root()).unwrap() {
        let page = name.strip_prefix("crates/net/").unwrap_or(&name);
        let include = format!("/{page}\")]");
        let is_compiled = compiled.iter().any(|file| file.contains(&include));
        let has_rust = text.lines().any(|line| line.starts_with("```rust"));
        assert!(
            !has_rust || is_compiled,
            "{name} is missing in {DOCTESTS:?}"
        );
    }
}

/// The value of an option in a profile, as text.
fn value(profile: Profile, option: &str) -> String {
    profile.options().get(option).unwrap()
}

/// The page, each run of white space one space.
fn tuning() -> String {
    let text = fs::read_to_string(root().join("docs/guide/tuning.md")).unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A small number as a word, as the page has it.
fn word(number: u32) -> &'static str {
    ["no", "one", "two", "three", "four", "five", "six", "seven"][number as usize]
}

#[test]
fn the_figures_on_tuning_are_those_of_the_table() {
    use Profile::{Datacenter, Modern, Telecom};
    let [modern, telecom] = [Modern, Telecom].map(Profile::options);
    let left = telecom.potentially_failed_max_retrans.unwrap() + 1;
    let figures = [
        format!("RTO.Min {}, quick failover", value(Modern, "rto_min")),
        format!("dead after {}", value(Modern, "dead_peer_timeout")),
        format!(
            "`dead_peer_timeout`: {} in `modern`",
            value(Modern, "dead_peer_timeout")
        ),
        format!("heartbeat (every {},", value(Modern, "heartbeats")),
        format!(
            "RTO from {} to {}",
            telecom.rto_min.as_millis(),
            value(Telecom, "rto_max")
        ),
        format!("heartbeats every {},", value(Telecom, "heartbeats")),
        format!("`datacenter` every {})", value(Datacenter, "heartbeats")),
        format!(
            "left after {} timeout, down after {}",
            word(left),
            word(telecom.path_max_retrans + 1)
        ),
        format!("RTO.Min {}, a SACK", value(Datacenter, "rto_min")),
        format!("buffers of {}", value(Datacenter, "send_buffer")),
        format!("with {} and", value(Modern, "receive_buffer")),
    ];
    let page = tuning();
    for figure in figures {
        assert!(
            page.contains(&figure),
            "docs/guide/tuning.md lacks: {figure}"
        );
    }
    assert_eq!(
        Datacenter.options().sack_frequency,
        7,
        "every seventh packet"
    );
    assert_eq!(Datacenter.options().max_burst, None, "no burst limit");
    assert_eq!(modern.congestion, Options::default().congestion);
}

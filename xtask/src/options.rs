//! The reference of protocol options, from the engine's table.

use std::fmt::Write;
use std::path::Path;

use sheave_engine::{EndpointOptions, OptionDeclaration, OptionGroup, Options, Profile};

use crate::generated::{Page, Result};

const INTRODUCTION: &str = "\
# Protocol options

<!-- Written by `cargo xtask options`; change crates/engine/src/options/table.rs instead. -->

The options of an association, with one name each everywhere: the field of `Options` in Rust, the
key under `sctp` in a scenario, the flag of the tool (`rto_min` is `--rto-min`), and the name in a
list, `\"profile=telecom,rto_min=150 ms\".parse::<Options>()`.

Times need a unit (ns, us, ms, s, min, h, d); sizes may have one (KiB or K, MiB or M, GiB or G are
powers of 1024, kB, MB and GB of 1000). A flag whose values are `off` and one other may stand
alone: `--ecn` is `--ecn=on`; another value follows an equals sign.

What an option needs of others is checked when all are set. The profile gives the values of those
that are not.
";

const LIMITS: &str = "
Fields of `EndpointOptions` in Rust, keys under `endpoint` of an SCTP flow in a scenario, flags of the tool,
and `\"max_memory=1 GiB\".parse::<EndpointOptions>()`. Profiles do not change them.
";

/// The page as it should be.
pub(crate) fn page(_root: &Path) -> Result {
    let mut text = INTRODUCTION.to_owned();
    profiles(&mut text);
    for group in OptionGroup::ALL {
        let _ = write!(text, "\n## {}\n", group.heading());
        if group == OptionGroup::Endpoint {
            text.push_str(LIMITS);
            EndpointOptions::declarations().for_each(|limit| limit_entry(&mut text, limit));
        }
        let all = Options::declarations().filter(|option| option.group() == group);
        all.for_each(|option| entry(&mut text, option));
    }
    Ok(Page {
        path: "docs/options.md",
        text,
    })
}

/// The profiles, and the options in which they differ.
fn profiles(text: &mut String) {
    text.push_str("\n## Profiles\n\n| profile | |\n| --- | --- |\n");
    for profile in Profile::ALL {
        let default = match profile == Profile::default() {
            true => " (the default)",
            false => "",
        };
        let _ = writeln!(
            text,
            "| `{}`{default} | {} |",
            profile.name(),
            profile.text()
        );
    }
    let names = Profile::ALL.map(|profile| format!(" `{}` |", profile.name()));
    let rule = Profile::ALL.map(|_| " --- |");
    let _ = write!(
        text,
        "\n| option |{}\n| --- |{}\n",
        names.concat(),
        rule.concat()
    );
    for option in Options::declarations() {
        let values = values(option);
        if values.iter().any(|value| *value != values[0]) {
            let cells = values.map(|value| format!(" {value} |"));
            let _ = writeln!(text, "| `{}` |{}", option.name(), cells.concat());
        }
    }
}

fn values(option: &OptionDeclaration) -> [String; Profile::ALL.len()] {
    Profile::ALL.map(|profile| option.value(&profile.options()))
}

fn entry(text: &mut String, option: &OptionDeclaration) {
    let name = option.name();
    let _ = write!(text, "\n### `{name}`\n\n{}\n\n", option.text());
    let _ = writeln!(text, "- Values: {}", option.range());
    for condition in option.conditions() {
        let _ = writeln!(text, "- Condition: {condition}");
    }
    let values = values(option);
    let (default, rest) = (&values[0], &values[1..]);
    match rest.iter().all(|value| value == default) {
        true => writeln!(text, "- Default: {default}, in every profile"),
        false => writeln!(text, "- Default: {default}"),
    }
    .unwrap_or_default();
    let _ = writeln!(text, "- Defined in: {}", option.rfc());
}

fn limit_entry(text: &mut String, limit: &OptionDeclaration<EndpointOptions>) {
    let _ = write!(text, "\n### `{}`\n\n{}\n\n", limit.name(), limit.text());
    let _ = writeln!(text, "- Values: {}", limit.range());
    let default = limit.value(&EndpointOptions::default());
    let _ = writeln!(text, "- Default: {default}");
    let _ = writeln!(text, "- Defined in: {}", limit.rfc());
}

#[cfg(test)]
mod tests;

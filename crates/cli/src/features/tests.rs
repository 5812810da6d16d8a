use std::collections::BTreeSet;

use clap::{CommandFactory, Parser};

use super::*;
use crate::args::Cli;

/// The visible commands, and the flags of each.
fn words() -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for command in Cli::command().get_subcommands() {
        words.insert(command.get_name().to_owned());
        let flags = command.get_arguments().filter_map(clap::Arg::get_long);
        words.extend(flags.map(|flag| format!("--{flag}")));
    }
    words
}

/// Whether one of the features that bring the word is on.
fn is_brought(word: &str) -> bool {
    let mut features = FEATURES.iter();
    features.any(|one| one.is_on && one.words().any(|known| known == word))
}

#[test]
fn commands_and_flags_equal_the_features_of_this_build() {
    let words = words();
    for word in FEATURES.iter().flat_map(Feature::words) {
        assert_eq!(words.contains(word), is_brought(word), "{word}");
    }
}

#[test]
fn a_word_that_is_not_compiled_in_names_its_feature() {
    for feature in &FEATURES {
        for word in feature.words() {
            let line: &[&str] = match word.starts_with("--") {
                true => &["sheave", "send", word],
                false => &["sheave", word],
            };
            let Err(error) = Cli::try_parse_from(line) else {
                continue;
            };
            let failure = missing_for(&error).map(|failure| failure.what);
            assert_eq!(failure.is_some(), !is_brought(word), "{word}: {failure:?}");
        }
    }
}

#[test]
fn a_word_of_no_feature_stays_an_error_of_the_command_line() {
    let error = Cli::try_parse_from(["sheave", "--nonsense"]).unwrap_err();
    assert_eq!(missing_for(&error), None);
}

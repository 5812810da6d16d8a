use clap::CommandFactory;

use super::*;

#[test]
fn the_command_line_is_consistent() {
    Cli::command().debug_assert();
}

#[test]
fn every_command_teaches_with_an_example() {
    // A hidden one is not for people: the tool itself starts it.
    let shown = |command: &&clap::Command| !command.is_hide_set();
    for command in Cli::command().get_subcommands().filter(shown) {
        let help = command
            .get_after_help()
            .map(ToString::to_string)
            .unwrap_or_default();
        assert!(help.contains("Example"), "{}", command.get_name());
    }
}

#[test]
fn json_may_stand_anywhere() {
    for words in [
        ["sheave", "--json", "dump", "file"],
        ["sheave", "dump", "-J", "file"],
        ["sheave", "dump", "file", "--json"],
    ] {
        assert_eq!(Cli::try_parse_from(words).unwrap().output(), Output::Json);
    }
}

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

#[test]
fn a_wrong_option_shows_the_usage_of_its_command() {
    for (words, usage) in [
        ("sheave perf -s --dscp x", "Usage: sheave perf "),
        ("sheave ping host --rto-min 0", "Usage: sheave ping "),
    ] {
        let error = Cli::from_words(words.split(' ')).unwrap_err().to_string();
        assert!(error.contains(usage), "{error}");
    }
}

macro_rules! pages {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!("../../../../", $name)))),*]
    };
}

/// The pages that show commands.
const PAGES: [(&str, &str); 11] = pages![
    "README.md"
    "docs/guide/first-transfer.md"
    "docs/guide/install.md"
    "docs/guide/multi-homing.md"
    "docs/guide/tuning.md"
    "docs/howto/doctor.md"
    "docs/howto/experiments.md"
    "docs/howto/handover.md"
    "docs/howto/messages.md"
    "docs/howto/packages.md"
    "docs/howto/signalling.md"
];

/// The words of a command of the tool, as a shell splits them; `None` for other commands.
fn words_of(line: &str) -> Option<Vec<String>> {
    let line = line.split(" #").next().unwrap_or_default().trim();
    let tool = line
        .find("sheave ")
        .filter(|at| *at == 0 || line.starts_with("sudo "))?;
    let line = line[tool..].split([';', '|', '&', '>']).next()?;
    let parts = line.split(['\'', '"']).enumerate();
    let words = parts.flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    Some(words.collect())
}

#[test]
fn every_command_on_a_page_is_one_that_the_tool_takes() {
    let mut count = 0;
    for (page, text) in PAGES {
        let mut is_shell = false;
        for line in text.replace("\\\n", " ").lines() {
            match line.strip_prefix("```") {
                Some(language) => is_shell = language == "sh",
                None if is_shell => {
                    let Some(words) = words_of(line) else {
                        continue;
                    };
                    count += 1;
                    // `--version` is an error to the parser.
                    if let Err(error) = Cli::try_parse_from(&words) {
                        let is_left_out = crate::features::missing_for(&error).is_some();
                        assert!(
                            is_left_out || !error.use_stderr(),
                            "{page}: {line}: {error}"
                        );
                    }
                }
                None => {}
            }
        }
    }
    assert!(count > 15, "{count} commands");
}

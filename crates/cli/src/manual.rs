//! `sheave man`: generates man pages from the command-line definitions.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap::{Arg, Args, Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::args::Cli;
use crate::failure::{Exit, Failure, While};

/// The section of user commands.
const SECTION: &str = "1";

/// Writes a man page for each command.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  sheave man ~/.local/share/man/man1   then: man sheave, man sheave-run
  man -l sheave-doctor.1               a page that is not installed")]
pub struct ManArgs {
    /// Directory for the pages, created if missing
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

/// Writes the pages and prints their paths.
pub fn run(args: &ManArgs) -> Result<Exit, Failure> {
    let directory = &args.directory;
    let doing = || format!("cannot write man pages to {}", directory.display());
    fs::create_dir_all(directory).while_doing(doing())?;
    let mut root = Cli::command().disable_help_subcommand(true);
    root.build();
    let mut out = std::io::stdout().lock();
    for command in shown(&root) {
        let path = directory.join(format!("{}.{SECTION}", name(command)));
        let page = page(command).while_doing(doing())?;
        fs::write(&path, page).while_doing(doing())?;
        // The reader may have closed the pipe.
        let _ = writeln!(out, "{}", path.display());
    }
    Ok(Exit::Success)
}

/// A command and its visible subcommands.
fn shown(command: &Command) -> Vec<&Command> {
    let below = command.get_subcommands().filter(|sub| !sub.is_hide_set());
    std::iter::once(command)
        .chain(below.flat_map(shown))
        .collect()
}

/// The name of a page: `sheave-lab-run`.
fn name(command: &Command) -> &str {
    command
        .get_display_name()
        .unwrap_or_else(|| command.get_name())
}

/// The man page of a command, as roff.
fn page(command: &Command) -> std::io::Result<Vec<u8>> {
    let version = env!("CARGO_PKG_VERSION");
    let man = Man::new(command.clone().mut_args(with_help))
        .section(SECTION)
        .source(format!("sheave {version}"))
        .manual("Sheave");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    if command.get_arguments().any(|arg| !arg.is_hide_set()) {
        man.render_options_section(&mut page)?;
    }
    if command.get_subcommands().any(|sub| !sub.is_hide_set()) {
        man.render_subcommands_section(&mut page)?;
    }
    let help = command
        .get_after_help()
        .map(ToString::to_string)
        .unwrap_or_default();
    rest(&help, name(command)).to_writer(&mut page)?;
    Ok(page)
}

/// Adds the help text that clap_mangen omits for arguments hidden in `-h`.
fn with_help(arg: Arg) -> Arg {
    match (arg.get_long_help(), arg.get_help().cloned()) {
        (None, Some(help)) => arg.long_help(help),
        _ => arg,
    }
}

/// The sections after the options: the command's closing help text and references.
fn rest(help: &str, name: &str) -> Roff {
    let (mut status, mut notes, mut examples) = (Roff::new(), Roff::new(), Roff::new());
    for paragraph in help.split("\n\n").map(str::trim_end) {
        let words = |prefix: &str| paragraph.trim_start().strip_prefix(prefix);
        if let Some(codes) = words("Exit codes:") {
            heading(&mut status, "EXIT STATUS");
            status.text([roman(codes.trim())]);
        } else if let Some(lines) = words("Examples:").or_else(|| words("Example:")) {
            heading(&mut examples, "EXAMPLES");
            verbatim(&mut examples, lines);
        } else if !paragraph.trim().is_empty() {
            if notes == Roff::new() {
                heading(&mut notes, "NOTES");
            } else {
                notes.control("PP", []);
            }
            prose(&mut notes, paragraph);
        }
    }
    let mut others = Roff::new();
    if let Some((above, _)) = name.rsplit_once('-') {
        heading(&mut others, "SEE ALSO");
        others.text([bold(above), roman(format!("({SECTION})"))]);
    }
    [status, notes, examples, others].into_iter().collect()
}

fn heading(roff: &mut Roff, text: &str) {
    roff.control("SH", [text]);
}

/// Formats a paragraph; indented lines, such as tables or commands, stay unchanged.
fn prose(roff: &mut Roff, paragraph: &str) {
    let (filled, table): (Vec<&str>, Vec<&str>) =
        paragraph.lines().partition(|line| !line.starts_with(' '));
    if !filled.is_empty() {
        roff.text([roman(filled.join(" "))]);
    }
    if !table.is_empty() {
        verbatim(roff, &table.join("\n"));
    }
}

/// Formats lines unchanged, without their common indentation.
fn verbatim(roff: &mut Roff, lines: &str) {
    roff.control("RS", ["2"]);
    roff.control("nf", []);
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        let line = line.strip_prefix("  ").unwrap_or(line.trim_start());
        roff.text([roman(line)]);
    }
    roff.control("fi", []);
    roff.control("RE", []);
}

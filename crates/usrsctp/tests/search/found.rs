//! Scripts that once went wrong, with what usrsctp's library prints for them: they need no other library.

use std::fs;
use std::path::Path;

use sheave_interop::skip;

use crate::installed::Library;
use crate::program::Program;
use crate::script::Script;

#[test]
fn what_was_found_stays_mended() {
    let Ok(program) = Program::compile().map_err(skip) else {
        return;
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/search/found");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        // Lines with a space in front are what is printed.
        let (calls, _): (Vec<&str>, Vec<&str>) = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .partition(|line| !line.starts_with(' '));
        let outcome = program.outcome(Library::Ours, &Script::new(&calls.join("\n")));
        let mut printed = String::new();
        for step in outcome.steps.iter().take(calls.len()) {
            let call = step.call.split_once(' ').map_or("", |(_, call)| call);
            printed.push_str(call);
            printed.push('\n');
            for line in &step.lines {
                printed.push_str(&format!(" {line}\n"));
            }
        }
        let expected: String = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| format!("{line}\n"))
            .collect();
        assert_eq!(printed, expected, "{}", path.display());
        assert!(outcome.fault().is_none(), "{}", path.display());
    }
}

//! Runs a program with SCTP sockets over UDP port 9899 of this machine:
//! `cargo run -p sheave-run --example run -- python3 echo.py`; with `--preload` before the program, a
//! library is preloaded into it.

use std::process::ExitCode;
use std::time::Duration;

use sheave::{Config, Options};
use sheave_run::{DoorKind, Ending, Numbers, Settings, Verbosity, run};

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let mut program = words.next();
    let mut door = DoorKind::Automatic;
    if program.as_ref().is_some_and(|word| word == "--preload") {
        door = DoorKind::Preload;
        program = words.next();
    }
    let Some(program) = program else {
        eprintln!("usage: run [--preload] PROGRAM [ARGUMENT]...");
        return ExitCode::from(2);
    };
    let finished = run(Settings {
        program,
        args: words.collect(),
        config: Config::default(),
        options: Options::default(),
        encapsulation: Some(9899),
        door,
        numbers: Numbers::Automatic,
        meeting: None,
        verbosity: Verbosity::Calls,
        tap: None,
        linger: Duration::from_secs(5),
    });
    match finished {
        Ok(finished) => {
            if let Some(report) = finished.report {
                eprintln!("{report}");
            }
            match finished.ending {
                Ending::Code(code) => ExitCode::from(u8::try_from(code).unwrap_or(1)),
                Ending::Signal(_) => ExitCode::FAILURE,
            }
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(error.exit_code())
        }
    }
}

//! Runs a program with SCTP sockets over UDP port 9899 of this machine:
//! `cargo run -p sheave-run --example run -- python3 echo.py`.

use std::process::ExitCode;
use std::time::Duration;

use sheave::{Config, Options};
use sheave_run::{Ending, Numbers, Settings, Verbosity, run};

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let Some(program) = words.next() else {
        eprintln!("usage: run PROGRAM [ARGUMENT]...");
        return ExitCode::from(2);
    };
    let finished = run(Settings {
        program,
        args: words.collect(),
        config: Config::default(),
        options: Options::default(),
        encapsulation: Some(9899),
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

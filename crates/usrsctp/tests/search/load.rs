//! Pairs of sockets that talk over links which lose, double and reorder packets: every message comes once,
//! whole and in order, callbacks may call the library, and all of it ends.

use std::path::Path;

use sheave_interop::skip;

use crate::installed::{self, Library};
use crate::{program, seeds};

const SOURCES: [&str; 4] = ["main.c", "talker.c", "link.c", "chance.c"];

fn run(program: &Path, seed: u64, mode: &str) {
    let mut command = installed::on(Library::Ours, program);
    let command = command.env("MEDDLE", "1").arg(seed.to_string()).arg(mode);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let well = output.status.success() && said == "well\n";
    assert!(well, "seed {seed} {mode}: {}\n{said}", output.status);
}

#[test]
fn messages_come_once_and_in_order_whatever_the_links_do() {
    let Ok(program) = program::compile("usrsctp-load", "tests/search/load", &SOURCES).map_err(skip)
    else {
        return;
    };
    for seed in seeds(30) {
        run(&program, seed, "passed-time");
        // Real time is dear.
        if seed % 10 == 0 {
            run(&program, seed, "threads");
        }
    }
}

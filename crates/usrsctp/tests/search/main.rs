//! Random scripts of calls of `usrsctp.h`, carried out by one program on usrsctp's own library and on this
//! one: what they print is compared. `SHEAVE_USRSCTP_SEEDS` says how many scripts, `SHEAVE_USRSCTP_FROM` the
//! first.

#[expect(dead_code, reason = "shared with the tests of unmodified programs")]
#[path = "../unmodified/installed.rs"]
mod installed;

mod environment;
mod found;
mod known;
mod load;
mod matrix;
mod outcome;
mod program;
mod script;

use std::env;
use std::ops::Range;
use std::thread;

use sheave_interop::skip;

use program::Program;
use script::Script;

/// Scripts that a plain run of the tests carries out.
const SAMPLE: u64 = 200;
/// Findings that each half of a search shows.
const MOST: usize = 8;

#[test]
fn scripts_do_on_this_library_what_they_do_on_usrsctps() {
    let Ok(program) = Program::compile()
        .and_then(Program::beside_usrsctp)
        .map_err(skip)
    else {
        return;
    };
    let seeds = seeds(SAMPLE);
    let halves = [0, 1].map(|half| seeds.clone().filter(move |seed| seed % 2 == half));
    let program = &program;
    thread::scope(|scope| {
        let searches = halves.map(|seeds| scope.spawn(move || search(program, seeds)));
        let found = searches.map(|search| search.join().unwrap()).concat();
        assert!(found.is_empty(), "{}", found.join("\n"));
    });
}

/// The seeds that are asked for, or so many.
fn seeds(sample: u64) -> Range<u64> {
    let number = |name| env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let from = number("SHEAVE_USRSCTP_FROM").unwrap_or(0);
    from..from + number("SHEAVE_USRSCTP_SEEDS").unwrap_or(sample)
}

/// What is found, shrunk: the first of it, which the rest may be, too.
fn search(program: &Program, seeds: impl Iterator<Item = u64>) -> Vec<String> {
    let differs = |script: &Script| program.compare(script).is_some();
    let scripts = seeds.map(|seed| (seed, Script::draw(program, seed)));
    let found = scripts.filter(|(_, script)| differs(script)).take(MOST);
    let shrunk = found.map(|(seed, script)| {
        let script = script.shrink(differs);
        let found = program.compare(&script);
        format!("seed {seed}:\n{script}{found:?}\n")
    });
    shrunk.collect()
}

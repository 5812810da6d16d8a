//! A search for calls that are answered otherwise when a program makes them in another way: through the
//! other door, or by another call that has to do the same.
//!
//! `SHEAVE_WAYS_SEEDS` says how many seeds, `SHEAVE_WAYS_FROM` the first.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use super::machines::{self, Answers, Asked, Pace, Script};
use super::{number, script};
use crate::has;

/// A door, and the ways of `interop/kernel/calls.c`.
type Way = (&'static str, &'static str);

/// The way that the others are compared with.
const USUAL: Way = ("listener", "");
const OTHERS: [Way; 7] = [
    ("preload", ""),
    ("listener", "m"),
    ("listener", "v"),
    ("listener", "d"),
    ("listener", "p"),
    ("listener", "s"),
    ("preload", "mvd"),
];

/// Whether the answer is an error that `recvmmsg` tells of before the messages that wait, as in Linux, and
/// other calls behind them.
fn tells_error_first(ways: &str, answer: &str) -> bool {
    let errors = [
        "ECONNREFUSED",
        "ECONNRESET",
        "ECONNABORTED",
        "ETIMEDOUT",
        "EHOSTUNREACH",
    ];
    let code = answer.rsplit(' ').next().unwrap_or_default();
    ways.contains('m') && answer.starts_with("hear ") && errors.contains(&code)
}

/// The first answer that differs, behind the usual one.
fn difference<'a>(
    usual: &'a Answers,
    found: &'a Answers,
    (_, ways): Way,
) -> Option<(&'a String, &'a String)> {
    let mut both = usual.iter().zip(found);
    let first = both.find(|(usual, found)| usual != found);
    // From there on the sockets are in other states.
    first.filter(|(_, found)| !tells_error_first(ways, found))
}

/// The scripts that one way answers otherwise, whatever time the calls get.
fn search(folder: &Path, seeds: std::ops::Range<u64>) -> String {
    let program = machines::build(folder);
    let all = seeds.map(|seed| (seed, script::draw(seed))).collect();
    let mut left: Vec<(u64, Script)> = machines::runnable(&program, all);
    let mut differing = String::new();
    for pace in [Pace::Quick, Pace::Slow] {
        if left.is_empty() {
            break;
        }
        let scripts: Vec<Script> = left.iter().map(|(_, script)| script.clone()).collect();
        let answers = |way: Way| {
            let (door, ways) = way;
            Asked::new(&program, &scripts, pace, &["--door", door], ways).wait()
        };
        let usual = answers(USUAL);
        let mut differs = BTreeSet::new();
        differing.clear();
        for way in OTHERS {
            let found = answers(way);
            for ((seed, _), (usual, found)) in left.iter().zip(usual.iter().zip(&found)) {
                if let Some((usual, found)) = difference(usual, found, way) {
                    differs.insert(*seed);
                    let _ = writeln!(differing, "seed {seed}: {usual}\n  {way:?}: {found}");
                }
            }
        }
        // A busy machine may have been late: what differs is tried again.
        left.retain(|(seed, _)| differs.contains(seed));
    }
    differing
}

#[test]
fn calls_at_random_are_answered_alike_in_all_ways() {
    needs!("cc");
    let folder = tempfile::tempdir().unwrap();
    let from = number("SHEAVE_WAYS_FROM").unwrap_or(0);
    let upto = from + number("SHEAVE_WAYS_SEEDS").unwrap_or(12);
    let differing = search(folder.path(), from..upto);
    assert!(differing.is_empty(), "\n{differing}");
}

//! A search for calls that are answered otherwise when a program makes them in another way: through the
//! other door, or by another call that has to do the same.
//!
//! `SHEAVE_WAYS_SEEDS` says how many seeds, `SHEAVE_WAYS_FROM` the first.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::machines::{self, Answers, Asked, Pace, Script};
use super::{number, script};
use crate::has;

/// Doors, and the ways of `interop/kernel/calls.c`: the first one is what the others are compared with.
const WAYS: [(&str, &str); 8] = [
    ("listener", ""),
    ("preload", ""),
    ("listener", "m"),
    ("listener", "v"),
    ("listener", "d"),
    ("listener", "p"),
    ("listener", "s"),
    ("preload", "mvd"),
];

/// The answers to each script, made in one way.
fn answers(program: &Path, scripts: &[Script], way: (&str, &str), pace: Pace) -> Vec<Answers> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scripts");
    fs::write(&file, machines::list(scripts)).unwrap();
    let (door, ways) = way;
    let found = machines::split(&Asked::new(program, &file, pace, &["--door", door], ways).wait());
    assert_eq!(found.len(), scripts.len(), "{way:?}");
    found
}

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

/// The scripts that one way answers otherwise, whatever time the calls get.
fn search(program: &Path, seeds: std::ops::Range<u64>) -> String {
    let mut left: Vec<(u64, Script)> = seeds.map(|seed| (seed, script::draw(seed))).collect();
    let mut differing = String::new();
    for pace in [Pace::Quick, Pace::Slow] {
        let scripts: Vec<Script> = left.iter().map(|(_, script)| script.clone()).collect();
        if scripts.is_empty() {
            break;
        }
        let usual = answers(program, &scripts, WAYS[0], pace);
        let mut differs = vec![false; scripts.len()];
        differing.clear();
        for way in &WAYS[1..] {
            let found = answers(program, &scripts, *way, pace);
            for (at, (usual, found)) in usual.iter().zip(&found).enumerate() {
                let unequal = usual
                    .iter()
                    .zip(found)
                    .find(|(usual, found)| usual != found);
                // From there on the sockets are in other states.
                let unequal = unequal.filter(|(_, found)| !tells_error_first(way.1, found));
                if let Some((usual, found)) = unequal {
                    differs[at] = true;
                    let seed = left[at].0;
                    let _ = writeln!(differing, "seed {seed}: {usual}\n  {way:?}: {found}");
                }
            }
        }
        // A busy machine may have been late: what differs is tried again.
        let mut differs = differs.into_iter();
        left.retain(|_| differs.next() == Some(true));
    }
    differing
}

#[test]
fn calls_at_random_are_answered_alike_in_all_ways() {
    if !has(&["cc"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = machines::build(folder.path());
    let from = number("SHEAVE_WAYS_FROM").unwrap_or(0);
    let upto = from + number("SHEAVE_WAYS_SEEDS").unwrap_or(12);
    let differing = search(&program, from..upto);
    assert!(differing.is_empty(), "\n{differing}");
}

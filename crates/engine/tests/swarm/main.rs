//! Random networks and users over the whole feature set: a sample of the search, and plans that
//! once failed.
#![allow(missing_docs, reason = "a test")]

mod harness;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use harness::{Outcome, Plan, Search, attempt, shrink};

/// Seeds tried in every test run.
const SAMPLE: u64 = 2000;

fn describe(plan: &Plan, seed: u64) -> String {
    match attempt(plan) {
        Outcome::Passed(_) => format!("seed {seed} fails only now and then"),
        Outcome::Failed(fault) => {
            let smallest = shrink(plan, fault.oracle);
            let left = attempt(&smallest);
            format!("seed {seed}: {left:?}\n{smallest}")
        }
    }
}

#[test]
fn no_oracle_objects_to_a_sample_of_the_search() {
    let search = Search {
        first: 0,
        count: SAMPLE,
        without: Vec::new(),
    };
    let found = search.run(&AtomicBool::new(false), |_| {});
    println!("{} packets in {:?}", found.packets, found.took);
    if let Some((seed, _)) = found.failures.first() {
        let seeds: Vec<u64> = found.failures.iter().map(|(seed, _)| *seed).collect();
        panic!("{seeds:?}; {}", describe(&search.plan(*seed), *seed));
    }
    assert!(
        found.complete * 5 > SAMPLE * 2,
        "{} delivered everything",
        found.complete
    );
}

#[test]
fn plans_that_once_failed_pass() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/swarm/found");
    for file in fs::read_dir(folder).expect("the folder is there") {
        let path = file.expect("it can be read").path();
        if path.extension().is_none_or(|end| end != "plan") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("it can be read");
        let plan = Plan::parse(&text).expect("a plan");
        if let Outcome::Failed(fault) = attempt(&plan) {
            panic!("{}: {fault}", path.display());
        }
    }
}

#[test]
fn a_plan_is_read_as_it_was_written() {
    for seed in 0..50 {
        let plan = Search::default().plan(seed);
        assert_eq!(Plan::parse(&plan.to_string()), Ok(plan));
    }
}

/// The fingerprints of the first plans as they were when the engine's behaviour last changed.
const STORED: &str = include_str!("fingerprints.txt");

fn fingerprints() -> String {
    let mut lines = String::new();
    for seed in 0..40 {
        let Outcome::Passed(figures) = attempt(&Search::default().plan(seed)) else {
            panic!("seed {seed} fails");
        };
        writeln!(lines, "{seed} {:016x}", figures.fingerprint).unwrap();
    }
    lines
}

#[test]
fn the_same_seed_gives_the_same_run() {
    assert_eq!(fingerprints(), fingerprints());
}

/// Detects changes to network behaviour; `SHEAVE_BLESS=1` stores the new fingerprints, in a commit
/// that explains them.
#[test]
fn the_runs_are_those_that_were_stored() {
    let now = fingerprints();
    if std::env::var_os("SHEAVE_BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/swarm/fingerprints.txt");
        fs::write(path, &now).unwrap();
        return;
    }
    assert_eq!(now, STORED, "behaviour changed: see SHEAVE_BLESS");
}

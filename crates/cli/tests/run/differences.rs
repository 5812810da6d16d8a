//! A search for calls that Linux's own SCTP answers otherwise than ours.
//!
//! Scripts of calls drawn from seeds are run twice, in a guest kernel and under `sheave run`, by the
//! same program (`interop/kernel/calls.c`, which says what the words mean). The first answers that
//! differ are a finding unless [`known`] has them; it is shrunk to as few calls as show it.
//!
//! `SHEAVE_CALLS_SEEDS` says how many seeds, `SHEAVE_CALLS_FROM` the first.

mod far;
mod known;
mod machines;
mod script;
mod seen;
mod shrink;
mod values;
mod ways;

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write as _;

use known::Known;
use machines::{Answers, Machines, Pace, Script};
use seen::Past;

/// Scripts that are run at a time.
const BATCH: usize = 40;
/// Findings that are shrunk.
const MOST: usize = 40;

/// Calls with two answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) call: String,
    pub(crate) linux: String,
    pub(crate) ours: String,
}

impl Difference {
    /// The first one that nobody knows.
    pub(crate) fn find((linux, ours): &(Answers, Answers)) -> Option<Self> {
        // A receiving call takes its message from the queue in Linux even if it fails, and not in ours.
        let loses = |line: &String| {
            let receives = seen::made(line).starts_with("fault ")
                && (line.contains(" re") || line.contains(" accept"));
            let several = line.contains(" recvmmsg-") && line.ends_with("= 1");
            receives && (several || line.ends_with("EFAULT"))
        };
        let same = linux
            .iter()
            .zip(ours)
            .position(|(linux, ours)| loses(linux) && loses(ours));
        let mut lines = linux.iter().zip(ours).take(same.unwrap_or(linux.len()));
        let mut past = Past::default();
        let found = lines.find_map(|(linux, ours)| {
            if linux == ours {
                past.note(linux);
                return None;
            }
            let (call, linux) = linux.split_once(" =").unwrap_or((linux, ""));
            let ours = ours.split_once(" =").map_or(&**ours, |(_, answer)| answer);
            let found = Self {
                call: call.to_owned(),
                linux: linux.trim().to_owned(),
                ours: ours.trim().to_owned(),
            };
            match known::known(&found, &past) {
                Some(Known::Harmless) => None,
                Some(Known::Diverges) => Some(None),
                None => Some(Some(found)),
            }
        });
        match found {
            Some(found) => found,
            None if linux.len() == ours.len() || same.is_some() => None,
            None => Some(Self {
                call: "the whole script".to_owned(),
                linux: linux.last().cloned().unwrap_or_default(),
                ours: ours.last().cloned().unwrap_or_default(),
            }),
        }
    }

    /// What it is about, by which findings of one kind are told apart from others.
    pub(crate) fn kind(&self) -> String {
        let words: Vec<&str> = self.call.split(' ').collect();
        let about = match words[..] {
            [verb @ ("set" | "ask"), _, level, name, ..] => format!("{verb} {level} {name}"),
            [verb, ..] => verb.to_owned(),
            [] => String::new(),
        };
        let first = |answer: &str| answer.split(' ').next().unwrap_or("").to_owned();
        format!("{about}: {} / {}", first(&self.linux), first(&self.ours))
    }
}

/// Runs the scripts of some seeds. Returns one finding of each kind.
fn search(
    machines: &mut Machines,
    seeds: std::ops::Range<u64>,
) -> BTreeMap<String, (u64, Script, usize)> {
    let mut found: BTreeMap<String, (u64, Script, usize)> = BTreeMap::new();
    let all: Vec<u64> = seeds.collect();
    for batch in all.chunks(BATCH) {
        let mut left: Vec<(u64, Script)> = batch.iter().map(|s| (*s, script::draw(*s))).collect();
        let mut differences = Vec::new();
        // A busy machine may have been late.
        for pace in [Pace::Quick, Pace::Slow, Pace::Slow] {
            let scripts: Vec<Script> = left.iter().map(|(_, script)| script.clone()).collect();
            let both = machines.answers(&scripts, pace);
            let differ: Vec<_> = both.iter().map(Difference::find).collect();
            let mut differs = differ.iter().map(Option::is_some);
            left.retain(|_| differs.next() == Some(true));
            differences = differ
                .into_iter()
                .zip(both)
                .filter_map(|(one, both)| Some((one?, both.0)))
                .collect();
            if left.is_empty() {
                break;
            }
        }
        for ((seed, script), (difference, linux)) in left.into_iter().zip(differences) {
            eprintln!("seed {seed}: {difference:#?} in\n{}", linux.join("\n"));
            let entry = found.entry(difference.kind());
            entry.or_insert((seed, script, 0)).2 += 1;
        }
    }
    found
}

/// Text about findings, each with the fewest calls that show it.
fn describe(machines: &mut Machines, found: BTreeMap<String, (u64, Script, usize)>) -> String {
    let mut text = String::new();
    for (kind, (seed, script, count)) in &found {
        let _ = writeln!(
            text,
            "seed {seed}, {count} of its kind: {kind}; {} calls",
            script.len()
        );
    }
    let mut all: Vec<_> = found.into_values().collect();
    all.sort_by_key(|(_, script, count)| (std::cmp::Reverse(*count), script.len()));
    for (seed, script, _) in all.into_iter().take(MOST) {
        let (script, difference) = shrink::shrink(machines, script);
        let _ = writeln!(text, "\nseed {seed}:");
        for line in script {
            let _ = writeln!(text, "    {line}");
        }
        let _ = writeln!(
            text,
            "  linux: {}\n  ours:  {}",
            difference.linux, difference.ours
        );
    }
    text
}

/// A number that the environment gives.
fn number(name: &str) -> Option<u64> {
    env::var(name).ok().map(|word| word.parse().unwrap())
}

#[test]
fn calls_at_random_are_answered_as_a_kernel_answers_them() {
    let from = number("SHEAVE_CALLS_FROM").unwrap_or(0);
    let upto = from + number("SHEAVE_CALLS_SEEDS").unwrap_or(40);
    let Some(mut machines) = Machines::start() else {
        return;
    };
    let found = search(&mut machines, from..upto);
    let text = describe(&mut machines, found);
    assert!(text.is_empty(), "\n{text}");
}

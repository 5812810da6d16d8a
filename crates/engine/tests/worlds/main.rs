//! Small worlds, visited exhaustively: the real engine at two ends, every order in which packets
//! arrive, every loss and duplicate up to a budget, every order of timers and of what users do.
//!
//! # The choices
//!
//! In each state any packet on its way may be delivered, lost or delivered twice (while the world's
//! budget of faults lasts), the first timer of either end may expire, and either user may go on with
//! its script. Each end has a clock of its own, which moves by its timers alone: a packet may so be
//! older than any timer of the other end, and clocks may drift as far as they like. Where timers
//! that are always too quick would go on for ever, a world says how many may expire while something
//! is on its way (`Haste`).
//!
//! # When two states are one
//!
//! An end's state is the text of its engine's `Debug`, instants counted from its clock, without
//! counters and measured round trips (`digest`); with it goes all that its user did and saw. A
//! world's state is both ends', the packets on their way by content, and what is left of the budget.
//! What is drawn at random follows from the seed and the number of draws, which is part of the state.
//! Hashes stand for states: 64 bits for an end, 128 for a world. A clash would hide states, with a
//! probability below 10^-7 in a world of 10^6 states of an end; it cannot make up a fault.
//!
//! # What is checked
//!
//! In each state: no panic, no restart without a crash, one association with the peer, nothing waits without a timer, messages
//! come exactly once and in order, nobody complains of the other, the association ends for a reason
//! that can be true. In states of rest, where nothing can happen any more: every message arrived or
//! came back, as it was told; an association of both has nothing under way and holds nothing; who still has an association can talk to the other or finds out. From
//! every state a state of rest can be reached.
//!
//! # How much that is
//!
//! With `SHEAVE_WORLDS=all` 82 worlds, all closed: 49,188,151 states, 238,471,479 steps, some two
//! minutes of processor time.
#![expect(
    clippy::cast_possible_truncation,
    reason = "the numbers of a test are small, or meant to be cut"
)]

mod digest;
mod end;
mod epilogue;
mod packet;
mod parts;
mod search;
mod user_log;
mod world;

use std::sync::Mutex;

use search::Found;
use world::World;

/// States of one world at most.
const MOST: usize = 30_000_000;

/// Worlds that are searched at a time.
const THREADS: usize = 2;

/// A few seconds' worth; all of them with `SHEAVE_WORLDS=all`, those with one of some words in
/// their name with those words, separated by commas.
#[test]
fn small_worlds_end_well() {
    let word = std::env::var("SHEAVE_WORLDS").unwrap_or_default();
    let mut worlds = if word.is_empty() {
        world::few()
    } else {
        world::all()
    };
    let wanted = |world: &World| word.split(',').any(|word| world.name.contains(word));
    worlds.retain(|world| word == "all" || wanted(world));
    let found = search_all(worlds);
    let states: usize = found.iter().map(|found| found.states).sum();
    let edges: usize = found.iter().map(|found| found.edges).sum();
    let bad = found.iter().filter(|found| !found.closed).count();
    println!("{} worlds, {states} states, {edges} steps", found.len());
    assert_eq!(bad, 0, "worlds with faults, or not closed");
}

fn search_all(mut worlds: Vec<World>) -> Vec<Found> {
    worlds.reverse();
    let waiting = Mutex::new(worlds);
    let done = Mutex::new(Vec::new());
    let next = || waiting.lock().ok()?.pop();
    let work = || {
        while let Some(world) = next() {
            let most = std::env::var("SHEAVE_WORLDS_MOST")
                .ok()
                .and_then(|n| n.parse().ok());
            let found = search::search(&world, most.unwrap_or(MOST));
            println!("{:36} {found}", world.name);
            done.lock().expect("no panic").push(found);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(work);
        }
    });
    done.into_inner().expect("no panic")
}

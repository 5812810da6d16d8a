//! Exhaustive search of small worlds: the real engine at both ends, with every packet order, every
//! loss and duplicate up to a budget, and every order of timers and user actions.
//!
//! # The choices
//!
//! In each state, any packet in flight may be delivered, lost or duplicated (within the fault
//! budget), the first timer of either end may expire, and either user may take the next action of
//! its script. Each end has its own clock, advanced only by its timers, so a packet may be older
//! than any timer of the other end, and clocks may drift without limit. Where timers that always
//! expire early would never end, a world limits the expiries while packets are in flight (`Haste`).
//!
//! # Equal states
//!
//! An end's state is its engine's `Debug` output, with instants relative to its clock and without
//! counters and measured round trips (`digest`), plus everything that its user did and saw. A
//! world's state is both ends' states, the packets in flight by content, and the remaining budgets.
//! Random draws follow from the seed and the number of draws, which is part of the state. States
//! are represented by hashes: 64 bits for an end, 128 for a world. A collision would hide states,
//! with a probability below 10^-7 in a world with 10^6 states of an end; it cannot produce a false
//! fault.
//!
//! # Checks
//!
//! In each state: no panic, no restart without a crash, one association with the peer, no wait
//! without a timer, messages exactly once and in order, no protocol error blamed on the peer,
//! plausible close reasons. In rest states, where nothing more can happen: every message arrived or
//! was returned, as reported; an association that both ends have is idle and holds no data; an end
//! that still has an association can reach the peer or learns that it cannot. From every state, a
//! rest state must be reachable.
//!
//! # Size
//!
//! With `SHEAVE_WORLDS=all`: 82 worlds, all searched completely: 49,188,151 states, 238,471,479
//! steps, about two minutes of CPU time.
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

/// Maximum states per world.
const MOST: usize = 30_000_000;

/// Worlds searched concurrently.
const THREADS: usize = 2;

/// Searches a few seconds' worth of worlds; with `SHEAVE_WORLDS=all`, all; with comma-separated
/// words, those with one of them in their name.
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

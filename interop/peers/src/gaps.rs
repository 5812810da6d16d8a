//! How long a transfer stands still while a link goes dead.

use std::time::Duration;

use sheave::Profile;

/// By how much a peer on a busy machine may be late.
pub const SLACK: Duration = Duration::from_millis(150);

/// The profiles, each with the longest gap that is good enough, ms.
pub const GOALS: [(Profile, u64); 3] = [
    (Profile::Modern, 600),
    (Profile::Telecom, 400),
    (Profile::Datacenter, 150),
];

/// The gap that counts: the first, or, where that is longer than `goal`, the middle one of three. A
/// neighbour that takes the processor away makes one late; what the rules make late is late each time.
/// The argument of `measure` numbers the attempts from 0 on.
pub fn settled(goal: Duration, mut measure: impl FnMut(u16) -> Duration) -> Duration {
    let first = measure(0);
    if first <= goal {
        return first;
    }
    let mut all = [first, measure(1), measure(2)];
    println!("late, and again: {all:?}");
    all.sort_unstable();
    all[1]
}

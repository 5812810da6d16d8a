//! Processes still running after the program has ended: the host keeps serving and tells the user.

use std::fs;
use std::time::Duration;

use sheave::poll_loop::Time;

use crate::process::name_of;

/// Delay before the user is told.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether the user was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    Nobody,
    Since(Time),
    Told,
}

impl Left {
    /// Tells the user once why the host still runs, if it `waits` for others; returns when to check
    /// again.
    pub(super) fn tell(&mut self, now: Time, waits: bool) -> Option<Time> {
        match *self {
            _ if !waits => None,
            Self::Nobody => {
                *self = Self::Since(now);
                Some(now + PATIENCE)
            }
            Self::Since(since) if now < since + PATIENCE => Some(since + PATIENCE),
            Self::Since(_) => {
                *self = Self::Told;
                let who = match orphans().as_slice() {
                    [] => "others have joined it".to_owned(),
                    orphans => format!("it has left {}", orphans.join(", ")),
                };
                eprintln!(
                    "sheave: the program has ended; its host stays, since {who} (Ctrl-C ends it)"
                );
                None
            }
            Self::Told => None,
        }
    }
}

/// Names and ids of the processes that this process has inherited.
fn orphans() -> Vec<String> {
    let own = std::process::id();
    let all = fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap_or_default();
    let named = all
        .split_whitespace()
        .map(|number| format!("{} ({number})", name_of(number)));
    named.collect()
}

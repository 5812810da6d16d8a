//! Processes that a program leaves running when it ends: the host waits for them, and says so.

use std::fs;
use std::time::Duration;

use sheave::poll_loop::Time;

use super::{Host, Main};

/// Time from which on a wait is one that the user asks about.
const PATIENCE: Duration = Duration::from_secs(2);

/// The user's knowledge of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    Nobody,
    Since(Time),
    Told,
}

impl Host {
    /// Tells the user once why the program has ended, and this has not; when to call again, if so.
    pub(super) fn tell_of_left(&mut self, now: Time) -> Option<Time> {
        let waits =
            matches!(self.main, Main::Ended(_)) && self.programs.iter().any(Option::is_some);
        match self.left {
            _ if !waits => None,
            Left::Nobody => {
                self.left = Left::Since(now);
                Some(now + PATIENCE)
            }
            Left::Since(since) if now < since + PATIENCE => Some(since + PATIENCE),
            Left::Since(_) => {
                self.left = Left::Told;
                let who = match orphans().as_slice() {
                    [] => "others have joined it".to_owned(),
                    orphans => format!("it has left {}", orphans.join(", ")),
                };
                eprintln!(
                    "sheave: the program has ended; its host stays, since {who} (Ctrl-C ends it)"
                );
                None
            }
            Left::Told => None,
        }
    }
}

/// The processes that this one has inherited, with their numbers.
fn orphans() -> Vec<String> {
    let own = std::process::id();
    let all = fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap_or_default();
    let named = all.split_whitespace().map(|number| {
        let name = fs::read_to_string(format!("/proc/{number}/comm")).unwrap_or_default();
        format!("{} ({number})", name.trim())
    });
    named.collect()
}

use core::time::Duration;

use serde_json::json;

use crate::live::{Parent, clock};

/// Times at which files were complete, relative to the start.
#[derive(Debug)]
pub(super) struct Receipts {
    began: Duration,
    times: Vec<Duration>,
}

impl Receipts {
    /// Starts at `began`, a time of the [`clock`].
    pub(super) const fn since(began: Duration) -> Self {
        Self {
            began,
            times: Vec::new(),
        }
    }

    /// Records that a file is complete.
    pub(super) fn on_file(&mut self) {
        self.times.push(clock().saturating_sub(self.began));
    }

    pub(super) fn count(&self) -> usize {
        self.times.len()
    }

    pub(super) fn tell(&self, parent: &Parent, connections: u32) -> Result<(), String> {
        let seconds = |time: Option<&Duration>| time.map(Duration::as_secs_f64);
        let sum: Duration = self.times.iter().sum();
        parent.tell(&json!({
            "delivered": self.count(),
            "connections": connections,
            "first_s": seconds(self.times.first()),
            "all_s": seconds(self.times.last()),
            "mean_s": sum.as_secs_f64() / self.count().max(1) as f64,
        }))
    }
}

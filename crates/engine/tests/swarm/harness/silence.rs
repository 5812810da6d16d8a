//! No wait without a timer: an end with data to send is never silent for longer than its timers may run.

use core::time::Duration;

use sheave_engine::{Phase, Protection, Time};

use super::fault::{Verdict, fault};
use super::host::Host;
use super::world::World;

/// Grace for delayed answers.
const GRACE: Duration = Duration::from_millis(600);

impl World<'_> {
    /// Checks that no end with data to send, or in the middle of a handshake or shutdown, has been silent
    /// for longer than RTO.Max, and again for data that yields to the peer's request.
    pub(crate) fn check_silence(&mut self) -> Verdict {
        let now = self.now;
        let mut late = None;
        for host in &mut self.hosts {
            let waits = host.waits();
            let busy = waits.is_some() && !host.driver.is_neglectful(now);
            // Where acknowledgements come in, the next expiry of T3-rtx moves on.
            let moves = waits < host.waited;
            host.waited = waits;
            let since = host.silent_since.get_or_insert(now);
            if !busy || moves {
                *since = now;
            }
            let silent = now.since(*since);
            let options = &host.options;
            let rto = options.rto_max.max(options.rto_initial);
            let longest = rto * 2 + options.sack_delay + GRACE;
            if silent > longest {
                late = Some((host.end, silent));
            }
        }
        let Some((end, silent)) = late else {
            return Ok(());
        };
        let detail = format!("{end:?} sends nothing for {silent:?}{}", self.state());
        Err(fault("silence", detail))
    }
}

impl Host {
    /// Bytes not acknowledged, if the host has data to send or is in the middle of a handshake or
    /// shutdown.
    fn waits(&mut self) -> Option<usize> {
        let stats = self.current.and_then(|id| self.engine.assoc(id))?.stats();
        // A shutdown waits for keys, which the peer may have to begin with.
        let lacks_keys = self.options.protection != Protection::Off && !self.manager.has_keys();
        let is_for_keys = stats.phase == Phase::ShutdownPending && lacks_keys;
        let in_between = stats.phase != Phase::Established && !is_for_keys;
        let waits = stats.send_buffered > 0 || in_between;
        waits.then_some(stats.send_buffered)
    }

    /// Records that the host sends a packet.
    pub(crate) fn on_sent(&mut self, now: Time) {
        self.silent_since = Some(now);
    }
}

//! State changes of failing paths (RFC 9260 §8.2, RFC 7829).

use crate::assoc::tcb::{Context, Tcb};
use crate::timers::Timer;
use crate::value::ids::PathIndex;
use crate::{Event, PathChange, PathState};

impl Tcb {
    /// Updates a path's state after its error count increased.
    pub(in crate::assoc) fn judge(&mut self, cx: &mut Context<'_>, index: PathIndex) {
        let Some(path) = self.paths.get(index) else {
            return;
        };
        let exceeds = |limit: Option<u32>| limit.is_some_and(|limit| path.errors > limit);
        let suspect = exceeds(path.potentially_failed_max_retrans(&self.options));
        let replace = exceeds(path.primary_switchover_max_retrans(&self.options));
        if exceeds(Some(path.max_retrans(&self.options))) {
            self.take_down(cx, index);
        } else if suspect && self.paths.len() > 1 {
            self.suspect(cx, index);
        }
        if replace && index == self.paths.primary() {
            self.replace_primary(cx);
        }
    }

    /// Marks a path as potentially failed: new data avoids it, and it is probed once per RTO until
    /// it answers or becomes inactive (RFC 7829 §3). This applies even with heartbeats off, since
    /// nothing else could restore the path.
    fn suspect(&mut self, cx: &mut Context<'_>, index: PathIndex) {
        let Some(path) = self.paths.get_mut(index) else {
            return;
        };
        if path.state != PathState::Active {
            return;
        }
        let unprobed = !path.is_probed();
        path.state = PathState::PotentiallyFailed;
        let event = Event::Path {
            remote: path.remote.ip,
            change: PathChange::PotentiallyFailed,
        };
        cx.events.push(self.id, event);
        self.paths.choose_current();
        self.outbound.redirect_marked(index, self.paths.current());
        // Expires together with the timers due now, after the path's RTO was backed off.
        if unprobed {
            self.timers.set(Timer::Heartbeat(index), cx.now);
        }
    }

    /// Makes another active path the primary one (RFC 7829 §4).
    fn replace_primary(&mut self, cx: &mut Context<'_>) {
        let Some(path) = self.paths.current_path().filter(|path| path.is_active()) else {
            return;
        };
        let event = Event::Path {
            remote: path.remote.ip,
            change: PathChange::Primary,
        };
        self.paths.set_primary(self.paths.current());
        cx.events.push(self.id, event);
    }
}

use alloc::boxed::Box;

use crate::Time;
use crate::value::ids::PathIndex;

/// The timers of an association (RFC 9260 §15). The delayed SACK's deadline is kept elsewhere, with
/// the rule that sets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timer {
    /// T1-init or T1-cookie: an INIT or a COOKIE ECHO is unanswered.
    Init,
    /// T2-shutdown: a SHUTDOWN or a SHUTDOWN ACK is unanswered.
    Shutdown,
    /// T5-shutdown-guard: the whole shutdown takes too long.
    ShutdownGuard,
    /// T3-rtx of a path: DATA is unacknowledged, or a closed window must be probed.
    Retransmission(PathIndex),
    /// Data sent on a path may have become old enough to count as lost (RFC 8985 §6.2).
    Reordering(PathIndex),
    /// The last packets on a path are unacknowledged (PTO, RFC 8985 §7.2).
    TailProbe(PathIndex),
    /// Data on a path is unacknowledged for two round trips, or the answer to a hedge is overdue.
    Hedge(PathIndex),
    /// Pacing allows new data on a path again.
    Pacing(PathIndex),
    /// A heartbeat of a path is due, or unanswered.
    Heartbeat(PathIndex),
    /// An MTU probe of a path is unanswered, or a new search is due (RFC 8899 §5.1.1).
    PathMtu(PathIndex),
    /// A stream request is unanswered (RFC 6525 §5.1.1).
    Reconfiguration,
    /// The peer was told to repeat a request, and new data is held back until it does.
    Yielding,
    /// T4-rto: an address change is unanswered (RFC 5061 §5.1).
    AddressChange,
    /// A FORWARD TSN is unanswered (RFC 3758 §3.5, C5).
    Skip,
    /// The final probes of all paths, before the association is given up, remain unanswered.
    LastCall,
    /// The peer is silent although an answer is due.
    Silence,
    /// A message's lifetime may have expired (RFC 3758 §4.1).
    Lifetime,
    /// The association may have become idle.
    Idle,
    /// The key manager asked to be called.
    KeyManagement,
}

/// The running timers of one association; searched linearly, since they are few.
#[derive(Clone, Debug)]
pub(crate) struct Timers {
    /// Slots; as many as timers ran at the same time since the last [`trim`](Self::trim).
    places: Box<[Place]>,
    /// Time at which the first timer expires, [`Time::MAX`] if none runs; cached because it is read
    /// far more often than changed.
    next: Time,
}

/// A slot for a timer; `None` if free.
type Place = Option<(Timer, Time)>;

impl Default for Timers {
    fn default() -> Self {
        Self {
            places: Box::default(),
            next: Time::MAX,
        }
    }
}

impl Timers {
    /// Starts or restarts a timer.
    pub(crate) fn set(&mut self, timer: Timer, at: Time) {
        let mut running = self.places.iter_mut().flatten();
        match running.find(|(running, _)| *running == timer) {
            Some((_, due)) => {
                let before = core::mem::replace(due, at);
                if at <= self.next {
                    self.next = at;
                } else if before == self.next {
                    self.look_for_next();
                }
            }
            None => self.start(timer, at),
        }
    }

    /// Starts a timer unless it is running.
    #[inline(always)] // After each packet with data.
    pub(crate) fn set_if_stopped(&mut self, timer: Timer, at: Time) {
        if !self.is_running(timer) {
            self.start(timer, at);
        }
    }

    pub(crate) fn stop(&mut self, timer: Timer) {
        let mut places = self.places.iter_mut();
        let found = places.find(|place| place.is_some_and(|(running, _)| running == timer));
        if let Some(place) = found {
            *place = None;
            self.look_for_next();
        }
    }

    /// Stops the timers that wait for DATA sent on a path.
    pub(crate) fn stop_data(&mut self, path: PathIndex) {
        self.stop_those(|timer| {
            matches!(timer, Timer::Retransmission(of) | Timer::Reordering(of) | Timer::TailProbe(of)
                | Timer::Hedge(of) if of == path)
        });
    }

    /// Stops all timers of a path.
    pub(crate) fn stop_path(&mut self, path: PathIndex) {
        self.stop_data(path);
        self.stop_those(|timer| {
            matches!(timer, Timer::Pacing(of) | Timer::Heartbeat(of) | Timer::PathMtu(of)
                if of == path)
        });
    }

    fn stop_those(&mut self, which: impl Fn(Timer) -> bool) {
        for place in &mut self.places {
            place.take_if(|(running, _)| which(*running));
        }
        self.look_for_next();
    }

    pub(crate) fn stop_all(&mut self) {
        self.stop_those(|_| true);
    }

    fn running(&self) -> impl Iterator<Item = (Timer, Time)> + '_ {
        self.places.iter().flatten().copied()
    }

    /// Expiry time of a running timer.
    pub(crate) fn due(&self, timer: Timer) -> Option<Time> {
        let found = self.running().find(|(running, _)| *running == timer);
        found.map(|(_, due)| due)
    }

    #[inline]
    pub(crate) fn is_running(&self, timer: Timer) -> bool {
        self.running().any(|(running, _)| running == timer)
    }

    /// Frees unused slots.
    pub(crate) fn trim(&mut self) {
        if self.places.iter().any(Option::is_none) {
            self.places = self.running().map(Some).collect();
        }
    }

    /// Bytes on the heap.
    pub(crate) fn footprint(&self) -> usize {
        size_of_val(&*self.places)
    }

    /// Expiry time of the first timer.
    #[inline]
    pub(crate) fn next(&self) -> Option<Time> {
        (self.next != Time::MAX).then_some(self.next)
    }

    /// Removes and returns an expired timer, the earliest first.
    pub(crate) fn pop_expired(&mut self, now: Time) -> Option<Timer> {
        if self.next > now {
            return None;
        }
        let (timer, _) = self
            .running()
            .filter(|(_, due)| *due <= now)
            .min_by_key(|(_, due)| *due)?;
        self.stop(timer);
        Some(timer)
    }

    fn start(&mut self, timer: Timer, at: Time) {
        match self.places.iter_mut().find(|place| place.is_none()) {
            Some(place) => *place = Some((timer, at)),
            None => self.add(timer, at),
        }
        self.next = self.next.min(at);
    }

    #[cold]
    fn add(&mut self, timer: Timer, at: Time) {
        let place = core::iter::once(Some((timer, at)));
        self.places = self.places.iter().copied().chain(place).collect();
    }

    fn look_for_next(&mut self) {
        let next = self.running().map(|(_, due)| due).min();
        self.next = next.unwrap_or(Time::MAX);
    }
}

#[cfg(test)]
mod tests;

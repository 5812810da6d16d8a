//! The driver of an end: calls its engine in time, late, or in halves.

use sheave_engine::{Datagram, Endpoint, Integrity, Node, Time, Transmit};

/// Place where checksums are computed and checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Checksums {
    /// The engine checks and computes checksums.
    #[default]
    Engine,
    /// The driver does both.
    Driver,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Driver {
    pub(crate) checksums: Checksums,
    /// Time until which timers are neglected.
    timers: Option<Time>,
    /// Time until which packets are not polled for.
    transmits: Option<Time>,
}

impl Driver {
    pub(crate) fn neglect_timers(&mut self, until: Time) {
        self.timers = self.timers.max(Some(until));
    }

    pub(crate) fn neglect_transmits(&mut self, until: Time) {
        self.transmits = self.transmits.max(Some(until));
    }

    /// Ends all neglect.
    pub(crate) fn wake(&mut self) {
        (self.timers, self.transmits) = (None, None);
    }

    /// Time of the next call that no arrival causes.
    pub(crate) fn next_call(&self, engine: &Endpoint) -> Option<Time> {
        let due = engine.poll_timeout();
        let timer = due.map(|due| self.timers.map_or(due, |until| due.max(until)));
        timer.into_iter().chain(self.transmits).min()
    }

    /// Whether a timer of the engine is due and the driver handles it.
    pub(crate) fn has_due(&self, now: Time, engine: &Endpoint) -> bool {
        self.timers.is_none_or(|until| until <= now)
            && engine.poll_timeout().is_some_and(|due| due <= now)
    }

    /// Whether the neglect of packets ends by now; true once.
    pub(crate) fn resumes(&mut self, now: Time) -> bool {
        self.transmits.take_if(|until| *until <= now).is_some()
    }

    /// Whether the driver neglects timers or packets.
    pub(crate) fn is_neglectful(&self, now: Time) -> bool {
        self.is_mute() || self.timers.is_some_and(|until| now <= until)
    }

    /// Whether packets are not polled for.
    pub(crate) const fn is_mute(&self) -> bool {
        self.transmits.is_some()
    }

    pub(crate) fn handle(&self, engine: &mut Endpoint, now: Time, datagram: Datagram<'_>) {
        match self.checksums {
            Checksums::Engine => engine.handle_datagram(now, datagram),
            Checksums::Driver => {
                engine.handle_verified(now, datagram, Integrity::of(datagram.payload));
            }
        }
    }

    pub(crate) fn poll(
        &self,
        engine: &mut Endpoint,
        now: Time,
        (buf, segments): (&mut Vec<u8>, usize),
    ) -> Option<Transmit> {
        if self.transmits.is_some_and(|until| now < until) {
            return None;
        }
        match self.checksums {
            Checksums::Engine => engine.poll_transmit(now, buf, segments),
            Checksums::Driver => {
                let unsealed = engine.poll_unsealed(now, buf, segments)?;
                Some(unsealed.seal(buf))
            }
        }
    }
}

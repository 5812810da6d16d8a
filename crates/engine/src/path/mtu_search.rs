//! Search for the longest packet that a path carries (RFC 8899 §5).

use core::time::Duration;

/// Unanswered probes after which a size is ruled out (RFC 8899 §5.1.2).
const MAX_PROBES: u8 = 3;

/// Pause of a complete search before it resumes (PMTU_RAISE_TIMER, RFC 8899 §5.1.1).
pub(crate) const RAISE_AFTER: Duration = Duration::from_secs(600);

/// A search ends when the remaining possible gain is below this many bytes (our choice).
const GRAIN: u16 = 8;

/// Consecutive T3-rtx expiries from which a probe of the smallest size replaces the one of the base
/// size (our choice).
const TIMEOUTS_OF_BASE: u8 = 2;

/// Common MTUs of links (RFC 1191 §7.1 lists some) and of tunnels over Ethernet. They are tried in
/// ascending order; between the last that got through and the first that did not, the search
/// bisects.
const COMMON: [u16; 13] = [
    1006, 1200, 1280, 1400, 1420, 1440, 1460, 1480, 1492, 1500, 2002, 4352, 9000,
];

/// The range of sizes to search. All sizes are bytes of IP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SearchRange {
    /// Size that every path carries (MIN_PLPMTU).
    pub(crate) least: u16,
    /// Size that most paths carry (BASE_PLPMTU).
    pub(crate) base: u16,
    /// Upper bound of the search (MAX_PLPMTU).
    pub(crate) most: u16,
}

/// The state of a search (RFC 8899 §5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MtuState {
    /// Confirming the size in use, or a smaller one.
    Base,
    /// Searching for a larger size.
    Searching,
    /// No larger size remains to be tried.
    Complete,
    /// Not even the base size gets through.
    Error,
}

/// A size being probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MtuProbe {
    size: u16,
    /// The nonce expected in the answer. All probes of one size share it, so that a late answer
    /// counts.
    nonce: Option<u64>,
    sent: u8,
    due: Due,
}

/// Whether a probe is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    Now,
    /// The probe is in flight.
    No,
}

/// State since a T3-rtx expiry after which nothing was acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Suspicion {
    /// Number of consecutive timeouts.
    timeouts: u8,
    /// A smaller size that got through since.
    carried: Option<u16>,
    /// The first packet with DATA after the last timeout.
    first: Option<DataPacket>,
}

/// A packet with DATA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DataPacket {
    size: u16,
    /// Bytes in flight once it had left.
    flight: u64,
}

/// MTU search of one path.
///
/// The size in use is reduced only if a smaller size gets through where the larger does not: a dead
/// path gives no information about sizes.
// DEVIATION RFC 8899 §5.2: the error state keeps the size in use, too, until a probe of the least
// size is answered.
#[derive(Clone, Debug)]
pub(crate) struct MtuSearch {
    bounds: SearchRange,
    state: MtuState,
    using: u16,
    /// The largest size known to get through.
    floor: u16,
    /// The largest size not ruled out.
    ceiling: u16,
    probe: Option<MtuProbe>,
    suspicion: Option<Suspicion>,
}

impl MtuProbe {
    const fn of(size: u16) -> Self {
        Self {
            size,
            nonce: None,
            sent: 0,
            due: Due::Now,
        }
    }
}

impl MtuSearch {
    /// Starts with packets of `using` bytes, not yet known to get through.
    pub(crate) fn new(using: u16, bounds: SearchRange) -> Self {
        Self {
            bounds,
            state: MtuState::Base,
            using,
            floor: bounds.least.min(using),
            ceiling: bounds.most.max(using),
            probe: Some(MtuProbe::of(using)),
            suspicion: None,
        }
    }

    /// Starts with packets of the least size until a probe shows that packets of `hoped` bytes get
    /// through, on paths where routers do not fragment.
    pub(crate) fn cautious(hoped: u16, bounds: SearchRange) -> Self {
        Self {
            using: bounds.least.min(hoped),
            ..Self::new(hoped, bounds)
        }
    }

    /// The size of packets to use.
    pub(crate) const fn using(&self) -> u16 {
        self.using
    }

    /// The largest size in use known to get through.
    pub(crate) const fn proved(&self) -> u16 {
        match self.state {
            MtuState::Base | MtuState::Error => self.floor,
            MtuState::Searching | MtuState::Complete => self.using,
        }
    }

    #[cfg(test)]
    pub(crate) const fn state(&self) -> MtuState {
        self.state
    }

    /// The size of the probe now due.
    pub(crate) fn due(&self) -> Option<u16> {
        let due = self.probe.filter(|probe| probe.due == Due::Now);
        due.map(|probe| probe.size)
    }

    /// Whether a probe is due or unanswered, with a timer to end the wait.
    pub(crate) const fn is_probing(&self) -> bool {
        self.probe.is_some() && self.suspicion.is_none()
    }

    /// Whether an acknowledgement of data would change anything.
    pub(crate) fn is_troubled(&self) -> bool {
        self.suspicion.is_some() || (self.state == MtuState::Error && self.probe.is_none())
    }

    /// A probe leaves. `fresh` is used as its nonce if it has none yet. Returns its nonce.
    pub(crate) fn on_sent(&mut self, fresh: u64) -> Option<u64> {
        let probe = self.probe.as_mut()?;
        probe.sent = probe.sent.saturating_add(1);
        probe.due = Due::No;
        Some(*probe.nonce.get_or_insert(fresh))
    }

    /// A probe with this nonce was answered. Returns whether the probe was pending.
    pub(crate) fn on_answer(&mut self, nonce: u64) -> bool {
        let Some(MtuProbe { size, .. }) = self.probe.take_if(|probe| probe.nonce == Some(nonce))
        else {
            return false;
        };
        if let Some(suspicion) = &mut self.suspicion {
            suspicion.carried = Some(size);
            return true;
        }
        self.floor = self.floor.max(size);
        // In the first phase, a smaller size is tried only after the size in use failed.
        if size > self.using || matches!(self.state, MtuState::Base | MtuState::Error) {
            self.using = size;
            self.floor = size;
        }
        self.go_on();
        true
    }

    /// The probe timer expired without an answer.
    pub(crate) fn on_silence(&mut self) {
        if self.suspicion.is_some() {
            return;
        }
        let Some(probe) = &mut self.probe else { return };
        if probe.sent < MAX_PROBES {
            probe.due = Due::Now;
            return;
        }
        let size = probe.size;
        self.ceiling = self.ceiling.min(size.saturating_sub(1));
        match self.state {
            MtuState::Base | MtuState::Error => self.try_smaller(size),
            MtuState::Searching | MtuState::Complete => self.go_on(),
        }
    }

    /// Checks whether the path now carries larger packets.
    pub(crate) fn on_raise(&mut self) {
        if self.state == MtuState::Error {
            *self = Self::new(self.using, self.bounds);
            return;
        }
        self.ceiling = self.bounds.most.max(self.using);
        self.go_on();
    }

    /// A router reports that the next link takes at most `mtu`. Values outside the range from the
    /// least size to the size in use or probed are ignored (RFC 8899 §4.6.2).
    pub(crate) fn on_too_big(&mut self, mtu: u16) {
        if mtu < self.bounds.least {
            return;
        }
        if mtu < self.using {
            self.using = mtu;
            self.floor = self.bounds.least;
            self.ceiling = mtu;
            self.state = MtuState::Base;
            self.suspicion = None;
            self.probe = Some(MtuProbe::of(mtu));
        } else if matches!(self.state, MtuState::Base | MtuState::Searching)
            && self.probe.is_some_and(|probe| mtu < probe.size)
        {
            self.ceiling = mtu;
            self.go_on();
            // Probe the reported size first, as the most likely one.
            self.probe = self.probe.map(|_| MtuProbe::of(mtu));
        }
    }

    /// T3-rtx expired with `flight` bytes in flight. Two consecutive expiries, with an answered
    /// small probe between them, indicate a black hole for long packets (RFC 8899 §4.3).
    pub(crate) fn on_timeout(&mut self, flight: u64) {
        let suspicion = self.suspicion.get_or_insert_default();
        let first = suspicion.first.take();
        let alone = first.filter(|packet| packet.flight == flight);
        self.on_lost(alone.map(|packet| packet.size));
    }

    /// A short heartbeat is answered, and data is not that left before it.
    pub(crate) fn on_overtaken(&mut self) {
        let first = self.suspicion.as_mut().and_then(|one| one.first.take());
        self.on_lost(first.map(|packet| packet.size));
    }

    /// A heartbeat as long as a data packet is unanswered.
    pub(crate) fn on_heartbeat_lost(&mut self) {
        self.on_lost(Some(self.using));
    }

    /// A packet is unanswered, of this size if it was the only one.
    fn on_lost(&mut self, lost: Option<u16>) {
        let using = self.using;
        let suspicion = self.suspicion.get_or_insert_default();
        suspicion.timeouts = suspicion.timeouts.saturating_add(1);
        let Suspicion {
            timeouts, carried, ..
        } = *suspicion;
        if let (Some(lost), Some(size)) = (lost, carried)
            && (size + 1..=using).contains(&lost)
        {
            self.ceiling = self.using - 1;
            self.using = size;
            self.floor = size;
            self.suspicion = None;
            return self.go_on();
        }
        if let (Some(lost), Some(size)) = (lost, carried)
            && lost <= size
        {
            // The path may carry less than when the probe was answered.
            suspicion.carried = None;
        }
        if suspicion.carried.is_none() {
            let first = if timeouts > TIMEOUTS_OF_BASE {
                self.bounds.least
            } else {
                self.bounds.base
            };
            let sizes = [first, self.bounds.least];
            let smaller = sizes.into_iter().find(|size| *size < self.using);
            self.probe = smaller.map(MtuProbe::of);
        }
    }

    /// A packet of `size` bytes that contains DATA leaves; `flight` bytes are then in flight.
    // The whole packet counts: another chunk in it, such as AUTH, may make it too long.
    #[inline]
    pub(crate) fn on_data_packet(&mut self, size: usize, flight: u64) {
        if let Some(suspicion) = &mut self.suspicion
            && suspicion.first.is_none()
        {
            let size = u16::try_from(size).unwrap_or(u16::MAX);
            suspicion.first = Some(DataPacket { size, flight });
        }
    }

    /// Data was acknowledged.
    pub(crate) fn on_progress(&mut self) {
        let suspected = self.suspicion.take().is_some();
        match self.state {
            MtuState::Error if self.probe.is_none() => *self = Self::new(self.using, self.bounds),
            MtuState::Base | MtuState::Error if suspected => {
                self.state = MtuState::Base;
                self.probe = Some(MtuProbe::of(self.using));
            }
            _ if suspected => self.go_on(),
            _ => {}
        }
    }

    fn try_smaller(&mut self, than: u16) {
        let SearchRange { least, base, .. } = self.bounds;
        let smaller = [base, least].into_iter().find(|size| *size < than);
        if than <= base {
            self.state = MtuState::Error;
        }
        self.probe = smaller.map(MtuProbe::of);
    }

    fn go_on(&mut self) {
        self.probe = self.next_size().map(MtuProbe::of);
        self.state = match self.probe {
            Some(_) => MtuState::Searching,
            None => MtuState::Complete,
        };
    }

    /// The next size to probe.
    fn next_size(&self) -> Option<u16> {
        let (floor, ceiling) = (self.floor, self.ceiling);
        let gain = ceiling.checked_sub(floor)?;
        if gain < GRAIN {
            return None;
        }
        let common = COMMON.into_iter();
        let common = common
            .filter(|size| (floor + 1..=ceiling).contains(size))
            .min();
        if common.is_some() {
            return common;
        }
        if ceiling == self.bounds.most {
            return Some(ceiling);
        }
        // Packet lengths are multiples of four bytes.
        Some((floor + gain.div_ceil(2)) & !3)
    }
}

#[cfg(test)]
mod tests;

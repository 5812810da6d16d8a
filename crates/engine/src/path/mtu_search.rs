//! The search for the longest packet that a path carries (RFC 8899 §5).

use core::time::Duration;

/// Probes of one size that go unanswered before the size is ruled out (RFC 8899 §5.1.2).
const MAX_PROBES: u8 = 3;

/// Time for which a search that is complete rests (PMTU_RAISE_TIMER, RFC 8899 §5.1.1).
pub(crate) const RAISE_AFTER: Duration = Duration::from_secs(600);

/// A search ends when what it could still gain is less than this, bytes. Ours.
const GRAIN: u16 = 8;

/// From that expiry of T3-rtx in a row on a probe of the smallest size takes the place of one of
/// the base size. Ours.
const TIMEOUTS_OF_BASE: u8 = 2;

/// MTUs that are common: of links (RFC 1191 §7.1 lists some) and of tunnels over Ethernet. They are
/// tried upwards; between the last that got through and the first that did not, sizes are halved.
const COMMON: [u16; 13] = [
    1006, 1200, 1280, 1400, 1420, 1440, 1460, 1480, 1492, 1500, 2002, 4352, 9000,
];

/// The range of sizes to search, in bytes of IP packet, as all sizes here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SearchRange {
    /// Every path carries that much (MIN_PLPMTU).
    pub(crate) least: u16,
    /// Most paths do (BASE_PLPMTU).
    pub(crate) base: u16,
    /// Longer packets are not looked for (MAX_PLPMTU).
    pub(crate) most: u16,
}

/// The state of a search (RFC 8899 §5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MtuState {
    /// The size in use is to be confirmed, or one that is smaller.
    Base,
    /// A larger size is looked for.
    Searching,
    /// There is none.
    Complete,
    /// Not even the base size gets through.
    Error,
}

/// A size to be probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MtuProbe {
    size: u16,
    /// The nonce that the answer must bear: of all probes of that size, so that a late answer
    /// counts.
    nonce: Option<u64>,
    sent: u8,
    due: Due,
}

/// Whether a probe is to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    Now,
    /// The probe is in flight.
    No,
}

/// T3-rtx has expired, and nothing was acknowledged since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Suspicion {
    /// Number of timeouts in a row.
    timeouts: u8,
    /// A smaller size that got through meanwhile.
    carried: Option<u16>,
    /// The first packet with DATA since the last of them.
    first: Option<DataPacket>,
}

/// A packet with DATA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DataPacket {
    size: u16,
    /// Bytes in flight once it had left.
    flight: u64,
}

/// The search on one path.
///
/// The size in use only falls when a smaller one has been seen to get through where it does not: a
/// path that is dead says nothing about sizes.
// DEVIATION RFC 8899 §5.2: the error state keeps the size in use, too, until a probe of the least
// size is answered.
#[derive(Clone, Debug)]
pub(crate) struct MtuSearch {
    bounds: SearchRange,
    state: MtuState,
    using: u16,
    /// The largest size that is known to get through.
    floor: u16,
    /// The largest size that is not ruled out.
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
    /// Packets of `using` bytes are in use; whether they get through is yet to be seen.
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

    /// Packets of `hoped` bytes may get through, and nobody fragments them where they do not: those
    /// of the least size are in use until a probe has shown it.
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

    /// The largest size in use that is known to get through.
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

    /// The size of the probe that is to leave now.
    pub(crate) fn due(&self) -> Option<u16> {
        let due = self.probe.filter(|probe| probe.due == Due::Now);
        due.map(|probe| probe.size)
    }

    /// Whether an answer is awaited, or a probe is yet to leave, and a timer ends that.
    pub(crate) const fn is_probing(&self) -> bool {
        self.probe.is_some() && self.suspicion.is_none()
    }

    /// Whether an acknowledgement of data would change anything.
    pub(crate) fn is_troubled(&self) -> bool {
        self.suspicion.is_some() || (self.state == MtuState::Error && self.probe.is_none())
    }

    /// The probe leaves: `fresh` is a nonce for it, if it needs one. The nonce that it bears.
    pub(crate) fn on_sent(&mut self, fresh: u64) -> Option<u64> {
        let probe = self.probe.as_mut()?;
        probe.sent = probe.sent.saturating_add(1);
        probe.due = Due::No;
        Some(*probe.nonce.get_or_insert(fresh))
    }

    /// A probe with that nonce was answered. Whether it was one that counts.
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
        // In the first phase a smaller size is only tried after the one in use has failed.
        if size > self.using || matches!(self.state, MtuState::Base | MtuState::Error) {
            self.using = size;
            self.floor = size;
        }
        self.go_on();
        true
    }

    /// The answer to a probe does not come.
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

    /// Starts to look whether the path carries more by now.
    pub(crate) fn on_raise(&mut self) {
        if self.state == MtuState::Error {
            *self = Self::new(self.using, self.bounds);
            return;
        }
        self.ceiling = self.bounds.most.max(self.using);
        self.go_on();
    }

    /// A router says that the next link takes no more than `mtu`. What is not between the least
    /// size and the one in use or probed is not believed (RFC 8899 §4.6.2).
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
            // What a router says is the likeliest.
            self.probe = self.probe.map(|_| MtuProbe::of(mtu));
        }
    }

    /// T3-rtx expired with `flight` bytes in flight. Where only long packets get lost, two expiries
    /// in a row and the answer to a small probe between them give a black hole away (RFC 8899 §4.3).
    pub(crate) fn on_timeout(&mut self, flight: u64) {
        let using = self.using;
        let suspicion = self.suspicion.get_or_insert_default();
        suspicion.timeouts = suspicion.timeouts.saturating_add(1);
        let alone = suspicion
            .first
            .take()
            .filter(|packet| packet.flight == flight);
        let Suspicion {
            timeouts, carried, ..
        } = *suspicion;
        if let (Some(packet), Some(size)) = (alone, carried)
            && (size + 1..=using).contains(&packet.size)
        {
            self.ceiling = self.using - 1;
            self.using = size;
            self.floor = size;
            self.suspicion = None;
            return self.go_on();
        }
        if carried.is_none() {
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

    /// A packet of `size` bytes leaves that has DATA, and `flight` bytes are in flight with it.
    // What else is in the packet, AUTH say, may be what makes it too long.
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

    /// The size to be probed next.
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
        // Packets are multiples of four bytes.
        Some((floor + gain.div_ceil(2)) & !3)
    }
}

#[cfg(test)]
mod tests;

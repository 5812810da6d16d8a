//! A path to the peer: addresses, round-trip time, congestion window, state.

mod doubt;
mod handover;
mod heartbeat;
mod hedge;
mod mtu_search;
mod path_parts;
mod rates;
mod source;
mod tuning;
mod unreported;

use alloc::boxed::Box;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use core::num::NonZeroU64;
use core::time::Duration;

pub(crate) use self::doubt::HeartbeatLength;
pub(crate) use self::heartbeat::{HeartbeatProbe, MOST_UNANSWERED, Occasion};
pub(crate) use self::hedge::{Check, Hedge, Stage};
use self::mtu_search::SearchRange;
pub(crate) use self::mtu_search::{MtuSearch, RAISE_AFTER};
use self::path_parts::PathParts;
pub use self::tuning::{MtuProbes, PathTuning};
use crate::congestion::{Ack, CongestionControl, Loss, Recovery};
use crate::delivery_rate::DeliveryRate;
use crate::flight::flow::Flow;
use crate::flight::share::{Digest, PathShare};
use crate::group::Group;
use crate::pacing::{Pace, Pacer};
use crate::rto::RtoEstimator;
use crate::standing_queue::StandingQueue;
use crate::{NewPath, Options, PathState, PathStats, PeerAddress, Time};
use sheave_wire::Vtag;

/// Bytes of SCTP's common header.
const COMMON_HEADER: usize = 12;
/// Bytes of a UDP header.
const UDP_HEADER: usize = 8;

/// Reported path MTUs below these are considered forged (A35); bytes of IP packet. IPv6 guarantees
/// 1280 (RFC 8200 §5).
const LEAST_PMTU: u16 = 576;
const LEAST_PMTU_V6: u16 = 1280;

/// Size of IP packet that most paths carry (RFC 8899 §5.1.2).
const BASE_PMTU: u16 = 1200;

/// Counters of packets and bytes on a path.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counters {
    pub(crate) packets_sent: u64,
    pub(crate) packets_received: u64,
    pub(crate) chunks_sent: u64,
    pub(crate) retransmissions: u64,
    pub(crate) bytes_retransmitted: u64,
    pub(crate) fast_retransmissions: u64,
    /// Counted events each take a timeout or a heartbeat interval, so 32 bits do not overflow.
    pub(crate) timeouts: u32,
    pub(crate) heartbeats_sent: u32,
    pub(crate) heartbeats_acked: u32,
    /// Wraps.
    pub(crate) round_trips: u32,
}

/// Whether the next packet with DATA may ignore the congestion window (RFC 9260 §7.2.4, rule 3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// The congestion window applies.
    #[default]
    Windowed,
    /// A packet of fast retransmissions is sent regardless of the window.
    OnePacket,
    /// A packet with the next data is sent regardless of the window, as a tail loss probe (RFC 8985
    /// §7.3).
    Probe,
    /// A packet of data outstanding on a silent path is sent regardless of the window, and asks for
    /// a SACK.
    Hedge,
}

/// Whether the driver has polled since the last SACK; each of several SACKs that arrive together
/// releases a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PollChance {
    Given,
    /// Not polled since; holds whether the window was full when the first of those SACKs came.
    Awaited(WindowUse),
}

/// Number of packets that may be in flight if the window allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InFlight {
    Many,
    /// A single packet, however small: after a timeout, until data sent on this path is
    /// acknowledged (RFC 9260 §7.2.3).
    One,
}

/// Whether the congestion window, rather than a lack of data, limited the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WindowUse {
    Full,
    Slack,
}

/// Whether a window was reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WindowCut {
    None,
    Made,
}

/// Whether the peer still has the path's destination address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Destination {
    There,
    Deleted,
}

/// A path to one address of the peer.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    pub(crate) local: IpAddr,
    pub(crate) remote: PeerAddress,
    destination: Destination,
    pub(crate) state: PathState,
    pub(crate) congestion: Box<dyn CongestionControl>,
    pub(crate) rto: RtoEstimator,
    /// The last measured round trip, nanoseconds, at least 1; `None` before the first.
    rtt: Option<NonZeroU64>,
    pub(crate) flow: Flow,
    pub(crate) extensions: Group<PathParts>,
    /// Consecutive unanswered sends (RFC 9260 §8.2).
    pub(crate) errors: u32,
    /// Data timed out or a check failed here, and nothing was answered since: new data prefers other
    /// active paths.
    pub(crate) is_silent: bool,
    pmtu: u16,
    pub(crate) urgency: Urgency,
    /// Bytes of new data that may leave before the next SACK; a packet that exceeds the rest is
    /// still sent (Max.Burst, RFC 9260 §6.1 D).
    burst: u64,
    /// Whether the driver polled since the last SACK.
    chance: PollChance,
    packets: InFlight,
    /// Time of the last packet that measures the round trip.
    pub(crate) used_at: Time,
    /// Time of the last DATA sent.
    data_at: Time,
    pub(crate) counters: Counters,
}

impl Path {
    pub(crate) fn new(
        now: Time,
        local: IpAddr,
        remote: PeerAddress,
        state: PathState,
        options: &Options,
    ) -> Self {
        let packet = packet_len(remote, options.initial_pmtu);
        let pmdcs = (packet - COMMON_HEADER) as u64;
        let mut extensions: Group<PathParts> = Group::NONE;
        extensions.put(|extensions| &mut extensions.pacer, Pacer::chosen(options));
        extensions.put(
            |extensions| &mut extensions.rates,
            DeliveryRate::chosen(options),
        );
        extensions.put(
            |extensions| &mut extensions.standing_queue,
            StandingQueue::chosen(options),
        );
        Self {
            local,
            remote,
            destination: Destination::There,
            state,
            congestion: fresh_congestion(remote, pmdcs, options),
            rto: RtoEstimator::new(options),
            rtt: None,
            flow: Flow::default(),
            extensions,
            errors: 0,
            is_silent: false,
            pmtu: options.initial_pmtu,
            urgency: Urgency::Windowed,
            burst: burst(options, pmdcs),
            chance: PollChance::Given,
            packets: InFlight::Many,
            used_at: now,
            data_at: now,
            counters: Counters::default(),
        }
    }

    /// Bytes of SCTP packet that fit the path MTU, a multiple of four.
    pub(crate) fn packet_len(&self) -> usize {
        packet_len(self.remote, self.pmtu)
    }

    /// Largest SCTP packet known to arrive unfragmented, bytes; the path MTU unless the MTU is
    /// searched.
    pub(crate) fn proved_packet_len(&self) -> usize {
        let search = self.extensions.mtu_search.as_deref();
        let proved = search.map_or(self.pmtu, |search| search.proved().min(self.pmtu));
        packet_len(self.remote, proved)
    }

    /// Maximum bytes of chunks in a packet.
    pub(crate) fn chunk_room(&self) -> usize {
        self.packet_len() - COMMON_HEADER
    }

    /// Bytes of the largest DATA chunk (PMDCS, RFC 9260 §7.2).
    pub(crate) fn pmdcs(&self) -> u64 {
        self.chunk_room() as u64
    }

    /// Applies a smaller path MTU, unless it is implausibly small or not smaller.
    pub(crate) fn lower_pmtu(&mut self, mtu: u16) {
        if (self.least_pmtu()..self.pmtu).contains(&mtu) && !self.has_fixed_pmtu() {
            self.set_pmtu(mtu);
        }
    }

    const fn least_pmtu(&self) -> u16 {
        if self.remote.ip.is_ipv4() {
            LEAST_PMTU
        } else {
            LEAST_PMTU_V6
        }
    }

    pub(crate) fn set_pmtu(&mut self, mtu: u16) {
        if mtu != self.pmtu {
            self.pmtu = mtu;
            let pmdcs = self.pmdcs();
            self.congestion.on_pmdcs(pmdcs);
        }
    }

    /// Whether routers never fragment packets on this path (IPv6, RFC 8200 §5).
    pub(crate) const fn is_never_fragmented(&self) -> bool {
        self.remote.ip.is_ipv6()
    }

    /// Starts a search for the longest packets that get through, up to `most` bytes.
    pub(crate) fn begin_mtu_search(&mut self, most: u16) {
        let least = self.least_pmtu();
        let bounds = SearchRange {
            least,
            base: BASE_PMTU.max(least),
            most,
        };
        let search = if self.is_never_fragmented() {
            MtuSearch::cautious(self.pmtu, bounds)
        } else {
            MtuSearch::new(self.pmtu, bounds)
        };
        self.extensions.put(
            |extensions| &mut extensions.mtu_search,
            Some(Box::new(search)),
        );
    }

    /// Bytes of SCTP packet of the MTU probe now due.
    pub(crate) fn mtu_probe_len(&self) -> Option<usize> {
        let size = self.extensions.mtu_search.as_ref()?.due()?;
        Some(packet_len(self.remote, size))
    }

    /// Whether no data is in flight and none was sent for `span`.
    pub(crate) fn is_without_data(&self, now: Time, span: Duration) -> bool {
        self.flow.flight() == 0 && now.since(self.data_at) >= span
    }

    /// Forgets all data sent on this path, and everything learnt from it.
    pub(crate) fn recall(&mut self, options: &Options) {
        self.flow = Flow::default();
        self.urgency = Urgency::Windowed;
        self.forget_capacity(options);
    }

    /// Marks the path as deleted: the peer no longer has the address, so nothing is sent to it.
    pub(crate) fn delete(&mut self) {
        self.remote.ip = if self.remote.ip.is_ipv4() {
            Ipv4Addr::UNSPECIFIED.into()
        } else {
            Ipv6Addr::UNSPECIFIED.into()
        };
        self.destination = Destination::Deleted;
        self.strand();
    }

    /// Resets everything known about the path except the peer's address.
    pub(crate) fn strand(&mut self) {
        self.state = PathState::Unconfirmed;
        self.forget_probes();
        self.end_doubt();
        self.end_check();
        self.errors = 0;
    }

    #[inline] // Asked several times a packet.
    pub(crate) const fn is_deleted(&self) -> bool {
        matches!(self.destination, Destination::Deleted)
    }

    pub(crate) const fn is_confirmed(&self) -> bool {
        !matches!(self.state, PathState::Unconfirmed)
    }

    pub(crate) const fn is_potentially_failed(&self) -> bool {
        matches!(self.state, PathState::PotentiallyFailed)
    }

    /// Whether the path is active and not silent.
    pub(crate) const fn answers(&self) -> bool {
        self.is_active() && !self.is_silent
    }

    pub(crate) const fn is_active(&self) -> bool {
        matches!(self.state, PathState::Active)
    }

    /// Whether the window allows another packet of retransmissions.
    pub(crate) fn may_retransmit(&self) -> bool {
        self.urgency != Urgency::Windowed
            || self.pacer().is_none_or(Pacer::lets_repeats) && self.window_has_room()
    }

    /// Whether the window allows another packet of new data (RFC 9260 §6.1 B, D).
    pub(crate) fn may_send(&self) -> bool {
        self.urgency == Urgency::Probe
            || (self.burst > 0 || self.flow.flight() == 0)
                && self.pacer().is_none_or(Pacer::is_open)
                && self.window_has_room()
                && self.queue_has_room()
    }

    /// Whether a delayed SACK for the next DATA would be taken for the path's failure: it is a hedge,
    /// or the only packet in flight since T3-rtx expired.
    pub(crate) fn needs_immediate_sack(&self) -> bool {
        self.urgency == Urgency::Hedge || self.packets == InFlight::One
    }

    fn window_has_room(&self) -> bool {
        let (flight, cwnd) = (self.flow.flight(), self.congestion.cwnd());
        let has_room = || flight < cwnd || self.under_way() < cwnd;
        flight == 0 || (self.packets == InFlight::Many && has_room())
    }

    /// Whether new data sent now keeps the standing queue within its bound.
    fn queue_has_room(&self) -> bool {
        let bound = self.extensions.get(|extensions| &extensions.standing_queue);
        bound.is_none_or(|bound| bound.has_room(self.under_way()))
    }

    /// New data starts on a path with nothing in flight: the window may have decayed since (RFC
    /// 9260 §7.2.1), and a new burst begins.
    pub(crate) fn on_idle_ends(&mut self, now: Time, options: &Options, tag: Vtag) {
        self.burst = self.burst.max(burst(options, self.pmdcs()));
        let idle = now.since(self.data_at).as_nanos() / self.rto.rto().as_nanos().max(1);
        self.congestion
            .on_idle(u32::try_from(idle).unwrap_or(u32::MAX));
        self.congestion.on_restart(now, self.limit(), tag.0);
    }

    /// The driver polls for packets.
    pub(crate) fn on_poll(&mut self, now: Time) {
        self.chance = PollChance::Given;
        if self.pacer().is_some() {
            self.wind_pacer(now);
        }
    }

    #[inline(never)] // Few paths are paced.
    fn wind_pacer(&mut self, now: Time) {
        let pace = self.pace();
        if let Some(pacer) = self.extensions.pacer() {
            pacer.on_time(now, pace.as_ref());
        }
    }

    #[inline]
    fn pacer(&self) -> Option<&Pacer> {
        self.extensions.get(|extensions| &extensions.pacer)
    }

    fn pace(&self) -> Option<Pace> {
        Pace::of(&*self.congestion, self.rto.srtt(), self.pmdcs())
    }

    /// Time at which pacing allows new data again, if it does not now.
    pub(crate) fn opens_at(&self) -> Option<Time> {
        self.pacer()?.opens_at()
    }

    /// A packet with `bytes` of new DATA chunks leaves.
    #[inline]
    pub(crate) fn on_new_data_packet(&mut self, now: Time, bytes: u64) {
        self.burst = self.burst.saturating_sub(bytes);
        if self.urgency == Urgency::Probe {
            self.urgency = Urgency::Windowed;
        }
        self.data_at = now;
        self.used_at = now;
        self.spend(now, bytes);
    }

    /// Charges sent bytes to the pacer.
    #[inline(always)] // After each packet, mostly without a pacer.
    fn spend(&mut self, now: Time, bytes: u64) {
        if self.pacer().is_some() {
            self.charge_pacer(now, bytes);
        }
    }

    #[inline(never)] // Few paths are paced.
    fn charge_pacer(&mut self, now: Time, bytes: u64) {
        let pace = self.pace();
        if let Some(pacer) = self.extensions.pacer() {
            pacer.on_sent(now, bytes, pace.as_ref());
        }
    }

    /// A packet of `len` bytes that contains DATA leaves.
    #[inline]
    pub(crate) fn on_data_packet(&mut self, len: usize) {
        let flight = self.flow.flight();
        if let Some(search) = self.extensions.mtu_search() {
            search.on_data_packet(len + below_sctp(self.remote), flight);
        }
    }

    /// A packet of retransmissions leaves. It measures no round trip, so a path that carries only
    /// retransmissions counts as idle for heartbeats (RFC 9260 §8.3).
    pub(crate) fn on_retransmission_packet(&mut self, now: Time) {
        self.data_at = now;
    }

    /// Applies a SACK's effect on this path (RFC 9260 §7.2, §6.3.1).
    ///
    /// `loss` says how a loss shown by the SACK counts; `None` if the window was already cut for
    /// it. Returns whether a loss reduced the window.
    pub(crate) fn on_digest(
        &mut self,
        now: Time,
        digest: &Digest,
        share: &PathShare,
        loss: Option<Loss>,
        options: &Options,
    ) -> WindowCut {
        let cwnd = self.congestion.cwnd();
        // SACKs that arrive together all see the window as full as the first one did: there was no
        // chance to fill it between them.
        let window = match self.chance {
            PollChance::Awaited(window) => window,
            PollChance::Given if share.flight_before >= cwnd => WindowUse::Full,
            PollChance::Given => WindowUse::Slack,
        };
        let flight_before = match window {
            WindowUse::Full => share.flight_before.max(cwnd),
            WindowUse::Slack => share.flight_before,
        };
        let believed = |span: Duration| self.believed(span, options);
        let rtt = (share.sent_at).map(|sent_at| believed(now.since(sent_at)));
        if let Some(round_trip) = share.round_trip.map(believed) {
            self.on_round_trip(round_trip, options);
            let pmdcs = self.pmdcs();
            if let Some(bound) = self.extensions.standing_queue() {
                bound.on_round_trip(round_trip, share.flight_before, pmdcs);
            }
        }
        let ack = Ack {
            now,
            bytes: share.acked,
            flight_before,
            flight: self.flow.flight(),
            cumulative: digest.cumulative,
            recovery: digest.recovery,
            srtt: self.rto.srtt(),
            rtt,
        };
        if share.acked > 0 {
            self.packets = InFlight::Many;
            self.congestion.on_ack(&ack);
        }
        self.tell_rates(&ack);
        let mut cut = WindowCut::None;
        if digest.entered_recovery && share.lost_below > 0 {
            if let Some(loss) = loss {
                let before = self.congestion.cwnd();
                self.congestion.on_loss(now, loss);
                if self.congestion.cwnd() < before {
                    cut = WindowCut::Made;
                }
            }
            // RFC 9260 §7.2.4: on entering Fast Recovery, one packet ignores the window. Losses
            // found by time during Fast Recovery get no such packet.
            if digest.recovery == Recovery::Open {
                self.urgency = Urgency::OnePacket;
            }
        }
        let left = match self.chance {
            PollChance::Given => 0,
            PollChance::Awaited(_) => self.burst,
        };
        // One SACK for many packets counts as the several SACKs of a receiver that acknowledges
        // every second packet (RFC 9260 §6.2).
        let sacks = share.acked / (2 * self.pmdcs());
        self.burst = burst(options, self.pmdcs())
            .saturating_mul(sacks.max(1))
            .saturating_add(left);
        self.chance = PollChance::Awaited(window);
        cut
    }

    /// Limits a measured round trip to a plausible value: in a longer one T3-rtx would have
    /// expired, unless the driver's clock jumped.
    // DEVIATION RFC 9260 §6.3.1: a round trip counts as no longer than twice the RTO, and than RTO.Max.
    pub(crate) fn believed(&self, round_trip: Duration, options: &Options) -> Duration {
        let twice = self.rto.rto().saturating_mul(2);
        round_trip.min(twice).min(options.rto_max)
    }

    pub(crate) fn last_round_trip(&self) -> Option<Duration> {
        self.rtt.map(|rtt| Duration::from_nanos(rtt.get()))
    }

    /// Records a round trip measured on this path, already limited by `believed` (RFC 9260 §6.3.1).
    pub(crate) fn on_round_trip(&mut self, round_trip: Duration, options: &Options) {
        self.rto.on_sample(round_trip, options);
        let nanos = u64::try_from(round_trip.as_nanos()).unwrap_or(u64::MAX);
        self.rtt = Some(NonZeroU64::new(nanos).unwrap_or(NonZeroU64::MIN));
        self.counters.round_trips = self.counters.round_trips.wrapping_add(1);
    }

    /// T3-rtx expired (RFC 9260 §6.3.3 E1, E2).
    pub(crate) fn on_timeout(&mut self, now: Time, options: &Options) {
        if let Some(rates) = self.extensions.rates() {
            rates.on_timeout(self.flow.flight());
        }
        self.congestion.on_loss(now, Loss::Timeout);
        self.packets = InFlight::One;
        self.rto.back_off(options);
        self.counters.timeouts += 1;
        self.burst = burst(options, self.pmdcs());
        self.urgency = Urgency::Windowed;
    }

    /// The peer had no room for a zero window probe: the next probe waits longer. The congestion
    /// window is unchanged (RFC 9260 §6.1 A).
    pub(crate) fn on_probe_refused(&mut self, options: &Options) {
        self.rto.back_off(options);
    }

    pub(crate) fn stats(&self, primary: bool) -> PathStats {
        PathStats {
            local: self.local,
            remote: self.remote.ip,
            encapsulation: self.remote.encapsulation,
            state: self.state,
            primary,
            cwnd: self.congestion.cwnd(),
            ssthresh: self.congestion.ssthresh(),
            flight: self.flow.flight(),
            pmtu: self.pmtu,
            rtt: self.last_round_trip(),
            round_trips: self.counters.round_trips,
            srtt: self.rto.srtt(),
            rttvar: self.rto.rttvar(),
            rto: self.rto.rto(),
            errors: self.errors,
            packets_sent: self.counters.packets_sent,
            packets_received: self.counters.packets_received,
            chunks_sent: self.counters.chunks_sent,
            retransmissions: self.counters.retransmissions,
            fast_retransmissions: self.counters.fast_retransmissions,
            timeouts: self.counters.timeouts.into(),
            heartbeats_sent: self.counters.heartbeats_sent.into(),
            heartbeats_acked: self.counters.heartbeats_acked.into(),
        }
    }
}

fn fresh_congestion(
    remote: PeerAddress,
    pmdcs: u64,
    options: &Options,
) -> Box<dyn CongestionControl> {
    // RFC 9260 §7.2.1
    let initial = if remote.ip.is_ipv4() { 4404 } else { 4344 };
    let path = NewPath {
        pmdcs,
        rules: options.window_rules,
        initial,
    };
    let coupling = options.multipath.coupling();
    options.congestion.start(&path, coupling)
}

/// Bytes released by one SACK.
fn burst(options: &Options, pmdcs: u64) -> u64 {
    // DEVIATION RFC 9260 §6.1 D: Max.Burst does not apply where all packets are paced, which bounds
    // bursts.
    let limit = options
        .max_burst
        .filter(|_| !options.congestion.goes_by_rates());
    limit.map_or(u64::MAX, |packets| u64::from(packets) * pmdcs)
}

fn packet_len(remote: PeerAddress, pmtu: u16) -> usize {
    (usize::from(pmtu) - below_sctp(remote)) & !3
}

/// Bytes of IP and UDP headers before the SCTP packet.
fn below_sctp(remote: PeerAddress) -> usize {
    let ip = if remote.ip.is_ipv4() { 20 } else { 40 };
    ip + remote.encapsulation.map_or(0, |_| UDP_HEADER)
}

#[cfg(test)]
mod tests;

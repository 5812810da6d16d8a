//! Sender oracle: congestion windows, timeouts, and no data to unconfirmed addresses.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use core::net::IpAddr;
use core::time::Duration;

use sheave_engine::wire::{Chunk, Data, Packet, Tsn};
use sheave_engine::{Failover, Options, PathState, PathStats, Time};

use super::fault::{Verdict, ensure};
use super::packets::data_of;

/// Packets in a row that may exceed a full window, each kind once per round trip: a fast
/// retransmission (RFC 9260 §7.2.4, rule 3), a tail probe (RFC 8985 §7.3), and a hedge for each of
/// the other paths, once per round trip of theirs.
const SAVED: u32 = 3;

/// Packets with DATA that may exceed a full window, by peer address.
#[derive(Default)]
pub(crate) struct Exemptions {
    buckets: BTreeMap<IpAddr, Bucket>,
    /// Disables the check: after full SACKs, the sender knows more than they report
    /// (path/unreported.rs).
    pub(crate) suspended: bool,
    /// TSNs by the address that they went to, where messages leave on every path: there a
    /// retransmission takes the place of its copy in the flight.
    copied: Option<BTreeSet<(IpAddr, u32)>>,
    /// Whether paths stand in for silent ones.
    hedges: bool,
}

#[derive(Clone, Copy)]
struct Bucket {
    left: u32,
    since: Time,
}

/// A train of packets, and its path's state before and after sending.
pub(crate) struct Departure<'a> {
    pub(crate) now: Time,
    pub(crate) before: &'a PathStats,
    pub(crate) after: &'a PathStats,
    pub(crate) packets: &'a [Cow<'a, [u8]>],
    /// Minimum round-trip times, of this path first.
    pub(crate) round_trips: Vec<Duration>,
}

impl Exemptions {
    pub(crate) fn of(options: &Options) -> Self {
        Self {
            copied: options.redundancy.map(|_| BTreeSet::new()),
            hedges: options.failover == Failover::RoundTrips,
            ..Self::default()
        }
    }

    /// Checks that sent data exceeds the congestion window by at most one packet (RFC 9260 §6.1 B,
    /// §7.2.4) and goes only to confirmed addresses (RFC 9260 §5.4).
    pub(crate) fn check(&mut self, departure: &Departure<'_>) -> Verdict {
        let Departure { before, after, .. } = *departure;
        let mut flight = before.flight;
        for packet in departure.packets {
            let data = data_in(packet);
            if data.is_empty() {
                continue;
            }
            let states = [before.state, after.state];
            ensure(states != [PathState::Unconfirmed; 2], "unconfirmed", || {
                format!("DATA for {}", before.remote)
            })?;
            if flight > 0 && flight >= after.cwnd && !self.suspended {
                self.take(departure, flight)?;
            }
            for (tsn, bytes) in data {
                let copied = self.copied.as_mut();
                let is_new = copied.is_none_or(|copied| copied.insert((after.remote, tsn.0)));
                flight += if is_new { bytes } else { 0 };
            }
        }
        Ok(())
    }

    fn take(&mut self, departure: &Departure<'_>, flight: u64) -> Verdict {
        let Departure { now, after, .. } = *departure;
        let paths = if self.hedges {
            departure.round_trips.len()
        } else {
            1
        };
        let saved = SAVED + paths.saturating_sub(2) as u32;
        let full = Bucket {
            left: saved,
            since: now,
        };
        let bucket = self.buckets.entry(after.remote).or_insert(full);
        let shortest = departure.round_trips.iter().take(paths).min();
        let wait = (shortest.copied().unwrap_or_default()).max(Duration::from_nanos(1));
        let earned = now.since(bucket.since).as_nanos() / wait.as_nanos();
        if earned > 0 {
            let earned = u32::try_from(earned * 2).unwrap_or(u32::MAX);
            bucket.left = bucket.left.saturating_add(earned).min(saved);
            bucket.since = now;
        }
        let left = bucket.left;
        ensure(left > 0, "cwnd", || {
            format!(
                "one packet too many for {}: {flight} bytes in flight, {} allowed",
                after.remote, after.cwnd
            )
        })?;
        bucket.left -= 1;
        Ok(())
    }
}

/// DATA chunks of a packet: TSN, and size as congestion control counts it, bytes.
fn data_in(packet: &[u8]) -> Vec<(Tsn, u64)> {
    let Ok(packet) = Packet::parse(packet) else {
        return Vec::new();
    };
    let data = packet.chunks().flatten().filter_map(|chunk| match chunk {
        Chunk::Data(data) => Some((data.tsn, data.payload.len())),
        other => data_of(&other),
    });
    data.map(|(tsn, len)| (tsn, (Data::HEADER_LEN + len).next_multiple_of(4) as u64))
        .collect()
}

/// Checks that RTOs stay within their bounds (RFC 9260 §6.3.1 C6, C7) and double on expiry (§6.3.3
/// E2).
pub(crate) fn check_timeouts(
    options: &Options,
    before: &[PathStats],
    after: &[PathStats],
) -> Verdict {
    for path in after {
        let (least, most) = match path.srtt {
            Some(_) => (options.rto_min.min(options.rto_max), options.rto_max),
            None => (Duration::ZERO, options.rto_max.max(options.rto_initial)),
        };
        ensure((least..=most).contains(&path.rto), "rto", || {
            format!("{:?} for {}: {options:?}", path.rto, path.remote)
        })?;
        let known = before.iter().find(|known| known.remote == path.remote);
        let Some(known) = known.filter(|known| {
            path.timeouts > known.timeouts && path.round_trips == known.round_trips
        }) else {
            continue;
        };
        let backed_off = known.rto.saturating_mul(2).min(options.rto_max);
        ensure(path.rto >= backed_off, "rto", || {
            format!(
                "{:?} after {:?} expired for {}",
                path.rto, known.rto, path.remote
            )
        })?;
    }
    Ok(())
}

//! The sender's paths: congestion windows, timeouts, and addresses that must not get data yet.

use std::collections::BTreeMap;

use core::net::IpAddr;
use core::time::Duration;

use sheave_engine::wire::{Chunk, Data, Packet};
use sheave_engine::{Options, PathState, PathStats, Time};

use super::fault::{Verdict, ensure};
use super::packets::data_of;

/// Packets that may leave in a row in spite of a full window: a fast retransmission (RFC 9260 §7.2.4,
/// rule 3), and the probe of a tail (RFC 8985 §7.3), each once a round trip.
const SAVED: u32 = 3;

/// Packets with DATA that may leave in spite of a full window, by the peer's address.
#[derive(Default)]
pub(crate) struct Exemptions {
    buckets: BTreeMap<IpAddr, Bucket>,
    /// Full SACKs tell less than the sender knows (path/unreported.rs): nothing is checked.
    pub(crate) suspended: bool,
}

#[derive(Clone, Copy)]
struct Bucket {
    left: u32,
    since: Time,
}

/// A train of packets for a path, and the path before and after it left.
pub(crate) struct Departure<'a> {
    pub(crate) now: Time,
    pub(crate) before: &'a PathStats,
    pub(crate) after: &'a PathStats,
    pub(crate) packets: &'a [&'a [u8]],
    /// The least round trip of the path.
    pub(crate) round_trip: Duration,
}

impl Exemptions {
    /// What leaves stays within the congestion window, but for one packet (RFC 9260 §6.1 B, §7.2.4),
    /// and data goes to confirmed addresses alone (RFC 9260 §5.4).
    pub(crate) fn check(&mut self, departure: &Departure<'_>) -> Verdict {
        let Departure { before, after, .. } = *departure;
        let mut flight = before.flight;
        for packet in departure.packets {
            let bytes = data_bytes(packet);
            if bytes == 0 {
                continue;
            }
            let states = [before.state, after.state];
            ensure(states != [PathState::Unconfirmed; 2], "unconfirmed", || {
                format!("DATA for {}", before.remote)
            })?;
            if flight > 0 && flight >= after.cwnd && !self.suspended {
                self.take(departure, flight)?;
            }
            flight += bytes;
        }
        Ok(())
    }

    fn take(&mut self, departure: &Departure<'_>, flight: u64) -> Verdict {
        let Departure { now, after, .. } = *departure;
        let full = Bucket {
            left: SAVED,
            since: now,
        };
        let bucket = self.buckets.entry(after.remote).or_insert(full);
        let wait = departure.round_trip.max(Duration::from_nanos(1));
        let earned = now.since(bucket.since).as_nanos() / wait.as_nanos();
        if earned > 0 {
            let earned = u32::try_from(earned * 2).unwrap_or(u32::MAX);
            bucket.left = bucket.left.saturating_add(earned).min(SAVED);
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

/// Bytes of DATA chunks, as congestion control counts them.
fn data_bytes(packet: &[u8]) -> u64 {
    let Ok(packet) = Packet::parse(packet) else {
        return 0;
    };
    let lens = packet.chunks().flatten().filter_map(|chunk| match chunk {
        Chunk::Data(data) => Some(data.payload.len()),
        other => data_of(&other).map(|(_, len)| len),
    });
    lens.map(|len| (Data::HEADER_LEN + len).next_multiple_of(4) as u64)
        .sum()
}

/// Timeouts stay within their bounds (RFC 9260 §6.3.1 C6, C7) and double when they expire (§6.3.3 E2).
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

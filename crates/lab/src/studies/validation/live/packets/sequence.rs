//! Sequences of packets in sending order, and their comparison.

use core::time::Duration;

use sheave_wire::{Chunk, Packet, Tsn};

use crate::studies::recording::packets;

/// A packet, reduced to its compared properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// Time since the first packet of the exchange.
    pub(super) at: Duration,
    /// The chunks with lengths and relative TSNs; chunks with a cookie have no length.
    pub(super) chunks: String,
}

/// The packets of an association, by direction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Exchange(pub(super) [Vec<Seen>; 2]);

impl Exchange {
    /// Parses the captures of both directions (pcapng, as written by the simulator).
    ///
    /// # Errors
    /// There is no packet, or a packet is not SCTP.
    pub(super) fn read(captures: [&[u8]; 2]) -> Result<Self, String> {
        let ways = captures.map(packets);
        let first = ways.iter().flatten().map(|(at, _)| *at).min();
        let first = first.ok_or("no packet was captured")?;
        let mut parsed = [Vec::new(), Vec::new()];
        for (way, parsed) in ways.iter().zip(&mut parsed) {
            for (at, packet) in way {
                let sctp = sctp(packet).ok_or("a packet is no SCTP")?;
                let packet = Packet::parse(sctp).map_err(|error| error.to_string())?;
                let chunks = packet.chunks().collect::<Result<Vec<Chunk<'_>>, _>>();
                parsed.push((at.saturating_sub(first), chunks.map_err(|e| e.to_string())?));
            }
        }
        let tsns = parsed.each_ref().map(|way| initial_tsn(way));
        let seen = |way: usize| {
            let told = parsed[way].iter().map(|(at, chunks)| Seen {
                at: *at,
                chunks: told(chunks, tsns[way], tsns[1 - way]),
            });
            told.collect()
        };
        Ok(Self([seen(0), seen(1)]))
    }
}

/// Similarity of a live exchange to the simulated one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Comparison {
    /// Number of simulated packets that were compared.
    pub(super) compared: usize,
    /// Number of packets before the first difference, summed over both directions.
    pub(super) agreeing: usize,
    /// Number of packets that occur in both in the same order, summed over both directions.
    pub(super) common: usize,
    /// Number of live packets in the compared range that were not simulated.
    pub(super) further: usize,
    /// Description of the earliest difference.
    pub(super) difference: Option<String>,
    /// Median and maximum time difference of packets that occur in both, seconds.
    pub(super) apart: Option<[f64; 2]>,
}

impl Comparison {
    /// Compares the packets that the simulation sent during the first `within`.
    pub(super) fn new(live: &Exchange, simulated: &Exchange, within: Duration) -> Self {
        let mut all = Self::default();
        let (mut first, mut apart) = (None, Vec::new());
        for (way, name) in ["there", "back"].into_iter().enumerate() {
            let due = simulated.0[way].iter().filter(|seen| seen.at <= within);
            let due: Vec<&Seen> = due.collect();
            let real: Vec<&Seen> = live.0[way].iter().collect();
            let same = |(one, other): &(&&Seen, &&Seen)| one.chunks == other.chunks;
            let equal = due.iter().zip(&real).take_while(same).count();
            let pairs = common(&due, &real);
            all.compared += due.len();
            all.agreeing += equal;
            all.common += pairs.len();
            all.further += pairs.last().map_or(0, |(_, last)| last + 1 - pairs.len());
            let times = pairs
                .iter()
                .map(|(one, other)| (due[*one].at, real[*other].at));
            apart.extend(times.map(|(one, other)| one.abs_diff(other).as_secs_f64()));
            let Some(missed) = due.get(equal) else {
                continue;
            };
            if first.as_ref().is_none_or(|(at, _)| missed.at < *at) {
                let got = real.get(equal).map_or("nothing", |seen| &seen.chunks);
                let place = equal + 1;
                let words = format!("{name}, packet {place}: {got}, not {}", missed.chunks);
                first = Some((missed.at, words));
            }
        }
        apart.sort_by(f64::total_cmp);
        let median = apart.get(apart.len() / 2).copied();
        all.difference = first.map(|(_, words)| words);
        all.apart = median
            .zip(apart.last())
            .map(|(median, most)| [median, *most]);
        all
    }

    /// Number of packets that occur in only one of the two.
    pub(super) const fn differing(&self) -> usize {
        self.compared - self.common + self.further
    }
}

/// Indices of a longest common subsequence of packets.
fn common(one: &[&Seen], other: &[&Seen]) -> Vec<(usize, usize)> {
    let same = |at: usize, with: usize| one[at].chunks == other[with].chunks;
    // Length of the longest common subsequence of the remainders.
    let mut longest = vec![vec![0_usize; other.len() + 1]; one.len() + 1];
    for at in (0..one.len()).rev() {
        for with in (0..other.len()).rev() {
            longest[at][with] = match same(at, with) {
                true => longest[at + 1][with + 1] + 1,
                false => longest[at + 1][with].max(longest[at][with + 1]),
            };
        }
    }
    let (mut at, mut with, mut pairs) = (0, 0, Vec::new());
    while at < one.len() && with < other.len() {
        if same(at, with) {
            pairs.push((at, with));
            (at, with) = (at + 1, with + 1);
        } else if longest[at + 1][with] >= longest[at][with + 1] {
            at += 1;
        } else {
            with += 1;
        }
    }
    pairs
}

/// The SCTP packet within an IPv4 packet, with or without UDP.
fn sctp(packet: &[u8]) -> Option<&[u8]> {
    const UDP: u8 = 17;
    const SCTP: u8 = 132;
    let payload = packet.get(usize::from(packet.first()? & 0xf) * 4..)?;
    match *packet.get(9)? {
        UDP => payload.get(8..),
        SCTP => Some(payload),
        _ => None,
    }
}

/// The initial TSN of a direction; 0 if its sender never announces one.
fn initial_tsn(way: &[(Duration, Vec<Chunk<'_>>)]) -> Tsn {
    let chunks = way.iter().flat_map(|(_, chunks)| chunks);
    let mut said = chunks.filter_map(|chunk| match chunk {
        Chunk::Init(init) | Chunk::InitAck(init) => Some(init.initial_tsn),
        _ => None,
    });
    said.next().unwrap_or(Tsn(0))
}

/// The chunks as text. Sent and acknowledged TSNs are relative to their direction's initial TSN,
/// which is random.
fn told(chunks: &[Chunk<'_>], own: Tsn, others: Tsn) -> String {
    let told = chunks.iter().map(|chunk| {
        let (kind, len) = (chunk.chunk_type(), chunk.encoded_len());
        match chunk {
            Chunk::Data(data) => {
                let tsn = data.tsn.distance_from(own);
                format!("{kind} {tsn} ({len} bytes)")
            }
            Chunk::Sack(sack) => {
                // Number of TSNs received in order.
                let all = sack.cumulative_tsn_ack.next().distance_from(others);
                let mut text = format!("{kind} of {all}");
                for gap in sack.gap_blocks {
                    text += &format!(" +{}..{}", gap.start, gap.end);
                }
                for tsn in sack.duplicates {
                    text += &format!(" twice {}", tsn.distance_from(others));
                }
                format!("{text} ({len} bytes)")
            }
            // Chunks with the cookie, whose length depends on whether it contains a UDP port.
            Chunk::InitAck(_) | Chunk::CookieEcho(_) => kind.to_string(),
            _ => format!("{kind} ({len} bytes)"),
        }
    });
    told.collect::<Vec<String>>().join(", ")
}

#[cfg(test)]
mod tests;

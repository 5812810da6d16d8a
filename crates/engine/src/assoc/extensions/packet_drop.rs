//! Reports of damaged packets (draft-stewart-sctp-pktdrprep).

use core::net::IpAddr;
use core::time::Duration;

use sheave_wire::{
    Chunk, ChunkType, CommonHeader, Data, DataFlags, Packet, PacketDrop, PacketDropFlags, Ppid,
    Ssn, StreamId, Tsn,
};

use crate::Time;
use crate::assoc::control::{self, Control};
use crate::assoc::tcb::{Context, Tcb};
use crate::value::extension::ExtensionSet;

/// Most reports per round trip (A33; our choice).
const MOST: u8 = 8;

/// Round trip assumed without a measurement.
const USUAL_ROUND_TRIP: Duration = Duration::from_millis(100);

/// User bytes of a chunk that a report must quote correctly, if the chunk has as many. Damage
/// usually lies further back, and an attacker who has not seen the packet does not know these
/// bytes. Our choice, close to that of the BSDs.
const VERIFIED: usize = 32;

/// Accounting of reports sent.
#[derive(Clone, Debug)]
pub(crate) struct DropReports {
    /// Start of the round trip in which reports are counted.
    began: Time,
    in_round_trip: u8,
    sent: u32,
}

impl DropReports {
    fn new(now: Time) -> Self {
        Self {
            began: now,
            in_round_trip: 0,
            sent: 0,
        }
    }

    /// Whether another report may be sent; counts it if so.
    fn admit(&mut self, now: Time, round_trip: Duration) -> bool {
        if now.since(self.began) >= round_trip {
            self.began = now;
            self.in_round_trip = 0;
        }
        if self.in_round_trip >= MOST {
            return false;
        }
        self.in_round_trip += 1;
        self.sent = self.sent.saturating_add(1);
        true
    }

    pub(in crate::assoc) const fn sent(&self) -> u32 {
        self.sent
    }
}

impl Tcb {
    fn reports_drops(&self) -> bool {
        self.agreed.contains(ExtensionSet::PACKET_DROP_REPORTS)
    }

    /// A packet with our tag and ports, from an address of the peer, has a wrong checksum: reports
    /// its beginning to the peer.
    pub(crate) fn report_drop(&mut self, cx: &Context<'_>, packet: &Packet<'_>, remote: IpAddr) {
        if !self.reports_drops() || !self.phase.receives_data() || !is_worth_a_report(packet) {
            return;
        }
        let Some(from) = self.paths.find(remote) else {
            return;
        };
        let to = self.paths.reply_path(from);
        let Some(path) = self.paths.get(to) else {
            return;
        };
        let room = self
            .control_room(path)
            .saturating_sub(PacketDrop::HEADER_LEN);
        let round_trip = path.rto.srtt().unwrap_or(USUAL_ROUND_TRIP);
        let reports = self.extensions.part_or_else(
            |extensions| &mut extensions.drop_reports,
            || DropReports::new(cx.now),
        );
        if !reports.admit(cx.now, round_trip) {
            return;
        }
        let whole = packet.bytes();
        let quoted = whole.get(..room).unwrap_or(whole);
        let (flags, full_len) = if quoted.len() < whole.len() {
            let flags = PacketDropFlags::BAD_CHECKSUM.union(PacketDropFlags::TRUNCATED);
            (flags, u16::try_from(whole.len()).unwrap_or(u16::MAX))
        } else {
            (PacketDropFlags::BAD_CHECKSUM, 0)
        };
        let report = PacketDrop {
            flags,
            // The BSDs interpret the difference of the two values as our receive window.
            bandwidth: u32::try_from(self.inbound.receive_buffer()).unwrap_or(u32::MAX),
            queued: u32::try_from(self.inbound.buffered()).unwrap_or(u32::MAX),
            full_len,
            quoted,
        };
        self.queue(
            to,
            Control::Chunk(control::encode(&Chunk::PacketDrop(report))),
        );
    }

    /// Handles a report.
    ///
    /// Only damage is handled, and only for chunks in flight whose beginning is quoted correctly:
    /// they are retransmitted, at most as often as for any damage report, without window changes.
    /// The reported bandwidth and queue lengths are ignored (A33).
    pub(in crate::assoc) fn on_packet_drop(&mut self, cx: &Context<'_>, report: &PacketDrop<'_>) {
        let damaged = report.flags.contains(PacketDropFlags::BAD_CHECKSUM);
        if !damaged || !self.phase.takes_sack() || !self.has_sent(report.quoted) {
            return;
        }
        let mut detours = self.detours(cx.now);
        let chunks = report.quoted.get(CommonHeader::LEN..).unwrap_or_default();
        for quoted in QuotedData(chunks) {
            if self.outbound.is_sent_as(&quoted) {
                self.outbound.on_warned(
                    cx.now,
                    quoted.tsn,
                    self.paths.as_mut_slice(),
                    &mut detours,
                );
            }
        }
    }

    /// Whether the quoted packet has our ports and tag.
    fn has_sent(&self, quoted: &[u8]) -> bool {
        let ours = self.header();
        let mut expected = [0; 8];
        expected[..2].copy_from_slice(&ours.source_port.to_be_bytes());
        expected[2..4].copy_from_slice(&ours.destination_port.to_be_bytes());
        expected[4..].copy_from_slice(&ours.vtag.0.to_be_bytes());
        quoted.starts_with(&expected)
    }
}

/// Whether to report a damaged packet. Not for a report, to avoid answering reports with reports,
/// nor for packets that are repeated anyway or need no answer.
fn is_worth_a_report(packet: &Packet<'_>) -> bool {
    let silent = [
        ChunkType::PACKET_DROP,
        ChunkType::ABORT,
        ChunkType::INIT,
        ChunkType::INIT_ACK,
        ChunkType::SHUTDOWN_COMPLETE,
    ];
    let mut chunks = packet.chunks().raw().filter_map(Result::ok);
    !chunks.any(|chunk| silent.contains(&chunk.chunk_type))
}

/// The DATA chunks in the beginning of a packet; the last may be truncated.
struct QuotedData<'a>(&'a [u8]);

impl<'a> Iterator for QuotedData<'a> {
    type Item = Data<'a>;

    fn next(&mut self) -> Option<Data<'a>> {
        loop {
            let &[chunk_type, flags, high, low] = self.0.first_chunk()?;
            let len = usize::from(u16::from_be_bytes([high, low]));
            let chunk = self.0.get(..len).unwrap_or(self.0);
            self.0 = self
                .0
                .get(len.max(4).next_multiple_of(4)..)
                .unwrap_or_default();
            if ChunkType(chunk_type) != ChunkType::DATA {
                continue;
            }
            let (header, payload) = chunk.split_first_chunk::<{ Data::HEADER_LEN }>()?;
            let &[_, _, _, _, t0, t1, t2, t3, s0, s1, n0, n1, p0, p1, p2, p3] = header;
            return Some(Data {
                flags: DataFlags::from_bits(flags),
                tsn: Tsn(u32::from_be_bytes([t0, t1, t2, t3])),
                stream: StreamId(u16::from_be_bytes([s0, s1])),
                ssn: Ssn(u16::from_be_bytes([n0, n1])),
                ppid: Ppid(u32::from_be_bytes([p0, p1, p2, p3])),
                payload: payload.get(..VERIFIED).unwrap_or(payload),
            });
        }
    }
}

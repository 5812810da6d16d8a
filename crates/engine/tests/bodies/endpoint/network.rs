//! The network between the two, and who meddles with it.

use core::net::IpAddr;

use sheave_engine::wire::{Chunk, Packet, crc32c};
use sheave_engine::{Datagram, Ecn, ErrorWarning, Icmp, IcmpError, Node, PeerAddress, Transmit};

use super::{Play, STEPS, address};

/// A packet on its way.
#[derive(Clone, Debug)]
pub(super) struct Parcel {
    to: usize,
    from_address: IpAddr,
    to_address: IpAddr,
    bytes: Vec<u8>,
}

impl Play<'_> {
    pub(super) fn post(&mut self, from: usize, transmit: &Transmit, buf: &[u8]) {
        for segment in buf.chunks(transmit.segment_size.unwrap_or(buf.len()).max(1)) {
            let packet = Packet::parse(segment).expect("an engine's packet parses");
            assert!(
                packet.checksum_is_valid() || packet.checksum() == 0 && !sets_up(&packet),
                "a wrong checksum"
            );
            assert!(
                packet.chunks().all(|chunk| chunk.is_ok()),
                "an engine's chunks parse"
            );
            assert!(
                transmit.ecn == Ecn::NotEct || carries_data(&packet),
                "a mark on it would be lost"
            );
            assert!(segment.len() <= 1480, "larger than the MTU: {packet}");
            let to = 1 - from;
            self.last[to] = segment.to_vec();
            self.headers[to].copy_from_slice(&segment[..8]);
            if self.wire.len() < 400 {
                self.wire.push_back(Parcel {
                    to,
                    from_address: transmit.local,
                    to_address: transmit.remote.ip,
                    bytes: segment.to_vec(),
                });
            }
        }
    }

    pub(super) fn deliver(&mut self) {
        if let Some(parcel) = self.wire.pop_front() {
            self.hand_over(&parcel);
            self.pump(STEPS);
        }
    }

    fn hand_over(&mut self, parcel: &Parcel) {
        self.nodes[parcel.to].handle_datagram(
            self.now,
            Datagram {
                local: parcel.to_address,
                remote: PeerAddress::native(parcel.from_address),
                // Every other length is marked; that counts only where ECN is on.
                ecn: if parcel.bytes.len() & 4 == 0 {
                    Ecn::NotEct
                } else {
                    Ecn::Ce
                },
                payload: &parcel.bytes,
            },
        );
    }

    /// Edits the next packet and gives it a right checksum again, or none, or leaves it wrong.
    pub(super) fn mutate(&mut self) {
        let choice = self.script.byte();
        let edits = choice & 3;
        let Some(mut parcel) = self.wire.pop_front() else {
            return;
        };
        for _ in 0..=edits {
            let at = usize::from(self.script.word()) % parcel.bytes.len();
            let byte = self.script.byte();
            match byte & 3 {
                0 => parcel.bytes[at] ^= byte >> 2,
                1 => parcel.bytes[at] = byte >> 2,
                2 => parcel.bytes.truncate(at.max(12)),
                _ => parcel
                    .bytes
                    .extend_from_slice(self.script.slice(usize::from(byte >> 2))),
            }
        }
        match choice >> 2 & 7 {
            0 => {}
            1 => clear_checksum(&mut parcel.bytes),
            _ => reseal(&mut parcel.bytes),
        }
        self.hand_over(&parcel);
    }

    /// Chunks of the fuzzer's making behind a header with the right tag and checksum.
    pub(super) fn forge(&mut self, node: usize) {
        let choice = self.script.byte();
        let mut bytes = self.headers[node].to_vec();
        if choice & 1 != 0 {
            bytes[4..8].fill(0);
        }
        bytes.extend_from_slice(&[0; 4]);
        let len = usize::from(self.script.byte());
        bytes.extend_from_slice(self.script.slice(len));
        reseal(&mut bytes);
        self.hand_over(&Parcel {
            to: node,
            from_address: address(1 - node, 1 + (choice >> 1 & 3)),
            to_address: address(node, 1 + (choice >> 3 & 1)),
            bytes,
        });
    }

    pub(super) fn inject_bytes(&mut self, node: usize) {
        let len = usize::from(self.script.byte());
        let bytes = self.script.slice(len).to_vec();
        let (from_address, to_address) = (address(1 - node, 1), address(node, 1));
        self.hand_over(&Parcel {
            to: node,
            from_address,
            to_address,
            bytes,
        });
    }

    /// Somebody on the way complains of the last packet of a node.
    pub(super) fn complain(&mut self, node: usize, choice: u8) {
        let remote = address(1 - node, 1 + (choice & 1));
        let quoted = &self.last[1 - node];
        let quoted = &quoted[..quoted.len().min(8 * usize::from(self.script.byte()))];
        if choice & 2 != 0 {
            let warning = ErrorWarning { remote, quoted };
            return self.nodes[node].handle_error_warning(self.now, warning);
        }
        let error = match choice >> 3 {
            29 => IcmpError::Unreachable,
            30 => IcmpError::NoSuchPort,
            31 => IcmpError::NoSuchProtocol,
            size => IcmpError::PacketTooBig {
                mtu: 500 + 32 * u16::from(size),
            },
        };
        let icmp = Icmp {
            remote,
            error,
            quoted,
        };
        self.nodes[node].handle_icmp(self.now, icmp);
    }
}

/// Whether a packet must have its CRC32c whatever was agreed on (RFC 9653 §5.2).
fn sets_up(packet: &Packet<'_>) -> bool {
    packet.chunks().flatten().any(|chunk| {
        matches!(
            chunk,
            Chunk::Init(_) | Chunk::InitAck(_) | Chunk::CookieEcho(_)
        )
    })
}

fn carries_data(packet: &Packet<'_>) -> bool {
    packet.chunks().flatten().any(|chunk| {
        matches!(
            chunk,
            Chunk::Data(_) | Chunk::CheckedData(_) | Chunk::IData(_)
        )
    })
}

fn clear_checksum(packet: &mut [u8]) {
    if let Some(field) = packet.get_mut(8..12) {
        field.fill(0);
    }
}

fn reseal(packet: &mut [u8]) {
    if packet.len() >= 12 {
        clear_checksum(packet);
        let sum = crc32c(packet);
        packet[8..12].copy_from_slice(&sum.to_le_bytes());
    }
}

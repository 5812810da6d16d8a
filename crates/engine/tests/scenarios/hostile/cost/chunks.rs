//! Chunks of every type, from a few numbers.

use crate::prelude::*;

/// Packets that a peer may send, and calls that its user may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Data,
    IData,
    Sack,
    NrSack,
    ForwardTsn,
    IForwardTsn,
    ReConfig,
    Asconf,
    AsconfAck,
    PacketDrop,
    CheckedData,
    Corruption,
    Ecne,
    Cwr,
    Heartbeat,
    HeartbeatAck,
    Error,
    Unknown,
    /// The engine's user reads.
    Read,
}

/// Values for the fields of a chunk; each chunk type uses those it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Numbers {
    /// From the peer's first TSN, or that of the engine, on.
    pub(super) tsn: u32,
    pub(super) stream: u16,
    /// SSN or MID.
    pub(super) number: u32,
    /// FSN, or the end of a range.
    pub(super) second: u32,
    pub(super) flags: u8,
    /// Bytes of payload.
    pub(super) len: u16,
    /// Entries of a list.
    pub(super) entries: u16,
}

impl Numbers {
    /// Another value in one place.
    pub(super) fn change(&mut self, random: &mut Random) {
        const USUAL: [u32; 12] = [
            0,
            1,
            2,
            3,
            u32::MAX,
            u32::MAX - 1,
            10,
            100,
            1000,
            60_000,
            1 << 30,
            1 << 31,
        ];
        let usual = USUAL[random.index(USUAL.len())];
        let value = match random.below(4) {
            0 => random.below(1000) as u32,
            _ => usual,
        };
        match random.below(7) {
            0 => self.tsn = value,
            1 => self.stream = value as u16,
            2 => self.number = value,
            3 => self.second = value,
            4 => self.flags = value as u8 & 0x0F,
            5 => self.len = (value % 200) as u16,
            _ => self.entries = (value % 350) as u16,
        }
    }

    pub(super) const fn plus(&self, step: &Self) -> Self {
        Self {
            tsn: self.tsn.wrapping_add(step.tsn),
            stream: self.stream.wrapping_add(step.stream),
            number: self.number.wrapping_add(step.number),
            second: self.second.wrapping_add(step.second),
            flags: self.flags.wrapping_add(step.flags) & 0x0F,
            len: self.len.wrapping_add(step.len) % 200,
            entries: self.entries.wrapping_add(step.entries) % 350,
        }
    }
}

impl Kind {
    /// Kind of chunk that builds up state in the engine for this kind.
    pub(super) const fn filler(self) -> Self {
        match self {
            Self::IData | Self::IForwardTsn => Self::IData,
            Self::CheckedData => Self::CheckedData,
            _ => Self::Data,
        }
    }

    /// This kind, or what may help it.
    pub(super) fn random_beside(self, random: &mut Random) -> Self {
        match random.below(8) {
            0 | 1 => self.filler(),
            2 => Self::Read,
            _ => self,
        }
    }

    /// The chunk, padded. `requests`: how many requests came before.
    pub(super) fn bytes(self, peer: &Peer, numbers: &Numbers, requests: &mut u32) -> Vec<u8> {
        let (chunk_type, flags, body) = self.parts(peer, numbers, requests);
        let mut bytes = vec![chunk_type, flags];
        bytes.extend_from_slice(&(body.len() as u16 + 4).to_be_bytes());
        bytes.extend_from_slice(&body);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    fn parts(self, peer: &Peer, numbers: &Numbers, requests: &mut u32) -> (u8, u8, Vec<u8>) {
        let Numbers {
            tsn,
            stream,
            number,
            second,
            flags,
            len,
            entries,
        } = *numbers;
        let ours = peer.tsn.0.wrapping_add(tsn);
        let theirs = peer.engine_tsn.0.wrapping_add(tsn % 200).wrapping_sub(1);
        let mut body = Body(Vec::new());
        let chunk_type = match self {
            Self::Data => {
                body.u32(ours).u16(stream).u16(number as u16).u32(0);
                body.fill(len.max(1));
                0
            }
            Self::IData => {
                body.u32(ours).u16(stream).u16(0).u32(number).u32(second);
                body.fill(len.max(1));
                64
            }
            Self::CheckedData => {
                body.u32(ours)
                    .u16(stream)
                    .u16(number as u16)
                    .u32(0)
                    .u32(second);
                body.fill(len.max(1));
                158
            }
            Self::Sack | Self::NrSack => {
                let blocks = entries % 100;
                body.u32(theirs).u32(100_000).u16(blocks).u16(0);
                if self == Self::NrSack {
                    body.u16(number as u16 % 50).u16(0);
                }
                for n in 0..blocks {
                    let start = 2 + n.wrapping_mul(number as u16 % 4 + 2);
                    body.u16(start)
                        .u16(start.saturating_add(second as u16 % 150));
                }
                if self == Self::NrSack {
                    for n in 0..number as u16 % 50 {
                        body.u16(2 + 3 * n).u16(3 + 3 * n);
                    }
                }
                if self == Self::Sack { 3 } else { 16 }
            }
            Self::ForwardTsn => {
                body.u32(ours);
                for n in 0..entries {
                    body.u16(stream.wrapping_add(n.wrapping_mul(second as u16)));
                    body.u16(number as u16);
                }
                192
            }
            Self::IForwardTsn => {
                body.u32(ours);
                for n in 0..entries % 180 {
                    body.u16(stream.wrapping_add(n.wrapping_mul(second as u16)));
                    body.u16(u16::from(flags & 4 != 0)).u32(number);
                }
                194
            }
            Self::ReConfig => {
                let request = peer.tsn.0.wrapping_add(*requests);
                *requests += 1;
                body.u16(13).u16(16 + 2 * entries).u32(request).u32(second);
                body.u32(ours);
                for n in 0..entries {
                    body.u16(stream.wrapping_add(n));
                }
                130
            }
            Self::Asconf => {
                let serial = peer.tsn.0.wrapping_add(*requests);
                *requests += 1;
                body.u32(serial).u16(5).u16(8).u32(0x0a00_0201);
                for n in 0..entries % 60 {
                    let kind = [0xC001, 0xC002, 0xC004][usize::from(flags) % 3];
                    body.u16(kind).u16(16).u32(n.into()).u16(5).u16(8);
                    body.u32(number.wrapping_add(u32::from(n)));
                }
                193
            }
            Self::AsconfAck => {
                body.u32(number);
                for n in 0..entries % 60 {
                    body.u16(0xC005).u16(8).u32(n.into());
                }
                128
            }
            Self::PacketDrop => {
                body.u32(100_000).u32(0).u16(0).u16(0);
                body.u32(0).u32(peer.tag.0).u32(0);
                for n in 0..entries % 60 {
                    body.u16(3).u16(20).u32(theirs.wrapping_add(n.into()));
                    body.u16(0).u16(0).u32(0).u32(0);
                }
                129
            }
            Self::Corruption => {
                for n in 0..entries % 170 {
                    body.u32(theirs.wrapping_add(n.into())).u32(second);
                }
                159
            }
            Self::Ecne => {
                body.u32(theirs);
                12
            }
            Self::Cwr => {
                body.u32(ours);
                13
            }
            Self::Heartbeat | Self::HeartbeatAck => {
                body.u16(1).u16(4 + len);
                body.fill(len);
                if self == Self::Heartbeat { 4 } else { 5 }
            }
            Self::Error => {
                for _ in 0..entries {
                    body.u16(number as u16 % 14).u16(4);
                }
                9
            }
            Self::Unknown => {
                body.fill(len);
                // Unknown types, which are skipped and reported.
                0xC0 | 0x3E
            }
            Self::Read => 0xBE,
        };
        (chunk_type, flags, body.0)
    }
}

struct Body(Vec<u8>);

impl Body {
    fn u16(&mut self, value: u16) -> &mut Self {
        self.0.extend_from_slice(&value.to_be_bytes());
        self
    }

    fn u32(&mut self, value: u32) -> &mut Self {
        self.0.extend_from_slice(&value.to_be_bytes());
        self
    }

    fn fill(&mut self, len: u16) {
        self.0.resize(self.0.len() + usize::from(len), 7);
    }
}

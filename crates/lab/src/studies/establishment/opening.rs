use core::net::{IpAddr, Ipv4Addr};

use sheave_sim::{Protocol, Random, tcp};
use sheave_wire::{Chunk, CommonHeader, Init, PacketWriter, Parameters, Tsn, Vtag};

use crate::studies::pair::{LISTENER, PORT};

/// The first packet of a handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opening {
    Init,
    Syn,
}

impl Opening {
    /// The transport's protocol.
    pub(super) const fn protocol(self) -> Protocol {
        match self {
            Self::Init => Protocol::Sctp,
            Self::Syn => Protocol::Tcp,
        }
    }

    /// Writes an opening to the listener with a forged source address, and returns the address.
    pub(super) fn forge(self, packet: &mut Vec<u8>, random: &mut Random) -> IpAddr {
        let [a, b, c, ..] = random.u64().to_be_bytes();
        let from = IpAddr::V4(Ipv4Addr::new(198, a, b, c.max(1)));
        packet.clear();
        match self {
            Self::Init => write_init(packet, random),
            Self::Syn => write_syn(packet, from, random),
        }
        from
    }
}

fn write_init(packet: &mut Vec<u8>, random: &mut Random) {
    let header = CommonHeader {
        source_port: word(random) | 1,
        destination_port: PORT,
        vtag: Vtag(0),
    };
    let init = Init {
        initiate_tag: Vtag(long(random) | 1),
        a_rwnd: 65_536,
        outbound_streams: 10,
        inbound_streams: 10,
        initial_tsn: Tsn(long(random)),
        parameters: Parameters::EMPTY,
    };
    let mut writer = PacketWriter::new(packet, header, 1480);
    writer.push(&Chunk::Init(init));
    writer.finish();
}

fn write_syn(packet: &mut Vec<u8>, from: IpAddr, random: &mut Random) {
    let header = tcp::Header {
        source_port: word(random) | 1,
        destination_port: PORT,
        seq: tcp::Seq(long(random)),
        flags: tcp::Flags::SYN,
        window: u16::MAX,
        mss: Some(1460),
        ..tcp::Header::default()
    };
    header.write(packet);
    tcp::seal(packet, from, LISTENER);
}

/// 16 random bits.
fn word(random: &mut Random) -> u16 {
    let [.., a, b] = random.u64().to_be_bytes();
    u16::from_be_bytes([a, b])
}

/// 32 random bits.
fn long(random: &mut Random) -> u32 {
    let [a, b, c, d, ..] = random.u64().to_be_bytes();
    u32::from_be_bytes([a, b, c, d])
}

use sheave_sim::{Random, tcp};
use sheave_wire::{
    CommonHeader, Data, DataFlags, Packet, PacketWriter, Ppid, Ssn, StreamId, Tsn, Vtag,
};

use crate::Measured;
use crate::studies::pair::{CLIENT, LISTENER, PORT};

/// Length of a packet from the transport's header on, bytes.
const LEN: usize = 1480;

/// Flips `wrong_bits` bits in each packet; counts the packets that each checksum fails to detect.
pub(super) fn run(packets: u64, wrong_bits: f64, seed: u64) -> Measured {
    let mut random = Random::new(seed).fork("bits");
    let payload: Vec<u8> = (0..LEN).map(|_| random.u64().to_le_bytes()[0]).collect();
    let (mut sctp, mut segment) = (sctp_packet(&payload), tcp_segment(&payload));
    let (mut sctp_missed, mut tcp_missed) = (0_u64, 0_u64);
    let mut places = Vec::new();
    for _ in 0..packets {
        draw(&mut places, wrong_bits, &mut random);
        flip(&mut sctp, &places);
        flip(&mut segment, &places);
        let whole = Packet::parse(&sctp).is_ok_and(|packet| packet.checksum_is_valid());
        sctp_missed += u64::from(whole);
        tcp_missed += u64::from(tcp::checksum_is_valid(&segment, CLIENT, LISTENER));
        flip(&mut sctp, &places);
        flip(&mut segment, &places);
    }
    Measured::new()
        .with("crc32c_missed", sctp_missed as f64)
        .with("tcp_missed", tcp_missed as f64)
        .with("tcp_missed_share", tcp_missed as f64 / packets as f64)
}

/// Draws distinct positions.
fn draw(places: &mut Vec<u64>, count: f64, random: &mut Random) {
    places.clear();
    while (places.len() as f64) < count {
        let place = random.below(LEN as u64 * 8);
        if !places.contains(&place) {
            places.push(place);
        }
    }
}

fn flip(packet: &mut [u8], places: &[u64]) {
    for place in places {
        let at = usize::try_from(place / 8).unwrap_or(usize::MAX);
        if let Some(byte) = packet.get_mut(at) {
            *byte ^= 0x80 >> (place % 8);
        }
    }
}

fn sctp_packet(payload: &[u8]) -> Vec<u8> {
    let mut packet = Vec::new();
    let header = CommonHeader {
        source_port: PORT,
        destination_port: PORT,
        vtag: Vtag(1),
    };
    let mut writer = PacketWriter::new(&mut packet, header, LEN);
    let room = LEN - writer.len() - Data::HEADER_LEN;
    writer.push_data(&Data {
        flags: DataFlags::BEGINNING.union(DataFlags::ENDING),
        tsn: Tsn(1),
        stream: StreamId(0),
        ssn: Ssn(0),
        ppid: Ppid(0),
        payload: &payload[..room],
    });
    writer.finish();
    packet
}

fn tcp_segment(payload: &[u8]) -> Vec<u8> {
    let header = tcp::Header {
        source_port: PORT,
        destination_port: PORT,
        ack: Some(tcp::Seq(1)),
        window: u16::MAX,
        ..tcp::Header::default()
    };
    let mut segment = Vec::new();
    header.write(&mut segment);
    segment.extend(&payload[..LEN - segment.len()]);
    tcp::seal(&mut segment, CLIENT, LISTENER);
    segment
}

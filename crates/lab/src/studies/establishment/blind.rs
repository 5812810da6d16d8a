use sheave_engine::{Endpoint, Node, Time};
use sheave_sim::Random;
use sheave_wire::{
    Abort, Causes, Chunk, CommonHeader, Data, DataFlags, Heartbeat, List, PacketWriter, Ppid, Sack,
    Shutdown, Ssn, StreamId, TagReflection, Tsn, Vtag,
};

use crate::Measured;
use crate::studies::pair::{self, CLIENT, LISTENER, PORT};

/// Sends packets with guessed tags from the client's address to an established association. A
/// correct guess takes 2^31 packets on average, so none is expected.
pub(super) fn run(packets: u64, seed: u64) -> Result<Measured, String> {
    let mut random = Random::new(seed).fork("blind");
    let mut listener = pair::listener(&mut random)?;
    let mut client = pair::endpoint(CLIENT, &mut random);
    let now = Time::from_millis(1);
    let names = pair::associate(now, &mut client, &mut listener).ok_or("no association")?;
    let port = port(&mut listener, names.1)?;
    let before = listener.assoc(names.1).map(|assoc| assoc.stats());
    let (mut packet, mut reply) = (Vec::new(), Vec::new());
    let mut replies = 0_u64;
    for number in 0..packets {
        write(&mut packet, port, number, &mut random);
        pair::hand_over(&mut listener, now, (CLIENT, LISTENER), &packet);
        while listener.poll_transmit(now, &mut reply, 1).is_some() {
            replies += 1;
            reply.clear();
        }
    }
    let after = listener.assoc(names.1).map(|assoc| assoc.stats());
    let wrong = listener.stats().bad_tag;
    let talks = pair::talks(now, &mut client, &mut listener, names);
    let unchanged = before.is_some() && before == after;
    Ok(Measured::new()
        .with("unchanged", f64::from(u8::from(unchanged)))
        .with("still_talks", f64::from(u8::from(talks)))
        .with("refused_for_tag", wrong as f64)
        .with("replies", replies as f64))
}

/// The client's port, as seen by the listener.
fn port(listener: &mut Endpoint, name: sheave_engine::AssocId) -> Result<u16, String> {
    let assoc = listener.assoc(name).ok_or("no association")?;
    Ok(assoc.stats().remote_port)
}

/// Writes a packet that would do harm if its tag were right.
fn write(packet: &mut Vec<u8>, source_port: u16, number: u64, random: &mut Random) {
    packet.clear();
    let [a, b, c, d, e, f, g, h] = random.u64().to_be_bytes();
    let tsn = Tsn(u32::from_be_bytes([e, f, g, h]));
    let chunk = match number % 6 {
        0 => Chunk::Abort(Abort {
            reflected: TagReflection::Own,
            causes: Causes::EMPTY,
        }),
        1 => Chunk::Shutdown(Shutdown {
            cumulative_tsn_ack: tsn,
        }),
        2 => Chunk::Sack(Sack {
            cumulative_tsn_ack: tsn,
            a_rwnd: 0,
            gap_blocks: List::EMPTY,
            duplicates: List::EMPTY,
            packets: 0,
        }),
        3 => Chunk::Data(Data {
            flags: DataFlags::BEGINNING.union(DataFlags::ENDING),
            tsn,
            stream: StreamId(0),
            ssn: Ssn(0),
            ppid: Ppid(0),
            payload: b"not yours",
        }),
        4 => Chunk::Heartbeat(Heartbeat { info: b"12345678" }),
        _ => Chunk::ShutdownAck,
    };
    let header = CommonHeader {
        source_port,
        destination_port: PORT,
        // Tags are never 0 (RFC 9260 §5.3.1).
        vtag: Vtag(u32::from_be_bytes([a, b, c, d]) | 1),
    };
    let mut writer = PacketWriter::new(packet, header, 1480);
    writer.push(&chunk);
    writer.finish();
}

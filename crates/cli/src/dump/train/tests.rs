use sheave_wire::{Chunk, Data, DataFlags, PacketWriter, Ppid, Ssn, StreamId, Tsn, Vtag};

use super::*;

fn packet(tsn: u32, payload: &[u8]) -> Vec<u8> {
    let header = CommonHeader {
        source_port: 1,
        destination_port: 2,
        vtag: Vtag(3),
    };
    let mut out = Vec::new();
    let mut writer = PacketWriter::new(&mut out, header, 1500);
    writer.push(&Chunk::Data(Data {
        flags: DataFlags::BEGINNING.union(DataFlags::ENDING),
        tsn: Tsn(tsn),
        stream: StreamId(0),
        ssn: Ssn(0),
        ppid: Ppid(0),
        payload,
    }));
    writer.finish();
    out
}

#[test]
fn a_train_is_split_where_its_packets_begin() {
    let packets = [
        packet(1, &[7; 100]),
        packet(2, &[8; 100]),
        packet(3, &[9; 20]),
    ];
    let train = packets.concat();
    assert_eq!(
        split(&train),
        packets.iter().map(Vec::as_slice).collect::<Vec<_>>()
    );
}

#[test]
fn one_packet_stays_whole_even_if_it_holds_its_own_header() {
    let inner = packet(1, &[1; 40]);
    let outer = packet(2, &inner);
    assert_eq!(split(&outer), [outer.as_slice()]);
}

#[test]
fn a_packet_with_a_wrong_checksum_is_no_train() {
    let mut bytes = packet(1, &[5; 200]);
    bytes[60] ^= 1;
    assert_eq!(split(&bytes), [bytes.as_slice()]);
    assert_eq!(split(b""), [b"".as_slice()]);
    assert_eq!(split(&[0; 60_000]).len(), 1);
}

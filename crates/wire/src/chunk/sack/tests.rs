use std::string::ToString;
use std::vec;
use std::vec::Vec;

use crate::captured::{SACK, assert_bytes, assert_captured, fault_of, packet_of, parse};
use crate::{Chunk, GapBlock, List, Sack, Tsn};

const GAPS: [GapBlock; 2] = [
    GapBlock { start: 2, end: 3 },
    GapBlock {
        start: 5,
        end: 65535,
    },
];
const DUPLICATES: [Tsn; 1] = [Tsn(0xffff_ffff)];

fn sack<'a>(gap_blocks: List<'a, GapBlock>, duplicates: List<'a, Tsn>) -> Sack<'a> {
    Sack {
        cumulative_tsn_ack: Tsn(0xf814_c106),
        a_rwnd: 131_072,
        gap_blocks,
        duplicates,
        packets: 0,
    }
}

#[test]
fn a_captured_acknowledgement_is_read_and_written() {
    assert_captured(SACK, &Chunk::Sack(sack(List::EMPTY, List::EMPTY)));
}

#[test]
fn gap_blocks_come_before_duplicates() {
    assert_bytes(
        "0300001c f814c106 00020000 0002 0001 0002 0003 0005 ffff ffffffff",
        &Chunk::Sack(sack(List::from(&GAPS), List::from(&DUPLICATES))),
    );
}

#[test]
fn the_number_of_packets_stands_in_two_of_the_flags() {
    let told = |packets| Sack {
        packets,
        ..sack(List::EMPTY, List::EMPTY)
    };
    for (packets, flags) in [(1, "40"), (2, "80"), (3, "c0")] {
        let bytes = ["03", flags, "0010 f814c106 00020000 0000 0000"].concat();
        assert_bytes(&bytes, &Chunk::Sack(told(packets)));
        assert!(
            told(packets)
                .to_string()
                .ends_with(&std::format!(" packets {packets}"))
        );
    }
}

#[test]
fn other_flags_say_nothing() {
    let packet = packet_of(&[3, 0x3F, 0, 16, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0]);
    let Ok(Chunk::Sack(read)) = parse(&packet)[0] else {
        panic!("SACK")
    };
    assert_eq!(read.packets, 0);
}

#[test]
fn counts_that_reach_past_the_length_are_malformed() {
    // The bytes that the counts ask for are there, but they belong to the next chunk.
    let what = "SACK whose counts belie its length";
    assert_eq!(
        fault_of("03000010 00000001 00001000 0001 0000 0b000004 0b000004"),
        what
    );
    assert_eq!(
        fault_of("03000010 00000001 00001000 0000 0001 0b000004 0b000004"),
        what
    );
    assert_eq!(fault_of("03000010 00000001 00001000 ffff ffff"), what);
}

#[test]
fn bytes_that_no_count_covers_are_malformed() {
    let what = "SACK whose counts belie its length";
    assert_eq!(
        fault_of("03000014 00000001 00001000 0000 0000 00020003"),
        what
    );
    assert_eq!(
        fault_of("03000012 00000001 00001000 0000 0000 00020000"),
        what
    );
}

#[test]
fn a_chunk_that_ends_within_its_fields_is_malformed() {
    assert_eq!(
        fault_of("0300000c 00000001 00001000"),
        "SACK whose counts belie its length"
    );
}

#[test]
fn the_longest_list_that_fits_a_chunk_is_read() {
    let blocks = (usize::from(u16::MAX) - 16) / 4;
    let mut bytes = vec![3, 0, 0xff, 0xfc, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0];
    bytes[12..14].copy_from_slice(&u16::try_from(blocks).unwrap().to_be_bytes());
    bytes.resize(0xfffc, 0x11);
    let packet = packet_of(&bytes);
    let Ok(Chunk::Sack(sack)) = parse(&packet)[0] else {
        panic!("SACK")
    };
    assert_eq!(sack.gap_blocks.len(), blocks);
    assert_eq!(
        sack.gap_blocks.iter().last(),
        Some(GapBlock {
            start: 0x1111,
            end: 0x1111
        })
    );
}

#[test]
fn it_prints_a_bounded_number_of_gaps_and_duplicates() {
    assert_eq!(
        Chunk::Sack(sack(List::from(&GAPS), List::from(&DUPLICATES))).to_string(),
        "SACK cum 4162109702 a_rwnd 131072 gaps [2-3 5-65535] dups [4294967295]"
    );
    let many: Vec<GapBlock> = vec![GapBlock { start: 1, end: 1 }; 100];
    let printed = sack(List::from(&many[..]), List::EMPTY).to_string();
    assert!(printed.ends_with("1-1 and 36 more] dups []"), "{printed}");
}

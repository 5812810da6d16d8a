use std::string::ToString;
use std::vec;
use std::vec::Vec;

use crate::captured::{packet_of, parse};
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

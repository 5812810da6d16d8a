use std::string::ToString;
use std::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::Chunk;

/// The bytes with the layout of draft-natarajan-tsvwg-sctp-nrsack.
const BYTES: [u8; 32] = [
    16, 0, 0, 32, 0xf8, 0x14, 0xc1, 0x06, 0, 2, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 2, 0, 3, 0, 5, 0,
    9, 0xff, 0xff, 0xff, 0xff,
];
const GAPS: [GapBlock; 1] = [GapBlock { start: 2, end: 3 }];
const NR_GAPS: [GapBlock; 1] = [GapBlock { start: 5, end: 9 }];
const DUPLICATES: [Tsn; 1] = [Tsn(0xffff_ffff)];

fn chunk() -> NrSack<'static> {
    NrSack {
        cumulative_tsn_ack: Tsn(0xf814_c106),
        a_rwnd: 131_072,
        gap_blocks: List::from(&GAPS),
        nr_gap_blocks: List::from(&NR_GAPS),
        duplicates: List::from(&DUPLICATES),
    }
}

fn read(bytes: &[u8]) -> Option<NrSack<'_>> {
    match Chunk::parse(bytes) {
        Ok(Chunk::NrSack(chunk)) => Some(chunk),
        _ => None,
    }
}

#[test]
fn blocks_that_may_be_dropped_come_before_those_that_will_not() {
    let mut written = Vec::new();
    chunk().write(&mut written);
    assert_eq!(written, BYTES);
    assert_eq!(read(&BYTES), Some(chunk()));
}

#[test]
fn counts_that_belie_the_length_are_malformed() {
    for place in [13, 15, 17] {
        for count in [0, 2, 255] {
            let mut bytes = BYTES;
            bytes[place] = count;
            assert_eq!(read(&bytes), None, "{place} {count}");
        }
    }
    let mut short = BYTES[..16].to_vec();
    short[3] = 16;
    assert_eq!(read(&short), None);
}

#[test]
fn it_prints_both_lists() {
    assert_eq!(
        Chunk::NrSack(chunk()).to_string(),
        "NR-SACK cum 4162109702 a_rwnd 131072 gaps [2-3] nr gaps [5-9] dups [4294967295]"
    );
}

proptest! {
    #[test]
    fn written_values_are_read(
        tsn: u32,
        a_rwnd: u32,
        gaps in prop::collection::vec(any::<(u16, u16)>(), 0..20),
        nr_gaps in prop::collection::vec(any::<(u16, u16)>(), 0..20),
        duplicates in prop::collection::vec(any::<u32>(), 0..20),
    ) {
        let blocks = |list: Vec<(u16, u16)>| -> Vec<GapBlock> {
            list.into_iter().map(|(start, end)| GapBlock { start, end }).collect()
        };
        let (gaps, nr_gaps) = (blocks(gaps), blocks(nr_gaps));
        let duplicates: Vec<Tsn> = duplicates.into_iter().map(Tsn).collect();
        let chunk = NrSack {
            cumulative_tsn_ack: Tsn(tsn),
            a_rwnd,
            gap_blocks: List::from(&gaps[..]),
            nr_gap_blocks: List::from(&nr_gaps[..]),
            duplicates: List::from(&duplicates[..]),
        };
        let mut bytes = Vec::new();
        chunk.write(&mut bytes);
        prop_assert_eq!(bytes.len(), chunk.encoded_len());
        prop_assert_eq!(read(&bytes), Some(chunk));
    }

    #[test]
    fn no_bytes_do_harm(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        if let Some(chunk) = read(&bytes) {
            let _ = chunk.to_string();
        }
    }
}

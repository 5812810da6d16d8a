//! Bytes that have broken other stacks: lengths and counts that lie, items inside items.

use sheave_wire::{
    Cause, Causes, Chunk, ChunkType, CommonHeader, ErrorChunk, Malformed, Packet, PacketWriter,
    Parameter, Parameters, RawParameter,
};

/// A packet with these bytes behind the common header.
fn packet_of(chunk_bytes: &[u8]) -> Vec<u8> {
    [&[0; CommonHeader::LEN], chunk_bytes].concat()
}

fn chunks(packet: &[u8]) -> Vec<Result<Chunk<'_>, Malformed>> {
    Packet::parse(packet).expect("a packet").chunks().collect()
}

#[test]
fn a_sack_is_read_only_if_its_counts_and_its_length_agree() {
    let lists = [0x11; 40];
    for length in 0..=u16::try_from(16 + lists.len()).unwrap() {
        for (gaps, duplicates) in (0..12_u16).flat_map(|gaps| (0..12_u16).map(move |d| (gaps, d))) {
            let mut sack = vec![ChunkType::SACK.0, 0];
            sack.extend(length.to_be_bytes());
            sack.extend([0; 8]);
            sack.extend(gaps.to_be_bytes());
            sack.extend(duplicates.to_be_bytes());
            sack.extend(lists);
            let packet = packet_of(&sack);
            let agree = length == 16 + 4 * (gaps + duplicates);
            match chunks(&packet)[0] {
                Ok(Chunk::Sack(sack)) => {
                    assert!(agree);
                    assert_eq!(sack.gap_blocks.len(), usize::from(gaps));
                    assert_eq!(sack.duplicates.len(), usize::from(duplicates));
                }
                Ok(other) => panic!("{other}"),
                Err(_) => assert!(!agree),
            }
        }
    }
}

#[test]
fn every_chunk_length_of_every_type_is_read_or_refused() {
    for chunk_type in 0..=u8::MAX {
        for length in (0..=64).chain([65_532, 65_535]) {
            let mut bytes = vec![chunk_type, 0xff];
            bytes.extend(u16::to_be_bytes(length));
            bytes.extend([0xa5; 52]);
            let packet = packet_of(&bytes);
            let walked = chunks(&packet);
            assert!(walked.len() <= bytes.len() / 4);
            if !(4..=56).contains(&length) {
                assert!(matches!(walked[..], [Err(Malformed { at: 12, .. })]));
            }
        }
    }
}

#[test]
fn an_inner_length_that_lies_stays_within_its_chunk() {
    // An INIT with two addresses, as it would also stand inside a cookie, and DATA behind it.
    let addresses = [0, 5, 0, 8, 192, 0, 2, 1, 0, 5, 0, 8, 192, 0, 2, 2];
    let mut init = vec![ChunkType::INIT.0, 0, 0, 36];
    init.extend([1; 16]);
    let data = [ChunkType::DATA.0, 3, 0, 17, 0, 0, 0, 1].into_iter();
    let data: Vec<u8> = data.chain([0; 8]).chain([0x77, 0, 0, 0]).collect();
    for inner in 0..=u16::MAX {
        let mut lying = addresses;
        lying[10..12].copy_from_slice(&inner.to_be_bytes());
        let packet = packet_of(&[&init[..], &lying, &data].concat());
        let walked = chunks(&packet);
        let [Ok(Chunk::Init(init)), Ok(Chunk::Data(_))] = walked[..] else {
            panic!("{walked:?}")
        };
        let parameters: Vec<_> = init.parameters.iter().collect();
        assert_eq!(
            parameters[0],
            Ok(Parameter::Ipv4Address([192, 0, 2, 1].into()))
        );
        assert_eq!(parameters[1].is_ok(), inner == 8, "inner length {inner}");
        assert_eq!(parameters.len(), 2);
    }
}

#[test]
fn whoever_walks_the_parameters_finds_the_same_bounds() {
    let bytes: Vec<u8> = (0..2000_u16)
        .flat_map(|index| {
            let len = 4 + index % 7;
            let mut item = (0xc100 + index).to_be_bytes().to_vec();
            item.extend(len.to_be_bytes());
            item.resize(usize::from(len.next_multiple_of(4)), 0xee);
            item
        })
        .collect();
    let mut rest = &bytes[..];
    for parameter in Parameters::from_wire(&bytes) {
        let raw = RawParameter::parse(rest).unwrap();
        assert_eq!(parameter, Ok(Parameter::Unknown(raw)));
        assert_eq!(raw.bytes(), &rest[..raw.bytes().len()]);
        rest = &rest[raw.bytes().len().next_multiple_of(4)..];
    }
    assert!(rest.is_empty());
}

#[test]
fn an_init_of_four_bytes_is_refused() {
    for chunk_type in [ChunkType::INIT, ChunkType::INIT_ACK] {
        let packet = packet_of(&[chunk_type.0, 0, 0, 4]);
        assert!(matches!(
            chunks(&packet)[..],
            [Err(Malformed { at: 12, .. })]
        ));
    }
}

#[test]
fn a_header_alone_is_no_packet() {
    for len in 0..16 {
        assert!(Packet::parse(&[0; 16][..len]).is_err());
    }
}

#[test]
fn causes_inside_causes_cost_nothing_more() {
    // ERROR in Unrecognized Chunk Type in ERROR, 1000 deep: read, printed, and written as one.
    let mut nested = vec![ChunkType::ERROR.0, 0, 0, 4];
    for _ in 0..1000 {
        let len = u16::try_from(nested.len()).unwrap();
        let mut outer = vec![ChunkType::ERROR.0, 0];
        outer.extend((len + 8).to_be_bytes());
        outer.extend([0, 6]);
        outer.extend((len + 4).to_be_bytes());
        outer.extend(nested);
        nested = outer;
    }
    let packet = packet_of(&nested);
    let [Ok(Chunk::Error(error))] = chunks(&packet)[..] else {
        panic!("ERROR")
    };
    let causes: Vec<_> = error.causes.iter().collect();
    assert_eq!(causes, [Ok(Cause::UnrecognizedChunkType(&nested[8..]))]);
    assert!(error.to_string().len() < 200);
}

#[test]
fn a_chunk_that_is_too_long_to_echo_does_not_fit() {
    let unknown = vec![0xc0; 65_530];
    let causes = [Cause::UnrecognizedChunkType(&unknown)];
    let echo = Chunk::Error(ErrorChunk {
        causes: Causes::from(&causes),
    });
    let mut out = Vec::new();
    let writer = PacketWriter::new(&mut out, CommonHeader::default(), usize::MAX);
    assert!(!writer.fits(&echo));
    writer.cancel();
    let causes = [Cause::UnrecognizedChunkType(&unknown[..65_527])];
    let longest = Chunk::Error(ErrorChunk {
        causes: Causes::from(&causes),
    });
    let mut writer = PacketWriter::new(&mut out, CommonHeader::default(), usize::MAX);
    assert!(writer.fits(&longest));
    writer.push(&longest);
    writer.finish();
    assert_eq!(chunks(&out), [Ok(longest)]);
}

use std::vec::Vec;

use sheave_wire::{ChunkType, Parameter, Parameters, RawParameter};

use super::{ExtensionSet, Offer, Recognition, Row};

const BY_CHUNKS: ExtensionSet = ExtensionSet(1);
const BY_PARAMETER: ExtensionSet = ExtensionSet(2);
const BY_BOTH: ExtensionSet = ExtensionSet(4);

/// Three made-up extensions.
const ROWS: &[Row] = &[
    Row {
        bit: BY_CHUNKS,
        chunks: &[ChunkType(130), ChunkType(131)],
        parameter: None,
    },
    Row {
        bit: BY_PARAMETER,
        chunks: &[],
        parameter: Some(&[0x90, 0x01, 0, 8, 0, 0, 0, 1]),
    },
    Row {
        bit: BY_BOTH,
        chunks: &[ChunkType(200)],
        parameter: Some(&[0xD0, 0x00, 0, 4]),
    },
];

fn all() -> Offer {
    Offer::of(ROWS, BY_CHUNKS.union(BY_PARAMETER).union(BY_BOTH))
}

fn offered(extensions: &Offer) -> Vec<u8> {
    let mut parameters = Vec::new();
    extensions.offer(&mut parameters);
    let mut bytes = Vec::new();
    Parameters::from(parameters.as_slice()).write(&mut bytes);
    bytes
}

fn recognized(extensions: &Offer, bytes: &[u8]) -> Recognition {
    extensions.recognize(&RawParameter::parse(bytes).unwrap())
}

#[test]
fn without_extensions_nothing_is_offered_and_nothing_is_known() {
    let none = Offer::none();
    assert_eq!(offered(&none), []);
    assert_eq!(recognized(&none, &[0xC0, 0, 0, 4]), Recognition::Unknown);
}

#[test]
fn each_row_offers_its_chunk_types_and_its_parameter() {
    assert_eq!(
        offered(&all()),
        [
            0x90, 0x01, 0, 8, 0, 0, 0, 1, //
            0xD0, 0x00, 0, 4, //
            // Supported Extensions comes last: rtc-sctp drops what ends in a parameter of four bytes.
            0x80, 0x08, 0, 7, 130, 131, 200,
        ]
    );
}

#[test]
fn an_extension_that_is_off_is_neither_offered_nor_known() {
    let one = Offer::of(ROWS, BY_BOTH);
    assert_eq!(offered(&one), [0xD0, 0, 0, 4, 0x80, 0x08, 0, 5, 200]);
    assert_eq!(
        recognized(&one, &[0x90, 0x01, 0, 8, 0, 0, 0, 1]),
        Recognition::Unknown
    );
}

#[test]
fn each_side_understands_the_offer_of_the_other() {
    let bytes = offered(&all());
    let said = Parameters::from_wire(&bytes)
        .iter()
        .map(|parameter| match parameter.unwrap() {
            Parameter::Unknown(raw) => match all().recognize(&raw) {
                Recognition::Known(said) => said,
                Recognition::Unknown => ExtensionSet::NONE,
            },
            _ => ExtensionSet::NONE,
        })
        .fold(ExtensionSet::NONE, ExtensionSet::union);
    assert_eq!(said, ExtensionSet(7));
}

#[test]
fn a_peer_that_lists_only_some_of_the_chunk_types_does_not_have_the_extension() {
    assert_eq!(
        recognized(&all(), &[0x80, 0x08, 0, 5, 130]),
        Recognition::Known(ExtensionSet::NONE)
    );
}

#[test]
fn no_two_extensions_are_one_bit() {
    let mut seen = ExtensionSet::NONE;
    for row in super::ROWS {
        assert_eq!(row.bit.0.count_ones(), 1, "{row:?}");
        assert!(!seen.intersects(row.bit), "{row:?}");
        seen = seen.union(row.bit);
    }
}

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use sheave_wire::StreamId;

use super::PerStream;

#[test]
fn streams_have_values_of_their_own_and_the_default_before() {
    let mut values = PerStream::<u16>::default();
    assert_eq!(values.get(StreamId(65_534)), 0);
    assert_eq!(values.footprint(), 0);
    assert_eq!(values.replace(StreamId(5), 7), 0);
    assert_eq!(values.replace(StreamId(65_535), 9), 0);
    assert_eq!(values.replace(StreamId(5), 8), 7);
    assert_eq!(values.get(StreamId(5)), 8);
    assert_eq!(values.get(StreamId(4)), 0);
    assert_eq!(values.get(StreamId(65_535)), 9);
}

#[test]
fn some_are_set_back_or_all() {
    let mut values = PerStream::<u16>::default();
    for stream in [1, 2, 3] {
        values.replace(StreamId(stream), stream);
    }
    values.reset(&[StreamId(2), StreamId(60_000)]);
    assert_eq!(
        [1, 2, 3].map(|stream| values.get(StreamId(stream))),
        [1, 0, 3]
    );
    values.reset(&[]);
    assert_eq!(
        [1, 2, 3].map(|stream| values.get(StreamId(stream))),
        [0, 0, 0]
    );
}

// A48
#[test]
fn a_stream_far_beyond_the_others_costs_no_table() {
    let mut values = PerStream::<u16>::default();
    for stream in [0, 65_535, 40_000] {
        assert_eq!(values.replace(StreamId(stream), 7), 0);
        assert_eq!(values.replace(StreamId(stream), 0), 7);
        assert_eq!(values.replace(StreamId(stream), 8), 0);
    }
    assert!(values.footprint() < 100, "{}", values.footprint());
    let entries: Vec<_> = values.entries().map(|(stream, _)| stream.0).collect();
    assert_eq!(entries, [0, 40_000, 65_535]);
    values.reset(&[StreamId(40_000)]);
    assert_eq!(values.get(StreamId(40_000)), 0);
    assert_eq!(values.get(StreamId(65_535)), 8);
}

#[test]
fn whatever_streams_are_used_each_has_its_value() {
    for step in [1, 7, 100, 255, 257, 4099] {
        let mut values = PerStream::<u32>::default();
        let streams: Vec<u16> = (0..3000).map(|n: u16| n.wrapping_mul(step)).collect();
        let mut used = BTreeSet::new();
        for stream in streams {
            let before = values.replace(StreamId(stream), u32::from(stream) + 1);
            let expected = if used.insert(stream) {
                0
            } else {
                u32::from(stream) + 1
            };
            assert_eq!(before, expected);
            assert!(values.footprint() <= 1024 + 140 * used.len());
        }
        let entries: Vec<_> = values.entries().collect();
        let expected = used
            .iter()
            .map(|stream| (StreamId(*stream), u32::from(*stream) + 1));
        assert_eq!(entries, expected.collect::<Vec<_>>());
    }
}

#[test]
fn a_table_of_which_few_values_are_left_is_given_back() {
    let mut values = PerStream::<u32>::default();
    for stream in 0..3000 {
        values.replace(StreamId(stream), 7);
    }
    for stream in (0..3000).filter(|stream| ![30, 2900].contains(stream)) {
        values.replace(StreamId(stream), 0);
    }
    values.trim();
    assert!(values.footprint() < 512);
    let entries: Vec<_> = values.entries().collect();
    assert_eq!(entries, [(StreamId(30), 7), (StreamId(2900), 7)]);
}

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

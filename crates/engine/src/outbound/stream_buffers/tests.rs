use alloc::vec::Vec;

use sheave_wire::StreamId;

use crate::Profile;
use crate::outbound::sender::tests::Bench;

const FULL: usize = 1452;
const STREAM: StreamId = StreamId(1);
const OTHER: StreamId = StreamId(2);

fn bench() -> Bench {
    Bench::with(1 << 20, &Profile::Rfc9260.options())
}

#[test]
fn streams_are_not_counted_before_the_first_mark() {
    let mut bench = bench();
    bench.enqueue(1, 100);
    assert!(bench.outbound.extensions.stream_buffers.is_none());
    assert_eq!(bench.outbound.stream_buffered(STREAM), 100);
}

#[test]
fn queued_bytes_count_until_they_are_acknowledged() {
    let mut bench = bench();
    bench.outbound.set_low_water(STREAM, Some(0));
    bench.enqueue(1, 3000);
    bench.enqueue(2, 500);
    let mut seen = Vec::new();
    while bench.cut(FULL + 16).is_some() {
        seen.push(bench.outbound.stream_buffered(STREAM));
    }
    assert_eq!(seen, [3000; 4]);
    bench.sack(2, &[]);
    assert_eq!(bench.outbound.stream_buffered(STREAM), 3000 - 2 * FULL);
    assert_eq!(bench.outbound.stream_buffered(OTHER), 500);
    bench.sack(4, &[]);
    assert_eq!(bench.outbound.stream_buffered(OTHER), 0);
}

#[test]
fn a_mark_set_late_counts_what_is_queued_and_outstanding() {
    let mut bench = bench();
    bench.enqueue(1, 2000);
    bench.enqueue(1, 700);
    bench.cut(FULL + 16).unwrap();
    bench.outbound.set_low_water(OTHER, Some(0));
    assert!(bench.outbound.extensions.stream_buffers.is_some());
    assert_eq!(bench.outbound.stream_buffered(STREAM), 2700);
}

#[test]
fn a_stream_is_reported_when_it_falls_to_its_mark_and_not_below_it() {
    let mut bench = bench();
    bench.outbound.set_low_water(StreamId(0), Some(150));
    bench.send(3);
    bench.sack(1, &[]);
    assert_eq!(bench.outbound.take_low_streams(), []);
    bench.sack(2, &[]);
    assert_eq!(bench.outbound.take_low_streams(), [StreamId(0)]);
    bench.sack(3, &[]);
    assert_eq!(bench.outbound.take_low_streams(), []);
}

#[test]
fn a_stream_without_a_mark_is_not_reported() {
    let mut bench = bench();
    bench.outbound.set_low_water(STREAM, Some(0));
    bench.outbound.set_low_water(StreamId(0), Some(0));
    bench.outbound.set_low_water(StreamId(0), None);
    bench.send(1);
    bench.sack(1, &[]);
    assert_eq!(bench.outbound.take_low_streams(), []);
}

#[test]
fn gap_reports_free_nothing() {
    let mut bench = bench();
    bench.outbound.set_low_water(StreamId(0), Some(100));
    bench.send(2);
    bench.sack(0, &[(2, 2)]);
    assert_eq!(bench.outbound.stream_buffered(StreamId(0)), 200);
}

#[test]
fn a_message_of_a_stream_that_is_not_granted_counts_no_longer() {
    let mut bench = bench();
    bench.outbound.set_low_water(StreamId(9), Some(0));
    bench.enqueue(9, 100);
    bench.outbound.on_negotiated(5, 1 << 20);
    assert_eq!(bench.outbound.stream_buffered(StreamId(9)), 0);
}

use core::time::Duration;
use std::sync::Arc;

use sheave_engine::Time;

use super::{Bitrate, LinkTrace, LinkTraceError, Pace, Serialiser};

#[test]
fn a_rate_is_exact_to_the_nanosecond() {
    assert_eq!(
        Bitrate::mbit(1000).time_for(1500),
        Duration::from_nanos(12_000)
    );
    assert_eq!(
        Bitrate::mbit(11).time_for(1500),
        Duration::from_nanos(1_090_910)
    );
    assert_eq!(Bitrate(1).time_for(65_535), Duration::from_secs(524_280));
}

#[test]
fn a_trace_gives_each_moment_its_bytes_once_and_repeats() {
    let trace = LinkTrace::parse("# recorded\n5\n5\n10\n").expect("a trace");
    let mut line = Serialiser::new(&Pace::Trace(Arc::new(trace)));
    let ms = Time::from_millis;
    assert_eq!(line.finish(Time::ZERO, 1504), ms(5));
    assert_eq!(line.finish(ms(5), 1000), ms(5));
    // The second opportunity has 504 bytes left; the rest waits for the third.
    assert_eq!(line.finish(ms(5), 1504), ms(10));
    assert_eq!(line.finish(ms(10), 504), ms(10));
    // No packet waited at 15 ms, so that opportunity is lost.
    assert_eq!(line.finish(ms(16), 1504), ms(20));
    assert_eq!(line.finish(ms(20), 1), ms(25));
}

#[test]
fn a_text_that_is_no_trace_says_which_line() {
    assert_eq!(
        LinkTrace::parse("1\nx"),
        Err(LinkTraceError::NotANumber { line: 2 })
    );
    assert_eq!(
        LinkTrace::parse("5\n\n4"),
        Err(LinkTraceError::Backwards { line: 3 })
    );
    assert_eq!(LinkTrace::parse("0\n0"), Err(LinkTraceError::Empty));
}

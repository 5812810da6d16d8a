use std::vec;

use sheave_engine::Part::{self, First, Last, Middle};
use sheave_engine::{Message as Whole, Received};
use sheave_wire::StreamId;

use super::Assemblies;
use crate::{ChannelOptions, Fault, Kind, Message};

const STREAM: StreamId = StreamId(1);
const OTHER: StreamId = StreamId(2);

fn options() -> ChannelOptions {
    ChannelOptions {
        max_receive_size: 100,
        max_unfinished: 150,
        ..ChannelOptions::default()
    }
}

/// Takes a part of that length; returns the length of the message that it completes.
fn take(
    assemblies: &mut Assemblies,
    stream: StreamId,
    part: Part,
    len: usize,
) -> Result<Option<usize>, Fault> {
    let received = Received::new(Whole::new(stream, vec![7; len]), part);
    let whole = assemblies.whole(received, &options())?;
    Ok(whole.map(|message| message.payload.len()))
}

#[test]
fn parts_of_two_streams_are_kept_apart() {
    let mut assemblies = Assemblies::default();
    for (stream, len) in [(STREAM, 30), (OTHER, 20)] {
        assert_eq!(take(&mut assemblies, stream, First, len), Ok(None));
    }
    assert_eq!(take(&mut assemblies, STREAM, Middle, 5), Ok(None));
    assert_eq!(assemblies.held(), 55);
    assert_eq!(take(&mut assemblies, STREAM, Last, 1), Ok(Some(36)));
    assert_eq!(take(&mut assemblies, OTHER, Last, 1), Ok(Some(21)));
    assert_eq!(assemblies.held(), 0);
}

#[test]
fn a_message_that_breaks_off_leaves_nothing_behind() {
    let mut assemblies = Assemblies::default();
    take(&mut assemblies, STREAM, First, 30).unwrap();
    assemblies.cut_off(STREAM);
    assert_eq!(assemblies.held(), 0);
    assert_eq!(take(&mut assemblies, STREAM, Middle, 5), Ok(None));
    assert_eq!(take(&mut assemblies, STREAM, Last, 5), Ok(None));
    assert_eq!(take(&mut assemblies, STREAM, Part::Whole, 5), Ok(Some(5)));
}

#[test]
fn a_message_that_begins_ends_the_one_before() {
    let mut assemblies = Assemblies::default();
    take(&mut assemblies, STREAM, First, 30).unwrap();
    take(&mut assemblies, STREAM, First, 10).unwrap();
    assert_eq!(assemblies.held(), 10);
    assert_eq!(take(&mut assemblies, STREAM, Last, 1), Ok(Some(11)));
}

#[test]
fn a_message_is_as_long_as_it_may_be_and_no_longer() {
    let mut assemblies = Assemblies::default();
    let too_large = Err(Fault::MessageTooLarge);
    assert_eq!(
        take(&mut assemblies, STREAM, Part::Whole, 100),
        Ok(Some(100))
    );
    assert_eq!(take(&mut assemblies, STREAM, Part::Whole, 101), too_large);
    assert_eq!(take(&mut assemblies, STREAM, First, 100), Ok(None));
    assert_eq!(take(&mut assemblies, STREAM, Last, 1), too_large);
}

#[test]
fn unfinished_messages_are_limited_together() {
    let mut assemblies = Assemblies::default();
    take(&mut assemblies, STREAM, First, 90).unwrap();
    take(&mut assemblies, OTHER, First, 60).unwrap();
    let refused = take(&mut assemblies, OTHER, Middle, 1);
    assert_eq!(refused, Err(Fault::TooMuchUnfinished));
    assemblies.forget(OTHER);
    assert_eq!(assemblies.held(), 90);
}

#[test]
fn partial_messages_count_as_unfinished_until_the_last() {
    let (mut assemblies, options) = (Assemblies::default(), options());
    for _ in 0..2 {
        let added = assemblies.add_partial(STREAM, Kind::Text, b"ab", &options);
        assert_eq!(added, Ok(()));
    }
    assert_eq!(assemblies.held(), 4);
    let whole = assemblies.finish(STREAM, Kind::Text, "c".into(), &options);
    assert_eq!(whole, Ok(Message::text("ababc")));
    assert_eq!(assemblies.held(), 0);
}

#[test]
fn partial_messages_together_are_limited_like_one() {
    let (mut assemblies, options) = (Assemblies::default(), options());
    let added = assemblies.add_partial(STREAM, Kind::Text, &[b'x'; 99], &options);
    assert_eq!(added, Ok(()));
    let refused = assemblies.add_partial(STREAM, Kind::Text, b"xx", &options);
    assert_eq!(refused, Err(Fault::MessageTooLarge));
    let refused = assemblies.finish(STREAM, Kind::Text, "xx".into(), &options);
    assert_eq!(refused, Err(Fault::MessageTooLarge));
    assert_eq!(assemblies.held(), 0);
}

//! As many channels as there can be, all of them in use at once.

use core::time::Duration;

use sheave_datachannel::{ChannelConfig, ChannelEvent};
use sheave_engine::BufferSizes;
use sheave_engine::wire::StreamId;
use sheave_sim::{Bitrate, LinkSpec};

use crate::world::{A, Setup, Z, blob};

/// Bytes of a message: two chunks.
const BYTES: usize = 1600;

/// Sends a message on each of 65,535 channels, whose chunks take turns.
fn assert_all_arrive(receive_buffer: usize) {
    let mut setup = Setup::default();
    setup.a.buffers = BufferSizes::Fixed;
    setup.a.send_buffer = 1 << 30;
    setup.z.buffers = BufferSizes::Fixed;
    setup.z.receive_buffer = receive_buffer;
    setup.limits.max_channels = usize::from(u16::MAX);
    setup.limits.max_unfinished = 1 << 30;
    setup.link = LinkSpec::new(Bitrate::mbit(1000), Duration::from_micros(100));
    let mut pair = setup.established();
    let message = blob(BYTES);
    for stream in 0..u16::MAX {
        let config = ChannelConfig::new("").negotiated(StreamId(stream));
        pair.open(Z, config.clone());
        let here = pair.open(A, config);
        pair.send(A, here, message.clone());
    }
    pair.run(900);
    assert!(pair.host(A).errors.is_empty());
    let arrived = pair.count(
        Z,
        |event| matches!(event, ChannelEvent::Message { message: got, .. } if *got == message),
    );
    assert_eq!(arrived, usize::from(u16::MAX));
}

#[test]
fn a_message_on_each_of_all_channels_arrives_in_the_default_buffer() {
    assert_all_arrive(1 << 20);
}

#[test]
fn a_message_on_each_of_all_channels_arrives_in_the_smallest_buffer() {
    assert_all_arrive(4096);
}

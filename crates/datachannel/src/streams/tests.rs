use sheave_wire::StreamId;

use super::{Closing, IncomingReset, OutgoingReset, Streams};
use crate::channel::{Channel, ChannelId, Origin};
use crate::{ChannelConfig, Role};

fn insert(streams: &mut Streams, stream: u16) -> ChannelId {
    let config = ChannelConfig::new("label").with_protocol("p");
    streams.insert(StreamId(stream), Origin::Peer, config).id()
}

#[test]
fn the_lowest_free_id_of_our_parity_is_next() {
    let mut streams = Streams::new(Role::Server);
    for expected in [1, 3, 5] {
        assert_eq!(streams.lowest_free(), Some(StreamId(expected)));
        insert(&mut streams, expected);
    }
    streams.remove(StreamId(3));
    assert_eq!(streams.lowest_free(), Some(StreamId(3)));
}

#[test]
fn there_are_as_many_ids_as_streams() {
    for (role, count) in [(Role::Client, 32_768), (Role::Server, 32_767)] {
        let mut streams = Streams::new(role);
        let mut taken = 0;
        while let Some(free) = streams.lowest_free() {
            insert(&mut streams, free.0);
            taken += 1;
        }
        assert_eq!(taken, count);
    }
}

#[test]
fn a_stream_that_is_being_closed_is_not_free() {
    let mut streams = Streams::new(Role::Client);
    let closing = Closing {
        outgoing: OutgoingReset::Wanted,
        incoming: IncomingReset::Awaited,
    };
    streams.set_closing(StreamId(0), closing);
    assert_eq!(streams.lowest_free(), Some(StreamId(2)));
    streams.end_closing(StreamId(0));
    assert_eq!(streams.lowest_free(), Some(StreamId(0)));
}

#[test]
fn a_channel_is_not_taken_for_its_successor() {
    let mut streams = Streams::new(Role::Client);
    let first = insert(&mut streams, 0);
    streams.remove(StreamId(0));
    let second = insert(&mut streams, 0);
    assert!(streams.get(first).is_none());
    assert_eq!(streams.get(second).map(Channel::id), Some(second));
}

#[test]
fn labels_of_the_peer_count_while_their_channels_live() {
    let mut streams = Streams::new(Role::Client);
    insert(&mut streams, 1);
    insert(&mut streams, 3);
    assert_eq!(streams.label_bytes(), 12);
    streams.remove(StreamId(1));
    assert_eq!(streams.label_bytes(), 6);
    streams.insert(StreamId(0), Origin::Local, ChannelConfig::new("ours"));
    assert_eq!(streams.label_bytes(), 6);
}

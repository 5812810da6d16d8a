//! Messages of all sizes and kinds (RFC 8831 §6.6).

use sheave_datachannel::{
    ChannelConfig, ChannelEvent, ClosedReason, Fault, Kind, Message, SendError,
};
use sheave_engine::Delivery;

use crate::world::{A, Pair, Setup, Z, blob};

/// Pairs whose messages may have up to 16 MiB.
fn ample() -> Setup {
    let mut setup = Setup::default();
    setup.limits.max_send_size = 0;
    setup.limits.max_receive_size = 16 << 20;
    setup
}

/// Sends a message as plain SCTP on stream 0 of A.
fn send_plain(pair: &mut Pair, ppid: u32, payload: &[u8]) {
    pair.send_plain(A, 0, ppid, Delivery::Ordered, payload);
}

#[test]
fn messages_of_all_sizes_and_kinds_arrive() {
    let mut pair = ample().established();
    let (here, there) = pair.opened(A, ChannelConfig::new("all"));
    let sent = [
        Message::text(""),
        Message::binary(Vec::new()),
        Message::text("ö"),
        blob(1),
        blob(64 << 10),
        blob(1 << 20),
        blob(16 << 20),
    ];
    for message in &sent {
        pair.send(A, here, message.clone());
    }
    pair.run(60);
    let got = pair.messages(Z, there);
    assert_eq!(got.len(), sent.len());
    assert!(got == sent);
    let stats = pair.channel(A, here).stats();
    let bytes: usize = sent.iter().map(|message| message.payload.len()).sum();
    assert_eq!(
        stats.entries()[..2],
        [("messagesSent", 7), ("bytesSent", bytes as u64)]
    );
    let stats = pair.channel(Z, there).stats();
    assert_eq!(
        stats.entries()[2..],
        [("messagesReceived", 7), ("bytesReceived", bytes as u64)]
    );
    assert_eq!(pair.host(Z).channels().channels.unfinished(), 0);
}

#[test]
fn a_large_message_does_not_hold_up_another_channel() {
    let mut pair = ample().established();
    let (bulk, _) = pair.opened(A, ChannelConfig::new("bulk"));
    let (chat, there) = pair.opened(A, ChannelConfig::new("chat"));
    // A full message leaves no room in the send buffer, so that the short one goes first into it.
    pair.send(A, chat, Message::text("first"));
    pair.send(A, bulk, blob(700 << 10));
    pair.send(A, chat, Message::text("second"));
    while pair.messages(Z, there).len() < 2 {
        pair.run_ms(1);
    }
    assert_eq!(
        pair.count(Z, |event| matches!(event, ChannelEvent::Message { .. })),
        2
    );
}

#[test]
fn a_message_longer_than_the_peer_takes_is_not_sent() {
    let (mut pair, here, _) = Setup::default().opened(A, ChannelConfig::new("short"));
    pair.send(A, here, blob(65_537));
    assert_eq!(pair.host(A).errors, [SendError::TooLarge]);
    pair.host(A).channels().channels.set_max_send_size(65_537);
    pair.send(A, here, blob(65_537));
    assert_eq!(pair.host(A).errors.len(), 1);
}

#[test]
fn a_message_longer_than_agreed_closes_its_channel() {
    let mut setup = ample();
    setup.limits.max_receive_size = 100_000;
    let mut pair = setup.established();
    let (here, there) = pair.opened(A, ChannelConfig::new("greedy"));
    pair.send(A, here, blob(100_001));
    pair.run(5);
    let fault = ClosedReason::Fault(Fault::MessageTooLarge);
    assert_eq!(pair.closed(Z, there), Some(fault));
    assert_eq!(pair.closed(A, here), Some(ClosedReason::Peer));
}

#[test]
fn unfinished_messages_take_no_more_memory_than_they_may() {
    let mut setup = ample();
    setup.limits.max_unfinished = 1 << 20;
    let mut pair = setup.established();
    let (here, there) = pair.opened(A, ChannelConfig::new("greedy"));
    pair.send(A, here, blob(4 << 20));
    for _ in 0..500 {
        pair.run_ms(10);
        assert!(pair.host(Z).channels().channels.unfinished() <= 1 << 20);
    }
    let fault = ClosedReason::Fault(Fault::TooMuchUnfinished);
    assert_eq!(pair.closed(Z, there), Some(fault));
    assert_eq!(pair.host(Z).channels().channels.unfinished(), 0);
}

#[test]
fn deprecated_partial_messages_are_put_together() {
    let (mut pair, _, there) = Setup::default().opened(A, ChannelConfig::new("old"));
    send_plain(&mut pair, 54, b"in ");
    send_plain(&mut pair, 54, b"three ");
    send_plain(&mut pair, 51, b"parts");
    send_plain(&mut pair, 52, b"two");
    send_plain(&mut pair, 53, b"halves");
    pair.run(1);
    let expected = [
        Message::text("in three parts"),
        Message::binary(&b"twohalves"[..]),
    ];
    assert_eq!(pair.messages(Z, there), expected);
}

#[test]
fn the_byte_of_an_empty_message_means_nothing() {
    let (mut pair, _, there) = Setup::default().opened(A, ChannelConfig::new("empty"));
    send_plain(&mut pair, 56, b"something");
    send_plain(&mut pair, 57, b"x");
    pair.run(1);
    let kinds: Vec<_> = pair
        .messages(Z, there)
        .iter()
        .map(|message| (message.kind, message.payload.len()))
        .collect();
    assert_eq!(kinds, [(Kind::Text, 0), (Kind::Binary, 0)]);
}

#[test]
fn parts_out_of_place_and_unknown_payload_protocols_close_the_channel() {
    let reliable = || ChannelConfig::new("odd");
    // A channel that may lose messages has no partial ones.
    let lossy = || reliable().with_max_retransmissions(3);
    for (config, ppids, fault) in [
        (reliable(), &[54, 53][..], Fault::MisplacedPart),
        (reliable(), &[54, 52], Fault::MisplacedPart),
        (reliable(), &[52, 56], Fault::MisplacedPart),
        (lossy(), &[54], Fault::MisplacedPart),
        (reliable(), &[55], Fault::UnknownPpid(55)),
    ] {
        let (mut pair, here, there) = Setup::default().opened(A, config);
        for ppid in ppids {
            send_plain(&mut pair, *ppid, b"part");
        }
        pair.run(5);
        assert_eq!(pair.closed(Z, there), Some(ClosedReason::Fault(fault)));
        assert_eq!(pair.closed(A, here), Some(ClosedReason::Peer));
        assert_eq!(pair.messages(Z, there), []);
    }
}

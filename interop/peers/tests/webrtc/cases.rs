//! What is tried beside every stack.

use std::time::{Duration, Instant};

use sheave_interop::skip;
use sheave_interop::webrtc::{DataPair, Offerer, WebrtcProgram, letters, sum};
use sheave_webrtc::ConnectionConfig;
use sheave_webrtc::ConnectionEvent;
use sheave_webrtc::datachannel::{ChannelConfig, ChannelEvent, Kind, Message};

/// A stack, and what it can do.
pub(crate) struct Peer {
    pub(crate) program: fn() -> Result<WebrtcProgram, &'static str>,
    /// Bytes of the longest message that it takes.
    pub(crate) takes: usize,
    /// Bytes of the longest message that it sends.
    pub(crate) sends: usize,
    /// Bytes of the longest IP packet that is looked for with it.
    pub(crate) max_pmtu: u16,
}

/// Does a case twice: with our offer, and with the peer's.
pub(crate) fn both(peer: &Peer, case: fn(&Peer, &mut DataPair)) {
    both_with(peer, |_| {}, case);
}

/// The same with settings of ours.
pub(crate) fn both_with(
    peer: &Peer,
    adapt: fn(&mut ConnectionConfig),
    case: fn(&Peer, &mut DataPair),
) {
    let program = match (peer.program)() {
        Ok(program) => program,
        Err(why) => return skip(why),
    };
    for offerer in [Offerer::Here, Offerer::Peer] {
        let adapt = |config: &mut ConnectionConfig| {
            config.max_pmtu = peer.max_pmtu;
            adapt(config);
        };
        case(peer, &mut DataPair::connect(&program, offerer, adapt));
    }
}

/// Sizes that are tried: empty, one byte, around a packet, and up to what is usual.
const SIZES: [usize; 6] = [0, 1, 1100, 1300, 16_384, 65_536];

pub(crate) fn channels_open_both_ways_and_echo(_: &Peer, pair: &mut DataPair) {
    echo_both_ways(pair, &SIZES);
}

/// The same where both descriptions have an INIT chunk, so that no handshake of SCTP follows.
pub(crate) fn all_but_empty_messages_come_back_without_a_handshake(
    peer: &Peer,
    pair: &mut DataPair,
) {
    assert_eq!(pair.descriptions.len(), 2);
    for description in &pair.descriptions {
        assert!(description.sctp_init.is_some(), "{description}");
    }
    all_but_empty_messages_come_back(peer, pair);
}

/// The same with a stack that sends no empty message; ours arrives.
pub(crate) fn all_but_empty_messages_come_back(_: &Peer, pair: &mut DataPair) {
    echo_both_ways(pair, &SIZES[1..]);
    let (channel, _) = pair.open(ChannelConfig::new("empty"));
    for (kind, name) in [(Kind::Text, "text"), (Kind::Binary, "binary")] {
        pair.send(channel, &letters(kind, 0));
        let line = pair.line("message empty ");
        assert_eq!(line, format!("message empty {name} 0 0"));
    }
}

fn echo_both_ways(pair: &mut DataPair, sizes: &[usize]) {
    let (own, _) = pair.open(ChannelConfig::new("echo-own"));
    pair.tell("open echo-theirs");
    let theirs = pair.incoming("echo-theirs");
    for channel in [own, theirs] {
        for kind in [Kind::Text, Kind::Binary] {
            for &size in sizes {
                let message = letters(kind, size);
                pair.send(channel, &message);
                let echo = pair.message(channel);
                assert!(
                    echo == message,
                    "{kind:?} of {size}: {:?}",
                    echo.payload.len()
                );
            }
        }
    }
}

pub(crate) fn options_are_seen_at_the_other_end(_: &Peer, pair: &mut DataPair) {
    let (_, line) = pair.open(ChannelConfig::new("plain").with_protocol("some/thing"));
    assert_eq!(line, r#"opened plain ordered - - "some/thing""#);
    let (_, line) = pair.open(
        ChannelConfig::new("some")
            .unordered()
            .with_max_retransmissions(3),
    );
    assert_eq!(line, r#"opened some unordered 3 - """#);
    let lifetime = Duration::from_millis(250);
    let (_, line) = pair.open(ChannelConfig::new("short").with_lifetime(lifetime));
    assert_eq!(line, r#"opened short ordered - 250 """#);

    pair.tell("open theirs unordered lifetime=150 protocol=other");
    let theirs = pair.incoming("theirs");
    let found = pair.here.channel(theirs).unwrap();
    let wanted = ChannelConfig::new("")
        .unordered()
        .with_lifetime(Duration::from_millis(150));
    assert_eq!(
        (found.delivery(), found.reliability()),
        (wanted.delivery, wanted.reliability)
    );
    assert_eq!(found.protocol(), "other");
    pair.tell("open few retransmits=2");
    let few = pair.incoming("few");
    let wanted = ChannelConfig::new("").with_max_retransmissions(2);
    assert_eq!(
        pair.here.channel(few).unwrap().reliability(),
        wanted.reliability
    );
}

pub(crate) fn a_negotiated_channel_needs_no_announcement(_: &Peer, pair: &mut DataPair) {
    let id = 1000;
    pair.tell(&format!("open echo-agreed id={id}"));
    let config = ChannelConfig::new("echo-agreed").negotiated(sheave_engine::wire::StreamId(id));
    let channel = pair.begin(config);
    pair.line("opened echo-agreed ");
    pair.send(channel, &letters(Kind::Text, 100));
    assert!(pair.message(channel) == letters(Kind::Text, 100));
}

pub(crate) fn large_messages_go_as_far_as_the_ends_allow(peer: &Peer, pair: &mut DataPair) {
    let (channel, _) = pair.open(ChannelConfig::new("large"));
    for size in [64 << 10, 256 << 10, 1 << 20, 16 << 20] {
        let message = letters(Kind::Binary, size);
        if size <= peer.takes {
            pair.send(channel, &message);
            let line = pair.line("message large ");
            assert_eq!(
                line,
                format!("message large binary {size} {}", sum(&message))
            );
        }
        if size <= peer.sends {
            pair.tell(&format!("send large binary {size} 1"));
            let found = pair.message(channel);
            assert!(found == message, "{} of {size}", found.payload.len());
        }
    }
}

pub(crate) fn many_channels_work_at_a_time(_: &Peer, pair: &mut DataPair) {
    let own: Vec<_> = (0..128)
        .map(|n| {
            let config = ChannelConfig::new(format!("echo-{n}"));
            pair.here.open(Instant::now(), config).unwrap()
        })
        .collect();
    for n in 0..128 {
        pair.tell(&format!("open echo-their-{n}"));
    }
    let theirs: Vec<_> = (0..128)
        .map(|n| pair.incoming(&format!("echo-their-{n}")))
        .collect();
    for (n, &channel) in own.iter().enumerate() {
        let opened = ConnectionEvent::Channel(ChannelEvent::Opened { channel });
        pair.event(&format!("echo-{n} opened"), |event| *event == opened);
        // A stack answers for itself: what comes before the program has seen the channel may find no reader.
        pair.line(&format!("opened echo-{n} "));
    }
    for (n, channel) in own.into_iter().chain(theirs).enumerate() {
        let message = Message::text(format!("message {n}"));
        pair.send(channel, &message);
        assert!(pair.message(channel) == message);
    }
}

pub(crate) fn closed_channels_give_their_ids_back(_: &Peer, pair: &mut DataPair) {
    let mut ids = Vec::new();
    for round in 0..5 {
        let label = format!("echo-{round}");
        let (channel, _) = pair.open(ChannelConfig::new(&label));
        ids.push(channel.stream());
        pair.send(channel, &letters(Kind::Text, 10));
        pair.message(channel);
        match round % 2 {
            0 => pair.here.close_channel(Instant::now(), channel),
            _ => pair.tell(&format!("close {label}")),
        }
        let is_closed = |event: &ConnectionEvent| {
            matches!(event, ConnectionEvent::Channel(ChannelEvent::Closed { channel: found, .. })
                if *found == channel)
        };
        pair.event("closed", is_closed);
        pair.line(&format!("closed {label}"));
    }
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
}

pub(crate) fn buffered_bytes_are_told_at_both_ends(_: &Peer, pair: &mut DataPair) {
    let (channel, _) = pair.open(ChannelConfig::new("buffered"));
    pair.here.set_low_water(channel, 10_000);
    for _ in 0..16 {
        pair.send(channel, &letters(Kind::Binary, 60_000));
    }
    assert!(pair.here.buffered(channel) > 10_000);
    let low = ConnectionEvent::Channel(ChannelEvent::BufferLow { channel });
    pair.event("low", |event| *event == low);
    assert!(pair.here.buffered(channel) <= 10_000);

    pair.tell("low buffered 10000");
    pair.tell("send buffered binary 60000 16");
    pair.line("low buffered");
    for _ in 0..16 {
        pair.message(channel);
    }
}

pub(crate) fn losses_are_repaired(_: &Peer, pair: &mut DataPair) {
    for loss in [1, 5] {
        pair.loss = loss;
        exchange(pair, &format!("lossy-{loss}"), 30);
    }
}

pub(crate) fn a_tunnel_of_1280_bytes_stalls_nothing(_: &Peer, pair: &mut DataPair) {
    pair.mtu = 1280;
    exchange(pair, "tunnel", 20);
    pair.run_for(Duration::from_secs(1));
    let found = pair.here.pmtu().unwrap();
    assert!((1150..=1280).contains(&found), "{found}");
}

pub(crate) fn an_unreliable_channel_goes_on_after_losses(_: &Peer, pair: &mut DataPair) {
    let config = ChannelConfig::new("unreliable")
        .unordered()
        .with_max_retransmissions(0);
    let (channel, _) = pair.open(config);
    pair.loss = 10;
    for _ in 0..200 {
        pair.send(channel, &letters(Kind::Binary, 1000));
        pair.run_for(Duration::from_millis(2));
    }
    pair.loss = 0;
    pair.send(channel, &letters(Kind::Text, 9));
    pair.line("message unreliable text 9");
    let arrived = pair
        .lines
        .iter()
        .filter(|line| line.starts_with("message unreliable"));
    let arrived = arrived.count();
    assert!((100..=200).contains(&arrived), "{arrived} of 200");
}

/// Sends messages both ways at a time, and waits until all have arrived.
fn exchange(pair: &mut DataPair, label: &str, count: usize) {
    let (channel, _) = pair.open(ChannelConfig::new(label));
    let message = letters(Kind::Binary, 50_000);
    pair.tell(&format!("send {label} binary 50000 {count}"));
    for _ in 0..count {
        pair.send(channel, &message);
    }
    for _ in 0..count {
        assert!(pair.message(channel) == message);
        let line = pair.line(&format!("message {label} "));
        assert_eq!(
            line,
            format!("message {label} binary 50000 {}", sum(&message))
        );
    }
}

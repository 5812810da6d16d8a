//! The features that are tried with the stacks, as `interop/peers.toml` lists them.

use std::time::{Duration, Instant};

use sheave_interop::skip;
use sheave_interop::table::{Channels, Table};
use sheave_interop::webrtc::{DataPair, Offerer, WebrtcProgram, letters, sum};
use sheave_webrtc::datachannel::{ChannelConfig, ChannelEvent, Kind, Message};
use sheave_webrtc::{ConnectionConfig, ConnectionEvent};

/// Tries a feature with a stack, in one role.
pub(crate) fn run(stack: &str, feature: &str, offerer: Offerer) {
    let table = Table::read();
    let peer = table.stack(stack).channels.as_ref();
    let peer = peer.expect("it has data channels");
    let Ok(program) = WebrtcProgram::of(peer, feature).map_err(skip) else {
        return;
    };
    let adapt = |config: &mut ConnectionConfig| {
        config.max_pmtu = peer.max_pmtu;
        adapt(feature, config);
    };
    let mut pair = DataPair::connect(&program, offerer, adapt);
    case(feature)(peer, &mut pair);
}

type Case = fn(&Channels, &mut DataPair);

fn case(feature: &str) -> Case {
    match feature {
        "channels" => channels,
        "empty" => empty,
        "empty_back" => empty_back,
        "options" => options,
        "negotiated" => negotiated,
        "large" => large,
        "many" => many,
        "reuse" => reuse,
        "low" => low,
        "loss" => loss,
        "tunnel" => tunnel,
        "unreliable" => unreliable,
        "interleaving" => interleaving,
        "signalled" => signalled,
        other => panic!("no case for {other}"),
    }
}

/// Settings of ours for a feature.
fn adapt(feature: &str, config: &mut ConnectionConfig) {
    match feature {
        "large" | "interleaving" => config.channels.max_receive_size = 16 << 20,
        _ => {}
    }
}

fn channels(_: &Channels, pair: &mut DataPair) {
    // Around a packet, and up to the longest usual message.
    echo_both_ways(pair, &[1, 1100, 1300, 16_384, 65_536]);
}

fn empty(_: &Channels, pair: &mut DataPair) {
    let (channel, _) = pair.open(ChannelConfig::new("empty"));
    for (kind, name) in [(Kind::Text, "text"), (Kind::Binary, "binary")] {
        pair.send(channel, &letters(kind, 0));
        let line = pair.line("message empty ");
        assert_eq!(line, format!("message empty {name} 0 0"));
    }
}

fn empty_back(_: &Channels, pair: &mut DataPair) {
    echo_both_ways(pair, &[0]);
}

fn signalled(peer: &Channels, pair: &mut DataPair) {
    assert_eq!(pair.descriptions.len(), 2);
    for description in &pair.descriptions {
        assert!(description.sctp_init.is_some(), "{description}");
    }
    channels(peer, pair);
}

/// A peer with RFC 8260 begins the short message while the long one is under way; without, it comes last.
fn interleaving(peer: &Channels, pair: &mut DataPair) {
    let (long, _) = pair.open(ChannelConfig::new("long"));
    let (short, _) = pair.open(ChannelConfig::new("short"));
    let size = peer.sends.min(16 << 20);
    pair.tell(&format!("send long binary {size} 1"));
    pair.tell("send short text 10 1");
    pair.message(short);
    let is_long = |event: &ConnectionEvent| matches!(event, ConnectionEvent::Channel(ChannelEvent::Message { channel, .. }) if *channel == long);
    assert!(!pair.events.iter().any(is_long), "the long one came first");
    assert!(pair.message(long) == letters(Kind::Binary, size));
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

fn options(_: &Channels, pair: &mut DataPair) {
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

fn negotiated(_: &Channels, pair: &mut DataPair) {
    let id = 1000;
    pair.tell(&format!("open echo-agreed id={id}"));
    let config = ChannelConfig::new("echo-agreed").negotiated(sheave_engine::wire::StreamId(id));
    let channel = pair.begin(config);
    pair.line("opened echo-agreed ");
    pair.send(channel, &letters(Kind::Text, 100));
    assert!(pair.message(channel) == letters(Kind::Text, 100));
}

fn large(peer: &Channels, pair: &mut DataPair) {
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

fn many(_: &Channels, pair: &mut DataPair) {
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

fn reuse(_: &Channels, pair: &mut DataPair) {
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

fn low(_: &Channels, pair: &mut DataPair) {
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

fn loss(_: &Channels, pair: &mut DataPair) {
    for loss in [1, 5] {
        pair.loss = loss;
        exchange(pair, &format!("lossy-{loss}"), 30);
    }
}

fn tunnel(_: &Channels, pair: &mut DataPair) {
    pair.mtu = 1280;
    exchange(pair, "tunnel", 20);
    pair.run_for(Duration::from_secs(1));
    let found = pair.here.pmtu().unwrap();
    assert!((1150..=1280).contains(&found), "{found}");
}

fn unreliable(_: &Channels, pair: &mut DataPair) {
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

//! Two connections in one process, in virtual time, over a network that loses and delays.

mod absent;
mod hostile;
mod search;
mod world;

use std::net::SocketAddr;

use sheave_datachannel::{ChannelConfig, Message};
use sheave_webrtc::{
    ConnectionConfig, ConnectionEvent, EndReason, IceMode, NegotiationError, SctpStart,
};

use crate::world::{World, large, through_text};

#[test]
fn two_ends_find_each_other_and_talk() {
    for lite in [None, Some(0), Some(1)] {
        let mut world = World::connected(|n, config| {
            if lite == Some(n) {
                config.ice = IceMode::Lite;
            }
        });
        for n in [0, 1] {
            let channel = world.open(n, ChannelConfig::new("talk"));
            world.send(n, channel, Message::text("hello"));
            world.run_until(5, |world| world.messages(1 - n) == [Message::text("hello")]);
        }
    }
}

#[test]
fn the_association_is_up_with_dtls_where_both_signal_it() {
    let secured = |world: &World| {
        let is_secured = |events: &&Vec<_>| events.contains(&ConnectionEvent::Secured);
        world.events.iter().filter(is_secured).count()
    };
    let up = |world: &World| {
        let is_up = |events: &&Vec<_>| events.contains(&ConnectionEvent::Connected);
        world.events.iter().filter(is_up).count()
    };
    let mut world = World::agreed(|_, _| {});
    for ends in [1, 2] {
        world.run_until(5, |world| secured(world) == ends);
        assert_eq!(up(&world), ends);
    }
    for handshake in [0, 1] {
        let mut world = World::agreed(|n, config| {
            if n == handshake {
                config.sctp_start = SctpStart::Handshake;
            }
        });
        world.run_until(5, |world| secured(world) == 2);
        assert_eq!(up(&world), 0);
        world.run_until(5, |world| up(world) == 2);
    }
}

#[test]
fn messages_of_16_mib_pass_where_both_allow_them() {
    let mut world = World::connected(|_, config| config.channels.max_receive_size = 16 << 20);
    let channel = world.open(0, ChannelConfig::new("large"));
    let message = large(16 << 20);
    world.send(0, channel, message.clone());
    world.run_until(120, |world| !world.messages(1).is_empty());
    assert!(world.messages(1) == [message]);
}

#[test]
fn a_path_of_1280_bytes_is_enough_and_a_wider_one_is_found_out() {
    for (mtu, least) in [(1280, 1200), (1500, 1350), (9000, 8500)] {
        let mut world = World::agreed(|_, config| config.max_pmtu = 9000);
        world.mtu = mtu;
        let channel = world.open(0, ChannelConfig::new("path"));
        for _ in 0..20 {
            world.send(0, channel, large(60_000));
            world.run(1);
        }
        assert_eq!(world.messages(1).len(), 20);
        let found = usize::from(world.ends[0].pmtu().unwrap());
        assert!((least..=mtu).contains(&found), "{found} of {mtu}");
    }
}

#[test]
fn a_silence_of_minutes_ends_nothing() {
    let mut world = World::connected(|_, _| {});
    let channel = world.open(0, ChannelConfig::new("silence"));
    world.mtu = 0;
    world.send(0, channel, Message::text("late"));
    world.run(300);
    assert!(world.events[0].contains(&ConnectionEvent::Unreachable));
    world.mtu = 65_535;
    world.run_until(30, |world| !world.messages(1).is_empty());
    assert_eq!(world.end_of(0), None);
}

#[test]
fn an_end_that_closes_tells_the_other() {
    let mut world = World::connected(|_, _| {});
    let now = world.now;
    world.ends[0].close(now);
    world.run(1);
    assert_eq!(world.end_of(0), Some(&EndReason::Local));
    assert!(world.end_of(1).is_some());
}

#[test]
fn a_peer_with_another_certificate_than_it_described_is_refused() {
    let mut world = World::new(|_, _| {});
    let offer = world.ends[0].offer().unwrap();
    let mut answer = world.ends[1].answer(world.now, &offer).unwrap();
    answer.fingerprints = vec![sheave_webrtc::Fingerprint::new([7; 32])];
    world.ends[0].accept(world.now, &answer).unwrap();
    world.run(5);
    let end = world.end_of(0).map(ToString::to_string).unwrap();
    assert!(end.contains("not the pinned one"), "{end}");
    assert!(!world.events[0].contains(&ConnectionEvent::Connected));
    assert!(world.end_of(1).is_some());
}

#[test]
fn checks_that_come_before_the_answer_lose_nothing() {
    let mut world = World::new(|_, _| {});
    let offer = through_text(&world.ends[0].offer().unwrap());
    let answer = through_text(&world.ends[1].answer(world.now, &offer).unwrap());
    world.run(2);
    world.ends[0].accept(world.now, &answer).unwrap();
    world.run_until(5, World::is_up);
}

/// Descriptions that people carry take their time.
#[test]
fn an_answer_that_comes_after_minutes_is_not_too_late() {
    for lite in [None, Some(0), Some(1)] {
        let mut world = World::new(|n, config| {
            if lite == Some(n) {
                config.ice = IceMode::Lite;
            }
        });
        let offer = through_text(&world.ends[0].offer().unwrap());
        let answer = through_text(&world.ends[1].answer(world.now, &offer).unwrap());
        world.run(180);
        let unreachable = |events: &Vec<_>| {
            let told = |event: &&_| **event == ConnectionEvent::Unreachable;
            events.iter().filter(told).count()
        };
        assert!(unreachable(&world.events[1]) <= 1, "{:?}", world.events[1]);
        world.ends[0].accept(world.now, &answer).unwrap();
        world.run_until(10, World::is_up);
    }
}

#[test]
fn descriptions_that_do_not_fit_are_refused() {
    let lite = |_, config: &mut ConnectionConfig| config.ice = IceMode::Lite;
    let mut world = World::new(lite);
    let offer = world.ends[0].offer().unwrap();
    let refused = world.ends[1].answer(world.now, &offer);
    assert_eq!(refused, Err(NegotiationError::BothLite));
    let refused = world.ends[1].accept(world.now, &offer);
    assert_eq!(refused, Err(NegotiationError::NoOffer));
    let refused = world.ends[0].accept(world.now, &offer);
    assert_eq!(refused, Err(NegotiationError::OwnOffer));
    let mut world = World::new(|_, _| {});
    let offer = world.ends[0].offer().unwrap();
    let mut answer = world.ends[1].answer(world.now, &offer).unwrap();
    answer.setup = offer.setup;
    let refused = world.ends[0].accept(world.now, &answer);
    assert_eq!(refused, Err(NegotiationError::SetupConflict));
}

/// An answer of libdatachannel: without an INIT chunk of its own, and with each attribute of the section that
/// it does not know.
#[test]
fn an_answer_that_copies_attributes_of_the_offer_means_none_of_them() {
    let mut world = World::new(|n, config| {
        if n == 1 {
            config.sctp_start = SctpStart::Handshake;
        }
    });
    let offer = through_text(&world.ends[0].offer().unwrap());
    let mut answer = through_text(&world.ends[1].answer(world.now, &offer).unwrap());
    assert_eq!(answer.sctp_init, None);
    answer.sctp_init.clone_from(&offer.sctp_init);
    answer.candidates.extend(offer.candidates);
    let now = world.now;
    world.ends[0].accept(now, &through_text(&answer)).unwrap();
    let mut datagram = Vec::new();
    while let Some(sent) = world.ends[0].poll_transmit(now, &mut datagram, 1) {
        assert_ne!(sent.remote, sent.local, "a check is sent to ourselves");
    }
    world.run_until(20, World::is_up);
}

#[test]
fn garbage_from_the_network_changes_nothing() {
    let mut world = World::connected(|_, _| {});
    let channel = world.open(0, ChannelConfig::new("calm"));
    let (now, own) = (world.now, "192.0.2.1:4000".parse().unwrap());
    let stranger: SocketAddr = "203.0.113.9:99".parse().unwrap();
    for first in 0..=255_u8 {
        for length in [1, 2, 13, 20, 40, 200] {
            let mut datagram = vec![first; length];
            datagram[length / 2] ^= 0x55;
            world.ends[0].handle_datagram(now, own, stranger, &datagram);
        }
    }
    world.send(0, channel, Message::text("still here"));
    world.run_until(10, |world| !world.messages(1).is_empty());
    assert_eq!(world.end_of(0), None);
}

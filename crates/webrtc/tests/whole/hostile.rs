//! An attacker on the network, and a peer that keeps no rules.

use std::net::SocketAddr;

use sheave_datachannel::{ChannelConfig, Message, OpenError};
use sheave_webrtc::PeerConnection;

use crate::world::{World, large};

const OWN: [&str; 2] = ["192.0.2.1:4000", "192.0.2.2:4000"];
const STRANGER: &str = "203.0.113.9:99";

fn address(text: &str) -> SocketAddr {
    text.parse().expect("an address")
}

/// Hands an end a datagram out of turn.
fn inject(world: &mut World, to: usize, from: &str, datagram: &[u8]) {
    let now = world.now;
    world.ends[to].handle_datagram(now, address(OWN[to]), address(from), datagram);
}

/// Datagrams that an end sends now, and their bytes.
fn answers(world: &mut World, n: usize) -> usize {
    let (now, mut buffer, mut bytes) = (world.now, Vec::new(), 0);
    while world.ends[n].poll_transmit(now, &mut buffer, 1).is_some() {
        bytes += buffer.len();
    }
    bytes
}

fn is_record(datagram: &[u8]) -> bool {
    matches!(datagram.first(), Some(20..=63))
}

/// The ends still carry messages, both ways.
#[track_caller]
fn assert_works(world: &mut World) {
    for n in [0, 1] {
        let before = world.messages(1 - n).len();
        let channel = world.open(n, ChannelConfig::new("works"));
        world.send(n, channel, Message::text("works"));
        world.run_until(20, |world| world.messages(1 - n).len() > before);
    }
    assert_eq!((world.end_of(0), world.end_of(1)), (None, None));
}

/// Records of every type and version, with bodies of all lengths, true and false ones.
fn records() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for content in 20..=63_u8 {
        for version in [0xfe_ff_u16, 0xfe_fd, 0xfe_fc, 0x03_03, 0] {
            for (claimed, body) in [(0_u16, 0_usize), (40, 40), (40, 3), (3, 40), (0xffff, 1)] {
                let mut record = vec![content];
                record.extend(version.to_be_bytes());
                record.extend([0; 8]);
                record.extend(claimed.to_be_bytes());
                record.extend((0..=u8::MAX).take(body).map(|n| content ^ n));
                all.push(record);
            }
        }
    }
    all
}

#[test]
fn a_strangers_records_during_the_handshake_change_nothing() {
    let mut world = World::agreed(|_, _| {});
    for _ in 0..40 {
        for record in records() {
            for n in [0, 1] {
                inject(&mut world, n, STRANGER, &record);
            }
        }
        world.step();
    }
    world.run_until(20, World::is_up);
    assert_works(&mut world);
}

#[test]
fn records_with_the_peers_address_forged_do_not_end_a_connection() {
    let mut world = World::connected(|_, _| {});
    for record in records() {
        for n in [0, 1] {
            inject(&mut world, n, OWN[1 - n], &record);
        }
    }
    assert_works(&mut world);
}

#[test]
fn records_that_are_played_again_bring_no_message_again() {
    let mut world = World::connected(|_, _| {});
    world.kept = Some(Default::default());
    let channel = world.open(0, ChannelConfig::new("once"));
    for _ in 0..20 {
        world.send(0, channel, large(5000));
        world.run(1);
    }
    let kept = world.kept.take().expect("it was asked for");
    for _ in 0..3 {
        for n in [0, 1] {
            for datagram in kept[n].iter().filter(|datagram| is_record(datagram)) {
                inject(&mut world, 1 - n, OWN[n], datagram);
            }
        }
        world.run(1);
    }
    assert_eq!(world.messages(1).len(), 20);
    assert_works(&mut world);
}

// A server without cookies of DTLS would do the work of a handshake for each: ICE's check comes first.
#[test]
fn a_flood_of_hellos_is_answered_only_where_ice_was() {
    let mut world = World::agreed(|_, _| {});
    world.kept = Some(Default::default());
    world.run_until(20, World::is_up);
    let kept = world.kept.take().expect("it was asked for");
    let server = (0..2)
        .find(|n| kept[1 - n].iter().any(|datagram| is_hello(datagram)))
        .expect("a client");
    let hello = kept[1 - server].iter().find(|datagram| is_hello(datagram));
    let hello = hello.expect("it was found").clone();

    let mut other = World::agreed(|_, _| {});
    for n in 0..5000_u32 {
        let mut hello = hello.clone();
        hello[27..31].copy_from_slice(&n.to_be_bytes());
        inject(&mut other, server, STRANGER, &hello);
    }
    let bytes = answers(&mut other, server);
    assert!(bytes < 2000, "{bytes} bytes in answer to a stranger");
    other.run_until(20, World::is_up);
    assert_works(&mut other);
}

fn is_hello(datagram: &[u8]) -> bool {
    datagram.first() == Some(&22) && datagram.get(13) == Some(&1)
}

#[test]
fn hellos_of_the_peers_over_and_over_bring_no_more_than_they_are() {
    let mut world = World::connected(|_, _| {});
    let mut again = World::agreed(|_, _| {});
    again.kept = Some(Default::default());
    again.run_until(20, World::is_up);
    let kept = again.kept.take().expect("it was asked for");
    let hellos: Vec<_> = (0..2)
        .flat_map(|n| kept[n].iter().filter(|it| is_hello(it)))
        .cloned()
        .collect();
    assert!(!hellos.is_empty());
    for n in [0, 1] {
        let mut taken = 0;
        for _ in 0..200 {
            for hello in &hellos {
                taken += hello.len();
                inject(&mut world, n, OWN[1 - n], hello);
            }
        }
        let given = answers(&mut world, n);
        assert!(given <= taken, "{given} bytes for {taken}");
    }
    assert_works(&mut world);
}

#[test]
fn a_peer_that_opens_and_closes_all_the_time_costs_no_more_than_its_channels() {
    let mut world = World::connected(|_, _| {});
    let mut opened = 0;
    for round in 0..200 {
        let now = world.now;
        // At most as many at a time as the options say, those that are closing among them.
        let channels = (0..50).map_while(|_| {
            let opened = world.ends[0].open(now, ChannelConfig::new("storm"));
            assert!(matches!(opened, Ok(_) | Err(OpenError::TooMany)));
            opened.ok()
        });
        let channels: Vec<_> = channels.collect();
        opened += channels.len();
        if round % 3 > 0 {
            world.step();
        }
        for channel in channels {
            world.ends[0].close_channel(now, channel);
        }
        world.step();
        world.events = [Vec::new(), Vec::new()];
    }
    assert!(opened > 4096, "{opened}");
    world.run(30);
    assert_works(&mut world);
    let open = |end: &PeerConnection| {
        let stats = end.stats();
        stats.data_channels_opened - stats.data_channels_closed
    };
    assert!(world.ends.iter().all(|end| open(end) <= 2));
}

#[test]
fn a_user_that_never_reads_stops_its_peer_and_holds_what_its_window_says() {
    let mut world = World::connected(|_, config| {
        config.association.send_buffer = 1 << 20;
        config.association.receive_buffer = 256 << 10;
    });
    let channel = world.open(0, ChannelConfig::new("unread"));
    let (mut sent, mut buffer) = (0, Vec::new());
    for _ in 0..3000 {
        let now = world.now;
        while world.ends[0].send(now, channel, large(16 << 10)).is_ok() {
            sent += 16 << 10;
        }
        // As `World::step`, but nobody asks the second end for events.
        for n in [0, 1] {
            world.ends[n].handle_timeout(now);
            while world.ends[n].poll_transmit(now, &mut buffer, 1).is_some() {
                let datagram = buffer.clone();
                inject(&mut world, 1 - n, OWN[n], &datagram);
            }
        }
        while world.ends[0].poll_event(now).is_some() {}
        world.now += std::time::Duration::from_millis(10);
    }
    let most = (1 << 20) + (256 << 10) + (64 << 10);
    assert!(sent <= most, "{sent} bytes were taken");
    world.run_until(60, |world| world.messages(1).len() * (16 << 10) == sent);
}

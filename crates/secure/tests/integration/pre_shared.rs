//! Associations with given keys.

use std::fmt::Write;
use std::time::Duration;

use serde_json::{Value, json};
use sheave_engine::wire::{ChunkType, Packet, StreamId, dtls};
use sheave_engine::{Message, Options, Protection};
use sheave_secure::{Begun, CipherSuite, Fault, PreShared, PreSharedKeys, TrafficKeys};

use super::pair::{Host, Pair};
use super::vectors::python;

/// Bytes that differ from one direction to the other.
fn material(suite: CipherSuite, direction: u8) -> [Vec<u8>; 3] {
    let run = |from: u8, len: usize| (0..len).map(|n| from ^ (n as u8 * 7)).collect();
    let len = suite.key_len();
    [
        run(direction, len),
        run(direction + 1, 12),
        run(direction + 2, len),
    ]
}

fn keys(suite: CipherSuite) -> PreSharedKeys {
    let of = |direction| {
        let [key, iv, sn_key] = material(suite, direction);
        TrafficKeys::new(suite, &key, &iv, &sn_key).expect("right lengths")
    };
    PreSharedKeys {
        client: of(10),
        server: of(20),
    }
}

/// Two hosts with given keys; one of `lost` packets is lost.
fn pair(suite: CipherSuite, lost: usize) -> Pair<PreShared> {
    let options = Options {
        protection: Protection::Strict,
        ..Options::default()
    };
    let managers = [Begun::Here, Begun::There].map(|begun| PreShared::new(keys(suite), begun));
    Pair::new(managers, &options, 1).losing(lost)
}

/// The protected packets and the keys of who sent them, in the form of the vectors.
fn as_vectors(pair: &mut Pair<PreShared>, suite: CipherSuite) -> Value {
    let role = |host: &mut Host<PreShared>| {
        let mut assoc = host.endpoint.assoc(host.assoc.expect("one")).expect("one");
        let mut shield = assoc.protection().expect("protection");
        shield.agreement().expect("an agreement").role
    };
    let roles = pair.hosts.each_mut().map(role);
    let mut counts = [0; 2];
    let protected = pair.sent.iter().filter_map(|(place, packet)| {
        if packet[12] != ChunkType::DTLS.0 {
            return None;
        }
        let direction = match roles[*place] {
            sheave_engine::KeyRole::Client => 10,
            sheave_engine::KeyRole::Server => 20,
        };
        let [key, iv, sn_key] = material(suite, direction).map(|bytes| hex(&bytes));
        let sequence = counts[*place];
        counts[*place] += 1;
        Some(json!({
            "suite": hex(&suite.id()), "key": key, "iv": iv, "sn_key": sn_key,
            "epoch": 3, "restart": 0, "sequence": sequence, "chunks": null,
            "header": format!("{}00000000", hex(&packet[..8])), "packet": hex(packet),
        }))
    });
    json!({ "packets": protected.collect::<Vec<_>>() })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("room");
        text
    })
}

#[test]
fn associations_come_up_protected_and_carry_messages_with_every_suite_whatever_is_lost() {
    for (suite, lost) in CipherSuite::ALL.into_iter().zip([usize::MAX, 7, 5]) {
        let mut pair = pair(suite, lost);
        pair.run(Duration::from_secs(60));
        assert!(pair.hosts.iter().all(|host| host.enforced), "{suite:?}");
        let begun = pair.sent.len();
        let message = Message::new(StreamId(3), vec![7; 60_000]);
        assert!(pair.send(0, &message) && pair.send(1, &message));
        pair.run(Duration::from_secs(60));
        for host in &pair.hosts {
            assert_eq!(host.received, std::slice::from_ref(&message), "{suite:?}");
        }
        for (_, packet) in &pair.sent[begun..] {
            assert_eq!(packet[12], ChunkType::DTLS.0);
            assert!(Packet::parse(packet).is_ok_and(|packet| packet.checksum_is_valid()));
        }
    }
}

#[test]
fn an_idle_end_learns_that_protection_is_established_though_nobody_sends() {
    for lost in 3..9 {
        let mut pair = pair(CipherSuite::Aes128Gcm, lost);
        pair.run(Duration::from_secs(600));
        assert!(pair.hosts.iter().all(|host| host.enforced), "one of {lost}");
        assert!(pair.hosts.iter().all(|host| host.received.is_empty()));
    }
}

#[test]
fn a_parameter_that_somebody_on_the_way_has_changed_is_found() {
    let mut pair = pair(CipherSuite::Aes128Gcm, usize::MAX);
    // The restart bit in whichever INIT: it changes neither roles nor keys.
    pair.meddle = |packet| {
        if packet[12] == ChunkType::INIT.0 {
            let at = packet
                .windows(4)
                .position(|four| four == [0x80, 0x06, 0, 10]);
            packet[at.expect("the parameter") + 8] ^= dtls::RESTART_BIT;
            packet[8..12].fill(0);
            sheave_engine::wire::seal(packet);
        }
    };
    pair.run(Duration::from_secs(10));
    // The first end that notices aborts the association.
    assert!(pair.hosts.iter().all(|host| host.closed.is_some()));
    let failures = pair.hosts.each_ref().map(|host| host.failure.clone());
    assert!(failures.contains(&Some(Fault::Message)), "{failures:?}");
}

#[test]
fn the_independent_script_opens_every_packet_that_we_send() {
    let folder = std::env::temp_dir().join(format!("sheave-secure-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for suite in CipherSuite::ALL {
        let mut pair = pair(suite, 11);
        pair.run(Duration::from_secs(30));
        assert!(pair.send(0, &Message::new(StreamId(1), vec![9; 20_001])));
        pair.run(Duration::from_secs(30));
        let vectors = as_vectors(&mut pair, suite);
        assert!(
            vectors["packets"]
                .as_array()
                .is_some_and(|all| all.len() > 20)
        );
        let file = folder.join(format!("{suite:?}.json"));
        std::fs::write(&file, vectors.to_string()).expect("room");
        python(&["check", file.to_str().expect("text")]);
    }
    std::fs::remove_dir_all(&folder).expect("the folder");
}

use std::num::NonZero;
use std::thread;
use std::time::Duration;

use sheave::error::{ConnectError, ReceiveError, TargetError};
use sheave::{Association, CloseReason, Config, Endpoint, Listener, Shards, Target};

use crate::pair::{LONG, PORT, endpoint, localhost, next, number_of, numbered, quick, within};

const COUNT: usize = 3;

fn shards(lasts: &[u8]) -> Shards {
    let config = Config::udp(lasts.iter().copied().map(localhost), 0);
    Shards::bind(config, NonZero::new(COUNT).unwrap()).unwrap()
}

fn target(server: &Shards, lasts: &[u8]) -> Target {
    let addresses = lasts.iter().copied().map(localhost);
    Target::over_udp(addresses, server.udp_port().unwrap(), PORT).with_options(quick())
}

/// Sends everything back that comes to any shard.
fn echo(server: &Shards) {
    for listener in server.listen(PORT, quick()).unwrap() {
        thread::spawn(move || {
            for association in listener.incoming() {
                thread::spawn(move || {
                    while let Ok(Some(received)) = association.receive() {
                        if association.send(received.message).is_err() {
                            break;
                        }
                    }
                });
            }
        });
    }
}

fn speak(association: &Association, number: u32) {
    association.send(numbered(0, number, 100)).unwrap();
    assert_eq!(number_of(&next(association).message.payload), number);
}

fn misdirected(endpoints: &[Endpoint]) -> u64 {
    let stats = endpoints.iter().map(Endpoint::carrier_stats);
    stats.map(|stats| stats.misdirected).sum()
}

#[test]
fn associations_spread_over_shards_and_stay_where_they_are() {
    within(LONG, || {
        let (client, server) = (shards(&[1]), shards(&[2]));
        echo(&server);
        let near: Vec<Association> = (0..60)
            .map(|_| client.connect(target(&server, &[2])).unwrap())
            .collect();
        for (number, association) in (0..).zip(&near) {
            speak(association, number);
        }
        for endpoint in client.endpoints() {
            assert_eq!(endpoint.stats().associations, 20);
        }
        let at_server = server.endpoints().iter().map(|e| e.stats().associations);
        let at_server: Vec<usize> = at_server.collect();
        assert_eq!(at_server.iter().sum::<usize>(), 60);
        assert!(at_server.iter().all(|&count| count > 5), "{at_server:?}");
        // Linux has spread them by their tags; elsewhere the drivers do.
        if cfg!(linux) {
            let lost = misdirected(client.endpoints()) + misdirected(server.endpoints());
            assert_eq!(lost, 0);
        }
    });
}

#[test]
fn all_paths_of_an_association_lead_to_one_shard() {
    within(LONG, || {
        let (client, server) = (endpoint(&[1, 11]), shards(&[2, 12]));
        echo(&server);
        let near = client.connect(target(&server, &[2, 12])).unwrap();
        speak(&near, 1);
        client.unplug(localhost(1));
        speak(&near, 2);
    });
}

/// Calls the peer, or takes its call where that came first and so has the port.
fn call_or_answer(shards: &Shards, listeners: &[Listener], target: Target) -> Association {
    match shards.connect(target) {
        Err(ConnectError::Target(TargetError::PortInUse)) => {
            let moment = Duration::from_millis(1);
            let mut in_turns = listeners.iter().cycle();
            in_turns
                .find_map(|listener| listener.accept_timeout(moment))
                .unwrap()
        }
        called => called.unwrap(),
    }
}

#[test]
fn two_that_call_each_other_at_once_get_one_association() {
    within(LONG, || {
        let (one, two) = (shards(&[1]), shards(&[2]));
        let at_one = one.listen(PORT, quick()).unwrap();
        let at_two = two.listen(PORT, quick()).unwrap();
        let to_two = target(&two, &[2]).from_port(PORT);
        let to_one = target(&one, &[1]).from_port(PORT);
        let (near, far) = thread::scope(|scope| {
            let near = scope.spawn(|| call_or_answer(&one, &at_one, to_two));
            let far = call_or_answer(&two, &at_two, to_one);
            (near.join().unwrap(), far)
        });
        near.send(numbered(0, 7, 100)).unwrap();
        assert_eq!(number_of(&next(&far).message.payload), 7);
        for shards in [&one, &two] {
            let count = |e: &Endpoint| e.stats().associations;
            assert_eq!(shards.endpoints().iter().map(count).sum::<usize>(), 1);
        }
    });
}

#[test]
fn raw_ip_cannot_be_spread() {
    let config = Config::raw_ip([localhost(1)]);
    let refused = Shards::bind(config, NonZero::new(2).unwrap());
    assert!(matches!(refused, Err(sheave::error::BindError::Shards)));
}

#[test]
fn one_shard_is_an_endpoint_like_any_other() {
    within(LONG, || {
        let config = Config::udp([localhost(2)], 0);
        let server = Shards::bind(config, NonZero::<usize>::MIN).unwrap();
        echo(&server);
        let client = endpoint(&[1]);
        let near = client.connect(target(&server, &[2])).unwrap();
        speak(&near, 1);
    });
}

#[test]
fn an_abort_with_a_reflected_tag_reaches_its_shard() {
    within(LONG, || {
        let client = shards(&[1]);
        let server = endpoint(&[2]);
        let port = server.udp_port().unwrap();
        let listener = server.listen(PORT, quick()).unwrap();
        let target = || Target::over_udp([localhost(2)], port, PORT).with_options(quick());
        let near: Vec<Association> = (0..12).map(|_| client.connect(target()).unwrap()).collect();
        server.unplug(localhost(2));
        server.close(Duration::ZERO);
        drop((listener, server));
        let reborn = Endpoint::bind(Config::udp([localhost(2)], port)).unwrap();
        for association in &near {
            association.send(numbered(0, 1, 100)).unwrap();
        }
        // Its ABORTs carry its own old tags (T bit), which say nothing of our shards.
        for association in &near {
            assert!(matches!(
                association.receive(),
                Err(ReceiveError::Closed(CloseReason::AbortedByPeer { .. }))
            ));
        }
        drop(reborn);
    });
}

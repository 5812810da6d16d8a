use core::time::Duration;

use sheave_engine::{Datagram, Ecn, Node, PeerAddress, Time};
use sheave_sim::Random;

use super::Server;
use crate::studies::establishment::opener::Opener;
use crate::studies::establishment::service::ServiceTimes;
use crate::studies::pair::{self, LISTENER};

const TIME: Duration = Duration::from_millis(10);

/// A server with a queue of two packets, to which `inits` INITs arrive at once.
fn server(inits: usize) -> Server<sheave_engine::Endpoint> {
    let mut random = Random::new(1);
    let listener = pair::listener(&mut random).expect("a listener");
    let times = ServiceTimes {
        init: TIME,
        cookie_echo: TIME,
        syn: TIME,
        other: TIME,
    };
    let mut server = Server::new(listener, times, 2);
    let mut packet = Vec::new();
    for _ in 0..inits {
        let from = sheave_engine::Endpoint::OPENING.forge(&mut packet, &mut random);
        let datagram = Datagram {
            local: LISTENER,
            remote: PeerAddress::native(from),
            ecn: Ecn::NotEct,
            payload: &packet,
        };
        server.handle_datagram(Time::ZERO, datagram);
    }
    server
}

#[test]
fn packets_are_answered_one_after_the_other() {
    let mut server = server(2);
    let mut answers = Vec::new();
    let mut buffer = Vec::new();
    while let Some(due) = server.due {
        server.handle_timeout(due);
        while server.poll_transmit(due, &mut buffer, 1).is_some() {
            answers.push(due);
        }
    }
    assert_eq!(answers, [Time::ZERO + TIME, Time::ZERO + 2 * TIME]);
    assert_eq!(server.load().busy, 2 * TIME);
}

#[test]
fn packets_that_find_the_queue_full_are_dropped() {
    assert_eq!(server(2).load().dropped, 0);
    assert_eq!(server(5).load().dropped, 3);
}

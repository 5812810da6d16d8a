//! Two endpoints, their users and the network between them, all played by a fuzzer's bytes.
//!
//! Whatever the bytes say, nothing may panic, every packet that leaves must be valid, memory must
//! stay within the options, and every loop must end.

#[path = "endpoint/choices.rs"]
mod choices;
#[path = "endpoint/network.rs"]
mod network;
#[path = "endpoint/script.rs"]
mod script;
#[path = "endpoint/users.rs"]
mod users;

use core::net::{IpAddr, Ipv4Addr};
use core::time::Duration;
use std::collections::VecDeque;

use sheave_engine::{Endpoint, EndpointOptions, Event, Node, Options, Time};

use self::choices::{options, source_share};
use self::network::Parcel;
use self::script::Script;

const PORT: u16 = 5000;
/// Largest message that a user sends here, bytes.
const LARGEST: usize = 12_000;
const MEMORY: usize = 120_000;
const ASSOCIATIONS: usize = 6;
const STEPS: usize = 300;

/// Plays `bytes` as a script.
pub(crate) fn endpoint(bytes: &[u8]) {
    let mut play = Play::new(Script { bytes });
    for _ in 0..STEPS {
        if play.script.bytes.is_empty() {
            break;
        }
        play.act();
    }
    play.settle();
}

struct Play<'a> {
    script: Script<'a>,
    now: Time,
    nodes: [Endpoint; 2],
    wire: VecDeque<Parcel>,
    /// The last header that was seen towards each node: ports and tag, as an eavesdropper knows.
    headers: [[u8; 8]; 2],
    /// The last packet that went towards each node.
    last: [Vec<u8>; 2],
    born: u8,
}

fn address(node: usize, n: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(10, n, 0, node as u8 + 1))
}

impl<'a> Play<'a> {
    fn new(mut script: Script<'a>) -> Self {
        let options = options(&mut script);
        let nodes = [0, 1].map(|node| fresh(node, 0, &options));
        Self {
            script,
            now: Time::from_millis(1),
            nodes,
            wire: VecDeque::new(),
            headers: [[0; 8]; 2],
            last: [Vec::new(), Vec::new()],
            born: 0,
        }
    }

    fn act(&mut self) {
        let op = self.script.byte();
        let node = usize::from(op >> 7);
        match op & 31 {
            0 | 1 => self.connect(node),
            2..=5 => self.send(node),
            6..=10 => self.deliver(),
            11 => drop(self.wire.pop_front()),
            12 => self.wire.extend(self.wire.front().cloned()),
            13 => self.wire.rotate_left(usize::from(!self.wire.is_empty())),
            14..=16 => self.mutate(),
            17 | 18 => self.forge(node),
            19 => self.inject_bytes(node),
            20..=22 => self.wait(),
            23 => self.read(node),
            24 => self.shut_down(node),
            25 => self.abort(node),
            26 => self.ask(node),
            27 => self.reboot(node),
            28 => self.nodes[node].handle_timeout(self.now),
            _ => {
                for _ in 0..8 {
                    self.deliver();
                }
            }
        }
        self.pump(STEPS);
        self.check();
    }

    /// Time passes: a little, a lot, or to the next deadline.
    fn wait(&mut self) {
        let choice = self.script.byte();
        let span = match choice & 3 {
            0 => Duration::from_micros(u64::from(choice)),
            1 => Duration::from_millis(u64::from(choice)),
            2 => Duration::from_millis(10 * u64::from(choice)),
            _ => self
                .deadline()
                .map_or(Duration::ZERO, |at| at.since(self.now)),
        };
        self.now = self.now + span;
        self.expire();
    }

    fn deadline(&self) -> Option<Time> {
        self.nodes.iter().filter_map(Node::poll_timeout).min()
    }

    fn expire(&mut self) {
        for node in &mut self.nodes {
            node.handle_timeout(self.now);
        }
        self.pump(STEPS);
        for node in &self.nodes {
            assert!(
                node.poll_timeout().is_none_or(|at| at > self.now),
                "a deadline in the past"
            );
        }
    }

    fn reboot(&mut self, node: usize) {
        self.born = self.born.wrapping_add(1);
        let options = options(&mut self.script);
        self.nodes[node] = fresh(node, self.born, &options);
    }

    /// Takes out whatever is to be sent and told; not more than `most` packets may come.
    fn pump(&mut self, most: usize) {
        let mut buf = Vec::new();
        for at in 0..2 {
            let mut packets = 0;
            while let Some(transmit) = self.nodes[at].poll_transmit(self.now, &mut buf, 4) {
                packets += 1;
                assert!(packets <= most, "no end of packets");
                self.post(at, &transmit, &buf);
            }
            let mut events = 0;
            while let Some((id, event)) = self.nodes[at].poll_event() {
                events += 1;
                assert!(events <= 20_000, "no end of events");
                if matches!(event, Event::Closed { .. }) {
                    assert!(
                        self.nodes[at].assoc(id).is_none(),
                        "closed, and still there"
                    );
                }
            }
        }
    }

    fn check(&self) {
        for node in &self.nodes {
            let stats = node.stats();
            assert!(
                stats.buffered <= MEMORY + 2 * LARGEST,
                "{} bytes held",
                stats.buffered
            );
            assert!(stats.associations <= ASSOCIATIONS);
            assert_eq!(node.associations().count(), stats.associations);
        }
    }

    /// The network turns perfect and the users read everything for a while: nothing may run in
    /// circles.
    fn settle(&mut self) {
        let until = self.now + Duration::from_millis(1200);
        for _ in 0..8000 {
            self.read_everything();
            self.pump(STEPS);
            self.check();
            if !self.wire.is_empty() {
                self.deliver();
                continue;
            }
            match self.deadline() {
                Some(deadline) if deadline <= until => self.now = self.now.max(deadline),
                _ => return,
            }
            self.expire();
        }
        panic!("no rest: {:?}", self.nodes.each_ref().map(Endpoint::stats));
    }
}

fn fresh(node: usize, born: u8, options: &Options) -> Endpoint {
    let limits = EndpointOptions {
        max_associations: ASSOCIATIONS,
        max_memory: MEMORY,
        source_share: source_share(options),
        secret_life: Duration::from_secs(2),
        ..EndpointOptions::default()
    };
    let local = vec![address(node, 1), address(node, 2)];
    let mut seed = [node as u8; 32];
    seed[0] = born;
    let mut endpoint = Endpoint::new(local, limits, seed);
    endpoint.listen(PORT, options.clone()).expect("a free port");
    endpoint
}

//! Memory that an association takes, counted by the allocator.
#![expect(clippy::cast_possible_truncation, reason = "indices and small numbers")]

#[path = "idle_size/counting.rs"]
mod counting;

use std::mem;
use std::sync::Arc;

use core::net::{IpAddr, Ipv4Addr};

use sheave_engine::wire::StreamId;
use sheave_engine::{
    AssocId, CipherLimits, Connect, Datagram, Ecn, Endpoint, EndpointOptions, Event, Forged,
    Interleaving, KeyContext, Message, Node, Options, PeerAddress, Profile, RecordCipher,
    SendOptions, StreamScheduler, TAG_LEN, Time,
};

use counting::{CALLS, Counting, LIVE};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn address(node: usize) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(10, 0, 0, node as u8 + 1))
}

/// Two endpoints in one memory, and what each has allocated.
struct Pair {
    now: Time,
    nodes: [Endpoint; 2],
    held: [isize; 2],
    events: Vec<(usize, AssocId)>,
    /// The packet on its way.
    buf: Vec<u8>,
}

impl Pair {
    fn new(options: &Options) -> Self {
        let mut pair = Self {
            now: Time::from_millis(1),
            nodes: [0, 1].map(|node| {
                let limits = EndpointOptions::default();
                Endpoint::new(vec![address(node)], limits, [node as u8; 32])
            }),
            held: [0; 2],
            events: Vec::new(),
            buf: Vec::with_capacity(1 << 16),
        };
        pair.on(1, |node, _| node.listen(5000, options.clone()).unwrap());
        pair
    }

    /// Calls an endpoint and books what it has allocated.
    fn on<R>(&mut self, at: usize, act: impl FnOnce(&mut Endpoint, Time) -> R) -> R {
        let before = LIVE.get();
        let result = act(&mut self.nodes[at], self.now);
        self.held[at] += LIVE.get() - before;
        result
    }

    /// Carries packets to and fro until there are none; gives back how many.
    fn exchange(&mut self) -> usize {
        let mut buf = mem::take(&mut self.buf);
        let mut packets = 0;
        loop {
            let mut idle = true;
            for at in 0..2 {
                while self
                    .on(at, |node, now| node.poll_transmit(now, &mut buf, 1))
                    .is_some()
                {
                    idle = false;
                    packets += 1;
                    let remote = PeerAddress::native(address(at));
                    let (local, payload, ecn) = (address(1 - at), &buf[..], Ecn::NotEct);
                    let datagram = Datagram {
                        local,
                        remote,
                        ecn,
                        payload,
                    };
                    self.on(1 - at, |node, now| node.handle_datagram(now, datagram));
                }
                while let Some((id, event)) = self.on(at, |node, _| node.poll_event()) {
                    if matches!(event, Event::Established { .. }) {
                        self.events.push((at, id));
                    }
                }
            }
            if idle {
                self.buf = buf;
                return packets;
            }
        }
    }

    /// Runs until no timer is due within `millis`.
    fn run_for(&mut self, millis: u64) {
        let until = self.now + core::time::Duration::from_millis(millis);
        loop {
            self.exchange();
            let next = self.nodes.iter().filter_map(Node::poll_timeout).min();
            match next.filter(|at| *at <= until) {
                Some(at) => self.now = self.now.max(at),
                None => break,
            }
            for at in 0..2 {
                self.on(at, Node::handle_timeout);
            }
        }
        self.now = until;
    }

    fn connect(&mut self, options: &Options) {
        let to = Connect {
            local_port: None,
            local: Vec::new(),
            remote_port: 5000,
            remote: vec![PeerAddress::native(address(1))],
            options: options.clone(),
        };
        self.on(0, |node, now| node.connect(now, to).unwrap());
    }

    /// Gives each association that is up keys that protect nothing, where its options want protection.
    fn protect(&mut self) {
        for (at, id) in self.events.clone() {
            self.on(at, |node, now| {
                let mut assoc = node.assoc(id).unwrap();
                let Some(mut shield) = assoc.protection() else {
                    return;
                };
                if !shield.is_enforced() {
                    let cipher: Arc<dyn RecordCipher> = Arc::new(NoCipher);
                    let id = KeyContext::FIRST;
                    shield.add_receive_keys(id, cipher.clone()).unwrap();
                    shield.set_send_keys(now, id, cipher).unwrap();
                    shield.enforce(now).unwrap();
                }
            });
            self.exchange();
        }
    }

    /// Reads whatever there is.
    fn read_all(&mut self, at: usize) {
        let ids: Vec<AssocId> = self.nodes[at].associations().collect();
        for id in ids {
            self.on(at, |node, now| {
                while node
                    .assoc(id)
                    .is_some_and(|mut assoc| assoc.receive(now).is_some())
                {}
            });
        }
    }
}

/// Leaves records as they are.
#[derive(Debug)]
struct NoCipher;

impl RecordCipher for NoCipher {
    fn seal(&self, _: u64, _: [u8; 3], _: &mut [u8]) -> [u8; TAG_LEN] {
        [0; TAG_LEN]
    }

    fn open(&self, _: u64, _: [u8; 3], _: &mut [u8]) -> Result<(), Forged> {
        Ok(())
    }

    fn mask(&self, _: [u8; 16]) -> [u8; 2] {
        [0; 2]
    }

    fn limits(&self) -> CipherLimits {
        CipherLimits {
            sealed: u64::MAX,
            forged: u64::MAX,
            bytes: u64::MAX,
        }
    }
}

/// Protection comes without the memory of the ciphers, which are their maker's. BBR keeps its model of a
/// path, which it goes by when data flows again.
#[test]
fn an_idle_association_takes_at_most_1_kib_and_another_where_it_is_protected_or_has_bbr() {
    for (text, most) in [
        ("profile=rfc9260", 1024),
        ("profile=rfc9260, buffers=auto", 1024),
        ("profile=rfc9260, protection=strict", 2048),
        ("profile=rfc9260, congestion=bbr", 2048),
    ] {
        idle_associations_take(text, most);
    }
}

/// The memory that each end holds for an association that was set up, and not used yet.
#[test]
fn a_fresh_association_takes_at_most_1_kib_by_default() {
    const COUNT: usize = 3500;
    let options = Options::default();
    let mut pair = Pair::new(&options);
    pair.connect(&options);
    pair.run_for(1000);
    let before = pair.held;
    for _ in 0..COUNT {
        pair.connect(&options);
        pair.exchange();
    }
    pair.run_for(5000);
    for (at, role) in ["client", "server"].into_iter().enumerate() {
        let each = (pair.held[at] - before[at]) / COUNT as isize;
        println!("a fresh association of a {role}: {each} bytes");
        assert!(each <= 1024, "{role}: {each} bytes");
    }
}

fn idle_associations_take(text: &str, most: isize) {
    const COUNT: usize = 500;
    let options = &text.parse().expect("options");
    let mut pair = Pair::new(options);
    for _ in 0..100 {
        pair.connect(options);
    }
    pair.run_for(1000);
    let before = pair.held;
    for _ in 0..COUNT {
        pair.connect(options);
        pair.exchange();
    }
    pair.protect();
    // Each has been used both ways, and then falls idle.
    let events = pair.events.clone();
    for (at, id) in events {
        pair.on(at, |node, now| {
            let message = Message::new(StreamId(0), vec![7; 3000]);
            node.assoc(id)
                .unwrap()
                .send(now, message, SendOptions::default())
                .unwrap();
        });
        pair.exchange();
        pair.read_all(1 - at);
    }
    pair.run_for(5000);
    pair.read_all(0);
    pair.read_all(1);
    // Spare room is given back with the first heartbeat.
    pair.run_for(40_000);
    for (at, role) in ["client", "server"].into_iter().enumerate() {
        let each = (pair.held[at] - before[at]) / COUNT as isize;
        println!("an idle association of a {role}, {text}: {each} bytes");
        assert!(each <= most, "{role}, {text}: {each} bytes");
    }
}

#[test]
fn closed_associations_leave_nothing_behind() {
    let options = Profile::Rfc9260.options();
    let mut pair = Pair::new(&options);
    let mut sizes = Vec::new();
    // More than the tags that an endpoint remembers of cookies that were used.
    for _ in 0..60 {
        for _ in 0..100 {
            pair.connect(&options);
        }
        pair.run_for(1000);
        let ids: Vec<AssocId> = pair.nodes[0].associations().collect();
        for id in ids {
            pair.on(0, |node, now| {
                node.assoc(id).unwrap().shutdown(now).unwrap();
            });
        }
        pair.run_for(5000);
        assert_eq!(pair.nodes[1].stats().associations, 0);
        sizes.push(pair.held[0] + pair.held[1]);
    }
    assert!(sizes[59] <= sizes[45] + 4096, "{sizes:?}");
    assert!(sizes[59] < 512 * 1024, "{sizes:?}");
}

/// Moves messages of `size` bytes in windows of `count`, each read when it has arrived, and says
/// how many allocations `rounds` of them took after some to warm up, and how many packets.
fn steady_flow(options: Options, (size, count): (usize, usize)) -> (usize, usize) {
    let options = Options {
        max_burst: None,
        ..options
    };
    let mut pair = Pair::new(&options);
    pair.connect(&options);
    pair.run_for(1000);
    pair.protect();
    let (_, from) = *pair.events.iter().find(|(at, _)| *at == 0).unwrap();
    let (_, to) = *pair.events.iter().find(|(at, _)| *at == 1).unwrap();
    let message = Message::new(StreamId(0), vec![7; size]);
    // A second owner, so that a clone is a count and not an allocation.
    let _keeper = message.clone();
    let mut round = || {
        let mut packets = 0;
        for _ in 0..count {
            let copy = message.clone();
            let mut assoc = pair.nodes[0].assoc(from).unwrap();
            assoc.send(pair.now, copy, SendOptions::default()).unwrap();
        }
        packets += pair.exchange();
        let mut assoc = pair.nodes[1].assoc(to).unwrap();
        let mut read = 0;
        while let Some(received) = assoc.receive(pair.now) {
            read += received.message.payload.len();
        }
        assert_eq!(read, size * count);
        pair.now = pair.now + core::time::Duration::from_micros(100);
        for at in 0..2 {
            pair.nodes[at].handle_timeout(pair.now);
        }
        packets + pair.exchange()
    };
    for _ in 0..100 {
        round();
    }
    let before = CALLS.get();
    let packets: usize = (0..200).map(|_| round()).sum();
    (CALLS.get() - before, packets)
}

#[test]
fn a_steady_flow_allocates_nothing() {
    for text in ["profile=rfc9260", "profile=rfc9260, protection=strict"] {
        flows_allocate_nothing(text);
    }
}

fn flows_allocate_nothing(text: &str) {
    for (size, count) in [(64, 500), (1024, 60), (8192, 8), (65_536, 1)] {
        let options = text.parse().expect("options");
        let (calls, packets) = steady_flow(options, (size, count));
        println!("{text}: {size} bytes: {calls} allocations for {packets} packets");
        assert!(packets > 2000, "{packets} packets of {size}");
        assert_eq!(calls, 0, "{text}: {size} bytes: {packets} packets");
    }
}

/// Sends messages from one end, each on the next stream, as fast as the other reads them.
fn burst(pair: &mut Pair, at: usize, message: &Message, streams: u16, count: usize) {
    let (_, id) = *pair.events.iter().find(|(end, _)| *end == at).unwrap();
    let mut sent = 0;
    while sent < count {
        let copy = Message {
            stream: StreamId((sent % usize::from(streams)) as u16),
            ..message.clone()
        };
        let taken = pair.on(at, |node, now| {
            let mut assoc = node.assoc(id).unwrap();
            assoc.send(now, copy, SendOptions::default()).is_ok()
        });
        sent += usize::from(taken);
        if !taken {
            pair.run_for(1);
            pair.read_all(1 - at);
        }
    }
    for _ in 0..100 {
        pair.run_for(10);
        pair.read_all(1 - at);
    }
}

#[test]
fn an_association_that_was_busy_falls_back_to_what_an_idle_one_takes() {
    for (interleaving, scheduler) in [
        (Interleaving::Off, StreamScheduler::FirstCome),
        (Interleaving::On, StreamScheduler::RoundRobin),
        (Interleaving::On, StreamScheduler::WeightedFairQueueing),
    ] {
        for (streams, size, count) in [(1, 100, 20_000), (1, 60_000, 400), (1000, 3000, 4000)] {
            let options = Options {
                interleaving,
                scheduler,
                outbound_streams: 1000,
                ..Options::default()
            };
            let mut pair = Pair::new(&options);
            pair.connect(&options);
            pair.run_for(1000);
            let message = Message::new(StreamId(0), vec![7; size]);
            for at in 0..2 {
                burst(&mut pair, at, &message, 1, 1);
            }
            pair.run_for(60_000);
            let idle = pair.held;
            for at in 0..2 {
                burst(&mut pair, at, &message, streams, count);
            }
            pair.run_for(60_000);
            // The numbers of each stream stay, in both directions.
            let numbers = 16 * isize::try_from(streams).unwrap();
            for (idle, held) in idle.into_iter().zip(pair.held) {
                assert!(
                    held <= idle + numbers + 256,
                    "{interleaving:?} {scheduler:?} {streams}: {idle} bytes, then {held}"
                );
            }
        }
    }
}

#[test]
fn a_direction_that_rests_gives_its_room_back_while_the_other_is_not_read() {
    let options = Options::default();
    let mut pair = Pair::new(&options);
    pair.connect(&options);
    pair.run_for(1000);
    let message = Message::new(StreamId(0), vec![7; 100]);
    burst(&mut pair, 0, &message, 1, 1);
    pair.run_for(60_000);
    let idle = pair.held[0];
    burst(&mut pair, 0, &message, 1, 20_000);
    let (_, id) = *pair.events.iter().find(|(end, _)| *end == 1).unwrap();
    pair.on(1, |node, now| {
        let mut assoc = node.assoc(id).unwrap();
        let unread = Message::new(StreamId(0), vec![7; 10]);
        assoc.send(now, unread, SendOptions::default()).unwrap();
    });
    pair.run_for(60_000);
    let held = pair.held[0];
    assert!(held <= idle + 1024, "{idle} bytes, then {held}");
}

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use sheave_engine::{Connect, Endpoint, EndpointOptions, Event, Message, PeerAddress, SendOptions};
use sheave_wire::StreamId;

use super::*;

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

struct Host {
    carrier: PollLoop,
    endpoint: Endpoint,
}

impl Host {
    fn start(seed: u8) -> Self {
        let carrier = PollLoop::bind(&Config::udp([HERE], 0)).unwrap();
        let addresses = carrier.local_addresses().to_vec();
        Self {
            carrier,
            endpoint: Endpoint::new(addresses, EndpointOptions::default(), [seed; 32]),
        }
    }

    fn step(&mut self) -> Option<Time> {
        self.carrier.step(&mut self.endpoint)
    }
}

/// Steps both hosts, sleeping in between, until `until` returns true.
fn run(a: &mut Host, b: &mut Host, mut until: impl FnMut(&mut Host, &mut Host) -> bool) {
    let began = Instant::now();
    while !until(a, b) {
        assert!(began.elapsed() < Duration::from_secs(120), "nothing comes");
        a.step();
        b.step();
        let mut polled = [
            PollFd::new(&a.carrier, PollFlags::IN),
            PollFd::new(&b.carrier, PollFlags::IN),
        ];
        let span = Timespec {
            tv_sec: 0,
            tv_nsec: 1_000_000,
        };
        rustix::event::poll(&mut polled, Some(&span)).unwrap();
    }
}

#[derive(Default)]
struct Counter(Arc<Mutex<Vec<Way>>>);

impl Tap for Counter {
    fn see(&mut self, _now: Time, packet: &SeenPacket<'_>) {
        assert!(packet.bytes.len() >= 12);
        self.0.lock().unwrap().push(packet.way);
    }
}

#[test]
fn an_endpoint_reaches_itself_without_the_network() {
    let mut host = Host::start(1);
    let options = host.carrier.fit(Options::default());
    host.endpoint.listen(5001, options.clone()).unwrap();
    let connect = Connect {
        local_port: None,
        remote_port: 5001,
        remote: vec![PeerAddress {
            ip: HERE,
            encapsulation: host.carrier.udp_port(),
        }],
        local: vec![],
        options,
    };
    host.endpoint.connect(host.carrier.now(), connect).unwrap();
    host.carrier.send(&mut host.endpoint);
    let events = std::iter::from_fn(|| host.endpoint.poll_event());
    let opened = events.filter(|(_, event)| matches!(event, Event::Established { .. }));
    assert_eq!(opened.count(), 2, "both ends, in one step");
    assert_eq!(host.carrier.stats().packets_sent, 0);
}

#[cfg(linux)]
#[test]
fn an_attempt_to_connect_ends_where_icmp_says_that_nobody_is_there() {
    let (mut client, mut other) = (Host::start(1), Host::start(2));
    let nobody = std::net::UdpSocket::bind((HERE, 0)).unwrap();
    let port = nobody.local_addr().unwrap().port();
    drop(nobody);
    let connect = Connect {
        local_port: None,
        remote_port: 5001,
        remote: vec![PeerAddress::encapsulated(HERE, port)],
        local: vec![],
        options: client.carrier.fit(Options::default()),
    };
    let now = client.carrier.now();
    client.endpoint.connect(now, connect).unwrap();
    run(&mut client, &mut other, |client, _| {
        let event = client.endpoint.poll_event();
        matches!(event, Some((_, Event::Closed { .. })))
    });
}

#[test]
fn a_message_crosses_loopback_between_two_endpoints_in_one_thread() {
    let (mut server, mut client) = (Host::start(1), Host::start(2));
    let seen = Arc::new(Mutex::new(Vec::new()));
    client.carrier.set_tap(Box::new(Counter(Arc::clone(&seen))));
    let options = server.carrier.fit(Options::default());
    server.endpoint.listen(5001, options).unwrap();
    let remote = PeerAddress {
        ip: HERE,
        encapsulation: server.carrier.udp_port(),
    };
    let connect = Connect {
        local_port: None,
        remote_port: 5001,
        remote: vec![remote],
        local: vec![],
        options: client.carrier.fit(Options::default()),
    };
    let now = client.carrier.now();
    let ours = client.endpoint.connect(now, connect).unwrap();
    let message = Message::new(StreamId(0), vec![7_u8; 100_000]);
    let mut assoc = client.endpoint.assoc(ours).unwrap();
    assoc.send(now, message, SendOptions::default()).unwrap();

    let mut theirs = None;
    let mut received = None;
    run(&mut client, &mut server, |_, server| {
        while let Some((id, event)) = server.endpoint.poll_event() {
            if let Event::Established { .. } = event {
                theirs = Some(id);
            }
        }
        let now = server.carrier.now();
        let assoc = theirs.and_then(|id| server.endpoint.assoc(id));
        received = assoc.and_then(|mut assoc| assoc.receive(now));
        received.is_some()
    });
    let message = received.unwrap().message;
    assert!(message.payload.len() == 100_000 && message.payload.iter().all(|&byte| byte == 7));
    let seen = seen.lock().unwrap();
    assert!(seen.contains(&Way::Out) && seen.contains(&Way::In));
}

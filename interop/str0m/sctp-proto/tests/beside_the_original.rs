//! The crate beside the one whose place it takes, as peers and with itself, in virtual time.

use std::time::{Duration, Instant};

/// An end, of either crate.
trait End {
    fn name(&self) -> &'static str;
    /// Begins an association; with INIT chunks, ours and the peer's, without a handshake.
    fn connect(&mut self, inits: Option<(Vec<u8>, Vec<u8>)>);
    fn handle(&mut self, now: Instant, packet: &[u8]);
    fn handle_timeout(&mut self, now: Instant);
    fn poll_timeout(&self) -> Option<Instant>;
    fn packets(&mut self, now: Instant) -> Vec<Vec<u8>>;
    fn news(&mut self) -> Vec<String>;
    fn open(&mut self, id: u16) -> Result<(), String>;
    fn configure(&mut self, id: u16, unordered: bool, retransmits: Option<u32>);
    fn write(&mut self, id: u16, payload: &[u8]) -> Result<usize, String>;
    fn read(&mut self, id: u16) -> Option<Vec<u8>>;
    fn close(&mut self, id: u16);
    fn shutdown(&mut self);
}

macro_rules! end {
    ($name:ident, $source:ident) => {
        mod $name {
            use std::sync::Arc;
            use std::time::Instant;

            use $source::{
                Association, ClientConfig, DatagramEvent, Endpoint, EndpointConfig, Event, Payload,
                PayloadProtocolIdentifier, ReliabilityType, ServerConfig, Transmit,
                TransportConfig, generate_snap_token,
            };

            pub(super) struct Peer {
                endpoint: Endpoint,
                association: Option<Association>,
            }

            fn transport() -> Arc<TransportConfig> {
                let config = TransportConfig::default()
                    .with_max_init_retransmits(None)
                    .with_max_data_retransmits(None)
                    .with_max_send_message_size(1 << 20)
                    .with_max_receive_message_size(1 << 20);
                Arc::new(config)
            }

            pub(super) fn init() -> Vec<u8> {
                generate_snap_token(&transport()).expect("a token").to_vec()
            }

            pub(super) fn new() -> Box<dyn super::End> {
                let mut server = ServerConfig::new();
                server.transport = transport();
                let endpoint =
                    Endpoint::new(Arc::new(EndpointConfig::new()), Some(Arc::new(server)));
                Box::new(Peer {
                    endpoint,
                    association: None,
                })
            }

            impl Peer {
                fn association(&mut self) -> &mut Association {
                    self.association.as_mut().expect("an association")
                }
            }

            impl super::End for Peer {
                fn name(&self) -> &'static str {
                    stringify!($name)
                }

                fn connect(&mut self, inits: Option<(Vec<u8>, Vec<u8>)>) {
                    let mut client = ClientConfig::new();
                    client.transport = transport();
                    if let Some((ours, theirs)) = inits {
                        client = client.with_snap(ours.into(), theirs.into());
                    }
                    let remote = "192.0.2.1:5000".parse().expect("an address");
                    let connected = self.endpoint.connect(client, remote);
                    self.association = connected.ok().map(|(_, association)| association);
                }

                fn handle(&mut self, now: Instant, packet: &[u8]) {
                    let remote = "192.0.2.1:5000".parse().expect("an address");
                    let packet = packet.to_vec().into();
                    match self.endpoint.handle(now, remote, None, None, packet) {
                        Some((_, DatagramEvent::NewAssociation(association))) => {
                            self.association.get_or_insert(association);
                        }
                        Some((_, DatagramEvent::AssociationEvent(event))) => {
                            self.association().handle_event(event);
                        }
                        None => {}
                    }
                }

                fn handle_timeout(&mut self, now: Instant) {
                    if let Some(association) = &mut self.association {
                        association.handle_timeout(now);
                    }
                }

                fn poll_timeout(&self) -> Option<Instant> {
                    self.association.as_ref()?.poll_timeout()
                }

                fn packets(&mut self, now: Instant) -> Vec<Vec<u8>> {
                    let mut packets = Vec::new();
                    loop {
                        let association = &mut self.association;
                        let next = self.endpoint.poll_transmit();
                        let next = next.or_else(|| association.as_mut()?.poll_transmit(now));
                        let Some(Transmit { payload, .. }) = next else {
                            return packets;
                        };
                        if let Payload::RawEncode(more) = payload {
                            packets.extend(more.iter().map(|packet| packet.to_vec()));
                        }
                    }
                }

                fn news(&mut self) -> Vec<String> {
                    let mut news = Vec::new();
                    while let Some(event) = self.association.as_mut().and_then(Association::poll) {
                        match event {
                            Event::Stream(event) => news.push(format!("{event:?}")),
                            Event::Connected => news.push("Connected".into()),
                            Event::AssociationLost { .. } => news.push("Lost".into()),
                            _ => {}
                        }
                    }
                    news
                }

                fn open(&mut self, id: u16) -> Result<(), String> {
                    let unknown = PayloadProtocolIdentifier::Unknown;
                    let opened = self.association().open_stream(id, unknown);
                    opened.map(drop).map_err(|error| format!("{error:?}"))
                }

                fn configure(&mut self, id: u16, unordered: bool, retransmits: Option<u32>) {
                    let kind = match retransmits {
                        Some(_) => ReliabilityType::Rexmit,
                        None => ReliabilityType::Reliable,
                    };
                    let mut stream = self.association().stream(id).expect("a stream");
                    let set =
                        stream.set_reliability_params(unordered, kind, retransmits.unwrap_or(0));
                    set.expect("a stream");
                }

                fn write(&mut self, id: u16, payload: &[u8]) -> Result<usize, String> {
                    let mut stream = self.association().stream(id).expect("a stream");
                    let written = stream.write_with_ppi(payload, PayloadProtocolIdentifier::Binary);
                    written.map_err(|error| format!("{error:?}"))
                }

                fn read(&mut self, id: u16) -> Option<Vec<u8>> {
                    let mut stream = self.association().stream(id).ok()?;
                    let message = stream.read().ok()??;
                    let mut bytes = vec![0; message.len()];
                    let read = message.read(&mut bytes).expect("room");
                    assert_eq!(read, bytes.len());
                    Some(bytes)
                }

                fn close(&mut self, id: u16) {
                    let mut stream = self.association().stream(id).expect("a stream");
                    stream.close().expect("an association that is up");
                }

                fn shutdown(&mut self) {
                    self.association().shutdown().expect("it is up");
                }
            }
        }
    };
}

end!(ours, sctp_proto);
end!(theirs, original);

struct World {
    now: Instant,
    ends: [Box<dyn End>; 2],
    news: [Vec<String>; 2],
    /// One packet in so many is lost; 0: none.
    loss: u64,
    random: u64,
}

impl World {
    fn new(ends: [Box<dyn End>; 2]) -> Self {
        Self {
            now: Instant::now(),
            ends,
            news: [Vec::new(), Vec::new()],
            loss: 0,
            random: 1,
        }
    }

    fn run(&mut self, time: Duration) {
        let end = self.now + time;
        while self.now < end {
            for n in [0, 1] {
                for packet in self.ends[n].packets(self.now) {
                    // Knuth's MMIX constants.
                    self.random = (self.random.wrapping_mul(6_364_136_223_846_793_005))
                        .wrapping_add(1_442_695_040_888_963_407);
                    if self.loss == 0 || !(self.random >> 33).is_multiple_of(self.loss) {
                        self.ends[1 - n].handle(self.now, &packet);
                    }
                }
                self.news[n].extend(self.ends[n].news());
            }
            self.now += Duration::from_millis(5);
            for n in [0, 1] {
                if self.ends[n].poll_timeout().is_some_and(|at| at <= self.now) {
                    self.ends[n].handle_timeout(self.now);
                }
            }
        }
        for n in [0, 1] {
            self.news[n].extend(self.ends[n].news());
        }
    }

    fn run_secs(&mut self, secs: u64) {
        self.run(Duration::from_secs(secs));
    }

    fn has(&self, n: usize, news: &str) -> bool {
        self.news[n].iter().any(|told| told == news)
    }

    fn read_all(&mut self, n: usize, id: u16) -> Vec<Vec<u8>> {
        std::iter::from_fn(|| self.ends[n].read(id)).collect()
    }
}

/// Each pair in which one end at least is ours; the first connects.
fn each_pair(case: impl Fn(&mut World)) {
    for pair in [
        [ours::new(), ours::new()],
        [ours::new(), theirs::new()],
        [theirs::new(), ours::new()],
    ] {
        let mut world = World::new(pair);
        world.ends[0].connect(None);
        world.run_secs(1);
        for n in [0, 1] {
            assert!(world.has(n, "Connected"), "{n}: {:?}", world.news);
        }
        case(&mut world);
    }
}

#[test]
fn messages_of_all_sizes_pass_both_ways() {
    each_pair(|world| {
        for n in [0, 1] {
            let id = 2 + u16::try_from(n).expect("small");
            world.ends[n].open(id).expect("a stream");
            let sizes = [1, 100, 1200, 5000, 70_000, 500_000];
            for size in sizes {
                let written = world.ends[n].write(id, &vec![7; size]);
                assert_eq!(written, Ok(size));
                world.run_secs(3);
            }
            let readable = format!("Readable {{ id: {id} }}");
            assert!(world.has(1 - n, &readable), "{:?}", world.news);
            let read = world.read_all(1 - n, id);
            assert_eq!(read.iter().map(Vec::len).collect::<Vec<_>>(), sizes);
            let too_long = world.ends[n].write(id, &vec![0; (1 << 20) + 1]);
            assert_eq!(too_long, Err("ErrOutboundPacketTooLarge".into()));
        }
    });
}

#[test]
fn losses_are_repaired() {
    each_pair(|world| {
        world.loss = 15;
        world.ends[0].open(0).expect("a stream");
        for n in 0..200_u32 {
            let sent = world.ends[0].write(0, &n.to_be_bytes().repeat(500));
            sent.expect("there is room");
        }
        world.run_secs(60);
        let read = world.read_all(1, 0);
        let numbers: Vec<_> = read
            .iter()
            .map(|it| u32::from_be_bytes(it[..4].try_into().expect("four")))
            .collect();
        assert_eq!(numbers, (0..200).collect::<Vec<_>>());
    });
}

#[test]
fn a_closed_stream_is_finished_complete_and_free_again() {
    each_pair(|world| {
        for round in 0..3 {
            world.ends[0]
                .open(4)
                .unwrap_or_else(|error| panic!("{round}: {error}"));
            world.ends[0].write(4, b"first").expect("a stream");
            world.run_secs(1);
            world.ends[0].write(4, b"last").expect("a stream");
            world.ends[0].close(4);
            world.run_secs(1);
            // What arrived before the reset is read before the end is told.
            assert_eq!(world.read_all(1, 4), [&b"first"[..], b"last"]);
            world.run_secs(3);
            for n in [0, 1] {
                for news in ["Finished { id: 4 }", "ResetComplete { id: 4 }"] {
                    assert!(world.has(n, news), "{round} {n} {news}: {:?}", world.news);
                }
            }
            world.news = [Vec::new(), Vec::new()];
        }
    });
}

#[test]
fn a_stream_in_use_or_being_closed_is_not_opened() {
    each_pair(|world| {
        world.ends[0].open(6).expect("a stream");
        assert_eq!(world.ends[0].open(6), Err("ErrStreamAlreadyExist".into()));
        world.ends[0].write(6, b"x").expect("a stream");
        world.run_secs(1);
        world.ends[0].close(6);
        assert!(world.ends[0].open(6).is_err());
    });
}

#[test]
fn an_unreliable_stream_goes_on_after_a_loss() {
    each_pair(|world| {
        world.ends[0].open(8).expect("a stream");
        world.ends[0].configure(8, true, Some(0));
        world.loss = 4;
        for _ in 0..100 {
            world.ends[0].write(8, &[1; 900]).expect("there is room");
            world.run(Duration::from_millis(50));
        }
        world.loss = 0;
        world.run_secs(10);
        world.ends[0].write(8, b"end").expect("there is room");
        world.run_secs(5);
        let read = world.read_all(1, 8);
        assert!((20..101).contains(&read.len()), "{}", read.len());
        assert_eq!(read.last().map(Vec::as_slice), Some(&b"end"[..]));
    });
}

#[test]
fn a_shutdown_ends_both() {
    each_pair(|world| {
        world.ends[0].shutdown();
        world.run_secs(5);
        for n in [0, 1] {
            let whose = world.ends[n].name();
            // The original does not tell whoever began.
            let is_told = world.has(n, "Lost") || (whose == "theirs" && n == 0);
            assert!(is_told, "{n}, {whose}: {:?}", world.news);
        }
    });
}

#[test]
fn inits_of_the_signalling_spare_the_handshake() {
    for (mut world, inits) in [
        (
            World::new([ours::new(), ours::new()]),
            [ours::init(), ours::init()],
        ),
        (
            World::new([ours::new(), theirs::new()]),
            [ours::init(), theirs::init()],
        ),
    ] {
        for n in [0, 1] {
            let pair = (inits[n].clone(), inits[1 - n].clone());
            world.ends[n].connect(Some(pair));
        }
        world.ends[0].open(0).expect("a stream");
        world.ends[0].write(0, b"at once").expect("it is up");
        world.ends[1].open(1).expect("a stream");
        world.ends[1].write(1, b"here, too").expect("it is up");
        world.run_secs(2);
        assert_eq!(world.read_all(1, 0), [b"at once"]);
        assert_eq!(world.read_all(0, 1), [b"here, too"]);
    }
}

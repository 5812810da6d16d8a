//! Throughput of a data channel between two ends of str0m in one thread, datagrams handed over in
//! memory: built twice, over the SCTP that str0m comes with and over Sheave's.

use std::collections::VecDeque;
use std::env;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use str0m::channel::{ChannelConfig, ChannelId};
use str0m::net::{Protocol, Receive};
use str0m::{Candidate, Event, Input, Output, Rtc};

/// Messages of these sizes, bytes.
const SIZES: [usize; 3] = [64, 1024, 16 << 10];

/// One of the two ends.
struct End {
    rtc: Rtc,
    address: SocketAddr,
    inbox: VecDeque<Vec<u8>>,
    timeout: Instant,
    received: usize,
    is_open: bool,
}

impl End {
    fn new(host: u8, now: Instant) -> Self {
        let mut rtc = Rtc::builder().build(now);
        let address = SocketAddr::from(([192, 0, 2, host], 4000));
        rtc.add_local_candidate(Candidate::host(address, "udp").expect("a candidate"));
        Self {
            rtc,
            address,
            inbox: VecDeque::new(),
            timeout: now,
            received: 0,
            is_open: false,
        }
    }

    fn meet(&mut self, peer: &mut Self) {
        let candidate = Candidate::host(peer.address, "udp").expect("a candidate");
        self.rtc.add_remote_candidate(candidate);
        let theirs = peer.rtc.direct_api();
        let fingerprint = theirs.local_dtls_fingerprint().clone();
        let credentials = theirs.local_ice_credentials();
        let mut ours = self.rtc.direct_api();
        ours.set_remote_fingerprint(fingerprint);
        ours.set_remote_ice_credentials(credentials);
    }

    fn start(&mut self, is_client: bool) -> ChannelId {
        let mut api = self.rtc.direct_api();
        api.set_ice_controlling(is_client);
        api.start_dtls(is_client).expect("DTLS");
        api.start_sctp(is_client);
        api.create_data_channel(ChannelConfig {
            negotiated: Some(1),
            label: "throughput".into(),
            ..ChannelConfig::default()
        })
    }

    /// Takes in what waits, and hands what is to be sent to the peer.
    fn turn(&mut self, peer: &mut Self) {
        let now = Instant::now();
        while let Some(datagram) = self.inbox.pop_front() {
            let received = Receive::new(Protocol::Udp, peer.address, self.address, &datagram);
            let input = Input::Receive(now, received.expect("a datagram"));
            self.rtc.handle_input(input).expect("input");
            self.drain(peer);
        }
        if now >= self.timeout {
            self.rtc
                .handle_input(Input::Timeout(now))
                .expect("a timeout");
        }
        self.drain(peer);
    }

    fn drain(&mut self, peer: &mut Self) {
        loop {
            match self.rtc.poll_output().expect("output") {
                Output::Timeout(at) => {
                    self.timeout = at;
                    return;
                }
                Output::Transmit(datagram) => peer.inbox.push_back(datagram.contents.into()),
                Output::Event(Event::ChannelOpen(..)) => self.is_open = true,
                Output::Event(Event::ChannelData(message)) => self.received += message.data.len(),
                Output::Event(_) => {}
            }
        }
    }
}

/// Two connected ends, and the channel of the first.
fn connected() -> (End, End, ChannelId) {
    let now = Instant::now();
    let (mut a, mut z) = (End::new(1, now), End::new(2, now));
    a.meet(&mut z);
    z.meet(&mut a);
    let channel = a.start(true);
    z.start(false);
    let deadline = now + Duration::from_secs(10);
    while !(a.is_open && z.is_open) {
        a.turn(&mut z);
        z.turn(&mut a);
        assert!(Instant::now() < deadline, "the ends do not find each other");
    }
    (a, z, channel)
}

/// Sends messages of one size for that long. Nanoseconds for a message.
fn measure(size: usize, span: Duration) -> f64 {
    let (mut a, mut z, channel) = connected();
    let message = vec![0x5a; size];
    let began = Instant::now();
    let (mut last, mut before) = (began, 0);
    while began.elapsed() < span {
        let mut out = a.rtc.channel(channel).expect("an open channel");
        while out.write(true, &message).expect("a message is taken") {}
        a.turn(&mut z);
        z.turn(&mut a);
        if z.received > before {
            (last, before) = (Instant::now(), z.received);
        }
        assert!(last.elapsed() < Duration::from_secs(10), "nothing arrives");
    }
    let messages = z.received / size;
    began.elapsed().as_nanos() as f64 / messages as f64
}

fn main() {
    str0m::crypto::from_feature_flags().install_process_default();
    let span = env::args()
        .nth(1)
        .map_or(3.0, |secs| secs.parse().expect("seconds"));
    let span = Duration::from_secs_f64(span);
    for size in SIZES {
        let nanos = measure(size, span);
        let rate = size as f64 * 8e3 / nanos;
        println!("{}\t{size}\t{nanos:.0}\t{rate:.0}", env!("CARGO_PKG_NAME"));
    }
}

//! The cost of encryption on every path: transfers beside none, DTLS and TLS 1.3 over the kernel's TCP, set-up beside
//! a TLS handshake, and memory.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde_json::json;
use sheave::Options;
use sheave::secure::{Identity, KeyManagement, Names, TlsSettings, Trust};
use sheave_engine::wire::StreamId;
use sheave_engine::{
    Connect, Datagram, Ecn, Endpoint, EndpointOptions, KeyRole, Message, Node, PeerAddress,
    SendOptions, Time,
};
use sheave_measure::{Goal, Row, Spread, Table, cpu_time};

use super::contender::Contender;
use super::end::Over;
use super::many::{GIVEN_BACK, resident};
#[cfg(target_os = "linux")]
use super::network::Network;
#[cfg(target_os = "linux")]
use super::stage::Offloads;
use super::transfer::throughput;
use super::{BenchArgs, Session};
use crate::failure::{Failure, While};

/// Size of messages unless others are given, bytes.
const MESSAGE: u64 = 64 << 10;
/// The protected contender and those that it is compared with, and the most CPU time of it to theirs.
const WAYS: [Over; 4] = [Over::Secure, Over::Sctp, Over::Tls, Over::Dtls];
const GOALS: [Goal; 3] = [Goal::AtMost(1.35), Goal::AtMost(1.3), Goal::AtMost(0.9)];

/// Associations of a sample of the set-up, and those whose memory is taken.
const SAMPLE: u32 = 100;
const HELD: u32 = 5000;
const SET_UP: Goal = Goal::AtMost(1.2);
const MEMORY: Goal = Goal::AtMost(1024.0);

/// SCTP port of the server.
const PORT: u16 = 5001;

/// Measures all tables.
pub(super) fn run(args: &BenchArgs, session: &Session<'_>) -> Result<(), Failure> {
    transfers(args, session)?;
    set_ups(session)
}

fn transfers(args: &BenchArgs, session: &Session<'_>) -> Result<(), Failure> {
    let mut args = args.clone();
    if args.size.is_empty() {
        args.size = vec![MESSAGE];
    }
    let mut table = Table::new(
        "secure: two processes on this machine, and in two networks with an Ethernet link between them, and the \
         CPU-seconds of both for a gigabyte; ratios are of those of --secure to the row's",
    );
    let mut places = vec![("loopback", WAYS.map(Contender::here))];
    #[cfg(target_os = "linux")]
    let network = Network::new(1, Offloads::On);
    #[cfg(target_os = "linux")]
    match &network {
        Ok(network) => {
            let linked = |over: Over| Contender::linked(over.name(), over, network);
            places.push(("veth", WAYS.map(linked)));
        }
        Err(error) => session.skip(&format!("veth: {error} (needs root and `ip`)")),
    }
    for (place, contenders) in &mut places {
        let name = format!("secure, {place}");
        throughput(&name, contenders, &args, session, |row, costs, at| {
            let row = row.text("place", "place", *place);
            let ratio = Spread::of_ratios(costs[0], costs[at]);
            let goal = at.checked_sub(1).and_then(|at| GOALS.get(at)).copied();
            let row = row.ratio("ratio", "--secure to it", ratio);
            table.push(row.goal("", goal, ratio.median));
        })?;
    }
    session.report.print(&table);
    Ok(())
}

/// The set-ups measured in one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    /// A TLS connection by rustls, with certificates at both ends
    Tls,
    /// An association without protection
    Plain,
    /// A protected association, with certificates at both ends
    Protected,
}

fn set_ups(session: &Session<'_>) -> Result<(), Failure> {
    let identity = Identity::generate(["sheave"]).while_doing("a certificate")?;
    let trust = Trust::default().fingerprints([identity.fingerprint()]);
    let settings = Arc::new(TlsSettings::new(identity, trust));
    let mut cases = [
        (Case::Tls, None),
        (Case::Plain, Some(Ends::new(None))),
        (Case::Protected, Some(Ends::new(Some(&settings)))),
    ];
    let describe = |(case, _): &(Case, Option<Ends>)| {
        (format!("{case:?}"), json!({ "what": format!("{case:?}") }))
    };
    let samples = session.in_turns(
        "secure, set-up",
        &mut cases,
        ["us"],
        describe,
        |(_, ends)| {
            let before = cpu_time();
            for _ in 0..SAMPLE {
                match ends {
                    Some(ends) => ends.connect()?,
                    None => shake_hands(&settings)?,
                }
            }
            Ok([(cpu_time() - before).as_secs_f64() * 1e6 / f64::from(SAMPLE)])
        },
    )?;
    let mut table = Table::new(
        "secure: CPU to set one up, both ends in one thread, and memory for each end of an idle association, its \
         ciphers and key manager included",
    );
    for (at, what) in ["TLS 1.3 by rustls", "association", "protected association"]
        .iter()
        .enumerate()
    {
        let costs = &samples[at][0];
        let ratio = Spread::of_ratios(costs, &samples[0][0]);
        let goal = (cases[at].0 == Case::Protected).then_some(SET_UP);
        let row = Row::new()
            .text("what", "what", format!("set-up of one: {what}"))
            .spread("figure", "", Spread::of(costs), (1.0, 1))
            .count("unit", "unit", "us")
            .ratio("ratio", "to TLS", ratio);
        table.push(row.goal("", goal, ratio.median));
    }
    drop(cases);
    session.step("memory of idle associations")?;
    let plain = memory(None)?;
    let protected = memory(Some(&settings))?;
    for (what, bytes, goal) in [
        ("association", plain, None),
        ("protected association", protected, None),
        ("the difference", protected - plain, Some(MEMORY)),
    ] {
        let row = Row::new()
            .text("what", "what", format!("memory: {what}"))
            .figure("figure", "", bytes, (1.0, 0))
            .count("unit", "unit", "bytes");
        session.report.sample("secure, memory", row.fields())?;
        table.push(row.goal("", goal, bytes));
    }
    session.report.print(&table);
    Ok(())
}

/// A whole handshake of TLS 1.3 in memory.
fn shake_hands(settings: &TlsSettings) -> Result<(), Failure> {
    let of = |role| settings.connection(role).while_doing("TLS");
    let mut ends = [of(KeyRole::Client)?, of(KeyRole::Server)?];
    let mut records = Vec::new();
    while ends
        .iter()
        .any(|end| end.is_handshaking() || end.wants_write())
    {
        for from in 0..2 {
            records.clear();
            while ends[from].wants_write() {
                ends[from].write_tls(&mut records).while_doing("TLS")?;
            }
            let mut unread = &records[..];
            while !unread.is_empty() {
                ends[1 - from].read_tls(&mut unread).while_doing("TLS")?;
                ends[1 - from].process_new_packets().while_doing("TLS")?;
            }
        }
    }
    Ok(())
}

/// Memory for each end of an idle association that was used, bytes.
fn memory(settings: Option<&Arc<TlsSettings>>) -> Result<f64, Failure> {
    let mut ends = Ends::new(settings);
    let before = resident()?;
    for held in 1..=HELD {
        ends.connect()?;
        ends.use_newest();
        if held % SAMPLE == 0 {
            ends.rest();
        }
    }
    // The allocator returns freed memory after a delay, at its next allocation.
    thread::sleep(GIVEN_BACK);
    ends.connect()?;
    let held = resident()?.saturating_sub(before);
    Ok(held as f64 / (2.0 * f64::from(HELD)))
}

/// Two endpoints, the first of which connects to the second, in one thread, with a clock of their own.
struct Ends {
    ends: [(Endpoint, Option<KeyManagement>); 2],
    buffer: Vec<u8>,
    now: Time,
}

const fn address(place: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(10, 0, 0, place + 1))
}

impl Ends {
    fn new(settings: Option<&Arc<TlsSettings>>) -> Self {
        let end = |place| {
            let options = EndpointOptions::default();
            let endpoint = Endpoint::new(vec![address(place)], options, [place; 32]);
            let keys = settings.map(|one| KeyManagement::new(Arc::clone(one), Names::default()));
            (endpoint, keys)
        };
        let mut ends = [end(0), end(1)];
        let options = options(ends[1].1.as_ref());
        // The only listener.
        let _ = ends[1].0.listen(PORT, options);
        Self {
            ends,
            buffer: Vec::new(),
            now: Time::ZERO,
        }
    }

    /// Sets up one more association.
    fn connect(&mut self) -> Result<(), Failure> {
        let (endpoint, keys) = &mut self.ends[0];
        let connect = Connect {
            local_port: None,
            local: Vec::new(),
            remote_port: PORT,
            remote: vec![PeerAddress::native(address(1))],
            options: options(keys.as_ref()),
        };
        let id = endpoint
            .connect(self.now, connect)
            .while_doing("an association")?;
        if let Some(keys) = keys {
            keys.expect(self.now, endpoint, id, None);
        }
        while self.carry(0) + self.carry(1) > 0 {}
        let mut assoc = self.ends[0].0.assoc(id);
        let is_up = assoc.as_mut().is_some_and(|assoc| {
            assoc
                .protection()
                .is_none_or(|mut shield| shield.is_enforced())
        });
        is_up
            .then_some(())
            .ok_or_else(|| Failure::new("an association was not protected"))
    }

    /// Sends a message over the newest association in both directions.
    fn use_newest(&mut self) {
        let newest = |endpoint: &Endpoint| endpoint.associations().last();
        for (endpoint, _) in &mut self.ends {
            let message = Message::new(StreamId(1), "hello");
            if let Some(mut assoc) = newest(endpoint).and_then(|id| endpoint.assoc(id)) {
                // A fresh association has room for it.
                let _ = assoc.send(self.now, message, SendOptions::default());
            }
        }
        while self.carry(0) + self.carry(1) > 0 {}
        for (endpoint, _) in &mut self.ends {
            if let Some(mut assoc) = newest(endpoint).and_then(|id| endpoint.assoc(id)) {
                let _ = assoc.receive(self.now);
            }
        }
    }

    /// Lets some seconds go by, after which idle associations have given back memory.
    fn rest(&mut self) {
        for _ in 0..3 {
            self.now = self.now + Duration::from_secs(2);
            for (endpoint, _) in &mut self.ends {
                endpoint.handle_timeout(self.now);
            }
            while self.carry(0) + self.carry(1) > 0 {}
        }
    }

    /// Carries the packets of an end to the other; returns their number.
    fn carry(&mut self, from: usize) -> usize {
        self.digest(from);
        let mut packets = 0;
        while let Some(transmit) = self.ends[from]
            .0
            .poll_transmit(self.now, &mut self.buffer, 1)
        {
            packets += 1;
            let datagram = Datagram {
                local: transmit.remote.ip,
                remote: PeerAddress::native(transmit.local),
                ecn: Ecn::NotEct,
                payload: &self.buffer,
            };
            self.ends[1 - from].0.handle_datagram(self.now, datagram);
            self.digest(1 - from);
        }
        packets
    }

    fn digest(&mut self, place: usize) {
        let (endpoint, keys) = &mut self.ends[place];
        match keys {
            Some(keys) => while keys.poll_event(self.now, endpoint).is_some() {},
            None => while endpoint.poll_event().is_some() {},
        }
    }
}

fn options(keys: Option<&KeyManagement>) -> Options {
    let options = Options::default();
    match keys {
        Some(keys) => keys.fit(options),
        None => options,
    }
}

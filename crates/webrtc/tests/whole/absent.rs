//! Ends that are suspended, clocks that stand still, ports that change and many losses, from many seeds, at
//! any moment of a connection's life: `SHEAVE_WEBRTC_SEEDS` says how many, and `SHEAVE_WEBRTC_FROM` the
//! first.

use std::time::Duration;

use sheave_datachannel::{ChannelConfig, ChannelEvent, ChannelId};
use sheave_webrtc::{ConnectionEvent, DtlsError, DtlsVersion, EndReason, IceMode, SctpStart};

use crate::search::{Random, search};
use crate::world::{PORT, World, is_dtls, large};

/// Time to connect, and then for everything to arrive, once the last trouble is over.
const RECOVERY: Duration = Duration::from_secs(200);

/// Something that befalls ends.
#[derive(Clone, Copy, Debug)]
enum Trouble {
    /// They do nothing, while their clocks go on.
    Stopped([bool; 2]),
    /// Their machines sleep, and their clocks with them.
    Asleep([bool; 2]),
    /// The NAT before the one that has one has forgotten it: its datagrams come from another port.
    Rebound,
    /// Nothing gets through.
    Cut,
}

struct Absence {
    world: World,
    random: Random,
    /// The other one has to be where its description says.
    behind_nat: usize,
    channel: ChannelId,
    /// Messages sent by each end on the channel.
    sent: [usize; 2],
    /// The story, for whoever has to look for a fault.
    told: Vec<String>,
}

impl Absence {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let lite = random.below(3);
        let start = random.of(&[SctpStart::Handshake, SctpStart::default()]);
        let versions = [0, 1].map(|_| random.of(&[DtlsVersion::Newest, DtlsVersion::V1_2]));
        let mut world = World::agreed(|n, config| {
            if n as u64 == lite {
                config.ice = IceMode::Lite;
            }
            config.sctp_start = start;
            config.dtls = versions[n];
        });
        world.random = seed;
        world.loss = random.of(&[0, 20, 8, 4, 3]);
        let told = vec![format!(
            "lite {lite}, {start:?}, {versions:?}, one in {} lost",
            world.loss
        )];
        let now = world.now;
        let channel = world.ends[0].open(now, ChannelConfig::new("steady"));
        Self {
            world,
            random,
            behind_nat: usize::from(lite == 0),
            channel: channel.unwrap(),
            sent: [0; 2],
            told,
        }
    }

    fn trouble(&mut self) -> Trouble {
        let ends = self
            .random
            .of(&[[true, false], [false, true], [true, true]]);
        match self.random.below(6) {
            0 | 1 => Trouble::Stopped(ends),
            2 | 3 => Trouble::Asleep(ends),
            4 => Trouble::Rebound,
            _ => Trouble::Cut,
        }
    }

    fn befall(&mut self, trouble: Trouble) {
        let time = Duration::from_millis(self.random.of(&[1, 5, 20, 40, 60]) * 1000);
        let mtu = self.world.mtu;
        match trouble {
            Trouble::Stopped(ends) | Trouble::Asleep(ends) => self.world.suspended = ends,
            Trouble::Rebound => {
                self.world.ports[self.behind_nat] += 1;
                return;
            }
            Trouble::Cut => self.world.mtu = 0,
        }
        let begun = self.world.now;
        self.world.pass(time);
        if let Trouble::Asleep(ends) = trouble {
            for n in [0, 1].into_iter().filter(|n| ends[*n]) {
                self.world.behind[n] += self.world.now - begun;
            }
        }
        self.world.suspended = [false; 2];
        self.world.mtu = mtu;
    }

    /// Sends on the channel, if it is there.
    fn send(&mut self, n: usize) {
        let size = self.random.of(&[1, 1000, 30_000]);
        let now = self.world.time(n);
        let is_there = self.world.ends[n].channel(self.channel).is_some();
        if is_there
            && self.world.ends[n]
                .send(now, self.channel, large(size))
                .is_ok()
        {
            self.sent[n] += 1;
        }
    }

    /// Ends that are not connected, or more than once.
    fn unconnected(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for n in [0, 1] {
            for event in [ConnectionEvent::Secured, ConnectionEvent::Connected] {
                let all = self.world.events[n].iter();
                let count = all.filter(|found| **found == event).count();
                if count != 1 {
                    faults.push(format!("end {n}: {count} times {event:?}"));
                }
            }
        }
        faults
    }

    /// Messages that are missing, or came twice.
    fn missing(&self) -> Vec<String> {
        let arrived = [0, 1].map(|n| self.world.messages(n).len());
        let all = [0, 1].map(|n| (n, arrived[n], self.sent[1 - n]));
        all.into_iter()
            .filter(|(_, arrived, sent)| arrived != sent)
            .map(|(n, arrived, sent)| format!("end {n}: {arrived} of {sent}"))
            .collect()
    }

    /// Runs until there is none of these faults left.
    fn recover(&mut self, faults: fn(&Self) -> Vec<String>) -> Result<(), String> {
        let end = self.world.now + RECOVERY;
        loop {
            let found = faults(self);
            if found.is_empty() {
                return Ok(());
            }
            if self.world.now > end {
                let events = self.world.events.clone().map(without_messages);
                return Err(format!("{found:#?}\n{:#?}\n{events:#?}", self.told));
            }
            for _ in 0..20 {
                self.world.step();
            }
            self.check()?;
        }
    }

    fn check(&self) -> Result<(), String> {
        for n in [0, 1] {
            if let Some(reason) = self.world.end_of(n) {
                return Err(format!("end {n}: {reason}\n{:#?}", self.told));
            }
            let is_gone = |event: &&ConnectionEvent| {
                matches!(event, ConnectionEvent::Channel(ChannelEvent::Closed { .. }))
            };
            if let Some(gone) = self.world.events[n].iter().find(is_gone) {
                return Err(format!("end {n}: {gone:?}\n{:#?}", self.told));
            }
        }
        Ok(())
    }

    fn run(mut self) -> Result<(), String> {
        for _ in 0..=self.random.below(4) {
            let steps = self.random.of(&[0, 3, 10, 30, 100, 1000]);
            for _ in 0..self.random.below(steps + 1) {
                self.world.step();
                if self.random.below(10) == 0 {
                    let n = self.random.of(&[0, 1]);
                    self.send(n);
                }
            }
            let trouble = self.trouble();
            let line = format!("{:?} {trouble:?}", self.world.elapsed());
            self.told.push(line);
            self.befall(trouble);
            self.check()?;
        }
        // Some have not had a chance yet.
        for n in [0, 1] {
            self.send(n);
        }
        self.recover(Self::unconnected)?;
        // SCTP itself takes long where every third datagram is lost.
        if self.world.loss > 0 {
            self.world.loss = self.world.loss.max(12);
        }
        self.recover(Self::missing)
    }
}

fn without_messages(mut events: Vec<ConnectionEvent>) -> Vec<ConnectionEvent> {
    events.retain(|event| !matches!(event, ConnectionEvent::Channel(_)));
    events
}

/// Runs until the ends have sent so many datagrams of DTLS.
fn run_until_sent(world: &mut World, count: usize) {
    let sent = |world: &World| {
        let kept = world.kept.as_ref().unwrap();
        let all = kept.iter().flatten();
        all.filter(|datagram| is_dtls(datagram)).count()
    };
    world.kept = Some([Vec::new(), Vec::new()]);
    world.run_until(5, |world| sent(world) >= count);
    world.kept = None;
}

#[test]
fn a_handshake_goes_on_once_datagrams_pass_that_were_stopped_at_any_point_of_it() {
    for (version, sent) in [DtlsVersion::V1_2, DtlsVersion::V1_3]
        .into_iter()
        .flat_map(|version| (0..10).map(move |sent| (version, sent)))
    {
        for seconds in [25, 100] {
            let mut world = World::agreed(|_, config| config.dtls = version);
            run_until_sent(&mut world, sent);
            world.without_dtls = true;
            world.run(seconds);
            world.without_dtls = false;
            world.run_until(12, World::is_up);
        }
    }
}

#[test]
fn a_peer_that_does_dtls_after_many_minutes_is_not_too_late() {
    let mut world = World::agreed(|_, _| {});
    world.without_dtls = true;
    world.run(1000);
    assert_eq!(world.end_of(1), None);
    world.without_dtls = false;
    world.run_until(12, World::is_up);
}

#[test]
fn a_peer_that_stops_half_way_for_minutes_is_given_up() {
    let mut world = World::agreed(|_, _| {});
    run_until_sent(&mut world, 4);
    world.without_dtls = true;
    world.run(1000);
    let reason = EndReason::Dtls(DtlsError::NoHandshake);
    assert_eq!(world.end_of(1), Some(&reason));
}

#[test]
fn a_peer_that_ice_does_not_hear_is_sent_nothing_but_checks() {
    let mut world = World::connected(|_, _| {});
    let channel = world.open(0, ChannelConfig::new("silence"));
    world.mtu = 0;
    world.send(0, channel, large(20_000));
    let is_lost = |events: &Vec<_>| events.contains(&ConnectionEvent::Unreachable);
    world.run_until(60, |world| world.events.iter().all(is_lost));
    world.kept = Some([Vec::new(), Vec::new()]);
    world.run(60);
    let kept = world.kept.take().unwrap();
    assert!(kept.iter().all(|all| !all.is_empty()), "no checks");
    assert!(!kept.iter().flatten().any(|datagram| is_dtls(datagram)));
}

#[test]
fn an_address_that_comes_back_after_many_others_is_heard() {
    let mut world = World::connected(|_, _| {});
    let channel = world.open(0, ChannelConfig::new("moving"));
    for round in 1..=36 {
        world.ports[1] = if round == 36 { PORT } else { PORT + round };
        world.send(1, channel, large(10));
        world.run_until(60, |world| world.messages(0).len() == usize::from(round));
    }
}

#[test]
fn absence_ends_no_connection() {
    search(40, |seed| Absence::new(seed).run());
}

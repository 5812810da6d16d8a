//! Checks of the path to a peer.

mod answer;
mod path_mtu;
mod peer;
mod probe;
mod question;
mod reach;
mod timers;
mod way;

use std::io;
use std::net::{IpAddr, ToSocketAddrs};
use std::thread;
use std::time::Duration;

use sheave::Profile;

use super::check::Check;
use super::here::addresses::Interface;
use super::here::kernel_stack::KernelStack;
use super::here::mtu;
use crate::failure::Failure;
use answer::Answer;
use path_mtu::PathMtu;
use probe::{Heard, Reply, ask};
use question::{Filling, Question};
use reach::Attempt;
use timers::Timers;
use way::{Way, ways};

/// Most addresses of a host to probe.
const MAX_REMOTES: usize = 4;
/// Default MTU of the loopback interface.
const LOOPBACK_MTU: usize = 65_536;

/// The peer to probe.
pub struct Peer {
    /// The peer's name or address.
    pub host: String,
    /// Its SCTP port.
    pub port: u16,
    pub udp_port: u16,
    /// Local addresses to use; empty for every usable one.
    pub local: Vec<IpAddr>,
    /// Longest wait for answers per route.
    pub wait: Duration,
    /// The profile whose timers are checked.
    pub profile: Profile,
}

impl Peer {
    /// Resolves the name.
    pub fn remotes(&self) -> Result<Vec<IpAddr>, Failure> {
        let found = (self.host.as_str(), 0).to_socket_addrs().map_err(|error| {
            Failure::usage(format!("{}: {error}", self.host))
                .fix("give a name that resolves, or an IP address")
        })?;
        let mut remotes: Vec<IpAddr> = found.map(|address| address.ip()).collect();
        remotes.dedup();
        remotes.truncate(MAX_REMOTES);
        Ok(remotes)
    }

    /// Probes every route and reports each finding.
    pub fn checks(&self, remotes: &[IpAddr], add: &mut dyn FnMut(Check)) {
        let interfaces = Interface::all();
        let ways = ways(&interfaces, &self.local, remotes, self.udp_port);
        let attempts = self.attempts(&ways);
        for check in reach::checks(&attempts) {
            add(check);
        }
        // Describes the peer by the first route that accepts, else by the first that answers.
        let accepting = attempts
            .iter()
            .find_map(|attempt| Some((attempt, attempt.accepted()?)));
        if let Some((attempt, reply)) = accepting {
            self.describe(attempt, reply, remotes, add);
        }
        let speaking = attempts.iter().find(|attempt| attempt.has_sctp());
        if let Some(way) = accepting
            .map(|(attempt, _)| attempt)
            .or(speaking)
            .map(|one| &one.way)
        {
            let link = link_mtu(&interfaces, way.local);
            if let Ok(mtu) = PathMtu::look(way, self.port, link, self.wait) {
                add(mtu.check());
            }
        }
    }

    /// Probes the routes in parallel.
    fn attempts(&self, ways: &[Way]) -> Vec<Attempt> {
        let attempt = |way: Way| {
            let questions = [Question::new(self.port, Filling::None)];
            let heard = ask(&way, &questions, self.wait);
            let first = |heard: Vec<Heard>| heard.into_iter().next().unwrap_or_default();
            Attempt {
                way,
                port: self.port,
                heard: heard.map(first),
            }
        };
        thread::scope(|scope| {
            let started = ways.iter().map(|way| scope.spawn(move || attempt(*way)));
            let threads: Vec<_> = started.collect();
            let attempts = threads.into_iter().zip(ways).map(|(thread, way)| {
                thread.join().unwrap_or_else(|_| Attempt {
                    way: *way,
                    port: self.port,
                    heard: Err(io::ErrorKind::Other.into()),
                })
            });
            attempts.collect()
        })
    }

    fn describe(
        &self,
        attempt: &Attempt,
        reply: &Reply,
        remotes: &[IpAddr],
        add: &mut dyn FnMut(Check),
    ) {
        let Answer::Accepted(accepted) = &reply.answer else {
            return;
        };
        let mut asked = remotes.to_vec();
        asked.push(attempt.way.remote);
        asked.dedup();
        add(peer::addresses(accepted, &asked));
        add(peer::extensions(accepted));
        let stack = KernelStack::look();
        let timers = Timers {
            profile: self.profile.name(),
            rto_min: self.profile.options().rto_min,
            kernel_rto_min: stack.rto_min.map(Duration::from_millis),
            rtt: reply.rtt,
            measured: None,
        };
        add(timers.check());
    }
}

/// The MTU of the interface with this address.
fn link_mtu(interfaces: &[Interface], ip: IpAddr) -> usize {
    if ip.is_loopback() {
        return LOOPBACK_MTU;
    }
    let name = interfaces
        .iter()
        .find(|one| one.ip == ip)
        .map(|one| &one.name);
    let links = mtu::look();
    let link = links.iter().find(|link| Some(&link.name) == name);
    link.map_or(1500, |link| usize::try_from(link.mtu).unwrap_or(1500))
}

//! The stack for packets over UDP or plain IP.

use std::collections::BTreeSet;
use std::net::IpAddr;

use rustix::fd::{AsFd, OwnedFd};
use sheave::Config;
use sheave::poll_loop::PollLoop;
use sheave_engine::{EndpointOptions, Node, Options, Time, WithLoopback};
use sheave_sockets::{Abi, Stack};

use crate::clock::Clock;

/// A stack and the carrier of its packets, if any.
pub(crate) struct Internet {
    pub(crate) stack: Stack,
    carrier: Option<PollLoop>,
    way: Way,
    ports: BTreeSet<u16>,
    /// Time of the next step.
    pub(crate) due: Option<Time>,
}

/// The carrier of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Over UDP at this port (RFC 6951).
    Udp(u16),
    RawIp,
    /// No carrier, because the program carries packets itself.
    None,
}

impl Internet {
    /// Binds the network sockets. If that fails, the stack has no addresses, and the error is
    /// returned.
    pub(crate) fn start(way: Way, options: &Options, seed: [u8; 32]) -> (Self, Option<String>) {
        let nowhere: [IpAddr; 0] = [];
        let bound = match way {
            Way::Udp(port) => Some(PollLoop::bind(&Config::udp(nowhere, port))),
            Way::RawIp => Some(PollLoop::bind(&Config::raw_ip(nowhere))),
            Way::None => None,
        };
        let (carrier, error) = match bound {
            Some(Ok(carrier)) => (Some(carrier), None),
            Some(Err(error)) => (None, Some(error.to_string())),
            None => (None, None),
        };
        let addresses = carrier
            .as_ref()
            .map_or_else(Vec::new, |carrier| carrier.local_addresses().to_vec());
        let limits = EndpointOptions {
            with_loopback: WithLoopback::AllAddresses,
            ..EndpointOptions::default()
        };
        let mut stack = Stack::new(addresses, limits, options.clone(), Abi::USRSCTP, seed);
        stack.profile_mut().encapsulation = carrier.as_ref().and_then(PollLoop::udp_port);
        if let Some(carrier) = &carrier {
            stack.set_routes(carrier.routes());
        }
        let mut internet = Self {
            stack,
            carrier,
            way,
            ports: BTreeSet::new(),
            due: None,
        };
        internet.set_defaults(options);
        (internet, error)
    }

    /// Binds network sockets for a stack that has no carrier yet; returns whether it had none.
    /// Without the privilege to bind, the stack stays without a carrier.
    pub(crate) fn carry_by(&mut self, way: Way, options: &Options) -> bool {
        if self.way != Way::None {
            return false;
        }
        let mut seed = [0; 32];
        if getrandom::fill(&mut seed).is_err() {
            return false;
        }
        (*self, _) = Self::start(way, options, seed);
        true
    }

    pub(crate) fn set_defaults(&mut self, options: &Options) {
        let options = options.clone();
        self.stack.profile_mut().defaults = match &self.carrier {
            Some(carrier) => carrier.fit(options),
            None => options,
        };
    }

    pub(crate) fn now(&self, clock: &Clock) -> Time {
        self.carrier
            .as_ref()
            .map_or_else(|| clock.now(), PollLoop::now)
    }

    /// A descriptor that is readable when packets arrive; `None` without a carrier.
    pub(crate) fn descriptor(&self) -> Option<OwnedFd> {
        let carrier = self.carrier.as_ref()?;
        carrier.as_fd().try_clone_to_owned().ok()
    }

    /// Counts of packets sent, received and not sent because of errors.
    pub(crate) fn packets(&self) -> [u64; 3] {
        self.carrier.as_ref().map_or([0; 3], |carrier| {
            let stats = carrier.stats();
            [
                stats.packets_sent,
                stats.packets_received,
                stats.send_errors,
            ]
        })
    }

    /// Handles incoming packets and due timers.
    pub(crate) fn step(&mut self, clock: &Clock) {
        match &mut self.carrier {
            Some(carrier) => self.due = carrier.step(&mut self.stack),
            None => self.stack.handle_timeout(clock.now()),
        }
    }

    /// Sends pending packets.
    pub(crate) fn send(&mut self, clock: &Clock) {
        self.open_ports();
        let now = self.now(clock);
        self.due = match &mut self.carrier {
            Some(carrier) => carrier.send(&mut self.stack),
            None => {
                let mut lost = Vec::new();
                while self.stack.poll_transmit(now, &mut lost, 1).is_some() {}
                self.stack.poll_timeout()
            }
        };
    }

    /// Restricts plain IP to our ports, since other stacks may share the addresses.
    fn open_ports(&mut self) {
        let Some(carrier) = &mut self.carrier else {
            return;
        };
        if carrier.udp_port().is_some() {
            return;
        }
        let ports = self.stack.ports();
        for port in ports.difference(&self.ports) {
            carrier.open_port(*port);
        }
        for port in self.ports.difference(&ports) {
            carrier.close_port(*port);
        }
        self.ports = ports;
    }
}

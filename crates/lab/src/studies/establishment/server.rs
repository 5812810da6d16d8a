use core::net::IpAddr;
use core::time::Duration;
use std::collections::VecDeque;

use sheave_engine::{Datagram, Ecn, Node, PeerAddress, Time, Transmit};
use sheave_sim::{Agent, Protocol};

use super::opener::Opener;
use super::service::ServiceTimes;

/// A listener on a processor of limited speed: packets wait in a bounded queue and each takes its
/// service time, after which replies leave.
#[derive(Debug)]
pub(super) struct Server<O> {
    listener: O,
    times: ServiceTimes,
    /// Waiting packets, including the one in service.
    waiting: VecDeque<Waiting>,
    room: usize,
    /// When the service of the first packet ends.
    due: Option<Time>,
    load: Load,
}

/// Load of a server so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Load {
    /// Packets dropped because the queue was full.
    pub(super) dropped: u64,
    /// Total service time.
    pub(super) busy: Duration,
    /// Number of established connections.
    pub(super) opened: usize,
    /// Maximum number of connections that were half open at the same time.
    pub(super) half_open: usize,
}

#[derive(Debug)]
struct Waiting {
    local: IpAddr,
    remote: PeerAddress,
    ecn: Ecn,
    payload: Vec<u8>,
}

impl<O: Opener> Server<O> {
    /// Creates a server with a queue of `room` packets.
    pub(super) fn new(listener: O, times: ServiceTimes, room: usize) -> Self {
        Self {
            listener,
            times,
            waiting: VecDeque::new(),
            room,
            due: None,
            load: Load::default(),
        }
    }

    pub(super) const fn listener(&self) -> &O {
        &self.listener
    }

    pub(super) const fn load(&self) -> Load {
        self.load
    }

    /// Starts the service of the first packet at `from`.
    fn serve_next(&mut self, from: Time) {
        self.due = self.waiting.front().map(|packet| {
            let time = self.times.of(O::OPENING, &packet.payload);
            self.load.busy += time;
            from + time
        });
    }

    fn on_served(&mut self, now: Time) {
        let Some(packet) = self.waiting.pop_front() else {
            return;
        };
        let datagram = Datagram {
            local: packet.local,
            remote: packet.remote,
            ecn: packet.ecn,
            payload: &packet.payload,
        };
        self.listener.handle_datagram(now, datagram);
        while self.listener.poll_opened().is_some() {
            self.load.opened += 1;
        }
        let half_open = self.listener.held().saturating_sub(self.load.opened);
        self.load.half_open = self.load.half_open.max(half_open);
    }
}

impl<O: Opener> Node for Server<O> {
    fn handle_datagram(&mut self, now: Time, datagram: Datagram<'_>) {
        if self.waiting.len() >= self.room {
            self.load.dropped += 1;
            return;
        }
        self.waiting.push_back(Waiting {
            local: datagram.local,
            remote: datagram.remote,
            ecn: datagram.ecn,
            payload: datagram.payload.to_vec(),
        });
        if self.due.is_none() {
            self.serve_next(now);
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        while let Some(due) = self.due.filter(|due| *due <= now) {
            self.on_served(now);
            self.serve_next(due);
        }
        self.listener.handle_timeout(now);
    }

    fn poll_transmit(&mut self, now: Time, buf: &mut Vec<u8>, max: usize) -> Option<Transmit> {
        self.listener.poll_transmit(now, buf, max)
    }

    fn poll_timeout(&self) -> Option<Time> {
        [self.due, self.listener.poll_timeout()]
            .into_iter()
            .flatten()
            .min()
    }
}

impl<O: Opener> Agent for Server<O> {
    fn protocol(&self) -> Protocol {
        O::OPENING.protocol()
    }

    fn owns_port(&self, _port: u16) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;

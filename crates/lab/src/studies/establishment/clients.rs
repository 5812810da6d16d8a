use core::time::Duration;
use std::collections::{BTreeMap, VecDeque};

use sheave_engine::{Datagram, Node, Time, Transmit};
use sheave_sim::{Agent, Protocol};

use super::opener::Opener;

/// Honest clients: each opens one connection at its own time and keeps it.
#[derive(Debug)]
pub(super) struct Clients<O: Opener> {
    end: O,
    /// Start times of the remaining clients, ascending.
    starts: VecDeque<Time>,
    begun: BTreeMap<O::Id, Time>,
    /// Set-up time of each established connection.
    waits: Vec<Duration>,
}

impl<O: Opener> Clients<O> {
    /// Creates clients with these start times, ascending.
    pub(super) fn new(end: O, starts: Vec<Time>) -> Self {
        Self {
            end,
            starts: starts.into(),
            begun: BTreeMap::new(),
            waits: Vec::new(),
        }
    }

    /// Set-up times of the established connections, in the order of establishment.
    pub(super) fn waits(&self) -> &[Duration] {
        &self.waits
    }

    fn note_opened(&mut self, now: Time) {
        while let Some(id) = self.end.poll_opened() {
            let began = self.begun.remove(&id);
            self.waits.extend(began.map(|began| now.since(began)));
        }
    }
}

impl<O: Opener> Node for Clients<O> {
    fn handle_datagram(&mut self, now: Time, datagram: Datagram<'_>) {
        self.end.handle_datagram(now, datagram);
        self.note_opened(now);
    }

    fn handle_timeout(&mut self, now: Time) {
        while self.starts.front().is_some_and(|start| *start <= now) {
            self.starts.pop_front();
            // A client that fails to start never gets established.
            if let Ok(id) = self.end.begin(now) {
                self.begun.insert(id, now);
            }
        }
        self.end.handle_timeout(now);
    }

    fn poll_transmit(&mut self, now: Time, buf: &mut Vec<u8>, max: usize) -> Option<Transmit> {
        self.end.poll_transmit(now, buf, max)
    }

    fn poll_timeout(&self) -> Option<Time> {
        let deadlines = [self.starts.front().copied(), self.end.poll_timeout()];
        deadlines.into_iter().flatten().min()
    }
}

impl<O: Opener> Agent for Clients<O> {
    fn protocol(&self) -> Protocol {
        O::OPENING.protocol()
    }

    fn owns_port(&self, _port: u16) -> bool {
        true
    }
}

use core::fmt::Debug;

use sheave_engine::{AssocId, Endpoint, Event, Node, Time};
use sheave_sim::tcp;

use super::opening::Opening;
use crate::studies::pair::{self, CLIENT, LISTENER, PORT};

/// An end of a transport: a listener, or its clients.
pub(super) trait Opener: Node + Debug + Send + 'static {
    /// The transport's first packet.
    const OPENING: Opening;
    /// Identifies a connection or an association.
    type Id: Copy + Ord + Debug + Send;

    /// Opens a connection from the client's address to the listener.
    fn begin(&mut self, now: Time) -> Result<Self::Id, String>;

    /// The next newly established connection, whichever end opened it.
    fn poll_opened(&mut self) -> Option<Self::Id>;

    /// Number of connections with state, including half-open ones.
    fn held(&self) -> usize;

    /// Number of openings dropped because too many connections were half open.
    fn turned_away(&self) -> u64;
}

impl Opener for Endpoint {
    const OPENING: Opening = Opening::Init;
    type Id = AssocId;

    fn begin(&mut self, now: Time) -> Result<AssocId, String> {
        let begun = self.connect(now, pair::connect());
        begun.map_err(|error| error.to_string())
    }

    fn poll_opened(&mut self) -> Option<AssocId> {
        loop {
            if let (id, Event::Established { .. }) = self.poll_event()? {
                return Some(id);
            }
        }
    }

    fn held(&self) -> usize {
        self.stats().associations
    }

    fn turned_away(&self) -> u64 {
        0
    }
}

impl Opener for tcp::Stack {
    const OPENING: Opening = Opening::Syn;
    type Id = tcp::ConnectionId;

    fn begin(&mut self, _now: Time) -> Result<tcp::ConnectionId, String> {
        let begun = self.connect(CLIENT, (LISTENER, PORT), &tcp::Options::default());
        begun.map_err(|error| error.to_string())
    }

    fn poll_opened(&mut self) -> Option<tcp::ConnectionId> {
        loop {
            match self.poll_event()? {
                tcp::Event::Connected(id) | tcp::Event::Accepted { id, .. } => return Some(id),
                _ => {}
            }
        }
    }

    fn held(&self) -> usize {
        self.len()
    }

    fn turned_away(&self) -> u64 {
        self.stats().backlog_drops
    }
}

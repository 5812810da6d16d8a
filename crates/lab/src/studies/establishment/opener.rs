use core::fmt::Debug;

use sheave_engine::{AssocId, Endpoint, Event, Node, Time};
use sheave_sim::tcp;

use super::opening::Opening;
use super::pair::{self, CLIENT, LISTENER, PORT};

/// A transport's end: a listener, or clients of one.
pub(super) trait Opener: Node + Debug + Send + 'static {
    /// The packet with which it begins.
    const OPENING: Opening;
    /// A connection or an association.
    type Id: Copy + Ord + Debug + Send;

    /// Begins a connection from the client's address to the listener.
    fn begin(&mut self, now: Time) -> Result<Self::Id, String>;

    /// The next connection that has come up, whoever began it.
    fn poll_opened(&mut self) -> Option<Self::Id>;

    /// Connections that it keeps state of, half-open ones included.
    fn held(&self) -> usize;

    /// Openings that it dropped because too many connections were half open.
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

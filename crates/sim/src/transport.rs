use bytes::Bytes;
use sheave_engine::Time;

use crate::Agent;

/// The state of a connection, as its user sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// Not up yet: not started, listening, or in its handshake.
    Opening,
    /// Up; data flows.
    Open,
    /// Over, or about to be: nothing can be sent any more. What has arrived can still be read.
    Closed,
}

/// Whether a transport took a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Admission {
    /// The message will be sent.
    Taken,
    /// There is no room for it now; it was not taken, in whole or in part.
    Full,
}

/// A message that has arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The stream that it came on; 0 where the transport has but one.
    pub stream: u16,
    /// The bytes of the message. A transport without message boundaries hands over what it has.
    pub payload: Bytes,
}

/// A connection or an association, as the workloads see it: they are written once and run
/// over whatever transport.
pub trait Transport: Agent {
    /// Starts: connects, or listens. Called once.
    fn open(&mut self, now: Time);

    /// The state of the connection.
    fn standing(&self) -> Standing;

    /// Queues a message on a stream. A transport with one stream only takes all on that one.
    fn send(&mut self, now: Time, stream: u16, payload: Bytes) -> Admission;

    /// The next message that has arrived, in the transport's order of delivery.
    fn receive(&mut self, now: Time) -> Option<Arrival>;

    /// Bytes that were taken and are not acknowledged, records of them included; `None` where it
    /// does not say.
    fn queued(&mut self) -> Option<usize> {
        None
    }

    /// Lets all other streams go before that one, where the transport knows of priorities.
    fn defer(&mut self, _now: Time, _stream: u16) {}

    /// Closes in good order: what was taken is still delivered.
    fn close(&mut self, now: Time);
}

use core::fmt::{self, Debug};
use core::net::SocketAddr;

use bytes::Bytes;
use sheave_engine::{Datagram, ErrorWarning, Icmp, Node, Time, Transmit};

use crate::{Admission, Agent, Arrival, Progress, Protocol, Standing, Transport};

/// A transport of another crate: a name, by which scenarios select it and two transports are
/// compared, and a constructor called per end of a flow.
#[derive(Clone, Copy)]
pub struct CustomTransport {
    /// Two transports with the same name count as equal.
    pub name: &'static str,
    /// Called once per end of a flow.
    pub make: fn(NewTransport) -> Box<dyn Transport>,
}

impl Debug for CustomTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CustomTransport").field(&self.name).finish()
    }
}

impl PartialEq for CustomTransport {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for CustomTransport {}

/// Parameters of an end of a flow.
#[derive(Clone, Copy, Debug)]
pub struct NewTransport {
    /// The address and port of this end.
    pub local: SocketAddr,
    /// The peer to connect to; `None` for the end that listens.
    pub remote: Option<SocketAddr>,
    /// The origin of everything random; see [`World::seed`](crate::World::seed).
    pub seed: [u8; 32],
}

impl Node for Box<dyn Transport> {
    fn handle_datagram(&mut self, now: Time, datagram: Datagram<'_>) {
        (**self).handle_datagram(now, datagram);
    }

    fn handle_icmp(&mut self, now: Time, icmp: Icmp<'_>) {
        (**self).handle_icmp(now, icmp);
    }

    fn handle_timeout(&mut self, now: Time) {
        (**self).handle_timeout(now);
    }

    fn poll_transmit(&mut self, now: Time, buf: &mut Vec<u8>, max: usize) -> Option<Transmit> {
        (**self).poll_transmit(now, buf, max)
    }

    fn poll_timeout(&self) -> Option<Time> {
        (**self).poll_timeout()
    }
}

impl Agent for Box<dyn Transport> {
    fn protocol(&self) -> Protocol {
        (**self).protocol()
    }

    fn owns_port(&self, port: u16) -> bool {
        (**self).owns_port(port)
    }

    fn handle_error_warning(&mut self, now: Time, warning: ErrorWarning<'_>) {
        (**self).handle_error_warning(now, warning);
    }

    fn progress(&self) -> Progress {
        (**self).progress()
    }
}

impl Transport for Box<dyn Transport> {
    fn open(&mut self, now: Time) {
        (**self).open(now);
    }

    fn standing(&self) -> Standing {
        (**self).standing()
    }

    fn send(&mut self, now: Time, stream: u16, payload: Bytes) -> Admission {
        (**self).send(now, stream, payload)
    }

    fn receive(&mut self, now: Time) -> Option<Arrival> {
        (**self).receive(now)
    }

    fn queued(&mut self) -> Option<usize> {
        (**self).queued()
    }

    fn defer(&mut self, now: Time, stream: u16) {
        (**self).defer(now, stream);
    }

    fn close(&mut self, now: Time) {
        (**self).close(now);
    }
}

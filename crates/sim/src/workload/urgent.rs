use bytes::Bytes;
use sheave_engine::Time;

use super::Workload;
use super::messages::{Messages, Outgoing};
use crate::{Admission, Random, Standing, Transport};

/// Stream of the urgent messages.
pub(crate) const URGENT_STREAM: u16 = 0;
/// Stream of the bulk messages.
const BULK_STREAM: u16 = 1;

/// Parameters of an [`UrgentBesideBulk`] workload.
#[derive(Clone, Debug, PartialEq)]
pub struct UrgentAndBulk {
    /// The urgent messages, all on stream 0.
    pub urgent: Outgoing,
    /// Size of each bulk message, on stream 1, bytes.
    pub bulk: usize,
    /// Most bytes that the transport may hold, unsent or unacknowledged, for another bulk message
    /// to be sent. Transports that do not report this number get as many messages as they accept.
    pub depth: usize,
}

/// Keeps a transport busy with bulk messages, and sends small urgent messages on a stream of their
/// own, which has priority if the transport supports that.
///
/// The connection is closed gracefully after the last urgent message.
#[derive(Debug)]
pub struct UrgentBesideBulk {
    urgent: Messages,
    bulk: Bytes,
    depth: usize,
    priorities: Priorities,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Priorities {
    Unset,
    Set,
}

impl UrgentBesideBulk {
    /// Creates the workload; `random` determines random creation times.
    #[must_use]
    pub fn new(both: &UrgentAndBulk, random: Random) -> Self {
        let urgent = Outgoing {
            streams: 1,
            ..both.urgent.clone()
        };
        Self {
            urgent: Messages::new(urgent, random),
            bulk: vec![0; both.bulk].into(),
            depth: both.depth,
            priorities: Priorities::Unset,
        }
    }

    fn fill(&self, now: Time, transport: &mut dyn Transport) {
        while transport
            .queued()
            .is_none_or(|queued| queued + self.bulk.len() <= self.depth)
        {
            if transport.send(now, BULK_STREAM, self.bulk.clone()) == Admission::Full {
                return;
            }
        }
    }
}

impl Workload for UrgentBesideBulk {
    fn run(&mut self, now: Time, transport: &mut dyn Transport) {
        if transport.standing() == Standing::Open && self.priorities == Priorities::Unset {
            self.priorities = Priorities::Set;
            transport.defer(now, BULK_STREAM);
        }
        self.urgent.run(now, transport);
        if transport.standing() == Standing::Open && !self.urgent.is_over() {
            self.fill(now, transport);
        }
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.urgent.poll_timeout()
    }
}

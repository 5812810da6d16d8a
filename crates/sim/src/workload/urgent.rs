use bytes::Bytes;
use sheave_engine::Time;

use super::Workload;
use super::messages::{Messages, Outgoing};
use crate::{Admission, Random, Standing, Transport};

/// The stream of the messages that should not wait.
pub(crate) const URGENT_STREAM: u16 = 0;
/// The stream of the rest.
const BULK_STREAM: u16 = 1;

/// The messages that an [`UrgentBesideBulk`] workload sends.
#[derive(Clone, Debug, PartialEq)]
pub struct UrgentAndBulk {
    /// The messages that should not wait, all on stream 0.
    pub urgent: Outgoing,
    /// Bytes of each message of the rest, on stream 1.
    pub bulk: usize,
    /// The rest is handed in as long as the transport holds at most so many bytes, sent and not
    /// acknowledged or not sent yet, where it says how many it holds; else as long as it takes it.
    pub depth: usize,
}

/// Keeps a transport busy with large messages, and sends small ones beside them that should not
/// wait: on a stream of its own, which has priority where the transport knows of that.
///
/// The connection is closed in good order after the last of these.
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
    /// `random` decides the times of creation where they are random.
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

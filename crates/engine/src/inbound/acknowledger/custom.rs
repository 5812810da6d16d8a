use alloc::boxed::Box;
use core::time::Duration;

use super::{PacketSeen, Pending, Standard};
use crate::Time;
use crate::acknowledgement::{AckTiming, Acknowledge, CustomAcknowledgement, DataArrival};

/// Longest delay of a SACK.
// RFC 9260 §6.2: it MUST NOT wait for more than 500 ms.
const LONGEST: Duration = Duration::from_millis(500);

/// An acknowledger driven by a user-defined policy.
#[derive(Clone, Debug)]
pub(crate) struct Custom {
    /// Holds the SACK that is due; the timing rules of `Standard` are unused.
    state: Standard,
    policy: Box<dyn Acknowledge>,
}

impl Custom {
    pub(super) fn new(state: Standard, custom: CustomAcknowledgement) -> Self {
        Self {
            state,
            policy: (custom.make)(),
        }
    }

    pub(super) const fn state(&self) -> &Standard {
        &self.state
    }

    pub(super) const fn state_mut(&mut self) -> &mut Standard {
        &mut self.state
    }

    /// Asks the policy about a packet that held DATA.
    pub(super) fn on_packet(&mut self, now: Time, seen: PacketSeen) {
        let Some(order) = seen.order() else { return };
        let before = self.state.pending;
        let count = before.count().saturating_add(1);
        let timing = self.policy.on_packet(&DataArrival {
            now,
            unacknowledged: count,
            order,
        });
        self.state.pending = match (before, timing) {
            (Pending::AtOnce { .. }, _) | (_, AckTiming::Now) => {
                Pending::AtOnce { count, beyond: 0 }
            }
            (Pending::Nothing, AckTiming::Within(wait)) => Pending::Packets {
                count,
                deadline: now + wait.min(LONGEST),
            },
            (Pending::Packets { deadline, .. }, AckTiming::Within(wait)) => Pending::Packets {
                count,
                deadline: deadline.min(now + wait.min(LONGEST)),
            },
        };
        self.state.on_packet_seen();
    }

    /// Informs the policy that a SACK was sent.
    pub(super) fn on_sack(&mut self, now: Time) {
        self.policy.on_sack(now);
    }
}

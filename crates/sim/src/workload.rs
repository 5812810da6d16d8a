//! Simulated programs that use the transports.

mod bulk;
mod messages;
mod sink;
mod urgent;

use core::any::Any;

use bytes::{BufMut, Bytes, BytesMut};
use sheave_engine::Time;

pub use bulk::Bulk;
pub use messages::{Messages, Outgoing};
pub use sink::{Expected, Receipt, Sink};
pub(crate) use urgent::URGENT_STREAM;
pub use urgent::{UrgentAndBulk, UrgentBesideBulk};

use crate::{Progress, Transport};

/// Behaviour of a program, called after each event of its transport.
pub trait Workload: Any + Send {
    /// Does all work that is possible now. Extra calls are harmless.
    fn run(&mut self, now: Time, transport: &mut dyn Transport);

    /// When `run` must be called even without an event; `None` if the program is not waiting for a
    /// time.
    fn poll_timeout(&self) -> Option<Time> {
        None
    }

    /// Progress towards the program's goal.
    fn progress(&self) -> Progress {
        Progress::Endless
    }
}

/// Number and creation time of a message, stored in the first bytes of its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) number: u64,
    created: Time,
}

impl Stamp {
    const LEN: usize = 16;

    /// A payload of `len` bytes that starts with this stamp; longer if `len` is too short for a
    /// stamp.
    fn payload(self, len: usize) -> Bytes {
        let mut payload = BytesMut::with_capacity(len.max(Self::LEN));
        payload.put_u64(self.number);
        payload.put_u64(self.created.as_nanos());
        payload.resize(len.max(Self::LEN), 0);
        payload.freeze()
    }

    pub(crate) fn read(payload: &[u8]) -> Option<Self> {
        let number = payload.first_chunk()?;
        let created = payload.get(8..)?.first_chunk()?;
        Some(Self {
            number: u64::from_be_bytes(*number),
            created: Time::from_nanos(u64::from_be_bytes(*created)),
        })
    }
}

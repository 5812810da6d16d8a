use std::time::Duration;

use crate::Association;

/// Accepts associations on one SCTP port. Dropping it stops that; associations live on, save
/// those that nobody accepted, which are aborted.
#[derive(Debug)]
pub struct Listener {}

impl Listener {
    /// The SCTP port.
    #[must_use]
    pub fn port(&self) -> u16 {
        todo!()
    }

    /// Waits for the next association; `None` once the endpoint is closed.
    #[must_use]
    pub fn accept(&self) -> Option<Association> {
        todo!()
    }

    /// As [`accept`](Self::accept); also `None` when none came within `timeout`.
    #[must_use]
    pub fn accept_timeout(&self, timeout: Duration) -> Option<Association> {
        todo!()
    }

    /// The associations as they come, until the endpoint is closed.
    pub fn incoming(&self) -> impl Iterator<Item = Association> + '_ {
        std::iter::from_fn(|| self.accept())
    }
}

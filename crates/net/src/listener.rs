use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::Association;
use crate::link::Door;
use crate::wait::{self, Patience};

/// Accepts associations on one SCTP port. Cheap to clone; dropping the last clone stops that; associations live on, save
/// those that nobody accepted, which are aborted.
#[derive(Clone)]
pub struct Listener {
    door: Arc<Door>,
}

impl Listener {
    pub(crate) fn new(door: Door) -> Self {
        Self {
            door: Arc::new(door),
        }
    }

    /// The SCTP port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.door.port()
    }

    /// Waits for the next association; `None` once the endpoint is closed.
    #[must_use]
    pub fn accept(&self) -> Option<Association> {
        let link = wait::forever(|context| self.door.poll_accept(context))?;
        Some(Association::new(link))
    }

    /// As [`accept`](Self::accept); also `None` when none came within `timeout`.
    #[must_use]
    pub fn accept_timeout(&self, timeout: Duration) -> Option<Association> {
        let patience = Patience::lasting(timeout);
        let link = wait::until(patience, |context| self.door.poll_accept(context))??;
        Some(Association::new(link))
    }

    /// The associations as they come, until the endpoint is closed.
    pub fn incoming(&self) -> impl Iterator<Item = Association> + '_ {
        std::iter::from_fn(|| self.accept())
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener")
            .field("port", &self.port())
            .finish_non_exhaustive()
    }
}

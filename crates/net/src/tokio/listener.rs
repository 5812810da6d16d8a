use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;

use super::Association;
use crate::link::Door;

/// As [`crate::Listener`], for tasks.
#[derive(Clone)]
pub struct Listener {
    door: Arc<Door>,
}

impl Listener {
    pub(super) fn new(door: Door) -> Self {
        Self {
            door: Arc::new(door),
        }
    }

    /// The SCTP port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.door.port()
    }

    /// The next association; `None` once the endpoint is closed.
    pub async fn accept(&self) -> Option<Association> {
        let link = poll_fn(|context| self.door.poll_accept(context)).await?;
        Some(Association::new(link))
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener")
            .field("port", &self.port())
            .finish_non_exhaustive()
    }
}

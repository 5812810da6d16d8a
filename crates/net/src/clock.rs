use std::sync::Arc;
use std::time::Instant;

use sheave_engine::Time;

use crate::carrier::System;

/// The one clock of an endpoint: monotonic, counted from when the endpoint was bound.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    origin: Instant,
    system: Arc<dyn System>,
}

impl Clock {
    pub(crate) fn start(system: Arc<dyn System>) -> Self {
        Self {
            origin: system.now(),
            system,
        }
    }

    pub(crate) fn now(&self) -> Time {
        let elapsed = self.system.now().saturating_duration_since(self.origin);
        Time::from_nanos(u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX))
    }
}

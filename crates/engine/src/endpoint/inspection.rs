use core::fmt;

use super::Endpoint;

/// The full state of an endpoint, printed by `{:?}`; see [`Endpoint::inspect`].
#[derive(Clone, Copy)]
pub struct Inspection<'a>(&'a Endpoint);

impl Endpoint {
    /// Shows everything that determines the endpoint's behaviour, in `Debug` format, for tests that
    /// compare states and for bug reports. Queued user data is shown, secrets are not. The format
    /// is not stable.
    #[must_use]
    pub const fn inspect(&self) -> Inspection<'_> {
        Inspection(self)
    }
}

/// Caches are left out: pooled blocks, the options shared last, and the header whose checksum is
/// cached.
impl fmt::Debug for Inspection<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("local", &self.0.local)
            .field("rng", &self.0.rng)
            .field("listeners", &self.0.listeners)
            .field("registry", &self.0.registry)
            .field("deadlines", &self.0.deadlines)
            .field("ready", &self.0.ready)
            .field("replies", &self.0.replies)
            .field("closed_ports", &self.0.closed_ports)
            .field("exported_tags", &self.0.exported_tags)
            .field("spent", &self.0.spent)
            .field("events", &self.0.events)
            .field("stats", &self.0.stats)
            .finish_non_exhaustive()
    }
}

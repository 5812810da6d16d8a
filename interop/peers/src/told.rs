use std::fmt;
use std::net::IpAddr;
use std::time::Instant;

use sheave::events::PathChange;
use sheave::{Association, Event, Events};

use crate::session::PATIENCE;

/// The events of an association so far.
pub struct Told {
    events: Events,
    seen: Vec<Event>,
}

impl Told {
    /// The events of that association from now on.
    pub fn of(association: &Association) -> Self {
        Self {
            events: association.events(),
            seen: Vec::new(),
        }
    }

    /// Waits for an event, which counts once.
    pub fn wait_for(&mut self, wanted: &Event) {
        self.wait_until(|event| event == wanted, &format_args!("{wanted:?}"));
    }

    /// Waits for the reset of the association's numbers.
    pub fn wait_for_association_reset(&mut self) {
        let is_reset = |event: &Event| matches!(event, Event::AssociationReset { .. });
        self.wait_until(is_reset, &"a reset of the association");
    }

    fn wait_until(&mut self, is_wanted: impl Fn(&Event) -> bool, wanted: &dyn fmt::Debug) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.seen.iter().position(&is_wanted) {
                self.seen.remove(at);
                return;
            }
            let now = Instant::now();
            assert!(now < deadline, "no {wanted:?} among {:?}", self.seen);
            self.seen.extend(self.events.next_timeout(deadline - now));
        }
    }

    /// Waits for the change of a path.
    pub fn wait_for_path(&mut self, remote: IpAddr, change: PathChange) {
        self.wait_for(&Event::Path { remote, change });
    }
}

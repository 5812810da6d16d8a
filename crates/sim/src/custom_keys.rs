use core::fmt::{self, Debug};
use core::time::Duration;

use sheave_engine::{AssocId, Endpoint, Event, Options, Time};

/// Key management of another crate, for associations with
/// [`protection`](sheave_engine::Options::protection): the simulator itself has no cryptography.
#[derive(Clone, Copy)]
pub struct CustomKeys {
    /// Key management of the same name counts as equal.
    pub name: &'static str,
    /// Called once per end of a flow, with the age at which keys are replaced.
    pub make: fn(Duration) -> Box<dyn KeyManagement>,
}

impl Debug for CustomKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CustomKeys").field(&self.name).finish()
    }
}

impl PartialEq for CustomKeys {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for CustomKeys {}

/// The keys of an endpoint's associations.
pub trait KeyManagement: Debug + Send {
    /// The options of an association or listener whose keys come from here.
    fn fit(&self, options: Options) -> Options;

    /// An association is being opened from here.
    fn expect(&mut self, now: Time, endpoint: &mut Endpoint, id: AssocId);

    /// The next event for the endpoint's user, in place of [`Endpoint::poll_event`]. An association
    /// counts as established once its packets are protected.
    fn poll_event(&mut self, now: Time, endpoint: &mut Endpoint) -> Option<(AssocId, Event)>;
}

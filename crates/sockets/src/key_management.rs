use core::fmt;

use sheave_engine::{AssocId, Endpoint, Event, Options, Time};

/// Key management of a stack's associations, between the endpoint and the sockets: programs see an
/// association that is to be protected once its packets are.
pub trait KeyManagement: fmt::Debug + Send {
    /// Whether packets are protected at all.
    fn protects(&self) -> bool;

    /// Returns the options of an association or listener as key management needs them.
    fn fit(&self, options: Options) -> Options;

    /// Adds an association that has begun to be set up from here.
    fn expect(&mut self, now: Time, endpoint: &mut Endpoint, id: AssocId);

    /// Handles events of the endpoint until one is for the sockets.
    fn poll_event(&mut self, now: Time, endpoint: &mut Endpoint) -> Option<(AssocId, Event)>;
}

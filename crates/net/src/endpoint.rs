use std::net::IpAddr;
use std::time::Duration;

use crate::{
    Association, BindError, CarrierStats, Config, ConnectError, EndpointStats, ListenError,
    Listener, Options, Target, Warning,
};

/// An SCTP endpoint: its sockets, its ports and all associations on them. Cheap to clone; all
/// clones are one endpoint.
///
/// It lives as long as any handle to it or to one of its listeners and associations. Dropping the
/// last of them waits, at most [`Config::linger`], until the associations have closed gracefully.
#[derive(Clone, Debug)]
pub struct Endpoint {}

impl Endpoint {
    /// Binds the sockets and starts the driver's thread.
    ///
    /// # Errors
    /// An address cannot be bound, or raw IP is asked for without the right to it.
    pub fn bind(config: Config) -> Result<Self, BindError> {
        todo!()
    }

    /// The local addresses.
    #[must_use]
    pub fn local_addresses(&self) -> &[IpAddr] {
        todo!()
    }

    /// The local UDP port; `None` over raw IP.
    #[must_use]
    pub fn udp_port(&self) -> Option<u16> {
        todo!()
    }

    /// What was found when binding that may surprise.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        todo!()
    }

    /// Accepts associations on SCTP port `port`, with these options.
    ///
    /// # Errors
    /// The port is 0 or taken, or an option is out of range.
    pub fn listen(&self, port: u16, options: Options) -> Result<Listener, ListenError> {
        todo!()
    }

    /// Sets up an association; returns when it is established.
    ///
    /// # Errors
    /// The target cannot be tried, or the attempt failed: no answer, refused.
    pub fn connect(&self, target: Target) -> Result<Association, ConnectError> {
        todo!()
    }

    /// As [`connect`](Self::connect), within `timeout`.
    ///
    /// # Errors
    /// As `connect`, and [`ConnectError::Deadline`]; the attempt is then given up.
    pub fn connect_timeout(
        &self,
        target: Target,
        timeout: Duration,
    ) -> Result<Association, ConnectError> {
        todo!()
    }

    /// Counters of the protocol engine.
    #[must_use]
    pub fn stats(&self) -> EndpointStats {
        todo!()
    }

    /// Counters of the sockets.
    #[must_use]
    pub fn carrier_stats(&self) -> CarrierStats {
        todo!()
    }

    /// Closes the endpoint with all its listeners and associations: gracefully within `timeout`,
    /// what remains then is aborted. Returns how many associations were aborted.
    pub fn close(&self, timeout: Duration) -> usize {
        todo!()
    }
}

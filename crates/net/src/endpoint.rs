use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::driver::Shared;
use crate::lifeline::{Farewell, Lifeline};
use crate::wait::{self, Patience};
use crate::{
    Association, BindError, CarrierStats, Config, ConnectError, EndpointStats, ImportError,
    ListenError, Listener, Options, Target, Warning,
};

/// An SCTP endpoint: its sockets, its ports and all associations on them. Cheap to clone; all
/// clones are one endpoint.
///
/// It lives as long as any handle to it or to one of its listeners and associations. Dropping the
/// last of them waits, at most [`Config::linger`], until the associations have closed gracefully.
#[derive(Clone)]
pub struct Endpoint {
    life: Arc<Lifeline>,
}

impl Endpoint {
    /// Binds the sockets and starts its threads, [`Config::workers`] of them.
    ///
    /// # Errors
    /// An address cannot be bound, or raw IP is asked for without the right to it.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a configuration is made for one endpoint"
    )]
    pub fn bind(config: Config) -> Result<Self, BindError> {
        let life = Lifeline::bind(&config, Farewell::Wait)?;
        Ok(Self { life })
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.life.shared
    }

    /// Binds the sockets and goes on with associations that another endpoint has
    /// [exported](Association::export), each with its options, before a packet is looked at: one
    /// that came before would be answered with an ABORT.
    ///
    /// For an endpoint that takes the place of another at its addresses and UDP port: that one
    /// exports all its associations, this one is bound, that one is closed. Both need
    /// [`PortSharing::WithSuccessor`](crate::PortSharing::WithSuccessor) over UDP; packets that come
    /// to the one that leaves are dropped in silence.
    ///
    /// # Errors
    /// As [`bind`](Self::bind); associations that cannot go on here are refused one by one.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a configuration is made for one endpoint"
    )]
    pub fn bind_and_import(
        config: Config,
        exported: Vec<(Vec<u8>, Options)>,
    ) -> Result<(Self, Vec<Result<Association, ImportError>>), BindError> {
        let (life, links) = Lifeline::bind_and_import(&config, Farewell::Wait, exported)?;
        let links = links.into_iter();
        let associations = links.map(|link| link.map(Association::new)).collect();
        Ok((Self { life }, associations))
    }

    /// Goes on with an association that another endpoint has [exported](Association::export).
    /// `options` must switch on what is in force. No packet of it may have come here before: see
    /// [`bind_and_import`](Self::bind_and_import).
    ///
    /// # Errors
    /// See [`ImportError`].
    pub fn import(&self, exported: &[u8], options: Options) -> Result<Association, ImportError> {
        let link = self.life.import(exported, options)?;
        Ok(Association::new(link))
    }

    /// The local addresses that it was bound to.
    #[must_use]
    pub fn local_addresses(&self) -> &[IpAddr] {
        self.life.shared.carrier.addresses()
    }

    /// The local UDP port; `None` over raw IP.
    #[must_use]
    pub fn udp_port(&self) -> Option<u16> {
        self.life.shared.carrier.udp_port()
    }

    /// Owns another local address from now on, with a socket of its own at the same UDP port:
    /// associations that begin use it, and one that there is after
    /// [`Association::add_address`]. At most 16 in an endpoint's life; does nothing where the
    /// address is there already.
    ///
    /// # Errors
    /// The address cannot be bound.
    pub fn add_address(&self, ip: IpAddr) -> Result<(), BindError> {
        self.life.shared.add_address(ip)
    }

    /// Associations that begin do not use that address any more; those that there are do so until
    /// [`Association::delete_address`]. The last address stays, and so does the socket.
    pub fn remove_address(&self, ip: IpAddr) {
        self.life.remove_address(ip);
    }

    /// What was found when binding that may surprise.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.life.warnings
    }

    /// Accepts associations on SCTP port `port`, with these options.
    ///
    /// # Errors
    /// The port is 0 or taken, or an option is out of range.
    pub fn listen(&self, port: u16, options: Options) -> Result<Listener, ListenError> {
        let door = self.life.listen(port, options)?;
        Ok(Listener::new(door))
    }

    /// Sets up an association; returns when it is established.
    ///
    /// # Errors
    /// The target cannot be tried, or the attempt failed: no answer, refused.
    pub fn connect(&self, target: Target) -> Result<Association, ConnectError> {
        let link = self.life.connect(target)?;
        wait::forever(|context| link.poll_established(context))?;
        Ok(Association::new(link))
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
        let link = self.life.connect(target)?;
        match wait::until(Patience::lasting(timeout), |context| {
            link.poll_established(context)
        }) {
            Some(Ok(())) => Ok(Association::new(link)),
            Some(Err(error)) => Err(error),
            None => Err(ConnectError::Deadline(timeout)),
        }
    }

    /// Counters of the protocol engine.
    #[must_use]
    pub fn stats(&self) -> EndpointStats {
        self.life.stats()
    }

    /// Counters of the sockets.
    #[must_use]
    pub fn carrier_stats(&self) -> CarrierStats {
        self.life.shared.carrier.stats()
    }

    /// Loses every packet from and to this local address from now on, as if its cable were pulled;
    /// for tests and demonstrations of failover. Does nothing where the address is not ours.
    pub fn unplug(&self, local: IpAddr) {
        self.life.shared.carrier.unplug(local);
    }

    /// Undoes [`unplug`](Self::unplug).
    pub fn plug_in(&self, local: IpAddr) {
        self.life.shared.carrier.plug_in(local);
    }

    /// Closes the endpoint with all its listeners and associations: gracefully within `timeout`,
    /// what remains then is aborted. Returns how many associations were aborted.
    pub fn close(&self, timeout: Duration) -> usize {
        self.life.close(timeout);
        wait::forever(|context| self.life.poll_closed(context))
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("local_addresses", &self.local_addresses())
            .field("udp_port", &self.udp_port())
            .finish_non_exhaustive()
    }
}

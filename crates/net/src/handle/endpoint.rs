use std::fmt;
use std::marker::PhantomData;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use sheave_engine::{EndpointStats, Options};

use super::{Association, Blocking, Listener, Mode};
use crate::config::{CarrierStats, Config, Warning};
use crate::driver::Shared;
use crate::endpoint_inner::EndpointInner;
use crate::error::{BindError, ConnectError, ImportError, ListenError};
use crate::handover::Imported;
use crate::target::Target;
use crate::wait::{self, Deadline};

/// An SCTP endpoint: its sockets, its ports and all associations on them. Cheap to clone; all
/// clones are one endpoint.
///
/// It lives as long as any handle to it or to one of its listeners and associations. Dropping the
/// last of them closes the associations gracefully, within [`Config::linger`]: a [`Blocking`]
/// endpoint waits for that, one for tasks goes on in the background.
#[derive(Clone)]
pub struct Endpoint<M: Mode = Blocking> {
    inner: Arc<EndpointInner>,
    mode: PhantomData<M>,
}

impl<M: Mode> Endpoint<M> {
    fn new(inner: Arc<EndpointInner>) -> Self {
        Self {
            inner,
            mode: PhantomData,
        }
    }

    /// Binds the sockets and starts its threads, [`Config::workers`] of them.
    ///
    /// # Errors
    /// An address cannot be bound, or raw IP is asked for without the right to it.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a configuration is made for one endpoint"
    )]
    pub fn bind(config: Config) -> Result<Self, BindError> {
        let inner = EndpointInner::bind(&config, M::DROP)?;
        Ok(Self::new(inner))
    }

    pub(crate) fn inner(&self) -> &Arc<EndpointInner> {
        &self.inner
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.inner.shared
    }

    /// Binds the sockets and goes on with associations that another endpoint has
    /// [exported](Association::export), each with its options, before a packet is looked at: one
    /// that came before would be answered with an ABORT.
    ///
    /// For an endpoint that takes the place of another at its addresses and UDP port: that one
    /// exports all its associations, this one is bound, that one is closed. Both need
    /// [`PortSharing::WithSuccessor`](crate::config::PortSharing::WithSuccessor) over UDP; packets that
    /// come to the one that leaves are dropped in silence.
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
    ) -> Result<(Self, Imported<Association<M>>), BindError> {
        let (inner, handles) = EndpointInner::bind_and_import(&config, M::DROP, exported)?;
        let handles = handles.into_iter();
        let associations = handles.map(|handle| handle.map(Association::new)).collect();
        Ok((Self::new(inner), associations))
    }

    /// Goes on with an association that another endpoint has [exported](Association::export).
    /// `options` must switch on what is in force. No packet of it may have come here before: see
    /// [`bind_and_import`](Self::bind_and_import).
    ///
    /// # Errors
    /// See [`ImportError`].
    pub fn import(&self, exported: &[u8], options: Options) -> Result<Association<M>, ImportError> {
        let handle = self.inner.import(exported, options)?;
        Ok(Association::new(handle))
    }

    /// The local addresses that it was bound to.
    #[must_use]
    pub fn local_addresses(&self) -> &[IpAddr] {
        self.inner.shared.carrier.addresses()
    }

    /// The local UDP port; `None` over raw IP.
    #[must_use]
    pub fn udp_port(&self) -> Option<u16> {
        self.inner.shared.carrier.udp_port()
    }

    /// The fingerprint of our certificate, by which peers recognise it; `None` without DTLS, or with
    /// a pre-shared key.
    #[cfg(feature = "dtls")]
    #[must_use]
    pub fn fingerprint(&self) -> Option<crate::dtls::Fingerprint> {
        self.inner.shared.carrier.fingerprint()
    }

    /// Owns another local address from now on, with a socket of its own at the same UDP port:
    /// associations that begin use it, and one that there is after
    /// [`Association::add_address`]. At most 16 in an endpoint's lifetime; does nothing where the
    /// address is there already.
    ///
    /// # Errors
    /// The address cannot be bound.
    pub fn add_address(&self, ip: IpAddr) -> Result<(), BindError> {
        self.inner.shared.add_address(ip)
    }

    /// Associations that begin do not use that address any more; those that there are do so until
    /// [`Association::delete_address`]. The last address stays, and so does the socket.
    pub fn remove_address(&self, ip: IpAddr) {
        self.inner.remove_address(ip);
    }

    /// Surprises found when binding.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.inner.warnings
    }

    /// Accepts associations on SCTP port `port`, with these options.
    ///
    /// # Errors
    /// The port is 0 or taken, or an option is out of range.
    pub fn listen(&self, port: u16, options: Options) -> Result<Listener<M>, ListenError> {
        self.listen_on(port, [], options)
    }

    /// Accepts associations on SCTP port `port` that begin at one of these addresses of the endpoint,
    /// which are all that the peer is told of; no addresses means all. Listeners with different
    /// addresses may share a port, each with options of its own.
    ///
    /// # Errors
    /// As [`listen`](Self::listen), and [`ListenError::NotLocal`]; over DTLS, where the endpoint cannot
    /// choose, for any address.
    pub fn listen_on(
        &self,
        port: u16,
        local: impl IntoIterator<Item = IpAddr>,
        options: Options,
    ) -> Result<Listener<M>, ListenError> {
        let local: Vec<IpAddr> = local.into_iter().collect();
        let listener = self.inner.listen(port, &local, options)?;
        Ok(Listener::new(listener))
    }

    /// Counters of the protocol engine.
    #[must_use]
    pub fn stats(&self) -> EndpointStats {
        self.inner.stats()
    }

    /// Counters of the sockets.
    #[must_use]
    pub fn carrier_stats(&self) -> CarrierStats {
        self.inner.shared.carrier.stats()
    }

    /// Loses every packet from and to this local address from now on, as if its cable were pulled;
    /// for tests and demonstrations of failover. Does nothing where the address is not ours.
    pub fn unplug(&self, local: IpAddr) {
        self.inner.shared.carrier.unplug(local);
    }

    /// Undoes [`unplug`](Self::unplug).
    pub fn plug_in(&self, local: IpAddr) {
        self.inner.shared.carrier.plug_in(local);
    }
}

/// Calls that wait on the calling thread.
impl Endpoint<Blocking> {
    /// Sets up an association; returns when the peer has answered and messages can leave, after one
    /// round trip as TCP's does.
    ///
    /// After two round trips, when it is established, where
    /// [`EarlyData`](crate::options::EarlyData) is off or chunks are to be authenticated. What fails in
    /// between is told by the next call on the association.
    ///
    /// # Errors
    /// The target cannot be tried, or the attempt failed: no answer, refused.
    pub fn connect(&self, target: Target) -> Result<Association, ConnectError> {
        let handle = self.inner.connect(target)?;
        wait::forever(|context| handle.poll_answered(context))?;
        Ok(Association::new(handle))
    }

    /// Connects like [`connect`](Self::connect), within `timeout`.
    ///
    /// # Errors
    /// As `connect`, and [`ConnectError::Deadline`]; the attempt is then given up.
    pub fn connect_timeout(
        &self,
        target: Target,
        timeout: Duration,
    ) -> Result<Association, ConnectError> {
        let handle = self.inner.connect(target)?;
        match wait::until(Deadline::after(timeout), |context| {
            handle.poll_answered(context)
        }) {
            Some(Ok(())) => Ok(Association::new(handle)),
            Some(Err(error)) => Err(error),
            None => Err(ConnectError::Deadline(timeout)),
        }
    }

    /// Closes the endpoint with all its listeners and associations: gracefully within `timeout`,
    /// what remains then is aborted. Returns how many associations were aborted.
    pub fn close(&self, timeout: Duration) -> usize {
        self.inner.close(timeout);
        wait::forever(|context| self.inner.poll_closed(context))
    }
}

#[cfg(feature = "tokio")]
mod asynchronous {
    use std::future::poll_fn;
    use std::time::Duration;

    use super::{Association, ConnectError, Endpoint, Target};
    use crate::handle::Async;

    /// Calls that wait as tasks.
    impl Endpoint<Async> {
        /// Sets up an association: ready when the peer has answered and messages can leave (see the
        /// blocking one).
        ///
        /// # Cancellation
        /// Dropping the future gives the attempt up; a peer that had answered gets an ABORT.
        ///
        /// # Errors
        /// The target cannot be tried, or the attempt failed: no answer, refused.
        pub async fn connect(&self, target: Target) -> Result<Association<Async>, ConnectError> {
            let handle = self.inner.connect(target)?;
            poll_fn(|context| handle.poll_answered(context)).await?;
            Ok(Association::new(handle))
        }

        /// Closes the endpoint with all its listeners and associations: gracefully within
        /// `timeout`, what remains then is aborted. Returns how many associations were aborted.
        ///
        /// # Cancellation
        /// The closing, once begun by the first poll, goes on; another call waits for its end.
        pub async fn close(&self, timeout: Duration) -> usize {
            self.inner.close(timeout);
            poll_fn(|context| self.inner.poll_closed(context)).await
        }
    }
}

impl<M: Mode> fmt::Debug for Endpoint<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("local_addresses", &self.local_addresses())
            .field("udp_port", &self.udp_port())
            .finish_non_exhaustive()
    }
}

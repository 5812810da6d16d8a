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

/// An SCTP endpoint: sockets, ports, and all associations on them. Cheap to clone; all clones refer
/// to the same endpoint.
///
/// The endpoint lives while any handle to it, its listeners or its associations exists. Dropping
/// the last one closes the associations gracefully within [`Config::linger`]: a [`Blocking`] handle
/// waits for that, an async one leaves it to background threads.
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

    /// Binds the sockets and starts [`Config::workers`] threads.
    ///
    /// # Errors
    /// An address cannot be bound, or the process may not open raw IP sockets.
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

    /// Binds the sockets and imports associations that another endpoint
    /// [exported](Association::export), each with its options, before reading any packet: a packet
    /// read before the import would be answered with an ABORT.
    ///
    /// Replaces a running endpoint at the same addresses and UDP port: the old endpoint exports its
    /// associations, the new one is bound, then the old one is closed. Over UDP, both need
    /// [`PortSharing::WithSuccessor`](crate::config::PortSharing::WithSuccessor); the old endpoint
    /// silently drops packets that still reach it.
    ///
    /// # Errors
    /// The errors of [`bind`](Self::bind); each association that cannot be imported gets its own
    /// error.
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

    /// Imports an association that another endpoint [exported](Association::export). `options` must
    /// enable every extension in force on it. No packet of the association may have reached this
    /// endpoint before; see [`bind_and_import`](Self::bind_and_import).
    ///
    /// # Errors
    /// See [`ImportError`].
    pub fn import(&self, exported: &[u8], options: Options) -> Result<Association<M>, ImportError> {
        let handle = self.inner.import(exported, options)?;
        Ok(Association::new(handle))
    }

    /// Local addresses that the endpoint was bound to.
    #[must_use]
    pub fn local_addresses(&self) -> &[IpAddr] {
        self.inner.shared.carrier.addresses()
    }

    /// The local UDP port; `None` over raw IP.
    #[must_use]
    pub fn udp_port(&self) -> Option<u16> {
        self.inner.shared.carrier.udp_port()
    }

    /// Fingerprint of the local certificate, by which peers authenticate this endpoint; `None`
    /// without DTLS, or with a pre-shared key.
    #[cfg(feature = "dtls")]
    #[must_use]
    pub fn fingerprint(&self) -> Option<crate::dtls::Fingerprint> {
        self.inner.shared.carrier.fingerprint()
    }

    /// Fingerprint of the local certificate with which associations are
    /// [protected](crate::secure); `None` if they are not.
    #[cfg(feature = "secure")]
    #[must_use]
    pub fn own_fingerprint(&self) -> Option<crate::secure::Fingerprint> {
        self.inner.shared.lock().keys.fingerprint()
    }

    /// Adds a local address, with its own socket on the same UDP port. New associations use it;
    /// existing ones do after [`Association::add_address`]. An endpoint can add at most 16
    /// addresses in its lifetime. Does nothing if the endpoint already has the address.
    ///
    /// # Errors
    /// The address cannot be bound.
    pub fn add_address(&self, ip: IpAddr) -> Result<(), BindError> {
        self.inner.shared.add_address(ip)
    }

    /// Stops using an address for new associations; existing ones use it until
    /// [`Association::delete_address`]. The last address cannot be removed, and the socket stays
    /// open.
    pub fn remove_address(&self, ip: IpAddr) {
        self.inner.remove_address(ip);
    }

    /// Problems found while binding that did not prevent it.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.inner.warnings
    }

    /// Listens on SCTP port `port`; accepted associations get `options`.
    ///
    /// # Errors
    /// The port is 0 or taken, or an option is out of range.
    pub fn listen(&self, port: u16, options: Options) -> Result<Listener<M>, ListenError> {
        self.listen_on(port, [], options)
    }

    /// Listens on SCTP port `port` at the given addresses of the endpoint only, and announces only
    /// these to peers; an empty list means all addresses. Listeners with different addresses may
    /// share a port, each with its own options.
    ///
    /// # Errors
    /// The errors of [`listen`](Self::listen), and [`ListenError::NotLocal`]; over DTLS, which
    /// cannot choose a local address, for any address.
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

    /// Drops every packet from and to this local address, as if its cable were unplugged; for tests
    /// and demonstrations of failover. Does nothing if the address is not local.
    pub fn unplug(&self, local: IpAddr) {
        self.inner.shared.carrier.unplug(local);
    }

    /// Undoes [`unplug`](Self::unplug).
    pub fn plug_in(&self, local: IpAddr) {
        self.inner.shared.carrier.plug_in(local);
    }
}

/// Calls that block the calling thread.
impl Endpoint<Blocking> {
    /// Sets up an association. Returns after one round trip, when the peer has answered and
    /// messages can be sent, like TCP's `connect`.
    ///
    /// Takes two round trips, until the association is established, if
    /// [`EarlyData`](crate::options::EarlyData) is off or chunks must be authenticated. If the
    /// handshake fails after this call returned, the next call on the association reports the
    /// failure.
    ///
    /// # Errors
    /// The target is invalid for this endpoint, or the attempt failed: no answer, or refused.
    pub fn connect(&self, target: Target) -> Result<Association, ConnectError> {
        let handle = self.inner.connect(target)?;
        wait::forever(|context| handle.poll_answered(context))?;
        Ok(Association::new(handle))
    }

    /// Connects like [`connect`](Self::connect), within `timeout`.
    ///
    /// # Errors
    /// The errors of `connect`, and [`ConnectError::Deadline`], after which the attempt is
    /// abandoned.
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

    /// Waits for the next peer whose association could not be [protected](crate::secure), and so was
    /// not accepted, or was aborted since its keys could not be replaced; `None` once the endpoint is
    /// closed, or if it protects none.
    #[cfg(feature = "secure")]
    #[must_use]
    pub fn refused(&self) -> Option<crate::secure::Refusal> {
        wait::forever(|context| self.inner.poll_refused(context))
    }

    /// Closes the endpoint, its listeners and associations: gracefully within `timeout`, then by
    /// aborting the rest. Returns the number of aborted associations.
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

    /// `async` calls.
    impl Endpoint<Async> {
        /// Sets up an association; ready when the peer has answered and messages can be sent, as in
        /// the blocking call.
        ///
        /// # Cancellation
        /// Dropping the future abandons the attempt; a peer that had already answered gets an
        /// ABORT.
        ///
        /// # Errors
        /// The target is invalid for this endpoint, or the attempt failed: no answer, or refused.
        pub async fn connect(&self, target: Target) -> Result<Association<Async>, ConnectError> {
            let handle = self.inner.connect(target)?;
            poll_fn(|context| handle.poll_answered(context)).await?;
            Ok(Association::new(handle))
        }

        /// Closes the endpoint, its listeners and associations: gracefully within `timeout`, then
        /// by aborting the rest. Returns the number of aborted associations.
        ///
        /// # Cancellation
        /// Closing starts at the first poll and continues if the future is dropped; another call
        /// waits for its end.
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

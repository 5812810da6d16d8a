//! The endpoint with its key management and local addresses.

use core::net::IpAddr;

use sheave_engine::{Assoc, AssocId, Endpoint, Event, ListenError, Options, Time};

use crate::socket::{Binding, Socket};
use crate::{Errno, KeyManagement};

#[derive(Debug)]
pub(crate) struct Transport {
    pub(crate) endpoint: Endpoint,
    pub(crate) keys: Option<Box<dyn KeyManagement>>,
    /// Addresses that sockets use which are bound to them by name, and no others.
    pub(crate) named: Vec<IpAddr>,
}

impl Transport {
    pub(crate) const fn new(endpoint: Endpoint) -> Self {
        Self {
            endpoint,
            keys: None,
            named: Vec::new(),
        }
    }

    /// Whether packets are protected.
    pub(crate) fn is_protected(&self) -> bool {
        self.keys.as_ref().is_some_and(|keys| keys.protects())
    }

    /// The engine options for an association under this key management.
    pub(crate) fn fit(&self, options: Options) -> Options {
        match &self.keys {
            Some(keys) => keys.fit(options),
            None => options,
        }
    }

    /// The engine's handle of an association.
    ///
    /// # Errors
    /// `EINVAL` if it is gone.
    pub(crate) fn assoc(&mut self, engine: AssocId) -> Result<Assoc<'_>, Errno> {
        self.endpoint.assoc(engine).ok_or(Errno::EINVAL)
    }

    pub(crate) fn poll_event(&mut self, now: Time) -> Option<(AssocId, Event)> {
        match &mut self.keys {
            Some(keys) => keys.poll_event(now, &mut self.endpoint),
            None => self.endpoint.poll_event(),
        }
    }

    /// Updates the engine's listener of a socket: its addresses and options.
    pub(crate) fn listen_anew(&mut self, base: &Options, socket: &mut Socket) -> Result<(), Errno> {
        self.stop_listening(socket);
        let listens = socket.backlog.is_some() && !socket.has_stopped();
        let Some(binding) = socket.binding.as_ref().filter(|_| listens) else {
            return Ok(());
        };
        let local = self.usable_addresses(socket, binding);
        let options = self.fit(socket.defaults.options(base, &socket.own));
        match self.endpoint.listen_on(binding.port, &local, options) {
            Ok(()) => {
                socket.listens_at = Some((binding.port, local));
                Ok(())
            }
            Err(ListenError::InUse) => Err(Errno::EADDRINUSE),
            Err(_) => Err(Errno::EINVAL),
        }
    }

    pub(crate) fn stop_listening(&mut self, socket: &mut Socket) {
        if let Some((port, addresses)) = socket.listens_at.take() {
            self.endpoint.stop_listening_on(port, &addresses);
        }
    }

    /// The addresses that a socket uses; empty for all of the endpoint's.
    pub(crate) fn usable_addresses(&self, socket: &Socket, binding: &Binding) -> Vec<IpAddr> {
        if !binding.addresses.is_empty() {
            return binding.addresses.clone();
        }
        let all = self.endpoint.local_addresses();
        let is_usable = |ip: &IpAddr| socket.takes(ip) && !self.named.contains(ip);
        if all.iter().all(is_usable) {
            return Vec::new();
        }
        all.iter().copied().filter(is_usable).collect()
    }
}

//! Outgoing associations (RFC 6458 §4.1.5, §9.9).

use core::net::SocketAddr;
use core::time::Duration;

use sheave_engine::{Connect, ConnectError, Icmp, PeerAddress, Time};

use super::Stack;
use crate::abi::{Refusal, System};
use crate::association::{Association, Side};
use crate::settings::InitMsg;
use crate::socket::Kind;
use crate::{Abi, AssocId32, ConnectState, Errno, SocketId};

impl Stack {
    /// Starts an association with a peer at these addresses (RFC 6458 §4.1.5, §9.9);
    /// [`connect_state`](crate::Socket::connect_state) reports its progress. A second call during the
    /// handshake returns `EALREADY`; an interrupted call must keep waiting, not call again. The error of an
    /// earlier attempt is forgotten.
    ///
    /// # Errors
    /// The errors of `connect`, except `EINPROGRESS`.
    pub fn connect(
        &mut self,
        now: Time,
        id: SocketId,
        addresses: &[SocketAddr],
    ) -> Result<AssocId32, Errno> {
        let number = self.begin(now, id, addresses, None)?;
        self.sockets.find_mut(id)?.error = None;
        Ok(number)
    }

    pub(super) fn begin(
        &mut self,
        now: Time,
        id: SocketId,
        addresses: &[SocketAddr],
        init: Option<InitMsg>,
    ) -> Result<AssocId32, Errno> {
        let first = *addresses.first().ok_or(Errno::EINVAL)?;
        self.lookup(id)?.check_connect(addresses)?;
        let binding = self.bind_somewhere(id)?;
        let socket = self.sockets.find(id)?;
        let mut settings = socket.defaults.clone();
        if let Some(init) = init {
            settings.init = settings.init.merged(init);
        }
        let options = settings.options(&self.profile.defaults, &socket.own);
        let mut options = self.transport.fit(options);
        // RFC 6458 §8.1.3: bounds the RTO during the handshake.
        let longest = Duration::from_millis(settings.init.timeout.into());
        if !longest.is_zero() && longest < options.rto_max {
            options.rto_max = longest.max(options.rto_min);
            options.rto_initial = options.rto_initial.min(options.rto_max);
        }
        let encapsulation = Some(settings.encapsulation).filter(|port| *port != 0);
        let is_usual = encapsulation == self.profile.encapsulation;
        let own = self.profile.own_encapsulation.filter(|_| is_usual);
        let local = self.transport.endpoint.local_addresses();
        let remote: Vec<PeerAddress> = addresses
            .iter()
            .map(|address| {
                let ip = address.ip().to_canonical();
                let own =
                    own.filter(|_| local.contains(&ip) && self.sockets.has_at(ip, address.port()));
                PeerAddress {
                    ip,
                    encapsulation: own.or(encapsulation),
                }
            })
            .collect();
        let to = Connect {
            local_port: Some(binding.port),
            local: self.transport.usable_addresses(socket, &binding),
            remote_port: first.port(),
            remote,
            options,
        };
        let engine = self.transport.endpoint.connect(now, to);
        let engine = engine.map_err(|error| errno(self.profile.abi, &error))?;
        if let Some(keys) = &mut self.transport.keys {
            keys.expect(now, &mut self.transport.endpoint, engine);
        }
        let peer = SocketAddr::new(first.ip().to_canonical(), first.port());
        let (port, side) = (binding.port, Side::Ours);
        let owner = (id, self.sockets.find(id)?.domain);
        let begun = Association::new(engine, owner, side, port, peer, settings, now);
        let number = self.associations.admit(begun);
        let paths = self.transport.endpoint.paths_of(engine);
        let primary = paths.iter().find(|path| path.primary).or(paths.first());
        let socket = self.sockets.find_mut(id)?;
        socket.source = socket.source.or(primary.map(|path| path.local));
        socket.assocs.insert(number);
        socket.connect = ConnectState::InProgress;
        if socket.kind == Kind::OneToOne {
            socket.peer = Some(peer);
        }
        self.changes.touch(id);
        self.digest(now);
        Ok(number)
    }

    /// Handles an ICMP port-unreachable for a peer's UDP port. Like Linux over UDP, the attempt
    /// goes on, because the server may be starting, and `SO_ERROR` reports the error; the peer's
    /// other addresses are tried at once.
    pub(super) fn on_no_such_port(&mut self, now: Time, icmp: Icmp<'_>) {
        let Some(engine) = self.transport.endpoint.sender_of_quoted(icmp) else {
            return;
        };
        if self.transport.endpoint.paths_of(engine).len() > 1 {
            self.transport.endpoint.handle_icmp(now, icmp);
        }
        let number = self.associations.number_of(engine);
        let association = number.and_then(|number| self.associations.get(number));
        if self.profile.system() == System::Linux
            && let Some(opening) = association.filter(|found| !found.is_up())
            && let Some(socket) = self.sockets.owner(opening.owner)
        {
            socket.soft_error = Some(Errno::ECONNREFUSED);
        }
    }
}

fn errno(abi: Abi, error: &ConnectError) -> Errno {
    match error {
        ConnectError::NoAddress => Errno::EHOSTUNREACH,
        ConnectError::NotLocal(_) | ConnectError::PortInUse => Errno::EADDRNOTAVAIL,
        ConnectError::TooManyAssociations => Errno::ENOBUFS,
        ConnectError::PortZero => abi.refusal(Refusal::ConnectToNoPort),
        ConnectError::UnusableAddress(_) | ConnectError::Option(_) | ConnectError::BadInit => {
            Errno::EINVAL
        }
    }
}

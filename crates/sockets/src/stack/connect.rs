//! Outgoing associations (RFC 6458 §4.1.5, §9.9).

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;

use sheave_engine::{AssocId, Connect, ConnectError, Icmp, PeerAddress, Time};

use super::{Stack, fit};
use crate::abi::{Refusal, System};
use crate::settings::InitMsg;
use crate::socket::{Association, Fate, Kind, Side, Socket, Stage};
use crate::{Abi, AssocId32, ConnectState, Domain, Errno, SocketId};

impl Stack {
    /// Starts an association with a peer at these addresses (RFC 6458 §4.1.5, §9.9);
    /// [`connect_state`](Self::connect_state) reports its progress. A second call during the
    /// handshake returns `EALREADY`; an interrupted call must keep waiting, not call again.
    ///
    /// # Errors
    /// The errors of `connect`, except `EINPROGRESS`.
    pub fn connect(
        &mut self,
        now: Time,
        id: SocketId,
        addresses: &[SocketAddr],
    ) -> Result<AssocId32, Errno> {
        self.begin(now, id, addresses, None)
    }

    pub(super) fn begin(
        &mut self,
        now: Time,
        id: SocketId,
        addresses: &[SocketAddr],
        init: Option<InitMsg>,
    ) -> Result<AssocId32, Errno> {
        let first = *addresses.first().ok_or(Errno::EINVAL)?;
        self.check_connect(id, addresses)?;
        let binding = self.bind_somewhere(id)?;
        let socket = self.find(id)?;
        let mut settings = socket.defaults.clone();
        if let Some(init) = init {
            settings.init = merged(settings.init, init);
        }
        let options = settings.options(&self.defaults, &socket.own);
        let mut options = fit(self.keys.as_deref(), options);
        // RFC 6458 §8.1.3: bounds the RTO during the handshake.
        let longest = Duration::from_millis(settings.init.timeout.into());
        if !longest.is_zero() && longest < options.rto_max {
            options.rto_max = longest.max(options.rto_min);
            options.rto_initial = options.rto_initial.min(options.rto_max);
        }
        let encapsulation = Some(settings.encapsulation).filter(|port| *port != 0);
        let is_usual = encapsulation == self.encapsulation;
        let own = self.own_encapsulation.filter(|_| is_usual);
        let remote: Vec<PeerAddress> = addresses
            .iter()
            .map(|address| {
                let ip = address.ip().to_canonical();
                let own = own.filter(|_| self.is_bound(ip, address.port()));
                PeerAddress {
                    ip,
                    encapsulation: own.or(encapsulation),
                }
            })
            .collect();
        let target = remote.first().copied();
        let to = Connect {
            local_port: Some(binding.port),
            local: self.usable_addresses(socket, &binding),
            remote_port: first.port(),
            remote,
            options,
        };
        let engine = self
            .endpoint
            .connect(now, to)
            .map_err(|error| errno(self.abi, &error))?;
        if let Some(keys) = &mut self.keys {
            keys.expect(engine, target);
        }
        let peer = SocketAddr::new(first.ip().to_canonical(), first.port());
        let (port, side) = (binding.port, Side::Ours);
        let begun = Association::new(engine, id, side, port, peer, settings, now);
        let number = self.admit(begun);
        let source = self.source_of(engine);
        let socket = self.find_mut(id)?;
        socket.source = socket.source.or(source);
        socket.assocs.insert(number);
        socket.connect = ConnectState::InProgress;
        if socket.kind == Kind::OneToOne {
            socket.peer = Some(peer);
        }
        self.touch(id);
        self.digest(now);
        Ok(number)
    }

    /// Handles an ICMP port-unreachable for a peer's UDP port. Like Linux over UDP, the attempt
    /// goes on, because the server may be starting, and `SO_ERROR` reports the error; the peer's
    /// other addresses are tried at once.
    pub(super) fn on_no_such_port(&mut self, now: Time, icmp: Icmp<'_>) {
        let Some(engine) = self.endpoint.sender_of_quoted(icmp) else {
            return;
        };
        if self.endpoint.paths_of(engine).len() > 1 {
            self.endpoint.handle_icmp(now, icmp);
        }
        let number = self.numbers.get(&engine);
        let association = number.and_then(|number| self.assocs.get(number));
        let opening = association.filter(|association| association.stage == Stage::Opening);
        if let Some(owner) = opening.and_then(|association| association.owner)
            && self.abi.system() == System::Linux
            && let Some(socket) = self.sockets.get_mut(&owner)
        {
            socket.soft_error = Some(Errno::ECONNREFUSED);
        }
    }

    /// The source address of an association.
    pub(super) fn source_of(&mut self, engine: AssocId) -> Option<IpAddr> {
        let paths = self.endpoint.assoc(engine)?.path_stats();
        let primary = paths.iter().find(|path| path.primary).or(paths.first())?;
        Some(primary.local)
    }

    /// Checks whether a socket can start an association with a peer at these addresses.
    pub(super) fn check_connect(
        &self,
        id: SocketId,
        addresses: &[SocketAddr],
    ) -> Result<(), Errno> {
        self.is_connectable(id)?;
        for (place, address) in addresses.iter().enumerate() {
            let before = addresses.get(..place).unwrap_or_default();
            self.can_be_peer(id, *address)?;
            if before.iter().any(|other| other.port() != address.port()) {
                return Err(Errno::EINVAL);
            }
            let ip = address.ip().to_canonical();
            if before.iter().any(|other| other.ip().to_canonical() == ip) {
                return Err(Errno::EADDRNOTAVAIL);
            }
        }
        Ok(())
    }

    /// Checks whether the socket's state allows a new association.
    fn is_connectable(&self, id: SocketId) -> Result<(), Errno> {
        let socket = self.find(id)?;
        let refusal_of = |reason| self.abi.refusal(reason);
        match socket.kind {
            Kind::PeeledOff => return Err(refusal_of(Refusal::ConnectWherePeeledOff)),
            Kind::OneToOne if socket.backlog.is_some() => {
                return Err(refusal_of(Refusal::ConnectWhereListening));
            }
            Kind::OneToOne => match (socket.fate, socket.connect) {
                (Fate::None, ConnectState::InProgress) => {
                    return Err(refusal_of(Refusal::ConnectWhileConnecting));
                }
                (Fate::None, _) => {}
                // Linux also refuses to connect such a socket again.
                _ => return Err(Errno::EISCONN),
            },
            Kind::OneToMany => {}
        }
        Ok(())
    }

    /// Checks whether a new peer can have this address.
    fn can_be_peer(&self, id: SocketId, address: SocketAddr) -> Result<(), Errno> {
        let socket = self.find(id)?;
        let mixed = socket.domain == Domain::V4 && address.is_ipv6();
        if mixed || !socket.reaches(&address.ip()) {
            return Err(Errno::EINVAL);
        }
        let known = self.assoc_with(id, address);
        match known.and_then(|number| self.assocs.get(&number)) {
            Some(found) if found.stage == Stage::Opening => Err(Errno::EALREADY),
            Some(_) => Err(self.abi.refusal(Refusal::ConnectToKnownPeer)),
            // The peeled-off socket holds this association now.
            None if self.abi.system() == System::Linux
                && self.is_known_at_port(socket, address) =>
            {
                Err(Errno::EADDRNOTAVAIL)
            }
            None => Ok(()),
        }
    }

    /// Whether the socket's port and addresses already have an association with this peer.
    fn is_known_at_port(&self, socket: &Socket, peer: SocketAddr) -> bool {
        let Some(binding) = &socket.binding else {
            return false;
        };
        let ip = peer.ip().to_canonical();
        let ours = &binding.addresses;
        self.assocs.values().any(|found| {
            if found.local_port != binding.port || found.peer.port() != peer.port() {
                return false;
            }
            let paths = self.endpoint.paths_of(found.engine);
            let is_ours = ours.is_empty() || paths.iter().any(|path| ours.contains(&path.local));
            is_ours && (found.peer.ip() == ip || paths.iter().any(|path| path.remote == ip))
        })
    }

    /// The association of a socket with the peer that has this address.
    pub(super) fn assoc_with(&self, id: SocketId, peer: SocketAddr) -> Option<AssocId32> {
        let ip = peer.ip().to_canonical();
        let socket = self.sockets.get(&id)?;
        socket.assocs.iter().copied().find(|number| {
            self.assocs.get(number).is_some_and(|found| {
                found.peer.port() == peer.port()
                    && (found.peer.ip() == ip || self.has_path(found, ip))
            })
        })
    }

    pub(super) fn has_path(&self, association: &Association, ip: IpAddr) -> bool {
        let paths = self.endpoint.paths_of(association.engine);
        paths.iter().any(|path| path.remote == ip)
    }

    /// Progress of the association that a socket [connects](Self::connect); the newest one of a
    /// one-to-many socket.
    #[must_use]
    pub fn connect_state(&self, id: SocketId) -> ConnectState {
        self.find(id)
            .map_or(ConnectState::Idle, |socket| socket.connect)
    }
}

/// Overrides each value that is not 0 in `given` (RFC 6458 §5.3.1).
pub(super) const fn merged(before: InitMsg, given: InitMsg) -> InitMsg {
    const fn pick(before: u16, given: u16) -> u16 {
        if given == 0 { before } else { given }
    }
    InitMsg {
        outbound_streams: pick(before.outbound_streams, given.outbound_streams),
        inbound_streams: pick(before.inbound_streams, given.inbound_streams),
        attempts: pick(before.attempts, given.attempts),
        timeout: pick(before.timeout, given.timeout),
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

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;

use sheave_engine::{Datagram, Endpoint, EndpointOptions, Node, Options, Time, Transmit};

use crate::{
    Abi, AssocId32, ConnectState, Domain, Errno, How, Incoming, Limits, ReadToken, Readiness,
    SendCall, SocketId, Special, Style,
};

/// An endpoint and the sockets on it.
pub struct Stack {
    endpoint: Endpoint,
    defaults: Options,
    abi: Abi,
}

impl Stack {
    /// A stack that owns `local` addresses. Sockets begin with the options `defaults`; `seed` must
    /// come from the operating system's random source.
    #[must_use]
    pub fn new(
        local: Vec<IpAddr>,
        options: EndpointOptions,
        defaults: Options,
        abi: Abi,
        seed: [u8; 32],
    ) -> Self {
        Self {
            endpoint: Endpoint::new(local, options, seed),
            defaults,
            abi,
        }
    }

    /// The UDP port at which peers are reached unless a program says otherwise
    /// (`SCTP_REMOTE_UDP_ENCAPS_PORT`); `None` for plain IP. Holds for sockets made from now on.
    pub fn set_encapsulation(&mut self, _port: Option<u16>) {}

    /// The endpoint: its packets, addresses and counters.
    pub fn endpoint(&mut self) -> &mut Endpoint {
        &mut self.endpoint
    }

    /// The numbers and layouts in use.
    #[must_use]
    pub const fn abi(&self) -> Abi {
        self.abi
    }

    /// Makes a socket (RFC 6458 §3.1.1, §4.1.1).
    pub fn socket(&mut self, _domain: Domain, _style: Style) -> SocketId {
        SocketId(0)
    }

    /// Binds to a port and addresses (RFC 6458 §3.1.2, §4.1.2), the unspecified address meaning all
    /// of the stack's; port 0 picks one. More than one address is `sctp_bindx` (§9.1), which adds to
    /// a socket that is bound already.
    ///
    /// # Errors
    /// As `bind` and `sctp_bindx`.
    pub fn bind(
        &mut self,
        _now: Time,
        _id: SocketId,
        _addresses: &[SocketAddr],
    ) -> Result<(), Errno> {
        Err(Errno::EOPNOTSUPP)
    }

    /// Takes addresses off a socket (`sctp_bindx` with `SCTP_BINDX_REM_ADDR`, RFC 6458 §9.1).
    ///
    /// # Errors
    /// As `sctp_bindx`.
    pub fn unbind(
        &mut self,
        _now: Time,
        _id: SocketId,
        _addresses: &[SocketAddr],
    ) -> Result<(), Errno> {
        Err(Errno::EOPNOTSUPP)
    }

    /// Accepts associations from now on, with a backlog of 0 no longer (RFC 6458 §3.1.3, §4.1.3). A
    /// socket that has no port gets one.
    ///
    /// # Errors
    /// As `listen`.
    pub fn listen(&mut self, _now: Time, _id: SocketId, _backlog: u32) -> Result<(), Errno> {
        Err(Errno::EOPNOTSUPP)
    }

    /// Starts an association to a peer with these addresses (RFC 6458 §4.1.5, §9.9);
    /// [`connect_state`](Self::connect_state) tells how it goes. A second call while it is under way
    /// returns `EALREADY`: a call that was interrupted waits on instead of being made again.
    ///
    /// # Errors
    /// As `connect`, `EINPROGRESS` excepted.
    pub fn connect(
        &mut self,
        _now: Time,
        _id: SocketId,
        _addresses: &[SocketAddr],
    ) -> Result<AssocId32, Errno> {
        Err(Errno::EOPNOTSUPP)
    }

    /// The progress of the association that a socket [connects](Self::connect), the newest on a
    /// one-to-many socket.
    #[must_use]
    pub fn connect_state(&self, _id: SocketId) -> ConnectState {
        ConnectState::Idle
    }

    /// The association that [`accept`](Self::accept) would hand out, as a socket that it will be, and
    /// the peer's address.
    ///
    /// # Errors
    /// `EAGAIN` if there is none yet; else as `accept`.
    pub fn pending(&self, _id: SocketId) -> Result<(SocketId, SocketAddr), Errno> {
        Err(Errno::EOPNOTSUPP)
    }

    /// Accepts the first association that waits (RFC 6458 §4.1.4): the socket that
    /// [`pending`](Self::pending) named.
    ///
    /// # Errors
    /// `EAGAIN` if there is none yet; else as `accept`.
    pub fn accept(&mut self, _id: SocketId) -> Result<SocketId, Errno> {
        Err(Errno::EOPNOTSUPP)
    }

    /// Makes a socket of its own for an association of a one-to-many socket (RFC 6458 §9.2).
    ///
    /// # Errors
    /// As `sctp_peeloff`.
    pub fn peel_off(
        &mut self,
        _now: Time,
        _id: SocketId,
        _assoc: AssocId32,
    ) -> Result<SocketId, Errno> {
        Err(Errno::EOPNOTSUPP)
    }

    /// The error that [`send`](Self::send) would return now; `EAGAIN` where it would have to wait.
    ///
    /// # Errors
    /// As `sendmsg`.
    pub fn check_send(
        &mut self,
        _now: Time,
        _id: SocketId,
        _call: &SendCall<'_>,
    ) -> Result<(), Errno> {
        Err(Errno::EOPNOTSUPP)
    }

    /// Sends a message, or does what its flags say instead (RFC 6458 §3.1.4, §5.3.4). Returns the
    /// bytes taken. `EPIPE` asks for a SIGPIPE unless the call had `MSG_NOSIGNAL`.
    ///
    /// # Errors
    /// As `sendmsg`; `EAGAIN` where it would have to wait.
    pub fn send(&mut self, _now: Time, _id: SocketId, _call: SendCall<'_>) -> Result<usize, Errno> {
        Err(Errno::EOPNOTSUPP)
    }

    /// The answer to `recvmsg` with that much room (RFC 6458 §3.1.4); nothing is dequeued before it
    /// is [consumed](Self::consume). An answer without bytes and flags is the end of the stream.
    ///
    /// # Errors
    /// As `recvmsg`; `EAGAIN` where it would have to wait.
    pub fn peek(&mut self, _now: Time, _id: SocketId, _limits: Limits) -> Result<Incoming, Errno> {
        Err(Errno::EOPNOTSUPP)
    }

    /// Dequeues what was shown: when it has reached the program. Harmless if it is gone already.
    pub fn consume(&mut self, _now: Time, _id: SocketId, _token: ReadToken) {}

    /// Bytes of the next message (`FIONREAD`).
    #[must_use]
    pub fn next_length(&mut self, _now: Time, _id: SocketId) -> usize {
        0
    }

    /// Sets a socket option: levels `SOL_SOCKET`, `IPPROTO_IP`, `IPPROTO_IPV6` and `IPPROTO_SCTP`
    /// (RFC 6458 §8).
    ///
    /// # Errors
    /// As `setsockopt`.
    pub fn set_option(
        &mut self,
        _now: Time,
        _id: SocketId,
        _level: i32,
        _name: i32,
        _value: &[u8],
    ) -> Result<(), Errno> {
        Err(Errno::EOPNOTSUPP)
    }

    /// Reads a socket option; `given` is the program's buffer, which names the association or address
    /// that is meant. Reading `SO_ERROR` clears it.
    ///
    /// # Errors
    /// As `getsockopt`.
    pub fn option(
        &mut self,
        _now: Time,
        _id: SocketId,
        _level: i32,
        _name: i32,
        _given: &[u8],
    ) -> Result<Vec<u8>, Errno> {
        Err(Errno::EOPNOTSUPP)
    }

    /// The request in the arguments of `setsockopt` or `getsockopt` that needs descriptors or the
    /// program's memory; `None` where [`set_option`](Self::set_option) and [`option`](Self::option)
    /// answer.
    ///
    /// # Errors
    /// As `setsockopt` and `getsockopt`.
    pub fn special(
        &self,
        _level: i32,
        _name: i32,
        _value: &[u8],
    ) -> Result<Option<Special>, Errno> {
        Ok(None)
    }

    /// Closes halves of a one-to-one socket (RFC 6458 §4.1.7).
    ///
    /// # Errors
    /// As `shutdown`.
    pub fn shutdown(&mut self, _now: Time, _id: SocketId, _how: How) -> Result<(), Errno> {
        Err(Errno::EOPNOTSUPP)
    }

    /// Closes a socket (RFC 6458 §3.1.5, §4.1.6): its associations end gracefully in the background,
    /// or at once if `SO_LINGER` has 0 seconds or messages were not read.
    pub fn close(&mut self, _now: Time, _id: SocketId) {}

    /// The longest time that `close` may wait for the end of what the socket had (`SO_LINGER`);
    /// `None` for not at all.
    #[must_use]
    pub fn linger(&self, _id: SocketId) -> Option<Duration> {
        None
    }

    /// How long receiving (`SO_RCVTIMEO`) and sending (`SO_SNDTIMEO`) may wait; `None` for ever.
    #[must_use]
    pub fn patience(&self, _id: SocketId) -> (Option<Duration>, Option<Duration>) {
        (None, None)
    }

    /// The answer to `getsockname`.
    ///
    /// # Errors
    /// As `getsockname`.
    pub fn local_name(&self, _id: SocketId) -> Result<SocketAddr, Errno> {
        Err(Errno::EOPNOTSUPP)
    }

    /// The answer to `getpeername`.
    ///
    /// # Errors
    /// As `getpeername`.
    pub fn peer_name(&self, _id: SocketId) -> Result<SocketAddr, Errno> {
        Err(Errno::ENOTCONN)
    }

    /// The state that `poll` sees.
    #[must_use]
    pub fn readiness(&self, _id: SocketId) -> Readiness {
        Readiness::default()
    }

    /// A socket whose [readiness](Self::readiness) may have changed since it was named last; `None`
    /// when there is no more.
    pub fn poll_changed(&mut self) -> Option<SocketId> {
        None
    }

    /// Whether all sockets are closed and nothing is left to complete.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        true
    }
}

impl Node for Stack {
    fn handle_datagram(&mut self, now: Time, datagram: Datagram<'_>) {
        self.endpoint.handle_datagram(now, datagram);
    }

    fn handle_timeout(&mut self, now: Time) {
        self.endpoint.handle_timeout(now);
    }

    fn poll_transmit(
        &mut self,
        now: Time,
        buf: &mut Vec<u8>,
        max_segments: usize,
    ) -> Option<Transmit> {
        self.endpoint.poll_transmit(now, buf, max_segments)
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.endpoint.poll_timeout()
    }
}

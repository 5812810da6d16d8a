//! A connection: exchange of descriptions, then ICE, DTLS, SCTP and channels.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::Instant;

use sheave::dtls::session::{Limit, Role as DtlsRole, Settings};
use sheave::dtls::{Dtls, DtlsError, Fingerprint, Identity};
use sheave_datachannel::{
    Channel, ChannelConfig, ChannelId, ConnectionStats, Message, OpenError, Role, SendError,
};
use sheave_engine::Inits;

use crate::association::{self, Association};
use crate::description::Section;
use crate::ice::{Check, Controlling, Ice, News};
use crate::secured::{Secured, Step};
use crate::{
    ConnectionConfig, ConnectionEvent, Description, EndReason, IceMode, NegotiationError, NewError,
    SctpStart, Setup,
};

/// The SCTP port of this end, the same as in all WebRTC stacks.
const SCTP_PORT: u16 = 5000;

/// Most peer addresses remembered.
const MOST_HEARD: usize = 32;

/// An end of a WebRTC connection that carries only data channels.
pub struct PeerConnection {
    config: ConnectionConfig,
    identity: Identity,
    seed: [u8; 32],
    /// Our INIT chunk, if the description may carry it.
    init: Option<Vec<u8>>,
    ice: Ice,
    stage: Stage,
    /// Our address and the peer's, while ICE reaches the peer.
    route: Option<(SocketAddr, SocketAddr)>,
    /// Addresses at which ICE reached the peer, the newest last.
    heard: VecDeque<SocketAddr>,
    inner: Option<Inner>,
    events: VecDeque<ConnectionEvent>,
    end: Option<EndReason>,
}

/// State that exists once both descriptions are known.
struct Inner {
    secured: Secured,
    association: Association,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    New,
    Offered,
    Agreed,
    Ended,
}

/// Addresses and layout of the datagrams in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmit {
    /// Our address.
    pub local: SocketAddr,
    /// The peer's address.
    pub remote: SocketAddr,
    /// Length in bytes of each datagram but the last, if the buffer holds several.
    pub segment_size: Option<usize>,
}

impl PeerConnection {
    /// Creates a connection with a still unknown peer.
    ///
    /// # Errors
    /// See [`NewError`].
    pub fn new(now: Instant, config: ConnectionConfig) -> Result<Self, NewError> {
        let identity = match &config.identity {
            Some(identity) => identity.clone(),
            None => Identity::generate().map_err(|_| NewError::NoRandomness)?,
        };
        let seed = random_seed()?;
        let init = match config.sctp_start {
            SctpStart::Signalled => Some(
                association::init_chunk(
                    config.association.clone(),
                    config.max_pmtu,
                    random_seed()?,
                )
                .map_err(NewError::Association)?,
            ),
            SctpStart::Handshake => None,
        };
        let mut ice = Ice::new(config.ice, &config.addresses).map_err(NewError::BadAddress)?;
        ice.handle_timeout(now);
        Ok(Self {
            config,
            identity,
            seed,
            init,
            ice,
            stage: Stage::New,
            route: None,
            heard: VecDeque::new(),
            inner: None,
            events: VecDeque::new(),
            end: None,
        })
    }

    /// The fingerprint of our certificate.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        self.identity.fingerprint()
    }

    /// Creates the offer.
    ///
    /// # Errors
    /// [`Done`](NegotiationError::Done) after offer and answer were exchanged.
    pub fn offer(&mut self) -> Result<Description, NegotiationError> {
        if !matches!(self.stage, Stage::New | Stage::Offered) {
            return Err(NegotiationError::Done);
        }
        self.stage = Stage::Offered;
        let mid = "0".to_owned();
        let init = self.init.clone();
        let protocol = "UDP/DTLS/SCTP".to_owned();
        let sections = vec![Section::Data { mid, protocol }];
        Ok(self.describe(Setup::ActPass, init, sections))
    }

    /// Handles the peer's offer and creates the answer.
    ///
    /// # Errors
    /// See [`NegotiationError`].
    pub fn answer(
        &mut self,
        now: Instant,
        offer: &Description,
    ) -> Result<Description, NegotiationError> {
        if self.stage != Stage::New {
            return Err(NegotiationError::Done);
        }
        // RFC 8842 §5.3: the active role saves a round trip if the offer leaves the choice.
        let (setup, role) = match offer.setup {
            Setup::ActPass | Setup::Passive => (Setup::Active, DtlsRole::Client),
            Setup::Active => (Setup::Passive, DtlsRole::Server),
        };
        self.agree(now, offer, role, Offerer::Peer)?;
        let init = self.init.clone().filter(|_| offer.sctp_init.is_some());
        Ok(self.describe(setup, init, offer.sections.clone()))
    }

    /// Handles the answer to our offer.
    ///
    /// # Errors
    /// See [`NegotiationError`].
    pub fn accept(&mut self, now: Instant, answer: &Description) -> Result<(), NegotiationError> {
        if answer.ufrag == self.ice.credentials().0 {
            return Err(NegotiationError::OwnOffer);
        }
        let role = match (self.stage, answer.setup) {
            (Stage::Offered, Setup::Active) => DtlsRole::Server,
            (Stage::Offered, Setup::Passive) => DtlsRole::Client,
            (Stage::Offered, Setup::ActPass) => return Err(NegotiationError::SetupConflict),
            (Stage::New, _) => return Err(NegotiationError::NoOffer),
            _ => return Err(NegotiationError::Done),
        };
        self.agree(now, answer, role, Offerer::Here)
    }

    /// Adds a candidate of the peer sent after its description: the text after `a=`.
    pub fn add_remote_candidate(&mut self, candidate: &str) {
        self.ice.add_remote(candidate);
    }

    /// Opens a channel; possible once both descriptions are known.
    ///
    /// # Errors
    /// See [`OpenError`]; [`Ended`](OpenError::Ended) also before both descriptions are known.
    pub fn open(&mut self, now: Instant, config: ChannelConfig) -> Result<ChannelId, OpenError> {
        let inner = self.inner.as_mut().ok_or(OpenError::Ended)?;
        inner.association.open(now, config)
    }

    /// Queues a message on a channel, whole or not at all.
    ///
    /// # Errors
    /// See [`SendError`].
    pub fn send(
        &mut self,
        now: Instant,
        channel: ChannelId,
        message: Message,
    ) -> Result<(), SendError> {
        let inner = self.inner.as_mut().ok_or(SendError::NoChannel)?;
        inner.association.send(now, channel, message)
    }

    /// Closes a channel after everything sent on it has arrived.
    pub fn close_channel(&mut self, now: Instant, channel: ChannelId) {
        if let Some(inner) = &mut self.inner {
            inner.association.close(now, channel);
        }
    }

    /// Sets the low-water mark: [`BufferLow`](sheave_datachannel::ChannelEvent::BufferLow) is
    /// emitted each time the bytes buffered on a channel have fallen to `bytes`.
    pub fn set_low_water(&mut self, channel: ChannelId, bytes: usize) {
        if let Some(Inner { association, .. }) = &mut self.inner {
            let endpoint = &mut association.endpoint;
            association.channels.set_low_water(endpoint, channel, bytes);
        }
    }

    /// Bytes queued or unacknowledged on a channel.
    pub fn buffered(&mut self, channel: ChannelId) -> usize {
        self.inner.as_mut().map_or(0, |inner| {
            let endpoint = &mut inner.association.endpoint;
            inner.association.channels.buffered(endpoint, channel)
        })
    }

    /// A channel; `None` once it is closed.
    #[must_use]
    pub fn channel(&self, channel: ChannelId) -> Option<&Channel> {
        self.inner.as_ref()?.association.channels.channel(channel)
    }

    /// Counters of all channels.
    #[must_use]
    pub fn stats(&self) -> ConnectionStats {
        let channels = self.inner.as_ref().map(|inner| &inner.association.channels);
        channels.map_or_else(
            ConnectionStats::default,
            sheave_datachannel::DataChannels::stats,
        )
    }

    /// Counters of the association, once it exists.
    pub fn association_stats(&mut self) -> Option<sheave_engine::AssocStats> {
        let association = &mut self.inner.as_mut()?.association;
        let assoc = association.endpoint.assoc(association.channels.assoc())?;
        Some(assoc.stats())
    }

    /// Longest IP packet known to pass inside DTLS, bytes, once the association exists.
    pub fn pmtu(&mut self) -> Option<u16> {
        let association = &mut self.inner.as_mut()?.association;
        let assoc = association.endpoint.assoc(association.channels.assoc())?;
        assoc.path_stats().first().map(|path| path.pmtu)
    }

    /// Whether all sent data has been acknowledged, so that [`close`](Self::close) loses nothing.
    pub fn is_drained(&mut self) -> bool {
        let association = self.inner.as_mut().map(|inner| &mut inner.association);
        association.is_none_or(Association::is_drained)
    }

    /// Closes the connection; unacknowledged data is lost. Datagrams still to come from
    /// [`poll_transmit`](Self::poll_transmit) inform the peer.
    pub fn close(&mut self, now: Instant) {
        self.finish(now, EndReason::Local);
    }

    /// Handles a datagram; its first byte distinguishes STUN from DTLS (RFC 7983).
    pub fn handle_datagram(
        &mut self,
        now: Instant,
        local: SocketAddr,
        remote: SocketAddr,
        datagram: &[u8],
    ) {
        match datagram.first() {
            Some(0..=3) => self.ice.handle(now, (local, remote), datagram),
            // RFC 8445 §12.1: data is ignored from addresses that ICE has not validated.
            Some(20..=63) if self.heard.contains(&remote) => self.handle_record(now, datagram),
            _ => {}
        }
        self.settle(now);
    }

    /// Performs due work; call it at [`poll_timeout`](Self::poll_timeout), or at any time.
    pub fn handle_timeout(&mut self, now: Instant) {
        if is_due(self.ice.poll_timeout(), now) {
            self.ice.handle_timeout(now);
        }
        let is_reached = self.route.is_some();
        if let Some(inner) = &mut self.inner {
            if is_reached
                && is_due(inner.secured.poll_timeout(), now)
                && let Err(error) = inner.secured.handle_timeout(now)
            {
                self.finish(now, EndReason::Dtls(error));
            } else if inner.secured.is_up() && is_due(inner.association.poll_timeout(), now) {
                inner.association.handle_timeout(now);
            }
        }
        self.settle(now);
    }

    /// When to call [`handle_timeout`](Self::handle_timeout) next.
    pub fn poll_timeout(&mut self) -> Option<Instant> {
        let inner = self.inner.as_ref();
        let reached = inner.filter(|_| self.route.is_some());
        let secured = reached.and_then(|inner| inner.secured.poll_timeout());
        let up = inner.filter(|inner| inner.secured.is_up());
        let association = up.and_then(|inner| inner.association.poll_timeout());
        let ice = self
            .ice
            .poll_timeout()
            .filter(|_| self.stage != Stage::Ended);
        [ice, secured, association].into_iter().flatten().min()
    }

    /// Fills `buffer` with the next datagrams, replacing its content: up to `segments` of equal
    /// length to one address, of which the last may be shorter.
    pub fn poll_transmit(
        &mut self,
        now: Instant,
        buffer: &mut Vec<u8>,
        segments: usize,
    ) -> Option<Transmit> {
        buffer.clear();
        if let Some(Check {
            local,
            remote,
            bytes,
        }) = self.ice.poll_transmit()
        {
            buffer.extend_from_slice(&bytes);
            return Some(one(local, remote));
        }
        let inner = self.inner.as_mut()?;
        let Some((local, remote)) = self.route else {
            inner.lose_packets(now);
            return None;
        };
        if let Some(datagram) = inner.secured.poll_datagram() {
            buffer.extend_from_slice(&datagram);
            return Some(one(local, remote));
        }
        let segment_size = match inner.poll_records(now, buffer, segments) {
            Ok(size) => size?,
            Err(error) => {
                self.finish(now, EndReason::Dtls(error));
                return None;
            }
        };
        Some(Transmit {
            local,
            remote,
            segment_size: (segment_size < buffer.len()).then_some(segment_size),
        })
    }

    /// The next event. Messages are read only through this method; not calling it slows the peer
    /// down through flow control.
    pub fn poll_event(&mut self, now: Instant) -> Option<ConnectionEvent> {
        if let Some(event) = self.events.pop_front() {
            return Some(event);
        }
        if let Some(inner) = &mut self.inner
            && let Some(event) = inner.association.poll_event(now)
        {
            return Some(ConnectionEvent::Channel(event));
        }
        self.end.take().map(ConnectionEvent::Ended)
    }

    fn describe(
        &self,
        setup: Setup,
        sctp_init: Option<Vec<u8>>,
        sections: Vec<Section>,
    ) -> Description {
        let (ufrag, password) = self.ice.credentials();
        Description {
            ufrag,
            password,
            ice: self.config.ice,
            fingerprints: vec![self.identity.fingerprint()],
            setup,
            sctp_port: SCTP_PORT,
            max_message_size: self.config.channels.max_receive_size,
            sctp_init,
            candidates: self.ice.candidates(),
            sections,
        }
    }

    fn agree(
        &mut self,
        now: Instant,
        peer: &Description,
        role: DtlsRole,
        offerer: Offerer,
    ) -> Result<(), NegotiationError> {
        // RFC 8445 §6.1.1: a lite end is controlled; between two full ends the answerer is.
        let controlling = match (self.config.ice, peer.ice, offerer) {
            (IceMode::Lite, IceMode::Lite, _) => return Err(NegotiationError::BothLite),
            (IceMode::Lite, IceMode::Full, _) => Controlling::No,
            (IceMode::Full, IceMode::Lite, _) | (_, _, Offerer::Here) => Controlling::Yes,
            (IceMode::Full, IceMode::Full, Offerer::Peer) => Controlling::No,
        };
        let mut dtls = Dtls::with_certificate(self.identity.clone())
            .trusting(peer.fingerprints.iter().copied())
            .with_version(self.config.dtls);
        if let Some(path) = &self.config.key_log {
            dtls = dtls.logging_keys_to(path);
        }
        let settings = Settings::new(&dtls, Limit::Attempts);
        let settings = settings.map_err(|error| NegotiationError::Dtls(error.to_string()))?;
        let mut limits = self.config.channels.clone();
        limits.max_send_size = peer.max_message_size;
        let channel_role = match role {
            DtlsRole::Client => Role::Client,
            DtlsRole::Server => Role::Server,
        };
        let inits = match (&self.init, &peer.sctp_init) {
            (Some(ours), Some(theirs)) => Inits::new(ours, theirs),
            _ => None,
        };
        let association = Association::new(
            now,
            channel_role,
            (SCTP_PORT, peer.sctp_port),
            (self.config.association.clone(), self.config.max_pmtu),
            limits,
            self.seed,
            inits,
        );
        self.inner = Some(Inner {
            secured: Secured::new(settings, role, now),
            association: association.map_err(NegotiationError::Association)?,
        });
        self.stage = Stage::Agreed;
        self.ice.start(now, peer, controlling);
        self.settle(now);
        Ok(())
    }

    fn handle_record(&mut self, now: Instant, datagram: &[u8]) {
        let Some(inner) = &mut self.inner else {
            return;
        };
        let Inner {
            secured,
            association,
        } = inner;
        let step = secured.handle(now, datagram, &mut |packet| {
            association.handle_packet(now, packet);
        });
        match step {
            Ok(Step::Quiet) => {}
            Ok(Step::Up) => self.events.push_back(ConnectionEvent::Secured),
            Ok(Step::Closed) => self.finish(now, EndReason::Dtls(DtlsError::ClosedByPeer)),
            Err(error) => self.finish(now, EndReason::Dtls(error)),
        }
    }

    /// Passes events between ICE, DTLS and SCTP.
    fn settle(&mut self, now: Instant) {
        while let Some(news) = self.ice.poll_news() {
            match news {
                News::Lost => {
                    self.route = None;
                    self.events.push_back(ConnectionEvent::Unreachable);
                }
                News::Heard(peer) => self.hear(peer),
                News::Route { local, remote } => {
                    // The agent reports an address only once; this one may have been forgotten
                    // since.
                    self.hear(remote);
                    self.route = Some((local, remote));
                    let route = ConnectionEvent::Route { local, remote };
                    self.events.push_back(route);
                }
            }
        }
        if self.stage != Stage::Agreed {
            return;
        }
        let Some(inner) = &mut self.inner else {
            return;
        };
        if self.route.is_some()
            && let Err(error) = inner.secured.start(now)
        {
            return self.finish(now, EndReason::Dtls(error));
        }
        // Without an SCTP handshake the association is established before DTLS is.
        if inner.secured.is_up() && inner.association.take_connected() {
            self.events.push_back(ConnectionEvent::Connected);
        }
        if let Some(reason) = inner.association.take_ended() {
            self.finish(now, EndReason::Association(reason));
        }
    }

    fn hear(&mut self, peer: SocketAddr) {
        if !self.heard.contains(&peer) {
            if self.heard.len() == MOST_HEARD {
                self.heard.pop_front();
            }
            self.heard.push_back(peer);
        }
    }

    fn finish(&mut self, now: Instant, reason: EndReason) {
        if self.stage == Stage::Ended {
            return;
        }
        self.stage = Stage::Ended;
        if let Some(Inner {
            secured,
            association,
        }) = &mut self.inner
        {
            association.abort(now);
            while let Some((packets, _)) = association.poll_packets(now, 1)
                && secured.queue(now, packets).is_ok()
            {}
            secured.close(now);
        }
        self.end = Some(reason);
    }
}

impl Inner {
    /// Drops due datagrams while ICE does not reach the peer, since sending is not allowed then
    /// (RFC 7675 §5.1).
    fn lose_packets(&mut self, now: Instant) {
        if self.secured.is_up() {
            while self.association.poll_packets(now, 1).is_some() {}
        }
    }

    /// Writes the DTLS records of packets into the buffer; returns the length of all but the last.
    fn poll_records(
        &mut self,
        now: Instant,
        buffer: &mut Vec<u8>,
        most: usize,
    ) -> Result<Option<usize>, DtlsError> {
        if !self.secured.is_up() {
            return Ok(None);
        }
        let Some((packets, length)) = self.association.poll_packets(now, most) else {
            return Ok(None);
        };
        let mut first = None;
        for packet in packets.chunks(length) {
            let sealed = self.secured.seal(now, packet, buffer)?;
            first.get_or_insert(sealed);
        }
        Ok(first)
    }
}

/// The end that made the offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Offerer {
    Here,
    Peer,
}

const fn one(local: SocketAddr, remote: SocketAddr) -> Transmit {
    Transmit {
        local,
        remote,
        segment_size: None,
    }
}

fn random_seed() -> Result<[u8; 32], NewError> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(|_| NewError::NoRandomness)?;
    Ok(seed)
}

fn is_due(at: Option<Instant>, now: Instant) -> bool {
    at.is_some_and(|at| at <= now)
}

#[cfg(test)]
mod tests;

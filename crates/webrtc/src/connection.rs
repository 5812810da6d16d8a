//! A connection as a whole: descriptions exchanged, then ICE, DTLS, SCTP and channels.

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

/// The SCTP port of an end here, as every WebRTC stack has it.
const SCTP_PORT: u16 = 5000;

/// Addresses of the peer's that are known at a time.
const MOST_HEARD: usize = 32;

/// An end of a WebRTC connection with data channels alone.
pub struct PeerConnection {
    config: ConnectionConfig,
    identity: Identity,
    seed: [u8; 32],
    /// Our INIT chunk, if it may travel in the description.
    init: Option<Vec<u8>>,
    ice: Ice,
    stage: Stage,
    /// Our address and the peer's, while ICE hears the peer.
    route: Option<(SocketAddr, SocketAddr)>,
    /// Addresses at which ICE has heard the peer, the newest last.
    heard: VecDeque<SocketAddr>,
    inner: Option<Inner>,
    events: VecDeque<ConnectionEvent>,
    end: Option<EndReason>,
}

/// The parts that exist once both descriptions are known.
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

/// The addresses and layout of the datagrams in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmit {
    /// Our address.
    pub local: SocketAddr,
    /// The peer's address.
    pub remote: SocketAddr,
    /// Length of each datagram but the last in bytes, where the buffer holds several.
    pub segment_size: Option<usize>,
}

impl PeerConnection {
    /// A connection of which the peer is not known yet.
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

    /// Makes the offer.
    ///
    /// # Errors
    /// [`Done`](NegotiationError::Done) once there is an agreement.
    pub fn offer(&mut self) -> Result<Description, NegotiationError> {
        if !matches!(self.stage, Stage::New | Stage::Offered) {
            return Err(NegotiationError::Done);
        }
        self.stage = Stage::Offered;
        let mid = "0".to_owned();
        let init = self.init.clone();
        Ok(self.describe(Setup::ActPass, init, vec![Section::Data { mid }]))
    }

    /// Takes the peer's offer and makes the answer.
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
        // RFC 8842 §5.3: active spares a round trip where the offer leaves the choice.
        let (setup, role) = match offer.setup {
            Setup::ActPass | Setup::Passive => (Setup::Active, DtlsRole::Client),
            Setup::Active => (Setup::Passive, DtlsRole::Server),
        };
        self.agree(now, offer, role, Offerer::Peer)?;
        let init = self.init.clone().filter(|_| offer.sctp_init.is_some());
        Ok(self.describe(setup, init, offer.sections.clone()))
    }

    /// Takes the answer to our offer.
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

    /// Takes a candidate of the peer's that came after its description: the text behind `a=`.
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

    /// Closes a channel: what was sent on it arrives first.
    pub fn close_channel(&mut self, now: Instant, channel: ChannelId) {
        if let Some(inner) = &mut self.inner {
            inner.association.close(now, channel);
        }
    }

    /// Tells with [`BufferLow`](sheave_datachannel::ChannelEvent::BufferLow) each time that the bytes
    /// buffered on a channel have fallen to `bytes`.
    pub fn set_low_water(&mut self, channel: ChannelId, bytes: usize) {
        if let Some(Inner { association, .. }) = &mut self.inner {
            let endpoint = &mut association.endpoint;
            association.channels.set_low_water(endpoint, channel, bytes);
        }
    }

    /// Bytes on a channel that are queued, or sent and not acknowledged.
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

    /// Counters of the association, once it is there.
    pub fn association_stats(&mut self) -> Option<sheave_engine::AssocStats> {
        let association = &mut self.inner.as_mut()?.association;
        let assoc = association.endpoint.assoc(association.channels.assoc())?;
        Some(assoc.stats())
    }

    /// Bytes of the longest IP packet that the path is known to carry inside DTLS, once it is there.
    pub fn pmtu(&mut self) -> Option<u16> {
        let association = &mut self.inner.as_mut()?.association;
        let assoc = association.endpoint.assoc(association.channels.assoc())?;
        assoc.path_stats().first().map(|path| path.pmtu)
    }

    /// Whether everything that was sent has arrived: the time to [`close`](Self::close).
    pub fn is_drained(&mut self) -> bool {
        let association = self.inner.as_mut().map(|inner| &mut inner.association);
        association.is_none_or(Association::is_drained)
    }

    /// Ends the connection: what has not arrived by now is lost. What
    /// [`poll_transmit`](Self::poll_transmit) still hands out tells the peer.
    pub fn close(&mut self, now: Instant) {
        self.finish(now, EndReason::Local);
    }

    /// Takes in a datagram: STUN and DTLS are told apart by its first byte (RFC 7983).
    pub fn handle_datagram(
        &mut self,
        now: Instant,
        local: SocketAddr,
        remote: SocketAddr,
        datagram: &[u8],
    ) {
        match datagram.first() {
            Some(0..=3) => self.ice.handle(now, (local, remote), datagram),
            // RFC 8445 §12.1: data of nobody whom ICE has not heard.
            Some(20..=63) if self.heard.contains(&remote) => self.handle_record(now, datagram),
            _ => {}
        }
        self.settle(now);
    }

    /// Does what is due; to be called when [`poll_timeout`](Self::poll_timeout) says so, or any time.
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

    /// When [`handle_timeout`](Self::handle_timeout) is to be called next.
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

    /// Puts the next datagrams into `buffer`, in place of what it holds: up to `segments` of one length
    /// to one address, of which the last may be shorter.
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

    /// The next event. Messages are read as far as this is called: who does not slows the peer down.
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
        // RFC 8445 §6.1.1: a lite end is controlled, and of two full ones the answerer is.
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

    /// Passes on what the parts say to each other.
    fn settle(&mut self, now: Instant) {
        while let Some(news) = self.ice.poll_news() {
            match news {
                News::Lost => {
                    self.route = None;
                    self.events.push_back(ConnectionEvent::Unreachable);
                }
                News::Heard(peer) => self.hear(peer),
                News::Route { local, remote } => {
                    // The agent names an address once, and this one may have been forgotten.
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
        // Without a handshake it is up before DTLS is.
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
    /// Loses what is due while ICE does not hear the peer: nothing may be sent then (RFC 7675 §5.1).
    fn lose_packets(&mut self, now: Instant) {
        if self.secured.is_up() {
            while self.association.poll_packets(now, 1).is_some() {}
        }
    }

    /// Puts records of packets into the buffer; the length of each but the last.
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

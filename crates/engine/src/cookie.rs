use alloc::boxed::Box;
use alloc::vec::Vec;
use core::net::IpAddr;
use core::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use sheave_wire::{Cause, CommonHeader, Tsn, Vtag};

use crate::assoc::extensions::authentication::{KeyVector, MAX_VECTOR_LEN, Vectors};
use crate::handover::codec::{Reader, Writer};
use crate::peer_parameters::MAX_LISTED;
use crate::rng::Rng;
use crate::value::extension::ExtensionSet;
use crate::value::protection::{KeyParameter, KeyParameters, MAX_PARAMETER_LEN};
use crate::{ImportError, PeerAddress, Time};

/// The first byte of the fields, which identifies their layout.
const VERSION: u8 = 1;
/// Bytes of the HMAC-SHA-256 before the fields.
const MAC_LEN: usize = 32;
/// Bytes of one address with its family.
const MAX_ADDRESS_LEN: usize = 17;
/// Longest possible cookie of ours, bytes; longer ones are rejected without computing a MAC.
const MAX_LEN: usize = MAC_LEN
    + 84
    + (MAX_LISTED + 2) * MAX_ADDRESS_LEN
    + 2 * (2 + MAX_VECTOR_LEN)
    + 2 * (2 + MAX_PARAMETER_LEN);

/// Tie-tags for an INIT answered while an association exists (RFC 9260 §5.2.2).
///
/// RFC 9260 uses the association's verification tags. Cookies are not encrypted, so this would
/// reveal the tags to anyone who sends an INIT (RFC 5062 §4); we draw separate random tags instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TieTags {
    /// Local-Tie-Tag, not 0.
    pub(crate) local: u32,
    /// Peer's-Tie-Tag, not 0.
    pub(crate) peer: u32,
}

impl TieTags {
    /// Draws random tags for a new or restarted association.
    pub(crate) fn fresh(rng: &mut Rng) -> Self {
        Self {
            local: rng.nonzero_u32(),
            peer: rng.nonzero_u32(),
        }
    }
}

/// Information needed to create a TCB, sent to the peer and back instead of being stored (RFC
/// 9260 §5.1.3).
///
/// ```text
/// 0               16              31
/// +-------------------------------+
/// | HMAC-SHA-256 of what follows, |
/// | 32 bytes                      |
/// +-------+-------+-------+-------+
/// |version|presence|listed|  local port ...
/// +-------+-------+-------+-------+
/// remote port, local tag, peer's tag, local TSN, peer's TSN, peer's a_rwnd,
/// outbound streams, inbound streams, created (ns, offset), life span (ns), extensions,
/// [two tie-tags], [UDP port], local address, source, listed addresses, [two key vectors],
/// [adaptation], [two DTLS Key Management parameters]
/// ```
///
/// Numbers are in network byte order; an address is a byte 4 or 6 followed by 4 or 16 bytes. Bits
/// of `presence`: 0 for the tie-tags, 1 for the UDP port, 2 for the key vectors (ours first, each
/// after a two-byte length), 3 for the adaptation layer indication, 4 for the DTLS Key Management
/// parameters (encoded like the key vectors). Secrets are not included (RFC 4895 §6.3).
///
/// Anyone who receives a cookie can read it. Its contents come from the peer or were sent in INIT
/// ACK, except for two fields: the time, which could reveal our uptime and is therefore offset by a
/// value derived from the secret; and the address that the INIT was sent to, which a NAT may have
/// set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cookie {
    /// Our SCTP port.
    pub(crate) local_port: u16,
    /// The peer's SCTP port.
    pub(crate) remote_port: u16,
    /// The verification tag of packets from the peer: the initiate tag of our INIT ACK.
    pub(crate) local_tag: Vtag,
    /// The initiate tag of the peer's INIT.
    pub(crate) peer_tag: Vtag,
    /// The first TSN that we will use.
    pub(crate) local_initial_tsn: Tsn,
    /// The first TSN that the peer will use.
    pub(crate) peer_initial_tsn: Tsn,
    /// The peer's receive window, bytes.
    pub(crate) peer_rwnd: u32,
    /// Streams that we may send on, as negotiated.
    pub(crate) outbound_streams: u16,
    /// Streams that the peer may send on, as negotiated.
    pub(crate) inbound_streams: u16,
    /// Tie-tags of the association that existed when the INIT came, if one did.
    pub(crate) tie_tags: Option<TieTags>,
    /// Creation time.
    pub(crate) created: Time,
    /// Validity period from the creation time.
    pub(crate) lifespan: Duration,
    /// The address that the INIT was sent to.
    pub(crate) local: IpAddr,
    /// Source of the INIT.
    pub(crate) source: PeerAddress,
    /// The other addresses that the INIT listed, at most [`MAX_LISTED`].
    pub(crate) listed: Vec<IpAddr>,
    /// The extensions that both ends have.
    pub(crate) extensions: ExtensionSet,
    /// Key vectors, if both ends authenticate.
    pub(crate) vectors: Option<Box<Vectors>>,
    /// Adaptation indication of the peer.
    pub(crate) adaptation: Option<u32>,
    /// DTLS Key Management of both ends, if packets are protected.
    pub(crate) protection: Option<Box<KeyParameters>>,
}

impl Cookie {
    /// Whether the packet's header fits the cookie (RFC 9260 §5.1.5, step 3); a cookie issued for
    /// other ports would redirect an association.
    pub(crate) fn matches(&self, header: &CommonHeader) -> bool {
        header.source_port == self.remote_port
            && header.destination_port == self.local_port
            && header.vtag == self.local_tag
    }

    /// The peer's addresses, starting with the source of its INIT. All are assumed to use the same
    /// encapsulation (RFC 6951 §5.4).
    pub(crate) fn peer_addresses(&self) -> impl Iterator<Item = PeerAddress> + '_ {
        let encapsulation = self.source.encapsulation;
        let listed = self.listed.iter();
        core::iter::once(self.source).chain(listed.map(move |ip| PeerAddress {
            ip: *ip,
            encapsulation,
        }))
    }

    /// The life of a cookie for a peer that may have asked for a longer one (Cookie Preservative,
    /// RFC 9260 §3.3.2.1.3). At most doubles it, since long lives help replay attacks.
    pub(crate) fn lifespan(
        valid_cookie_life: Duration,
        preservative: Option<Duration>,
    ) -> Duration {
        valid_cookie_life.saturating_add(preservative.unwrap_or_default().min(valid_cookie_life))
    }

    /// The longest life that [`lifespan`](Self::lifespan) grants.
    pub(crate) fn longest_life(valid_cookie_life: Duration) -> Duration {
        Self::lifespan(valid_cookie_life, Some(valid_cookie_life))
    }

    /// Time since expiry; `None` while valid.
    fn staleness(&self, now: Time) -> Option<Duration> {
        let age = now.since(self.created);
        age.checked_sub(self.lifespan)
            .filter(|past| !past.is_zero())
    }

    /// `clock` is an offset added to times.
    fn write(&self, out: &mut Writer, clock: u64) {
        let listed = self.listed.get(..MAX_LISTED).unwrap_or(&self.listed);
        let presence = u8::from(self.tie_tags.is_some())
            | u8::from(self.source.encapsulation.is_some()) << 1
            | u8::from(self.vectors.is_some()) << 2
            | u8::from(self.adaptation.is_some()) << 3
            | u8::from(self.protection.is_some()) << 4;
        // At most MAX_LISTED.
        let count = u8::try_from(listed.len()).unwrap_or(0);
        for byte in [VERSION, presence, count] {
            out.u8(byte);
        }
        out.u16(self.local_port);
        out.u16(self.remote_port);
        for number in [
            self.local_tag.0,
            self.peer_tag.0,
            self.local_initial_tsn.0,
            self.peer_initial_tsn.0,
            self.peer_rwnd,
        ] {
            out.u32(number);
        }
        out.u16(self.outbound_streams);
        out.u16(self.inbound_streams);
        out.u64(self.created.as_nanos().wrapping_add(clock));
        out.u64(nanos(self.lifespan));
        out.u32(self.extensions.0);
        if let Some(ties) = self.tie_tags {
            out.u32(ties.local);
            out.u32(ties.peer);
        }
        if let Some(port) = self.source.encapsulation {
            out.u16(port);
        }
        for ip in [self.local, self.source.ip].iter().chain(listed) {
            out.address(*ip);
        }
        if let Some(vectors) = &self.vectors {
            out.short_bytes(vectors.ours.bytes());
            out.short_bytes(vectors.theirs.bytes());
        }
        if let Some(adaptation) = self.adaptation {
            out.u32(adaptation);
        }
        if let Some(both) = &self.protection {
            out.short_bytes(&both.ours.bytes());
            out.short_bytes(&both.theirs.bytes());
        }
    }

    /// Parses the fields. The MAC check already excludes invalid ones.
    fn parse(fields: &[u8], clock: u64) -> Result<Self, ImportError> {
        const INVALID: ImportError = ImportError::Malformed("a cookie of another layout");
        let mut reader = Reader(fields);
        let [version, presence, count] = reader.take()?;
        if version != VERSION || presence > 0b1_1111 || usize::from(count) > MAX_LISTED {
            return Err(INVALID);
        }
        let local_port = reader.u16()?;
        let remote_port = reader.u16()?;
        let local_tag = Vtag(reader.u32()?);
        let peer_tag = Vtag(reader.u32()?);
        let local_initial_tsn = Tsn(reader.u32()?);
        let peer_initial_tsn = Tsn(reader.u32()?);
        let peer_rwnd = reader.u32()?;
        let outbound_streams = reader.u16()?;
        let inbound_streams = reader.u16()?;
        let created = reader.u64()?.wrapping_sub(clock);
        let created = Time::from_nanos(created);
        let lifespan = Duration::from_nanos(reader.u64()?);
        let extensions = ExtensionSet(reader.u32()?);
        let tie_tags = match presence & 1 {
            0 => None,
            _ => Some(TieTags {
                local: reader.u32()?,
                peer: reader.u32()?,
            }),
        };
        let encapsulation = match presence & 2 {
            0 => None,
            _ => Some(reader.u16()?),
        };
        let local = reader.address()?;
        let source = PeerAddress {
            ip: reader.address()?,
            encapsulation,
        };
        let listed = (0..count)
            .map(|_| reader.address())
            .collect::<Result<_, _>>()?;
        let vectors = match presence & 4 {
            0 => None,
            _ => Some(Box::new(Vectors {
                ours: KeyVector::from_bytes(reader.short_bytes()?),
                theirs: KeyVector::from_bytes(reader.short_bytes()?),
            })),
        };
        let adaptation = match presence & 8 {
            0 => None,
            _ => Some(reader.u32()?),
        };
        let protection = match presence & 16 {
            0 => None,
            _ => Some(Box::new(KeyParameters {
                ours: KeyParameter::from_bytes(reader.short_bytes()?).ok_or(INVALID)?,
                theirs: KeyParameter::from_bytes(reader.short_bytes()?).ok_or(INVALID)?,
            })),
        };
        let cookie = Self {
            local_port,
            remote_port,
            local_tag,
            peer_tag,
            local_initial_tsn,
            peer_initial_tsn,
            peer_rwnd,
            outbound_streams,
            inbound_streams,
            tie_tags,
            created,
            lifespan,
            local,
            source,
            listed,
            extensions,
            vectors,
            adaptation,
            protection,
        };
        reader.0.is_empty().then_some(cookie).ok_or(INVALID)
    }
}

/// The reason a cookie is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CookieError {
    /// Not one of ours, altered, or sealed with a secret no longer kept: the packet is dropped
    /// silently (RFC 9260 §5.1.5, step 2).
    Forged,
    /// An expired cookie of ours. It still counts if its tags are those of an association (RFC 9260
    /// §5.2.4, step 3).
    Stale {
        /// Contents of the cookie.
        cookie: Box<Cookie>,
        /// Time since expiry.
        staleness: Duration,
    },
}

/// The cause that answers a stale cookie (RFC 9260 §3.3.10.3).
pub(crate) fn stale_cause(staleness: Duration) -> Cause<'static> {
    let micros = staleness.as_nanos().div_ceil(1000);
    Cause::StaleCookie {
        staleness: u32::try_from(micros).unwrap_or(u32::MAX),
    }
}

/// The current and the previous secret for sealing cookies.
///
/// A secret is replaced after its life, but not while a cookie sealed with the previous secret is
/// still valid.
#[derive(Clone)]
pub(crate) struct Secrets {
    current: Secret,
    previous: Option<Secret>,
    life: Duration,
    rng: Rng,
}

#[derive(Clone)]
struct Secret {
    /// Initialised once; each seal clones it.
    keyed: Hmac<Sha256>,
    /// Offset added to the times in its cookies, nanoseconds.
    clock: u64,
    in_use_since: Time,
    /// Expiry time of the last cookie sealed with it.
    needed_until: Time,
}

impl Secret {
    fn draw(rng: &mut Rng, now: Time) -> Self {
        let mut key = [0; 64];
        rng.fill(&mut key);
        Self {
            keyed: Hmac::new(&key.into()),
            clock: rng.u64(),
            in_use_since: now,
            needed_until: now,
        }
    }

    fn mac(&self, fields: &[u8]) -> Hmac<Sha256> {
        let mut mac = self.keyed.clone();
        mac.update(fields);
        mac
    }

    /// Verifies the MAC in constant time.
    fn sealed(&self, mac: &[u8; MAC_LEN], fields: &[u8]) -> bool {
        self.mac(fields).verify(mac.into()).is_ok()
    }
}

impl Secrets {
    /// Draws the first secret from `rng`, which must have no other use. Secrets are replaced after
    /// `life`.
    pub(crate) fn new(mut rng: Rng, now: Time, life: Duration) -> Self {
        Self {
            current: Secret::draw(&mut rng, now),
            previous: None,
            life,
            rng,
        }
    }

    /// Encodes and authenticates a cookie. First replaces the secret if due, so that no timer is
    /// needed.
    pub(crate) fn seal(&mut self, now: Time, cookie: &Cookie) -> Vec<u8> {
        self.rotate_if_due(now);
        let ends = cookie.created + cookie.lifespan;
        self.current.needed_until = self.current.needed_until.max(ends);

        let mut out = Writer(Vec::with_capacity(MAC_LEN + 112));
        out.0.resize(MAC_LEN, 0);
        cookie.write(&mut out, self.current.clock);
        let Writer(mut bytes) = out;
        let (mac, fields) = bytes.split_at_mut(MAC_LEN);
        mac.copy_from_slice(&self.current.mac(fields).finalize().into_bytes());
        bytes
    }

    /// Opens a cookie. The fields are parsed only after the MAC is verified.
    ///
    /// # Errors
    /// [`CookieError::Forged`] if the bytes are not ours, [`CookieError::Stale`] if they have
    /// expired.
    pub(crate) fn open(&self, now: Time, bytes: &[u8]) -> Result<Cookie, CookieError> {
        let cookie = self
            .authenticated(bytes)
            .and_then(|(fields, secret)| Cookie::parse(fields, secret.clock).ok())
            .ok_or(CookieError::Forged)?;
        match cookie.staleness(now) {
            None => Ok(cookie),
            Some(staleness) => Err(CookieError::Stale {
                cookie: Box::new(cookie),
                staleness,
            }),
        }
    }

    /// The fields after a valid MAC, and the secret it was made with.
    fn authenticated<'a>(&self, bytes: &'a [u8]) -> Option<(&'a [u8], &Secret)> {
        if bytes.len() > MAX_LEN {
            return None;
        }
        let (mac, fields) = bytes.split_first_chunk::<MAC_LEN>()?;
        let mut secrets = core::iter::once(&self.current).chain(&self.previous);
        let secret = secrets.find(|secret| secret.sealed(mac, fields))?;
        Some((fields, secret))
    }

    fn rotate_if_due(&mut self, now: Time) {
        let due = now.since(self.current.in_use_since) >= self.life;
        let needed = self
            .previous
            .as_ref()
            .is_some_and(|previous| previous.needed_until > now);
        if due && !needed {
            let next = Secret::draw(&mut self.rng, now);
            self.previous = Some(core::mem::replace(&mut self.current, next));
        }
    }
}

fn nanos(span: Duration) -> u64 {
    u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
pub(crate) mod tests;

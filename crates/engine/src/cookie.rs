use alloc::boxed::Box;
use alloc::vec::Vec;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use core::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use sheave_wire::{Cause, CommonHeader, Tsn, Vtag};

use crate::assoc::extensions::authentication::{KeyVector, MAX_VECTOR_LEN, Vectors};
use crate::peer_parameters::MAX_LISTED;
use crate::rng::Rng;
use crate::value::extension::ExtensionSet;
use crate::value::protection::{KeyParameter, KeyParameters, MAX_PARAMETER_LEN};
use crate::{PeerAddress, Time};

/// The first byte of the fields; another number means another order of fields.
const VERSION: u8 = 1;
/// Bytes of the HMAC-SHA-256 that stands in front of the fields.
const MAC_LEN: usize = 32;
/// Bytes of one address with its family.
const MAX_ADDRESS_LEN: usize = 17;
/// No cookie of ours is longer, in bytes; what is longer is not worth a MAC.
const MAX_LEN: usize = MAC_LEN
    + 84
    + (MAX_LISTED + 2) * MAX_ADDRESS_LEN
    + 2 * (2 + MAX_VECTOR_LEN)
    + 2 * (2 + MAX_PARAMETER_LEN);

/// Tie-tags of an INIT that was answered on behalf of an existing association (RFC 9260 §5.2.2).
///
/// RFC 9260 would use the association's own verification tags. Cookies are not encrypted, so that
/// would show them to whoever sends an INIT (RFC 5062 §4); these are drawn for the purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TieTags {
    /// Local-Tie-Tag, not 0.
    pub(crate) local: u32,
    /// Peer's-Tie-Tag, not 0.
    pub(crate) peer: u32,
}

impl TieTags {
    /// New ones, for a new or restarted association.
    pub(crate) fn fresh(rng: &mut Rng) -> Self {
        Self {
            local: rng.nonzero_u32(),
            peer: rng.nonzero_u32(),
        }
    }
}

/// Everything a TCB is made of, travelling to the peer and back instead of being kept here
/// (RFC 9260 §5.1.3).
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
/// Numbers are in network byte order; an address is a byte 4 or 6 and 4 or 16 bytes. `presence`
/// has bit 0 for the tie-tags, bit 1 for the UDP port and bit 2 for the key vectors, ours first,
/// each behind its length in two bytes, bit 3 for the adaptation layer indication, and bit 4 for
/// the parameters, as long and in the order of the key vectors. Secrets are
/// not in it (RFC 4895 §6.3).
///
/// Whoever gets a cookie can read it. All in it is the peer's own, or was told in INIT ACK, but for
/// two fields: the time, which would show how long we have been up, and is told from a moment that
/// only the secret knows; and the address that the INIT was sent to, which an address translator
/// may have put there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cookie {
    /// Our SCTP port.
    pub(crate) local_port: u16,
    /// The peer's SCTP port.
    pub(crate) remote_port: u16,
    /// The tag that the peer shall put into its packets: the initiate tag of our INIT ACK.
    pub(crate) local_tag: Vtag,
    /// The initiate tag of the peer's INIT.
    pub(crate) peer_tag: Vtag,
    /// The first TSN that we shall use.
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
    /// When it was made.
    pub(crate) created: Time,
    /// Time from then on for which it may come back.
    pub(crate) lifespan: Duration,
    /// The address that the INIT was sent to.
    pub(crate) local: IpAddr,
    /// Source of the INIT.
    pub(crate) source: PeerAddress,
    /// The other addresses that the INIT listed, at most [`MAX_LISTED`].
    pub(crate) listed: Vec<IpAddr>,
    /// The extensions that both sides have.
    pub(crate) extensions: ExtensionSet,
    /// Key vectors, where both sides authenticate.
    pub(crate) vectors: Option<Box<Vectors>>,
    /// Adaptation indication of the peer.
    pub(crate) adaptation: Option<u32>,
    /// DTLS Key Management of both, where packets are protected.
    pub(crate) protection: Option<Box<KeyParameters>>,
}

impl Cookie {
    /// Whether a packet with this header can have brought the cookie (RFC 9260 §5.1.5, step 3):
    /// one that was issued for other ports would redirect an association.
    pub(crate) fn matches(&self, header: &CommonHeader) -> bool {
        header.source_port == self.remote_port
            && header.destination_port == self.local_port
            && header.vtag == self.local_tag
    }

    /// The peer's addresses, the source of its INIT in front. Encapsulation is assumed to be the
    /// same for all (RFC 6951 §5.4).
    pub(crate) fn peer_addresses(&self) -> impl Iterator<Item = PeerAddress> + '_ {
        let encapsulation = self.source.encapsulation;
        let listed = self.listed.iter();
        core::iter::once(self.source).chain(listed.map(move |ip| PeerAddress {
            ip: *ip,
            encapsulation,
        }))
    }

    /// The life of a cookie for a peer that may have asked for a longer one (Cookie Preservative,
    /// RFC 9260 §3.3.2.1.3). It is at most doubled: a long life helps who replays cookies.
    pub(crate) fn lifespan(
        valid_cookie_life: Duration,
        preservative: Option<Duration>,
    ) -> Duration {
        valid_cookie_life.saturating_add(preservative.unwrap_or_default().min(valid_cookie_life))
    }

    /// The longest that [`lifespan`](Self::lifespan) grants.
    pub(crate) fn longest_life(valid_cookie_life: Duration) -> Duration {
        Self::lifespan(valid_cookie_life, Some(valid_cookie_life))
    }

    /// Time since the end of its life; `None` while it lasts.
    fn staleness(&self, now: Time) -> Option<Duration> {
        let age = now.since(self.created);
        age.checked_sub(self.lifespan)
            .filter(|past| !past.is_zero())
    }

    /// `clock`: what is added to times.
    fn write(&self, out: &mut Vec<u8>, clock: u64) {
        let listed = self.listed.get(..MAX_LISTED).unwrap_or(&self.listed);
        let presence = u8::from(self.tie_tags.is_some())
            | u8::from(self.source.encapsulation.is_some()) << 1
            | u8::from(self.vectors.is_some()) << 2
            | u8::from(self.adaptation.is_some()) << 3
            | u8::from(self.protection.is_some()) << 4;
        // At most MAX_LISTED.
        let count = u8::try_from(listed.len()).unwrap_or(0);
        out.extend_from_slice(&[VERSION, presence, count]);
        out.extend_from_slice(&self.local_port.to_be_bytes());
        out.extend_from_slice(&self.remote_port.to_be_bytes());
        for number in [
            self.local_tag.0,
            self.peer_tag.0,
            self.local_initial_tsn.0,
            self.peer_initial_tsn.0,
            self.peer_rwnd,
        ] {
            out.extend_from_slice(&number.to_be_bytes());
        }
        out.extend_from_slice(&self.outbound_streams.to_be_bytes());
        out.extend_from_slice(&self.inbound_streams.to_be_bytes());
        let created = self.created.as_nanos().wrapping_add(clock);
        out.extend_from_slice(&created.to_be_bytes());
        out.extend_from_slice(&nanos(self.lifespan).to_be_bytes());
        out.extend_from_slice(&self.extensions.0.to_be_bytes());
        if let Some(ties) = self.tie_tags {
            out.extend_from_slice(&ties.local.to_be_bytes());
            out.extend_from_slice(&ties.peer.to_be_bytes());
        }
        if let Some(port) = self.source.encapsulation {
            out.extend_from_slice(&port.to_be_bytes());
        }
        for ip in [self.local, self.source.ip].iter().chain(listed) {
            write_address(*ip, out);
        }
        if let Some(vectors) = &self.vectors {
            write_bytes(vectors.ours.bytes(), out);
            write_bytes(vectors.theirs.bytes(), out);
        }
        if let Some(adaptation) = self.adaptation {
            out.extend_from_slice(&adaptation.to_be_bytes());
        }
        if let Some(both) = &self.protection {
            write_bytes(&both.ours.bytes(), out);
            write_bytes(&both.theirs.bytes(), out);
        }
    }

    /// `None` for fields that are not ours, which their MAC has ruled out before.
    fn parse(fields: &[u8], clock: u64) -> Option<Self> {
        let mut reader = CookieReader(fields);
        let [version, presence, count] = reader.take()?;
        if version != VERSION || presence > 0b1_1111 || usize::from(count) > MAX_LISTED {
            return None;
        }
        let local_port = u16::from_be_bytes(reader.take()?);
        let remote_port = u16::from_be_bytes(reader.take()?);
        let local_tag = Vtag(reader.u32()?);
        let peer_tag = Vtag(reader.u32()?);
        let local_initial_tsn = Tsn(reader.u32()?);
        let peer_initial_tsn = Tsn(reader.u32()?);
        let peer_rwnd = reader.u32()?;
        let outbound_streams = u16::from_be_bytes(reader.take()?);
        let inbound_streams = u16::from_be_bytes(reader.take()?);
        let created = u64::from_be_bytes(reader.take()?).wrapping_sub(clock);
        let created = Time::from_nanos(created);
        let lifespan = Duration::from_nanos(u64::from_be_bytes(reader.take()?));
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
            _ => Some(u16::from_be_bytes(reader.take()?)),
        };
        let local = reader.address()?;
        let source = PeerAddress {
            ip: reader.address()?,
            encapsulation,
        };
        let listed = (0..count)
            .map(|_| reader.address())
            .collect::<Option<_>>()?;
        let vectors = match presence & 4 {
            0 => None,
            _ => Some(Box::new(Vectors {
                ours: KeyVector::from_bytes(reader.bytes()?),
                theirs: KeyVector::from_bytes(reader.bytes()?),
            })),
        };
        let adaptation = match presence & 8 {
            0 => None,
            _ => Some(reader.u32()?),
        };
        let protection = match presence & 16 {
            0 => None,
            _ => Some(Box::new(KeyParameters {
                ours: KeyParameter::from_bytes(reader.bytes()?)?,
                theirs: KeyParameter::from_bytes(reader.bytes()?)?,
            })),
        };
        reader.0.is_empty().then_some(Self {
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
        })
    }
}

/// The reason why a cookie does not make an association.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CookieError {
    /// Not one of ours, altered, or so old that its secret is gone: the packet is dropped in
    /// silence (RFC 9260 §5.1.5, step 2).
    Forged,
    /// Ours, but it came too late. It still counts where its tags are those of an association
    /// (RFC 9260 §5.2.4, step 3).
    Stale {
        /// Contents of the cookie.
        cookie: Box<Cookie>,
        /// Time since the end of its life.
        staleness: Duration,
    },
}

/// The cause with which a stale cookie is answered (RFC 9260 §3.3.10.3).
pub(crate) fn stale_cause(staleness: Duration) -> Cause<'static> {
    let micros = staleness.as_nanos().div_ceil(1000);
    Cause::StaleCookie {
        staleness: u32::try_from(micros).unwrap_or(u32::MAX),
    }
}

/// The secrets that cookies are sealed with: the one in use, and the one before.
///
/// A secret is replaced once it has been in use for its life, but not before every cookie of the
/// secret that must go has ended its own.
#[derive(Clone)]
pub(crate) struct Secrets {
    current: Secret,
    previous: Option<Secret>,
    life: Duration,
    rng: Rng,
}

#[derive(Clone)]
struct Secret {
    /// Keyed once; a seal clones it.
    keyed: Hmac<Sha256>,
    /// Offset added to the times in its cookies, nanoseconds.
    clock: u64,
    in_use_since: Time,
    /// When the last cookie that it sealed ends its life.
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

    /// Takes the same time whichever bytes differ.
    fn sealed(&self, mac: &[u8; MAC_LEN], fields: &[u8]) -> bool {
        self.mac(fields).verify(mac.into()).is_ok()
    }
}

impl Secrets {
    /// Draws the first secret from `rng`, which must serve nothing else. Secrets are replaced
    /// after `life`.
    pub(crate) fn new(mut rng: Rng, now: Time, life: Duration) -> Self {
        Self {
            current: Secret::draw(&mut rng, now),
            previous: None,
            life,
            rng,
        }
    }

    /// The cookie's bytes, authenticated. Replaces the secret first if that is due, so that no
    /// timer is needed.
    pub(crate) fn seal(&mut self, now: Time, cookie: &Cookie) -> Vec<u8> {
        self.rotate_if_due(now);
        let ends = cookie.created + cookie.lifespan;
        self.current.needed_until = self.current.needed_until.max(ends);

        let mut bytes = Vec::with_capacity(MAC_LEN + 112);
        bytes.resize(MAC_LEN, 0);
        cookie.write(&mut bytes, self.current.clock);
        let (mac, fields) = bytes.split_at_mut(MAC_LEN);
        mac.copy_from_slice(&self.current.mac(fields).finalize().into_bytes());
        bytes
    }

    /// The cookie that `bytes` are, once they are proved to be ours: nothing in them is looked at
    /// before.
    ///
    /// # Errors
    /// [`CookieError::Forged`] if they are not ours, [`CookieError::Stale`] if they come too late.
    pub(crate) fn open(&self, now: Time, bytes: &[u8]) -> Result<Cookie, CookieError> {
        let cookie = self
            .authenticated(bytes)
            .and_then(|(fields, secret)| Cookie::parse(fields, secret.clock))
            .ok_or(CookieError::Forged)?;
        match cookie.staleness(now) {
            None => Ok(cookie),
            Some(staleness) => Err(CookieError::Stale {
                cookie: Box::new(cookie),
                staleness,
            }),
        }
    }

    /// The fields behind a MAC of ours, and the secret that it was made with.
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

/// Takes numbers from the front of bytes.
struct CookieReader<'a>(&'a [u8]);

impl<'a> CookieReader<'a> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_be_bytes)
    }

    /// Bytes behind their length.
    fn bytes(&mut self) -> Option<&'a [u8]> {
        let len = u16::from_be_bytes(self.take()?);
        let (bytes, rest) = self.0.split_at_checked(len.into())?;
        self.0 = rest;
        Some(bytes)
    }

    fn address(&mut self) -> Option<IpAddr> {
        match self.take()? {
            [4] => Some(Ipv4Addr::from(self.take::<4>()?).into()),
            [6] => Some(Ipv6Addr::from(self.take::<16>()?).into()),
            [_] => None,
        }
    }
}

fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    let len = u16::try_from(bytes.len()).unwrap_or(u16::MAX);
    out.extend_from_slice(&len.to_be_bytes());
    out.extend_from_slice(bytes);
}

fn write_address(ip: IpAddr, out: &mut Vec<u8>) {
    match ip {
        IpAddr::V4(ip) => {
            out.push(4);
            out.extend_from_slice(&ip.octets());
        }
        IpAddr::V6(ip) => {
            out.push(6);
            out.extend_from_slice(&ip.octets());
        }
    }
}

fn nanos(span: Duration) -> u64 {
    u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;

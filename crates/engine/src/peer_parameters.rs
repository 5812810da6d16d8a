mod address_types;
mod fault;
mod ours;
mod unrecognized;

use alloc::vec::Vec;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use core::time::Duration;

use bytes::Bytes;
use sheave_wire::{ChunkType, Init, List, Malformed, Parameter, RawParameter, Tsn, Vtag};

pub(crate) use address_types::AddressTypes;
pub(crate) use fault::{FaultAnswer, Flaw, ParameterFault};
pub(crate) use ours::{address_tlvs, init_ack_parameters, init_parameters};
pub(crate) use unrecognized::Unrecognized;

use crate::assoc::extensions::authentication::KeyVector;
use crate::offer::{Offer, Recognition};
use crate::value::extension::ExtensionSet;
use crate::value::protection::KeyParameter;
use crate::{Authentication, Unauthenticated};

/// Most addresses taken from one INIT or INIT ACK, excluding the source; further ones are ignored.
pub(crate) const MAX_LISTED: usize = 32;

/// Smallest receive window that a peer may announce, bytes (RFC 9260 §3.3.2).
const MIN_RWND: u32 = 1500;

/// The checked contents of the peer's INIT or INIT ACK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PeerParameters {
    /// The verification tag of packets to the peer; not 0.
    pub(crate) tag: Vtag,
    /// The first TSN that the peer will use.
    pub(crate) initial_tsn: Tsn,
    /// Receive window of the peer, bytes; at least 1500.
    pub(crate) rwnd: u32,
    /// Streams that the peer wants to send on (OS); not 0.
    pub(crate) outbound_streams: u16,
    /// Streams that the peer accepts at most (MIS); not 0.
    pub(crate) inbound_streams: u16,
    /// The listed addresses, without the chunk's source and duplicates, at most [`MAX_LISTED`]; all
    /// usable as destinations, see [`is_usable`].
    pub(crate) listed: Vec<IpAddr>,
    /// The address types that the peer supports (RFC 9260 §5.1.2).
    pub(crate) supported: AddressTypes,
    /// The requested extension of the cookie's life (INIT only).
    pub(crate) preservative: Option<Duration>,
    /// The extensions that both ends have.
    pub(crate) extensions: ExtensionSet,
    /// The peer's key vector, if the peer authenticates (RFC 4895 §6.1).
    pub(crate) vector: Option<KeyVector>,
    /// Adaptation indication of the peer (RFC 5061 §4.2.6).
    pub(crate) adaptation: Option<u32>,
    /// DTLS Key Management of the peer.
    pub(crate) protection: Option<KeyParameter>,
    /// Parameters that we do not know and must report.
    pub(crate) unrecognized: Unrecognized,
}

/// The streams of an association, as negotiated (RFC 9260 §5.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Streams {
    /// Streams that we send on.
    pub(crate) outbound: u16,
    /// Streams that the peer sends on.
    pub(crate) inbound: u16,
}

impl PeerParameters {
    /// Reads an INIT from `source`. Addresses of types not in `families`, the types of our own
    /// addresses, are ignored.
    ///
    /// # Errors
    /// The first fault, and the answer to it.
    pub(crate) fn of_init(
        init: &Init<'_>,
        source: IpAddr,
        families: AddressTypes,
        known: &Offer,
    ) -> Result<Self, ParameterFault> {
        read(init, source, families, known)
            .map(|(peer, _)| peer)
            .map_err(ParameterFault::in_init)
    }

    /// Whether the peer authenticates if we require it.
    pub(crate) fn satisfies(&self, wanted: &Authentication) -> bool {
        let insists = wanted
            .options()
            .is_some_and(|options| options.others == Unauthenticated::Refused);
        !insists || self.vector.is_some()
    }

    /// Reads an INIT ACK from `source` like [`of_init`](Self::of_init), and its State Cookie.
    ///
    /// # Errors
    /// The first fault, and the answer to it in COOKIE-WAIT, the only phase in which INIT ACK is
    /// accepted (RFC 9260 §5.2.3).
    pub(crate) fn of_init_ack(
        init_ack: &Init<'_>,
        source: IpAddr,
        families: AddressTypes,
        known: &Offer,
    ) -> Result<(Self, Bytes), ParameterFault> {
        read(init_ack, source, families, known)
            .and_then(|(peer, cookie)| {
                let cookie = cookie.ok_or(Flaw::MissingCookie)?;
                Ok((peer, Bytes::copy_from_slice(cookie)))
            })
            .map_err(ParameterFault::in_init_ack)
    }

    /// The negotiated streams if we want to send on `outbound` and receive on at most `inbound`.
    pub(crate) fn negotiate(&self, outbound: u16, inbound: u16) -> Streams {
        Streams {
            outbound: outbound.min(self.inbound_streams),
            inbound: inbound.min(self.outbound_streams),
        }
    }
}

/// Reads an INIT or INIT ACK, and its State Cookie if there is one.
fn read<'a>(
    init: &Init<'a>,
    source: IpAddr,
    families: AddressTypes,
    known: &Offer,
) -> Result<(PeerParameters, Option<&'a [u8]>), Flaw> {
    check_fixed_fields(init)?;
    let parameters = ParameterReader::read(init, source, families, known)?;
    let vector = parameters.vector()?;
    let (authenticates, refused) = if vector.is_some() {
        (ExtensionSet::AUTHENTICATION, ExtensionSet::NONE)
    } else {
        (ExtensionSet::NONE, parameters.needs_proof())
    };
    let peer = PeerParameters {
        tag: init.initiate_tag,
        initial_tsn: init.initial_tsn,
        rwnd: init.a_rwnd,
        outbound_streams: init.outbound_streams,
        inbound_streams: init.inbound_streams,
        supported: parameters.supported(),
        listed: parameters.listed,
        preservative: parameters.preservative,
        extensions: parameters
            .extensions
            .without(ExtensionSet::AUTHENTICATION)
            .without(refused)
            .union(authenticates),
        vector,
        adaptation: parameters.adaptation,
        protection: parameters.protection,
        unrecognized: parameters.unrecognized,
    };
    Ok((peer, parameters.cookie))
}

/// RFC 9260 §3.3.2, §3.3.3.
fn check_fixed_fields(init: &Init<'_>) -> Result<(), Flaw> {
    if init.initiate_tag == Vtag(0) {
        Err(Flaw::ZeroTag)
    } else if init.a_rwnd < MIN_RWND {
        Err(Flaw::SmallWindow)
    } else if init.outbound_streams == 0 || init.inbound_streams == 0 {
        Err(Flaw::NoStreams)
    } else {
        Ok(())
    }
}

/// Whether to read the remaining parameters of the chunk.
enum Next {
    Continue,
    Stop,
}

/// Reads the parameters of an INIT or INIT ACK in a single pass.
struct ParameterReader<'a, 'k> {
    source: IpAddr,
    families: AddressTypes,
    known: &'k Offer,
    listed: Vec<IpAddr>,
    /// Types of the source and all listed addresses, including ignored ones.
    seen: AddressTypes,
    /// Content of Supported Address Types, if present.
    supported: Option<AddressTypes>,
    preservative: Option<Duration>,
    cookie: Option<&'a [u8]>,
    extensions: ExtensionSet,
    random: Option<&'a [u8]>,
    chunk_list: Option<&'a [u8]>,
    algorithms: Option<List<'a, u16>>,
    adaptation: Option<u32>,
    protection: Option<KeyParameter>,
    unrecognized: Unrecognized,
}

impl<'a, 'k> ParameterReader<'a, 'k> {
    fn read(
        init: &Init<'a>,
        source: IpAddr,
        families: AddressTypes,
        known: &'k Offer,
    ) -> Result<Self, Flaw> {
        let mut reader = Self {
            source,
            families,
            known,
            listed: Vec::new(),
            seen: AddressTypes::of([source]),
            supported: None,
            preservative: None,
            cookie: None,
            extensions: ExtensionSet::NONE,
            random: None,
            chunk_list: None,
            algorithms: None,
            adaptation: None,
            protection: None,
            unrecognized: Unrecognized::default(),
        };
        for parameter in &init.parameters {
            if let Next::Stop = reader.on_parameter(parameter)? {
                break;
            }
        }
        Ok(reader)
    }

    /// Reads a parameter. Of repeated parameters, the first counts.
    fn on_parameter(&mut self, parameter: Result<Parameter<'a>, Malformed>) -> Result<Next, Flaw> {
        match parameter.map_err(|malformed| Flaw::Malformed(malformed.what))? {
            Parameter::Ipv4Address(ip) => self.on_address(ip.into()),
            Parameter::Ipv6Address(ip) => self.on_address(ip.into()),
            Parameter::StateCookie(cookie) => {
                self.cookie.get_or_insert(cookie);
            }
            Parameter::CookiePreservative { increment } => {
                let increment = Duration::from_millis(increment.into());
                self.preservative.get_or_insert(increment);
            }
            Parameter::SupportedAddressTypes(types) => {
                let types = AddressTypes::of_parameter_types(types);
                self.supported.get_or_insert(types);
            }
            // RFC 9260 §5.1.2 B.
            Parameter::HostNameAddress(name) => return Err(Flaw::host_name(name)),
            // Known, and ignored here: extensions that the peer did not recognize are simply not
            // used.
            Parameter::HeartbeatInfo(_) | Parameter::UnrecognizedParameter(_) => {}
            Parameter::DtlsKeyManagement(told) => {
                if self.protection.is_none() {
                    self.protection = KeyParameter::of_peer(&told);
                }
            }
            Parameter::EcnCapable => {
                let said = self.known.recognize_reserved(ExtensionSet::ECN);
                self.extensions = self.extensions.union(said);
            }
            Parameter::Random(number) => {
                self.random.get_or_insert(number);
            }
            Parameter::ChunkList(types) => {
                self.chunk_list.get_or_insert(types);
            }
            Parameter::RequestedHmacs(ids) => {
                self.algorithms.get_or_insert(ids);
            }
            Parameter::AdaptationLayerIndication(indication) => {
                self.adaptation.get_or_insert(indication);
            }
            Parameter::Unknown(raw) => return Ok(self.on_unknown(&raw)),
        }
        Ok(Next::Continue)
    }

    /// The peer's key vector, if we authenticate and share an HMAC algorithm with the peer (RFC
    /// 4895 §6.1).
    fn vector(&self) -> Result<Option<KeyVector>, Flaw> {
        let wanted = self.known.recognize_reserved(ExtensionSet::AUTHENTICATION);
        let (Some(random), Some(algorithms)) = (self.random, self.algorithms) else {
            return Ok(None);
        };
        if wanted == ExtensionSet::NONE {
            return Ok(None);
        }
        let vector =
            KeyVector::of_peer(random, self.chunk_list, algorithms).map_err(Flaw::Malformed)?;
        Ok(Some(vector).filter(|vector| vector.preferred().is_some()))
    }

    /// The extensions unusable without authentication: a peer that lists ASCONF among the chunks to
    /// authenticate silently drops unauthenticated ones (RFC 4895 §6.3, RFC 5061 §4.1.1).
    fn needs_proof(&self) -> ExtensionSet {
        let listed = self.chunk_list.unwrap_or_default();
        let changes = [ChunkType::ASCONF, ChunkType::ASCONF_ACK];
        if changes.iter().any(|change| listed.contains(&change.0)) {
            ExtensionSet::ADDRESS_CHANGES
        } else {
            ExtensionSet::NONE
        }
    }

    fn on_address(&mut self, ip: IpAddr) {
        self.seen = self.seen.union(AddressTypes::of([ip]));
        let wanted = self.listed.len() < MAX_LISTED
            && ip != self.source
            && self.families.contains(ip)
            && is_usable(ip, self.source)
            && !self.listed.contains(&ip);
        if wanted {
            self.listed.push(ip);
        }
    }

    /// RFC 9260 §3.2.1, for parameters of no extension.
    fn on_unknown(&mut self, raw: &RawParameter<'_>) -> Next {
        match self.known.recognize(raw) {
            Recognition::Known(said) => {
                self.extensions = self.extensions.union(said);
                Next::Continue
            }
            Recognition::Unknown => {
                let action = raw.parameter_type.unknown_action();
                if action.reports() {
                    self.unrecognized.push(raw.bytes());
                }
                if action.continues() {
                    Next::Continue
                } else {
                    Next::Stop
                }
            }
        }
    }

    /// The peer's address types. Without Supported Address Types, the peer supports both; with it,
    /// also the types of the addresses it lists (RFC 9260 §5.1.2).
    fn supported(&self) -> AddressTypes {
        self.supported
            .map_or(AddressTypes::BOTH, |supported| supported.union(self.seen))
    }
}

/// Whether packets can be sent to `ip`, listed by a peer at `source`.
///
/// Rejects addresses that do not identify one machine (unspecified, multicast, broadcast,
/// reserved), IPv4-mapped addresses (RFC 9260 §3.3.2.1.2), and addresses of narrower scope than
/// `source`: loopback from a peer on another host, link-local from a peer off the link.
pub(crate) fn is_usable(ip: IpAddr, source: IpAddr) -> bool {
    let is_unicast = match ip {
        IpAddr::V4(ip) => is_unicast_v4(ip),
        IpAddr::V6(ip) => is_unicast_v6(ip),
    };
    is_unicast && Reach::of(ip) >= Reach::of(source)
}

/// Whether `ip` can be the source or destination address of one machine. Accepts reserved
/// addresses, which some networks use; a carrier may use them for peers without addresses of their
/// own (RFC 8261).
pub(crate) fn is_unicast(ip: IpAddr) -> bool {
    let reserved = matches!(ip, IpAddr::V4(ip) if ip.octets()[0] >= 240 && !ip.is_broadcast());
    reserved || is_usable(ip, ip)
}

fn is_unicast_v4(ip: Ipv4Addr) -> bool {
    // 0.0.0.0/8 is "this network" (RFC 1122 §3.2.1.3), 224.0.0.0/4 multicast, 240.0.0.0/4 reserved
    // with the broadcast address at its end.
    let [first, ..] = ip.octets();
    (1..224).contains(&first)
}

fn is_unicast_v6(ip: Ipv6Addr) -> bool {
    !ip.is_unspecified() && !ip.is_multicast() && ip.to_ipv4_mapped().is_none()
}

/// The scope within which an address identifies the same machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    Host,
    Link,
    Beyond,
}

impl Reach {
    fn of(ip: IpAddr) -> Self {
        let is_link_local = match ip {
            IpAddr::V4(ip) => ip.is_link_local(),
            IpAddr::V6(ip) => ip.is_unicast_link_local(),
        };
        if ip.is_loopback() {
            Self::Host
        } else if is_link_local {
            Self::Link
        } else {
            Self::Beyond
        }
    }
}

#[cfg(test)]
mod tests;

use alloc::vec::Vec;
use core::net::IpAddr;
use core::time::Duration;

use sheave_wire::{List, Parameter, Parameters};

use super::{AddressTypes, MAX_LISTED, PeerParameters, is_usable};
use crate::offer::Offer;

/// The parameters of an INIT sent from the address `from`, for an association that will use the
/// `local` addresses. `preservative` requests a longer cookie life (RFC 9260 §5.2.6).
///
/// With a single address, Supported Address Types is omitted: pion drops an INIT that contains it,
/// and listed addresses of the other type are ignored anyway.
pub(crate) fn init_parameters<'a>(
    local: &[IpAddr],
    from: IpAddr,
    preservative: Option<Duration>,
    extensions: &'a Offer,
) -> Vec<Parameter<'a>> {
    let types = AddressTypes::of(local.iter().copied().chain([from]));
    let mut parameters: Vec<_> = addresses(local, from, types).map(address).collect();
    let is_multi_homed = !parameters.is_empty();
    parameters.extend(preservative.map(|increment| Parameter::CookiePreservative {
        increment: u32::try_from(increment.as_millis()).unwrap_or(u32::MAX),
    }));
    if is_multi_homed {
        let types = List::from(types.parameter_types());
        parameters.push(Parameter::SupportedAddressTypes(types));
    }
    extensions.offer(&mut parameters);
    parameters
}

/// The parameters of an INIT ACK sent from the address `from`, in answer to an INIT with the
/// parameters `peer`.
pub(crate) fn init_ack_parameters<'a>(
    cookie: &'a [u8],
    local: &[IpAddr],
    from: IpAddr,
    peer: &'a PeerParameters,
    extensions: &'a Offer,
) -> Vec<Parameter<'a>> {
    let mut parameters = Vec::with_capacity(8);
    parameters.push(Parameter::StateCookie(cookie));
    parameters.extend(addresses(local, from, peer.supported).map(address));
    extensions.offer(&mut parameters);
    let reports = peer.unrecognized.iter();
    parameters.extend(reports.map(Parameter::UnrecognizedParameter));
    parameters
}

/// Encoded address parameters: the value of the cause Restart of an Association with New Addresses
/// (RFC 9260 §3.3.10.11).
pub(crate) fn address_tlvs(addresses: &[IpAddr]) -> Vec<u8> {
    let parameters: Vec<_> = addresses.iter().copied().map(address).collect();
    let mut wire = Vec::new();
    Parameters::from(parameters.as_slice()).write(&mut wire);
    wire
}

/// The addresses of `local` to list. Empty if `from`, which the peer sees anyway, is the only one,
/// so that NATs need not translate any (RFC 9260 §3.3.2.1.2).
fn addresses(
    local: &[IpAddr],
    from: IpAddr,
    types: AddressTypes,
) -> impl Iterator<Item = IpAddr> + '_ {
    let fit = move |ip: &IpAddr| types.contains(*ip) && is_usable(*ip, from);
    let is_multi_homed = local.iter().any(|ip| *ip != from && fit(ip));
    let listed = local.iter().copied().filter(fit);
    listed.take(if is_multi_homed { MAX_LISTED } else { 0 })
}

const fn address<'a>(ip: IpAddr) -> Parameter<'a> {
    match ip {
        IpAddr::V4(ip) => Parameter::Ipv4Address(ip),
        IpAddr::V6(ip) => Parameter::Ipv6Address(ip),
    }
}

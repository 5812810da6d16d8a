use std::net::{Ipv4Addr, Ipv6Addr};

use arbitrary::Arbitrary;
use sheave_wire::{KeyManagement, List, Parameter, RawParameter};

use super::{Opaque, Several, length_field};

#[derive(Arbitrary, Debug)]
pub(crate) enum ParameterModel {
    HeartbeatInfo(Opaque),
    Ipv4Address(Ipv4Addr),
    Ipv6Address(Ipv6Addr),
    StateCookie(Opaque),
    UnrecognizedParameter(Opaque),
    CookiePreservative(u32),
    HostNameAddress(Opaque),
    SupportedAddressTypes(Several<u16>),
    EcnCapable,
    Random(Opaque),
    ChunkList(Opaque),
    RequestedHmacs(Several<u16>),
    AdaptationLayerIndication(u32),
    DtlsKeyManagement(u32, u8, Opaque),
    Unknown { kind: u16, value: Opaque },
}

impl ParameterModel {
    /// The whole bytes of an unknown parameter, which a [`RawParameter`] borrows.
    pub(super) fn raw(&self) -> Vec<u8> {
        let Self::Unknown { kind, value } = self else {
            return Vec::new();
        };
        // Known types are below 16, 0x8000 to 0x8006, and 0xC006.
        let kind = if kind & 0x3ff0 == 0 {
            kind | 0x2000
        } else {
            *kind
        };
        [&kind.to_be_bytes()[..], &length_field(value), value].concat()
    }

    pub(super) fn parameter<'a>(&'a self, raw: &'a [u8]) -> Parameter<'a> {
        match self {
            Self::HeartbeatInfo(value) => Parameter::HeartbeatInfo(value),
            Self::Ipv4Address(address) => Parameter::Ipv4Address(*address),
            Self::Ipv6Address(address) => Parameter::Ipv6Address(*address),
            Self::StateCookie(value) => Parameter::StateCookie(value),
            Self::UnrecognizedParameter(value) => Parameter::UnrecognizedParameter(value),
            Self::CookiePreservative(increment) => Parameter::CookiePreservative {
                increment: *increment,
            },
            Self::HostNameAddress(value) => Parameter::HostNameAddress(value),
            Self::SupportedAddressTypes(types) => {
                Parameter::SupportedAddressTypes(List::from(&types[..]))
            }
            Self::EcnCapable => Parameter::EcnCapable,
            Self::Random(number) => Parameter::Random(number),
            Self::ChunkList(types) => Parameter::ChunkList(types),
            Self::RequestedHmacs(ids) => Parameter::RequestedHmacs(List::from(&ids[..])),
            Self::AdaptationLayerIndication(number) => {
                Parameter::AdaptationLayerIndication(*number)
            }
            Self::DtlsKeyManagement(tie_breaker, flags, methods) => {
                Parameter::DtlsKeyManagement(KeyManagement {
                    tie_breaker: *tie_breaker,
                    flags: *flags,
                    methods: if methods.is_empty() { &[0] } else { methods },
                })
            }
            Self::Unknown { .. } => {
                Parameter::Unknown(RawParameter::parse(raw).expect("a whole parameter"))
            }
        }
    }
}

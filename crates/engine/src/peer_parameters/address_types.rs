use core::net::IpAddr;

use sheave_wire::{List, ParameterType};

/// A set of address types: IPv4, IPv6, both or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AddressTypes(u8);

impl AddressTypes {
    /// The empty set.
    pub(crate) const NONE: Self = Self(0);
    /// IPv4 only.
    pub(crate) const IPV4: Self = Self(1);
    /// IPv6 only.
    pub(crate) const IPV6: Self = Self(2);
    /// IPv4 and IPv6.
    pub(crate) const BOTH: Self = Self(3);

    /// The types of these addresses.
    pub(crate) fn of(addresses: impl IntoIterator<Item = IpAddr>) -> Self {
        let types = addresses.into_iter().map(Self::of_one);
        types.fold(Self::NONE, Self::union)
    }

    /// The types listed in Supported Address Types; others, such as Host Name, are ignored (RFC
    /// 9260 §3.3.2.1.5).
    pub(crate) fn of_parameter_types(types: List<'_, u16>) -> Self {
        types
            .iter()
            .map(|number| match ParameterType(number) {
                ParameterType::IPV4_ADDRESS => Self::IPV4,
                ParameterType::IPV6_ADDRESS => Self::IPV6,
                _ => Self::NONE,
            })
            .fold(Self::NONE, Self::union)
    }

    /// Encodes the set for Supported Address Types.
    pub(crate) const fn parameter_types(self) -> &'static [u16] {
        const V4: u16 = ParameterType::IPV4_ADDRESS.0;
        const V6: u16 = ParameterType::IPV6_ADDRESS.0;
        match self {
            Self::IPV4 => &[V4],
            Self::IPV6 => &[V6],
            Self::BOTH => &[V4, V6],
            _ => &[],
        }
    }

    /// Whether the set contains the type of `ip`.
    pub(crate) fn contains(self, ip: IpAddr) -> bool {
        self.0 & Self::of_one(ip).0 != 0
    }

    /// The union of both sets.
    pub(crate) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn of_one(ip: IpAddr) -> Self {
        match ip {
            IpAddr::V4(_) => Self::IPV4,
            IpAddr::V6(_) => Self::IPV6,
        }
    }
}

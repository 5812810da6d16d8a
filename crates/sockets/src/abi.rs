//! Numbers and struct layouts of an operating system.

mod layout;
mod linux;
mod names;

use core::fmt;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6};

pub(crate) use layout::{Field, Layout, Record, Struct, View};
pub(crate) use names::{ControlType, Levels, MessageFlags, OptionName, SendFlags, SocketOption};

use crate::Errno;

/// The numbers and struct layouts that programs of one operating system use.
#[derive(Clone, Copy)]
pub struct Abi(&'static Tables);

/// The tables behind an [`Abi`].
pub(crate) struct Tables {
    name: &'static str,
    /// The family of IPv4 and IPv6 addresses.
    families: (u16, u16),
    levels: Levels,
    options: &'static [(i32, OptionName)],
    socket_options: &'static [(i32, SocketOption)],
    control_types: &'static [(i32, ControlType)],
    message_flags: MessageFlags,
    send_flags: SendFlags,
    layouts: fn(Struct) -> &'static Layout,
}

impl Abi {
    /// Linux on a 64-bit machine (`linux/sctp.h`).
    pub const LINUX: Self = Self(&linux::TABLES);

    pub(crate) const fn levels(self) -> Levels {
        self.0.levels
    }

    pub(crate) const fn message_flags(self) -> MessageFlags {
        self.0.message_flags
    }

    pub(crate) const fn send_flags(self) -> SendFlags {
        self.0.send_flags
    }

    pub(crate) fn option(self, number: i32) -> Option<OptionName> {
        let mut options = self.0.options.iter();
        options
            .find(|(other, _)| *other == number)
            .map(|(_, name)| *name)
    }

    pub(crate) fn socket_option(self, number: i32) -> Option<SocketOption> {
        let mut options = self.0.socket_options.iter();
        options
            .find(|(other, _)| *other == number)
            .map(|(_, name)| *name)
    }

    pub(crate) fn control_type(self, number: i32) -> Option<ControlType> {
        let mut types = self.0.control_types.iter();
        types
            .find(|(other, _)| *other == number)
            .map(|(_, name)| *name)
    }

    pub(crate) fn control_number(self, wanted: ControlType) -> i32 {
        let mut types = self.0.control_types.iter();
        types
            .find(|(_, name)| *name == wanted)
            .map_or(0, |(number, _)| *number)
    }

    pub(crate) fn layout(self, wanted: Struct) -> &'static Layout {
        (self.0.layouts)(wanted)
    }

    pub(crate) const fn family(self, address: &IpAddr) -> u16 {
        match address {
            IpAddr::V4(_) => self.0.families.0,
            IpAddr::V6(_) => self.0.families.1,
        }
    }

    /// Reads socket addresses that follow each other, as `sctp_bindx` passes them.
    ///
    /// # Errors
    /// `EINVAL` for bytes that are none.
    pub fn addresses(self, bytes: &[u8]) -> Result<Vec<SocketAddr>, Errno> {
        let (mut rest, mut found) = (bytes, Vec::new());
        while !rest.is_empty() {
            let address = self.address(rest).map_err(|_| Errno::EINVAL)?;
            let length = if address.is_ipv4() { V4_LEN } else { V6_LEN };
            rest = rest.get(length..).ok_or(Errno::EINVAL)?;
            found.push(address);
        }
        if found.is_empty() {
            Err(Errno::EINVAL)
        } else {
            Ok(found)
        }
    }

    /// Reads a socket address (`sockaddr_in`, `sockaddr_in6`).
    ///
    /// # Errors
    /// `EINVAL` for too few bytes, `EAFNOSUPPORT` for another family.
    pub fn address(self, bytes: &[u8]) -> Result<SocketAddr, Errno> {
        let take = |at: usize| bytes.get(at).copied().ok_or(Errno::EINVAL);
        let family = u16::from_ne_bytes([take(0)?, take(1)?]);
        let port = u16::from_be_bytes([take(2)?, take(3)?]);
        if family == self.0.families.0 {
            // The eight bytes behind the address may be missing in a `sockaddr_storage` only.
            let octets = [take(4)?, take(5)?, take(6)?, take(7)?];
            take(V4_LEN - 1)?;
            Ok(SocketAddr::new(Ipv4Addr::from(octets).into(), port))
        } else if family == self.0.families.1 {
            let octets: [u8; 16] = bytes
                .get(8..24)
                .and_then(|octets| octets.try_into().ok())
                .ok_or(Errno::EINVAL)?;
            let scope = u32::from_ne_bytes([take(24)?, take(25)?, take(26)?, take(27)?]);
            Ok(SocketAddrV6::new(Ipv6Addr::from(octets), port, 0, scope).into())
        } else {
            Err(Errno::EAFNOSUPPORT)
        }
    }

    /// Writes a socket address: 16 bytes for IPv4, 28 for IPv6.
    #[must_use]
    pub fn address_bytes(self, address: SocketAddr) -> Vec<u8> {
        let mut bytes = self.family(&address.ip()).to_ne_bytes().to_vec();
        bytes.extend(address.port().to_be_bytes());
        match address {
            SocketAddr::V4(v4) => {
                bytes.extend(v4.ip().octets());
                bytes.resize(V4_LEN, 0);
            }
            SocketAddr::V6(v6) => {
                bytes.extend(v6.flowinfo().to_be_bytes());
                bytes.extend(v6.ip().octets());
                bytes.extend(v6.scope_id().to_ne_bytes());
            }
        }
        bytes
    }
}

/// Bytes of `sockaddr_in`.
const V4_LEN: usize = 16;
/// Bytes of `sockaddr_in6`.
const V6_LEN: usize = 28;

impl fmt::Debug for Abi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

#[cfg(test)]
mod tests;

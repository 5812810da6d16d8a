//! System-specific numbers and struct layouts.

mod connection;
mod layout;
mod linux;
mod names;
mod refusal;
mod special;
mod usrsctp;

use core::fmt;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6};

pub(crate) use layout::{Field, Layout, Record, Struct, View};
pub(crate) use names::{
    CauseOrder, ControlType, Levels, MessageFlags, NotificationNumbers, OptionName, SendFlags,
    SocketOption, System,
};
pub(crate) use refusal::Refusal;

use sheave_engine::StreamScheduler;

use crate::settings::EventType;
use crate::{Domain, Errno};

/// The numbers and struct layouts that programs of one operating system use.
#[derive(Clone, Copy)]
pub struct Abi(&'static Tables);

/// The tables behind an [`Abi`].
pub(crate) struct Tables {
    name: &'static str,
    system: System,
    families: Families,
    levels: Levels,
    options: &'static [(i32, OptionName)],
    socket_options: &'static [(i32, SocketOption)],
    control_types: &'static [(i32, ControlType)],
    message_flags: MessageFlags,
    send_flags: SendFlags,
    notifications: NotificationNumbers,
    schedulers: &'static [(u32, StreamScheduler)],
    layouts: fn(Struct) -> &'static Layout,
}

/// Numbers of the address families.
#[derive(Clone, Copy)]
enum Families {
    /// `AF_INET` and `AF_INET6`.
    Internet(u16, u16),
    /// `AF_CONN`, whose addresses are pointers.
    Connection(u16),
}

impl Abi {
    /// Linux on a 64-bit machine (`linux/sctp.h`).
    pub const LINUX: Self = Self(&linux::TABLES);

    /// The library usrsctp on a 64-bit Linux machine (`usrsctp.h`): FreeBSD's numbers and layouts
    /// with Linux's address families and error codes.
    pub const USRSCTP: Self = Self(&usrsctp::TABLES);

    /// Like [`USRSCTP`](Self::USRSCTP), for the family `AF_CONN`, whose addresses are pointers. The
    /// stack represents a pointer by [an IPv6 address](Self::connection).
    pub const USRSCTP_CONNECTIONS: Self = Self(&usrsctp::CONNECTION_TABLES);

    pub(crate) const fn system(self) -> System {
        self.0.system
    }

    /// The error code for a refused call.
    pub(crate) const fn refusal(self, reason: Refusal) -> Errno {
        reason.errno(self.0.system)
    }

    /// Header bytes that the engine's path MTU includes and the program's does not: on FreeBSD the
    /// IP and SCTP headers. `AF_CONN` counts an IPv6 header, although none is sent.
    pub(crate) const fn uncounted(self, domain: Domain) -> u16 {
        match (self.0.system, &self.0.families, domain) {
            (System::Linux, ..) => 0,
            (System::FreeBsd, Families::Internet(..), Domain::V4) => 20 + 12,
            (System::FreeBsd, ..) => 40 + 12,
        }
    }

    /// Whether sockets of this domain see IPv4 addresses as IPv4-mapped IPv6 addresses.
    pub(crate) const fn maps(self, domain: Domain) -> bool {
        matches!(
            (&self.0.families, domain),
            (Families::Internet(..), Domain::V6)
        )
    }

    pub(crate) const fn levels(self) -> Levels {
        self.0.levels
    }

    pub(crate) const fn message_flags(self) -> MessageFlags {
        self.0.message_flags
    }

    pub(crate) const fn send_flags(self) -> SendFlags {
        self.0.send_flags
    }

    /// The stream scheduler with this number.
    pub(crate) fn scheduler(self, number: u32) -> Option<StreamScheduler> {
        named(self.0.schedulers, number)
    }

    /// The first number of a stream scheduler.
    pub(crate) fn scheduler_number(self, wanted: StreamScheduler) -> u32 {
        number_of(self.0.schedulers, wanted)
    }

    /// The numbers used in notifications.
    pub(crate) const fn notifications(self) -> &'static NotificationNumbers {
        &self.0.notifications
    }

    /// The notification type with this number.
    pub(crate) fn event_type(self, number: u16) -> Option<EventType> {
        named(self.0.notifications.types, number)
    }

    /// The number of a notification type.
    pub(crate) fn event_number(self, wanted: EventType) -> u16 {
        number_of(self.0.notifications.types, wanted)
    }

    pub(crate) fn option(self, number: i32) -> Option<OptionName> {
        named(self.0.options, number)
    }

    pub(crate) fn socket_option(self, number: i32) -> Option<SocketOption> {
        named(self.0.socket_options, number)
    }

    pub(crate) fn socket_option_number(self, wanted: SocketOption) -> i32 {
        number_of(self.0.socket_options, wanted)
    }

    pub(crate) fn control_type(self, number: i32) -> Option<ControlType> {
        named(self.0.control_types, number)
    }

    pub(crate) fn control_number(self, wanted: ControlType) -> i32 {
        number_of(self.0.control_types, wanted)
    }

    pub(crate) fn layout(self, wanted: Struct) -> &'static Layout {
        (self.0.layouts)(wanted)
    }

    /// Parses consecutive socket addresses, as passed to `sctp_bindx`.
    ///
    /// # Errors
    /// `EINVAL` for malformed bytes.
    pub fn addresses(self, bytes: &[u8]) -> Result<Vec<SocketAddr>, Errno> {
        let (mut rest, mut found) = (bytes, Vec::new());
        while !rest.is_empty() {
            let address = self.address(rest).map_err(|_| Errno::EINVAL)?;
            let length = self.address_bytes(address).len();
            rest = rest.get(length..).ok_or(Errno::EINVAL)?;
            found.push(address);
        }
        if found.is_empty() {
            Err(Errno::EINVAL)
        } else {
            Ok(found)
        }
    }

    /// Parses a socket address (`sockaddr_in`, `sockaddr_in6`, or `sockaddr_conn` for pointers).
    ///
    /// # Errors
    /// `EINVAL` for too few bytes. An unknown family is `EINVAL` on Linux and `EAFNOSUPPORT`
    /// elsewhere.
    pub fn address(self, bytes: &[u8]) -> Result<SocketAddr, Errno> {
        let take = |at: usize| bytes.get(at).copied().ok_or(Errno::EINVAL);
        let family = u16::from_ne_bytes([take(0)?, take(1)?]);
        let port = u16::from_be_bytes([take(2)?, take(3)?]);
        let (v4, v6) = match self.0.families {
            Families::Internet(v4, v6) => (v4, v6),
            Families::Connection(own) if family == own => {
                let pointer = bytes
                    .get(8..connection::LENGTH)
                    .and_then(|bytes| bytes.try_into().ok())
                    .ok_or(Errno::EINVAL)?;
                let ip = connection::address(u64::from_ne_bytes(pointer));
                return Ok(SocketAddr::new(ip.into(), port));
            }
            Families::Connection(_) => return Err(Errno::EAFNOSUPPORT),
        };
        if family == v4 {
            // Only a `sockaddr_storage` may omit the eight bytes after the address.
            let octets = [take(4)?, take(5)?, take(6)?, take(7)?];
            take(V4_LEN - 1)?;
            Ok(SocketAddr::new(Ipv4Addr::from(octets).into(), port))
        } else if family == v6 {
            let octets: [u8; 16] = bytes
                .get(8..24)
                .and_then(|octets| octets.try_into().ok())
                .ok_or(Errno::EINVAL)?;
            let scope = u32::from_ne_bytes([take(24)?, take(25)?, take(26)?, take(27)?]);
            Ok(SocketAddrV6::new(Ipv6Addr::from(octets), port, 0, scope).into())
        } else {
            Err(self.system().pick(Errno::EINVAL, Errno::EAFNOSUPPORT))
        }
    }

    /// Serializes a socket address: 16 bytes for IPv4 and pointers, 28 for IPv6.
    #[must_use]
    pub fn address_bytes(self, address: SocketAddr) -> Vec<u8> {
        let (v4, v6) = match self.0.families {
            Families::Internet(v4, v6) => (v4, v6),
            Families::Connection(family) => return connection::bytes(family, address),
        };
        let family = if address.is_ipv4() { v4 } else { v6 };
        let mut bytes = family.to_ne_bytes().to_vec();
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

impl Abi {
    /// The IPv6 address that represents a connection pointer; unspecified for NULL.
    #[must_use]
    pub const fn connection(pointer: u64) -> IpAddr {
        IpAddr::V6(connection::address(pointer))
    }

    /// The pointer that an address represents; `None` for other addresses.
    #[must_use]
    pub fn pointer(address: IpAddr) -> Option<u64> {
        connection::pointer(address)
    }
}

/// The name of a number.
fn named<N: Copy + PartialEq, T: Copy>(table: &[(N, T)], number: N) -> Option<T> {
    let row = table.iter().find(|(other, _)| *other == number);
    row.map(|(_, name)| *name)
}

/// The first number of a name; 0 if it has none.
fn number_of<N: Copy + Default, T: Copy + PartialEq>(table: &[(N, T)], wanted: T) -> N {
    let row = table.iter().find(|(_, name)| *name == wanted);
    row.map_or_else(N::default, |(number, _)| *number)
}

/// Bytes of `sockaddr_in`.
const V4_LEN: usize = 16;

impl fmt::Debug for Abi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

#[cfg(test)]
mod tests;

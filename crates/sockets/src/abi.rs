//! Numbers and struct layouts of an operating system.

mod connection;
mod layout;
mod linux;
mod names;
mod refusal;
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

/// The address families of sockets.
#[derive(Clone, Copy)]
enum Families {
    /// Those of IPv4 and IPv6 addresses.
    Internet(u16, u16),
    /// That of a library's connections, which pointers name.
    Connection(u16),
}

impl Abi {
    /// Linux on a 64-bit machine (`linux/sctp.h`).
    pub const LINUX: Self = Self(&linux::TABLES);

    /// The library usrsctp on a 64-bit Linux machine (`usrsctp.h`): FreeBSD's numbers and layouts,
    /// address families and errors of the machine.
    pub const USRSCTP: Self = Self(&usrsctp::TABLES);

    /// The same for sockets of its family `AF_CONN`, whose addresses are pointers of the program.
    /// The stack knows a pointer by [an IPv6 address](Self::connection).
    pub const USRSCTP_CONNECTIONS: Self = Self(&usrsctp::CONNECTION_TABLES);

    pub(crate) const fn system(self) -> System {
        self.0.system
    }

    /// The error of a call that is refused.
    pub(crate) const fn refusal(self, reason: Refusal) -> Errno {
        reason.errno(self.0.system)
    }

    /// Bytes of a packet that a path MTU of the engine counts and one of the program does not: on FreeBSD
    /// the headers of IP and SCTP. For connections the engine counts those of IPv6, which nobody sends.
    pub(crate) const fn uncounted(self, domain: Domain) -> u16 {
        match (self.0.system, &self.0.families, domain) {
            (System::Linux, ..) => 0,
            (System::FreeBsd, Families::Internet(..), Domain::V4) => 20 + 12,
            (System::FreeBsd, ..) => 40 + 12,
        }
    }

    /// Whether sockets of a domain see addresses of IPv4 in mapped form.
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

    /// The scheduler of streams that has this number.
    pub(crate) fn scheduler(self, number: u32) -> Option<StreamScheduler> {
        let mut schedulers = self.0.schedulers.iter();
        schedulers
            .find(|(other, _)| *other == number)
            .map(|(_, scheduler)| *scheduler)
    }

    /// The first number of a scheduler of streams.
    pub(crate) fn scheduler_number(self, wanted: StreamScheduler) -> u32 {
        let mut schedulers = self.0.schedulers.iter();
        schedulers
            .find(|(_, scheduler)| *scheduler == wanted)
            .map_or(0, |(number, _)| *number)
    }

    /// The numbers in notifications.
    pub(crate) const fn notifications(self) -> &'static NotificationNumbers {
        &self.0.notifications
    }

    /// The type of notification that has this number.
    pub(crate) fn event_type(self, number: u16) -> Option<EventType> {
        let mut types = self.0.notifications.types.iter();
        types
            .find(|(other, _)| *other == number)
            .map(|(_, event)| *event)
    }

    /// The number of a type of notification.
    pub(crate) fn event_number(self, wanted: EventType) -> u16 {
        let mut types = self.0.notifications.types.iter();
        types
            .find(|(_, event)| *event == wanted)
            .map_or(0, |(number, _)| *number)
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

    pub(crate) fn socket_option_number(self, wanted: SocketOption) -> i32 {
        let mut options = self.0.socket_options.iter();
        options
            .find(|(_, name)| *name == wanted)
            .map_or(0, |(number, _)| *number)
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

    /// Reads socket addresses that follow each other, as `sctp_bindx` passes them.
    ///
    /// # Errors
    /// `EINVAL` for bytes that are none.
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

    /// Reads a socket address (`sockaddr_in`, `sockaddr_in6`; `sockaddr_conn` where addresses are
    /// pointers).
    ///
    /// # Errors
    /// `EINVAL` for too few bytes; for another family, too, by Linux's SCTP, or `EAFNOSUPPORT`.
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
            // The eight bytes behind the address may be missing in a `sockaddr_storage` only.
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
            Err(match self.system() {
                System::Linux => Errno::EINVAL,
                System::FreeBsd => Errno::EAFNOSUPPORT,
            })
        }
    }

    /// Writes a socket address: 16 bytes for IPv4 and for a pointer, 28 for IPv6.
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
    /// The address by which the stack knows a connection that a program names by a pointer; the
    /// unspecified one for NULL.
    #[must_use]
    pub const fn connection(pointer: u64) -> IpAddr {
        IpAddr::V6(connection::address(pointer))
    }

    /// The pointer that such an address stands for; `None` for other addresses.
    #[must_use]
    pub fn pointer(address: IpAddr) -> Option<u64> {
        connection::pointer(address)
    }
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

//! Errors about a socket's sent packets, with their sender (`ip(7)`, `IP_RECVERR`).

use std::io;
use std::mem;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::{AsFd, AsRawFd};

use libc::{cmsghdr, msghdr, socklen_t};

use super::{IntOption, set};

/// An error about a sent packet, reported by the network or by this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueuedError {
    /// Destination of the packet.
    pub remote: IpAddr,
    /// Router or host that reported the error.
    pub from: Option<IpAddr>,
    /// Origin of the error.
    pub origin: ErrorOrigin,
    /// Type of the ICMP message.
    pub kind: u8,
    /// Code of the error.
    pub code: u8,
    /// Additional information, such as the MTU in bytes.
    pub info: u32,
    /// Number of quoted bytes, which start after the headers that the kernel wrote.
    pub quoted: usize,
}

/// Origin of an error about a sent packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorOrigin {
    /// ICMP.
    Icmp,
    /// ICMPv6.
    Icmp6,
    /// This machine.
    Local,
}

/// Enables the error queue, and sets DF on sent packets regardless of the known path MTU.
///
/// # Errors
/// The system's error.
pub fn enable(socket: &impl AsFd, peer: IpAddr) -> io::Result<()> {
    let options = match peer {
        IpAddr::V4(_) => [IntOption::ErrorsV4, IntOption::ProbeV4],
        IpAddr::V6(_) => [IntOption::ErrorsV6, IntOption::ProbeV6],
    };
    options
        .into_iter()
        .try_for_each(|option| set(socket, option))
}

/// Takes the oldest error from a socket's error queue and writes the quoted bytes into `quoted`;
/// `None` if the queue is empty or the entry is not understood.
///
/// # Errors
/// The system's error.
pub fn take(socket: &impl AsFd, quoted: &mut [u8]) -> io::Result<Option<QueuedError>> {
    let mut name = [0_u64; 16];
    let mut control = [0_u64; 64];
    let mut vector = libc::iovec {
        iov_base: quoted.as_mut_ptr().cast(),
        iov_len: quoted.len(),
    };
    // SAFETY: all zeros is a valid msghdr: no name, no vectors, no control data.
    let mut message: msghdr = unsafe { mem::zeroed() };
    message.msg_name = name.as_mut_ptr().cast();
    message.msg_namelen = socklen_t::try_from(size_of_val(&name)).unwrap_or_default();
    message.msg_iov = &raw mut vector;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    #[expect(
        clippy::useless_conversion,
        reason = "the C libraries differ in this type"
    )]
    {
        message.msg_controllen = size_of_val(&control).try_into().unwrap_or_default();
    }
    let fd = socket.as_fd().as_raw_fd();
    let flags = libc::MSG_ERRQUEUE | libc::MSG_DONTWAIT;
    // SAFETY: every pointer in `message` is to live memory of the length that stands beside it.
    let got = unsafe { libc::recvmsg(fd, &raw mut message, flags) };
    let Ok(got) = usize::try_from(got) else {
        let error = io::Error::last_os_error();
        return match error.kind() {
            io::ErrorKind::WouldBlock => Ok(None),
            _ => Err(error),
        };
    };
    let name: Vec<u8> = name.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let control: Vec<u8> = control.iter().flat_map(|word| word.to_ne_bytes()).collect();
    #[expect(
        clippy::useless_conversion,
        reason = "the C libraries differ in this type"
    )]
    let length = usize::try_from(message.msg_controllen).unwrap_or_default();
    let control = control.get(..length).unwrap_or_default();
    Ok(address(&name).and_then(|remote| read(control, remote, got)))
}

/// Parses the address of a `sockaddr_in` or `sockaddr_in6`.
fn address(name: &[u8]) -> Option<IpAddr> {
    let family = u16::from_ne_bytes(*name.first_chunk()?);
    match i32::from(family) {
        libc::AF_INET => {
            let octets: [u8; 4] = name.get(4..8)?.try_into().ok()?;
            Some(Ipv4Addr::from(octets).into())
        }
        libc::AF_INET6 => {
            let octets: [u8; 16] = name.get(8..24)?.try_into().ok()?;
            Some(Ipv6Addr::from(octets).into())
        }
        _ => None,
    }
}

/// Finds the extended error among control messages.
fn read(mut control: &[u8], remote: IpAddr, quoted: usize) -> Option<QueuedError> {
    const WORD: usize = size_of::<usize>();
    loop {
        let len = usize::from_ne_bytes(control.get(..WORD)?.try_into().ok()?);
        let level = i32::from_ne_bytes(control.get(WORD..WORD + 4)?.try_into().ok()?);
        let kind = i32::from_ne_bytes(control.get(WORD + 4..WORD + 8)?.try_into().ok()?);
        let wanted = [
            (libc::IPPROTO_IP, libc::IP_RECVERR),
            (libc::IPPROTO_IPV6, libc::IPV6_RECVERR),
        ];
        if wanted.contains(&(level, kind)) {
            // struct sock_extended_err: errno, origin, type, code, padding, info, data; then the
            // address of the reporter.
            let value = control.get(size_of::<cmsghdr>()..len)?;
            let error: &[u8; 16] = value.first_chunk()?;
            let &[_, _, _, _, origin, kind, code, _, i0, i1, i2, i3, ..] = error;
            return Some(QueuedError {
                remote,
                from: value.get(16..).and_then(address),
                origin: match origin {
                    libc::SO_EE_ORIGIN_ICMP => ErrorOrigin::Icmp,
                    libc::SO_EE_ORIGIN_ICMP6 => ErrorOrigin::Icmp6,
                    _ => ErrorOrigin::Local,
                },
                kind,
                code,
                info: u32::from_ne_bytes([i0, i1, i2, i3]),
                quoted,
            });
        }
        control = control.get(len.max(1).next_multiple_of(WORD)..)?;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use socket2::{Domain, Protocol, Socket, Type};

    use super::*;

    #[test]
    fn a_closed_port_is_reported_with_its_sender() {
        let localhost = IpAddr::V4(Ipv4Addr::LOCALHOST);
        // The port is free again once its socket is dropped.
        let free = std::net::UdpSocket::bind((localhost, 0)).unwrap();
        let remote = free.local_addr().unwrap();
        drop(free);
        let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP)).unwrap();
        enable(&socket, localhost).unwrap();
        socket.send_to(b"question", &remote.into()).unwrap();
        let mut quoted = [0; 64];
        let found = (0..200).find_map(|_| {
            std::thread::sleep(Duration::from_millis(5));
            take(&socket, &mut quoted).unwrap()
        });
        let report = found.expect("a report");
        assert_eq!((report.kind, report.code), (3, 3));
        assert_eq!(
            (report.from, report.origin),
            (Some(localhost), ErrorOrigin::Icmp)
        );
        assert_eq!(&quoted[..report.quoted], b"question");
    }
}

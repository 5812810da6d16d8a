//! ICMP messages about a socket's packets, with their sender (`ip(7)`, `IP_RECVERR`).

use std::io;
use std::mem;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::AsRawFd;

use socket2::Socket;

/// Size of the control header before `struct sock_extended_err`.
const HEADER: usize = size_of::<libc::cmsghdr>();

/// A report about a packet of this socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IcmpReport {
    /// The reporting router or host.
    pub from: Option<IpAddr>,
    /// The source: ICMP, ICMPv6 or this machine.
    pub origin: Origin,
    /// ICMP type.
    pub kind: u8,
    /// ICMP code.
    pub code: u8,
    /// Additional information, such as an MTU in bytes.
    pub info: u32,
}

/// The origin of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// ICMP.
    V4,
    /// ICMPv6.
    V6,
    /// This machine.
    Local,
}

/// Enables the error queue, and sets DF on sent packets regardless of the known path MTU.
///
/// # Errors
/// The system's error.
pub fn keep_reports(socket: &Socket, peer: IpAddr) -> io::Result<()> {
    let options = match peer {
        IpAddr::V4(_) => [
            (libc::IPPROTO_IP, libc::IP_RECVERR, 1),
            (
                libc::IPPROTO_IP,
                libc::IP_MTU_DISCOVER,
                libc::IP_PMTUDISC_PROBE,
            ),
        ],
        IpAddr::V6(_) => [
            (libc::IPPROTO_IPV6, libc::IPV6_RECVERR, 1),
            (
                libc::IPPROTO_IPV6,
                libc::IPV6_MTU_DISCOVER,
                libc::IPV6_PMTUDISC_PROBE,
            ),
        ],
    };
    for (level, name, value) in options {
        set(socket, level, name, value)?;
    }
    Ok(())
}

fn set(socket: &Socket, level: i32, name: i32, value: i32) -> io::Result<()> {
    let length = libc::socklen_t::try_from(size_of::<i32>()).unwrap_or(4);
    let at = (&raw const value).cast();
    // SAFETY: `value` is a live integer and `length` its size; the kernel only reads it.
    match unsafe { libc::setsockopt(socket.as_raw_fd(), level, name, at, length) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Takes the oldest report and copies the quoted packet to `quoted`; returns the report and the
/// number of quoted bytes.
///
/// # Errors
/// The system's error.
pub fn take(socket: &Socket, quoted: &mut [u8]) -> io::Result<Option<(IcmpReport, usize)>> {
    let mut control = [0_u64; 64];
    let mut vector = libc::iovec {
        iov_base: quoted.as_mut_ptr().cast(),
        iov_len: quoted.len(),
    };
    // SAFETY: all zeros is a valid msghdr: no name, no vectors, no control data.
    let mut message: libc::msghdr = unsafe { mem::zeroed() };
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
    let flags = libc::MSG_ERRQUEUE | libc::MSG_DONTWAIT;
    // SAFETY: every pointer in `message` is to live memory of the length that stands beside it.
    let got = unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut message, flags) };
    let Ok(got) = usize::try_from(got) else {
        let error = io::Error::last_os_error();
        return match error.kind() {
            io::ErrorKind::WouldBlock => Ok(None),
            _ => Err(error),
        };
    };
    let control: Vec<u8> = control.iter().flat_map(|word| word.to_ne_bytes()).collect();
    Ok(read(&control).map(|report| (report, got)))
}

/// Finds the report in control messages.
fn read(mut control: &[u8]) -> Option<IcmpReport> {
    const WORD: usize = size_of::<usize>();
    loop {
        let length = usize::from_ne_bytes(control.get(..WORD)?.try_into().ok()?);
        let level = i32::from_ne_bytes(control.get(HEADER - 8..HEADER - 4)?.try_into().ok()?);
        let kind = i32::from_ne_bytes(control.get(HEADER - 4..HEADER)?.try_into().ok()?);
        let wanted = [
            (libc::IPPROTO_IP, libc::IP_RECVERR),
            (libc::IPPROTO_IPV6, libc::IPV6_RECVERR),
        ];
        if wanted.contains(&(level, kind)) {
            let value = control.get(HEADER..length)?;
            // errno, origin, type, code, padding, info, data; then the address of the reporter.
            let &[_, _, _, _, origin, kind, code, _, i0, i1, i2, i3, ..] =
                value.first_chunk::<16>()?;
            return Some(IcmpReport {
                from: value.get(16..).and_then(address),
                origin: match origin {
                    libc::SO_EE_ORIGIN_ICMP => Origin::V4,
                    libc::SO_EE_ORIGIN_ICMP6 => Origin::V6,
                    _ => Origin::Local,
                },
                kind,
                code,
                info: u32::from_ne_bytes([i0, i1, i2, i3]),
            });
        }
        control = control.get(length.max(1).next_multiple_of(WORD)..)?;
    }
}

/// Parses a `sockaddr_in` or `sockaddr_in6`.
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use socket2::{Domain, Protocol, Type};

    use super::*;

    #[test]
    fn a_closed_port_is_reported_with_its_sender() {
        let localhost = IpAddr::V4(Ipv4Addr::LOCALHOST);
        // The port is free again once its socket is dropped.
        let free = std::net::UdpSocket::bind((localhost, 0)).unwrap();
        let remote = free.local_addr().unwrap();
        drop(free);
        let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP)).unwrap();
        keep_reports(&socket, localhost).unwrap();
        socket.send_to(b"question", &remote.into()).unwrap();
        let mut quoted = [0; 64];
        let found = (0..200).find_map(|_| {
            std::thread::sleep(Duration::from_millis(5));
            take(&socket, &mut quoted).unwrap()
        });
        let (report, length) = found.expect("a report");
        assert_eq!((report.kind, report.code), (3, 3));
        assert_eq!((report.from, report.origin), (Some(localhost), Origin::V4));
        assert_eq!(&quoted[..length], b"question");
    }
}

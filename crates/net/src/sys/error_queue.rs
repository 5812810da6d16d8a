use std::io;
use std::mem;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::{AsFd, AsRawFd};

use libc::{cmsghdr, msghdr, socklen_t};

/// An error about a sent packet, reported by the network or by this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QueuedError {
    /// Destination of the packet.
    pub(crate) remote: IpAddr,
    /// Origin of the error: `SO_EE_ORIGIN_*`.
    pub(crate) origin: u8,
    /// Type of the ICMP message.
    pub(crate) kind: u8,
    /// Code of the error.
    pub(crate) code: u8,
    /// Additional information, such as the MTU in bytes.
    pub(crate) info: u32,
    /// Number of quoted bytes, which start after the headers that the kernel wrote.
    pub(crate) quoted: usize,
}

/// Takes the oldest error from a socket's error queue and writes the quoted bytes into `quoted`;
/// `None` if the queue is empty or the entry is not understood.
pub(crate) fn take(socket: &impl AsFd, quoted: &mut [u8]) -> io::Result<Option<QueuedError>> {
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
            // struct sock_extended_err: errno, origin, type, code, padding, info, data.
            let error: &[u8; 16] = control.get(size_of::<cmsghdr>()..)?.first_chunk()?;
            let &[_, _, _, _, origin, kind, code, _, i0, i1, i2, i3, ..] = error;
            return Some(QueuedError {
                remote,
                origin,
                kind,
                code,
                info: u32::from_ne_bytes([i0, i1, i2, i3]),
                quoted,
            });
        }
        control = control.get(len.max(1).next_multiple_of(WORD)..)?;
    }
}

//! System calls that no dependency wraps.
#![expect(unsafe_code, reason = "the crate's only edge to the C library")]

#[cfg(linux)]
pub mod error_queue;
pub(crate) mod fork;

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use libc::{c_int, socklen_t};

/// An integer option of a socket.
#[derive(Clone, Copy, Debug)]
pub(crate) enum IntOption {
    /// Clears DF, so that routers may fragment packets.
    FragmentV4,
    /// Lets the kernel fragment packets larger than its known path MTU.
    FragmentV6,
    /// Whether fragmentation is forbidden.
    DontFragmentV6(c_int),
    /// Sets DF and ignores the kernel's known path MTU.
    #[cfg(linux)]
    ProbeV4,
    /// Ignores the kernel's known path MTU.
    #[cfg(linux)]
    ProbeV6,
    /// Queues ICMP errors about sent packets (IPv4).
    #[cfg(linux)]
    ErrorsV4,
    /// Queues ICMP errors about sent packets (IPv6).
    #[cfg(linux)]
    ErrorsV6,
    /// Whether arriving UDP datagrams of one size are joined (GRO).
    #[cfg(linux)]
    UdpGro(c_int),
    /// Whether the flow label is taken from the destination address; if that has none, the kernel
    /// chooses.
    #[cfg(linux)]
    FlowLabels(c_int),
    /// Whether arriving packets are timestamped.
    #[cfg(linux)]
    Timestamps(c_int),
    /// Receive buffer beyond the system's limit; needs `CAP_NET_ADMIN`.
    #[cfg(linux)]
    ForceReceiveBuffer(c_int),
    /// Send buffer beyond the system's limit; needs `CAP_NET_ADMIN`.
    #[cfg(linux)]
    ForceSendBuffer(c_int),
}

impl IntOption {
    /// Level, name and value.
    fn parts(self) -> (c_int, c_int, c_int) {
        match self {
            #[cfg(linux)]
            Self::FragmentV4 => (
                libc::IPPROTO_IP,
                libc::IP_MTU_DISCOVER,
                libc::IP_PMTUDISC_DONT,
            ),
            #[cfg(linux)]
            Self::FragmentV6 => (
                libc::IPPROTO_IPV6,
                libc::IPV6_MTU_DISCOVER,
                libc::IPV6_PMTUDISC_WANT,
            ),
            #[cfg(linux)]
            Self::ProbeV4 => (
                libc::IPPROTO_IP,
                libc::IP_MTU_DISCOVER,
                libc::IP_PMTUDISC_PROBE,
            ),
            #[cfg(linux)]
            Self::ProbeV6 => (
                libc::IPPROTO_IPV6,
                libc::IPV6_MTU_DISCOVER,
                libc::IPV6_PMTUDISC_PROBE,
            ),
            #[cfg(any(target_vendor = "apple", target_os = "freebsd"))]
            Self::FragmentV4 => (libc::IPPROTO_IP, libc::IP_DONTFRAG, 0),
            #[cfg(any(target_vendor = "apple", target_os = "freebsd"))]
            Self::FragmentV6 => (libc::IPPROTO_IPV6, libc::IPV6_DONTFRAG, 0),
            Self::DontFragmentV6(value) => (libc::IPPROTO_IPV6, libc::IPV6_DONTFRAG, value),
            #[cfg(linux)]
            Self::ErrorsV4 => (libc::IPPROTO_IP, libc::IP_RECVERR, 1),
            #[cfg(linux)]
            Self::ErrorsV6 => (libc::IPPROTO_IPV6, libc::IPV6_RECVERR, 1),
            #[cfg(linux)]
            Self::UdpGro(value) => (libc::SOL_UDP, libc::UDP_GRO, value),
            #[cfg(linux)]
            Self::FlowLabels(value) => (libc::IPPROTO_IPV6, libc::IPV6_FLOWINFO_SEND, value),
            #[cfg(linux)]
            Self::Timestamps(value) => (libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, value),
            #[cfg(linux)]
            Self::ForceReceiveBuffer(value) => (libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, value),
            #[cfg(linux)]
            Self::ForceSendBuffer(value) => (libc::SOL_SOCKET, libc::SO_SNDBUFFORCE, value),
        }
    }
}

/// Sets an integer option.
pub(crate) fn set(socket: &impl AsFd, option: IntOption) -> io::Result<()> {
    let (level, name, value) = option.parts();
    let length = socklen_t::try_from(size_of::<c_int>()).unwrap_or_default();
    let fd = socket.as_fd().as_raw_fd();
    // SAFETY: `value` is a live c_int and `length` its size; the kernel only reads it.
    let done = unsafe { libc::setsockopt(fd, level, name, (&raw const value).cast(), length) };
    match done {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Attaches a classic BPF program that selects, for each packet, the socket's index within a group
/// of sockets that share a port.
#[cfg(linux)]
pub(crate) fn steer(group: &impl AsFd, program: &mut [libc::sock_filter]) -> io::Result<()> {
    let program = libc::sock_fprog {
        len: u16::try_from(program.len()).map_err(io::Error::other)?,
        filter: program.as_mut_ptr(),
    };
    let length = socklen_t::try_from(size_of_val(&program)).unwrap_or_default();
    let fd = group.as_fd().as_raw_fd();
    let (level, name) = (libc::SOL_SOCKET, libc::SO_ATTACH_REUSEPORT_CBPF);
    // SAFETY: `program` lives through the call, names as many live instructions as it says, and
    // `length` is its size; the kernel copies them.
    let done = unsafe { libc::setsockopt(fd, level, name, (&raw const program).cast(), length) };
    match done {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Packets dropped because the socket's receive buffer was full, since the socket was opened.
#[cfg(linux)]
pub(crate) fn drops(socket: &impl AsFd) -> io::Result<u64> {
    /// `SO_MEMINFO`, which `libc` lacks for Android.
    const MEMINFO: c_int = 55;
    /// Position of the drop count in the answer (`SK_MEMINFO_DROPS`).
    const DROPS: usize = 8;
    let mut words = [0_u32; 16];
    let mut length = socklen_t::try_from(size_of_val(&words)).unwrap_or_default();
    let fd = socket.as_fd().as_raw_fd();
    let out: *mut libc::c_void = words.as_mut_ptr().cast();
    // SAFETY: `out` points at `length` writable bytes, and any bit pattern is a valid u32.
    let done = unsafe { libc::getsockopt(fd, libc::SOL_SOCKET, MEMINFO, out, &raw mut length) };
    match done {
        0 => Ok(u64::from(words[DROPS])),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Always 0: only Linux reports drops.
#[cfg(not(linux))]
pub(crate) fn drops(_socket: &impl AsFd) -> io::Result<u64> {
    Ok(0)
}

//! System calls that no dependency wraps.
#![expect(unsafe_code, reason = "the crate's only edge to the C library")]

#[cfg(target_os = "linux")]
pub mod ethtool;

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::mem;
use std::os::fd::AsRawFd;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// CPU time of this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuTime {
    /// In user mode.
    pub user: Duration,
    /// In the kernel.
    pub system: Duration,
}

/// CPU time used so far.
pub fn cpu_time() -> CpuTime {
    usage(libc::RUSAGE_SELF)
}

/// CPU time of the child processes that were waited for.
#[cfg(feature = "lab")]
pub fn children_cpu_time() -> Duration {
    let spent = usage(libc::RUSAGE_CHILDREN);
    spent.user + spent.system
}

fn usage(whose: libc::c_int) -> CpuTime {
    // SAFETY: all bytes zero is a valid `rusage`.
    let mut usage: libc::rusage = unsafe { mem::zeroed() };
    // SAFETY: `usage` is a live, writable `rusage`.
    let outcome = unsafe { libc::getrusage(whose, &raw mut usage) };
    if outcome != 0 {
        return CpuTime::default();
    }
    CpuTime {
        user: span(usage.ru_utime),
        system: span(usage.ru_stime),
    }
}

fn span(time: libc::timeval) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let micros = u64::try_from(time.tv_usec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(micros)
}

/// Formats local time by strftime(3); empty if the result is too long.
pub fn local_time(format: &str, at: SystemTime) -> String {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = since.as_secs().try_into().unwrap_or(0);
    let Ok(format) = CString::new(format) else {
        return String::new();
    };
    // SAFETY: all bytes zero is a valid `tm`.
    let mut parts: libc::tm = unsafe { mem::zeroed() };
    // SAFETY: both are live, and `parts` is writable.
    if unsafe { libc::localtime_r(&raw const seconds, &raw mut parts) }.is_null() {
        return String::new();
    }
    let mut text = vec![0_u8; 256];
    // SAFETY: `text` has room for the length given, `format` ends in NUL, `parts` was filled.
    let len = unsafe {
        libc::strftime(
            text.as_mut_ptr().cast(),
            text.len(),
            format.as_ptr(),
            &raw const parts,
        )
    };
    text.truncate(len);
    String::from_utf8_lossy(&text).into_owned()
}

/// Redirects standard input, output and error to /dev/null.
pub fn close_standard_streams() {
    let Ok(null) = File::options().read(true).write(true).open("/dev/null") else {
        return;
    };
    for stream in 0..3 {
        // SAFETY: both are open files; nobody owns the standard ones.
        unsafe { libc::dup2(null.as_raw_fd(), stream) };
    }
}

/// Whether a packet socket receives frames sent by this machine.
#[cfg(target_os = "linux")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnFrames {
    /// Sent frames are received.
    See,
    /// Sent frames are ignored; on the loopback interface each one arrives again.
    Ignore,
}

/// A socket that receives the frames of an interface.
/// Errors: the system's error; `PermissionDenied` without `CAP_NET_RAW`.
#[cfg(target_os = "linux")]
pub fn packet_socket(interface: u32, own: OwnFrames) -> io::Result<socket2::Socket> {
    use socket2::{Domain, Protocol, SockAddr, Socket, Type};

    let every_protocol = u16::try_from(libc::ETH_P_ALL).unwrap_or(3).to_be();
    let protocol = Protocol::from(i32::from(every_protocol));
    let socket = Socket::new(Domain::PACKET, Type::RAW, Some(protocol))?;
    let index = i32::try_from(interface).map_err(|_| io::ErrorKind::InvalidInput)?;
    // SAFETY: the closure fills a `sockaddr_ll`, which fits `sockaddr_storage`, and its length.
    let (_, address) = unsafe {
        SockAddr::try_init(|storage, len| {
            let link = storage.cast::<libc::sockaddr_ll>();
            link.write(libc::sockaddr_ll {
                sll_family: u16::try_from(libc::AF_PACKET).unwrap_or(17),
                sll_protocol: every_protocol,
                sll_ifindex: index,
                sll_hatype: 0,
                sll_pkttype: 0,
                sll_halen: 0,
                sll_addr: [0; 8],
            });
            len.write(u32::try_from(size_of::<libc::sockaddr_ll>()).unwrap_or(20));
            Ok(())
        })?
    };
    if own == OwnFrames::Ignore {
        let on: libc::c_int = 1;
        // SAFETY: the value is a live integer of the length given.
        let outcome = unsafe {
            libc::setsockopt(
                socket.as_raw_fd(),
                libc::SOL_PACKET,
                PACKET_IGNORE_OUTGOING,
                (&raw const on).cast(),
                u32::try_from(size_of_val(&on)).unwrap_or(4),
            )
        };
        if outcome != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    socket.bind(&address)?;
    Ok(socket)
}

/// From `linux/if_packet.h`.
#[cfg(target_os = "linux")]
const PACKET_IGNORE_OUTGOING: libc::c_int = 23;

/// Moves the calling thread, and what it starts, to a new network namespace.
/// Errors: the system's error; `PermissionDenied` without `CAP_SYS_ADMIN`.
#[cfg(all(target_os = "linux", feature = "lab"))]
pub fn leave_network() -> io::Result<()> {
    // SAFETY: the call takes no pointer; the files of the process stay as they are.
    match unsafe { libc::unshare(libc::CLONE_NEWNET) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Moves the calling thread, and what it starts, to this network namespace.
#[cfg(all(target_os = "linux", feature = "lab"))]
pub fn enter_network(network: &File) -> io::Result<()> {
    // SAFETY: the call takes no pointer, and the file is open.
    match unsafe { libc::setns(network.as_raw_fd(), libc::CLONE_NEWNET) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

//! System calls that no dependency wraps.
#![cfg_attr(
    target_os = "linux",
    expect(unsafe_code, reason = "the crate's only edge to the C library")
)]

use std::fs::File;
use std::io;

/// Opens the TUN device with that name, creating it if necessary, for IP packets without a prefix,
/// in non-blocking mode.
#[cfg(target_os = "linux")]
pub(crate) fn open_tun(name: &str) -> io::Result<File> {
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::OpenOptionsExt;

    let device = File::options()
        .read(true)
        .write(true)
        .custom_flags(libc::O_NONBLOCK)
        .open("/dev/net/tun")?;
    let mut request = request_about(name)?;
    let flags = libc::IFF_TUN | libc::IFF_NO_PI;
    request.ifr_ifru.ifru_flags =
        libc::c_short::try_from(flags).map_err(|_| io::ErrorKind::Unsupported)?;
    // SAFETY: `request` is a live `ifreq`, which is what this request reads and writes.
    let outcome = unsafe { libc::ioctl(device.as_raw_fd(), libc::TUNSETIFF, &raw mut request) };
    match outcome {
        0 => Ok(device),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Queries an interface's driver for features, like `ethtool`: `words` begin with the command and
/// receive as much of the answer as fits.
#[cfg(target_os = "linux")]
pub(crate) fn ethtool(name: &str, words: &mut [u32]) -> io::Result<()> {
    use rustix::fd::AsRawFd;
    use rustix::net::{AddressFamily, SocketType, socket};

    const SIOCETHTOOL: libc::Ioctl = 0x8946;
    /// Most words of an answer: far above the 64 features with names of 32 bytes that a kernel has.
    const ROOM: usize = 1 << 16;
    let socket = socket(AddressFamily::INET, SocketType::DGRAM, None)?;
    let mut request = request_about(name)?;
    let mut room = vec![0_u32; words.len().max(ROOM)];
    room[..words.len()].copy_from_slice(words);
    request.ifr_ifru.ifru_data = room.as_mut_ptr().cast();
    // SAFETY: `request` is a live `ifreq`, and its data are `room`, longer than any answer about
    // features.
    let outcome = unsafe { libc::ioctl(socket.as_raw_fd(), SIOCETHTOOL, &raw mut request) };
    if outcome < 0 {
        return Err(io::Error::last_os_error());
    }
    words.copy_from_slice(&room[..words.len()]);
    Ok(())
}

/// A request about the interface with that name.
#[cfg(target_os = "linux")]
fn request_about(name: &str) -> io::Result<libc::ifreq> {
    // SAFETY: all bytes zero is a valid `ifreq`.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    // Keeps the terminating zero byte.
    if name.is_empty() || name.len() >= request.ifr_name.len() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    for (place, byte) in request.ifr_name.iter_mut().zip(name.bytes()) {
        *place = libc::c_char::from_ne_bytes([byte]);
    }
    Ok(request)
}

/// Interface features are supported only on Linux.
#[cfg(not(target_os = "linux"))]
pub(crate) fn ethtool(_name: &str, _words: &mut [u32]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// TUN devices are supported only on Linux.
#[cfg(not(target_os = "linux"))]
pub(crate) fn open_tun(_name: &str) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

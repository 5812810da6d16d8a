//! The system call that no crate of ours wraps.
#![cfg_attr(
    target_os = "linux",
    expect(unsafe_code, reason = "the crate's only edge to the C library")
)]

use std::fs::File;
use std::io;

/// Opens the TUN device of that name, or makes it if there is none: IP packets without anything
/// before them. Nothing waits.
#[cfg(target_os = "linux")]
pub(crate) fn open_tun(name: &str) -> io::Result<File> {
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::OpenOptionsExt;

    let device = File::options()
        .read(true)
        .write(true)
        .custom_flags(libc::O_NONBLOCK)
        .open("/dev/net/tun")?;
    // SAFETY: all bytes zero is a valid `ifreq`.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    // The last byte stays zero.
    if name.is_empty() || name.len() >= request.ifr_name.len() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    for (place, byte) in request.ifr_name.iter_mut().zip(name.bytes()) {
        *place = libc::c_char::from_ne_bytes([byte]);
    }
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

/// There are none.
#[cfg(not(target_os = "linux"))]
pub(crate) fn open_tun(_name: &str) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

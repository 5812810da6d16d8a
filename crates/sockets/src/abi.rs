//! Numbers and struct layouts of an operating system.

use core::net::SocketAddr;

use crate::Errno;

/// The numbers and struct layouts that programs of one operating system use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abi(());

impl Abi {
    /// Linux on a 64-bit machine (`linux/sctp.h`).
    pub const LINUX: Self = Self(());

    /// Reads socket addresses that follow each other.
    ///
    /// # Errors
    /// `EINVAL` for bytes that are none.
    pub fn addresses(self, _bytes: &[u8]) -> Result<Vec<SocketAddr>, Errno> {
        Err(Errno::EINVAL)
    }

    /// Reads a socket address (`sockaddr_in`, `sockaddr_in6`).
    ///
    /// # Errors
    /// `EINVAL` for too few bytes, `EAFNOSUPPORT` for another family.
    pub fn address(self, _bytes: &[u8]) -> Result<SocketAddr, Errno> {
        Err(Errno::EINVAL)
    }

    /// Writes a socket address: 16 bytes for IPv4, 28 for IPv6.
    #[must_use]
    pub fn address_bytes(self, _address: SocketAddr) -> Vec<u8> {
        Vec::new()
    }
}

//! Datagrams and packets at the border of DTLS.

use std::net::{IpAddr, SocketAddr};
use std::ops::Range;

use sheave_engine::{Ecn, PeerAddress};

use crate::dtls::DtlsError;

/// A decrypted packet: its range within the datagram's buffer.
#[derive(Clone, Debug)]
pub(crate) struct Opened {
    /// Index of the buffer.
    pub(crate) buffer: usize,
    pub(crate) packet: Range<usize>,
    pub(crate) remote: PeerAddress,
    pub(crate) ecn: Ecn,
}

/// End of a connection that may have had an association.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) alias: IpAddr,
    pub(crate) error: DtlsError,
}

/// Datagrams received from one address by one system call.
#[cfg_attr(
    not(feature = "dtls"),
    expect(dead_code, reason = "nobody reads what no connection receives")
)]
pub(crate) struct Arrival<'a> {
    pub(crate) buffer: usize,
    pub(crate) local: IpAddr,
    pub(crate) remote: SocketAddr,
    pub(crate) ecn: Ecn,
    pub(crate) bytes: &'a mut [u8],
    pub(crate) stride: usize,
}

/// Callback that sends a datagram from a local address.
pub(crate) type SendDatagram<'a> = &'a dyn Fn(IpAddr, SocketAddr, &[u8]);

/// Records to send.
pub(crate) struct Records<'a> {
    pub(crate) local: IpAddr,
    pub(crate) remote: SocketAddr,
    pub(crate) bytes: &'a [u8],
    /// Size of each record except the last, bytes.
    pub(crate) segment: usize,
}

//! ICMP and local errors about sent packets (RFC 9260 §10).

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use sheave_engine::{Icmp, IcmpError};

#[cfg(linux)]
use super::socket::Framing;
#[cfg(linux)]
use crate::sys::error_queue::{ErrorOrigin, QueuedError};

/// Maximum reports waiting for the engine; more are dropped.
const MAX_WAITING: usize = 64;

/// Bytes kept of a quoted packet; the engine reads only its start.
const QUOTED: usize = 64;

/// An ICMP or local error with the quoted bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IcmpReport {
    remote: IpAddr,
    error: IcmpError,
    quoted: Vec<u8>,
}

impl IcmpReport {
    /// Reports that `packet` exceeded the MTU `mtu` of the local interface.
    pub(super) fn too_long(remote: IpAddr, mtu: u16, packet: &[u8]) -> Self {
        let error = IcmpError::PacketTooBig { mtu };
        Self::new(remote, error, packet)
    }

    /// Reports that this system has no way to send `packet`.
    pub(super) fn unreachable(remote: IpAddr, packet: &[u8]) -> Self {
        Self::new(remote, IcmpError::Unreachable, packet)
    }

    fn new(remote: IpAddr, error: IcmpError, packet: &[u8]) -> Self {
        Self {
            remote,
            error,
            quoted: packet.get(..QUOTED).unwrap_or(packet).to_vec(),
        }
    }

    /// The report in the engine's form.
    pub(crate) fn icmp(&self) -> Icmp<'_> {
        Icmp {
            remote: self.remote,
            error: self.error,
            quoted: &self.quoted,
        }
    }
}

/// Reports that wait for the engine.
#[derive(Debug, Default)]
pub(super) struct IcmpQueue {
    /// Whether any report waits; avoids locking in the common case.
    any: AtomicBool,
    waiting: Mutex<Vec<IcmpReport>>,
}

impl IcmpQueue {
    pub(super) fn add(&self, report: IcmpReport) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() < MAX_WAITING {
            waiting.push(report);
            self.any.store(true, Ordering::Release);
        }
    }

    #[inline]
    pub(super) fn take(&self) -> Vec<IcmpReport> {
        if !self.any.load(Ordering::Acquire) {
            return Vec::new();
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        self.any.store(false, Ordering::Release);
        std::mem::take(&mut waiting)
    }
}

/// Types and codes of the handled ICMPv4 messages (RFC 792).
#[cfg(linux)]
mod v4 {
    pub(super) const UNREACHABLE: u8 = 3;
    pub(super) const NET: u8 = 0;
    pub(super) const HOST: u8 = 1;
    pub(super) const PROTOCOL: u8 = 2;
    pub(super) const PORT: u8 = 3;
    pub(super) const FRAGMENTATION_NEEDED: u8 = 4;
}

/// Types and codes of the handled ICMPv6 messages (RFC 4443).
#[cfg(linux)]
mod v6 {
    pub(super) const UNREACHABLE: u8 = 1;
    pub(super) const NO_ROUTE: u8 = 0;
    pub(super) const ADDRESS: u8 = 3;
    pub(super) const PORT: u8 = 4;
    pub(super) const TOO_BIG: u8 = 2;
    pub(super) const PARAMETER: u8 = 4;
    pub(super) const NEXT_HEADER: u8 = 1;
}

/// Converts a socket error for the engine; `None` if irrelevant.
#[cfg(linux)]
pub(super) fn report(error: &QueuedError, framing: Framing, quoted: &[u8]) -> Option<IcmpReport> {
    let udp = framing == Framing::Udp;
    let reported = match (error.origin, error.kind, error.code) {
        (ErrorOrigin::Icmp, v4::UNREACHABLE, v4::FRAGMENTATION_NEEDED)
        | (ErrorOrigin::Icmp6, v6::TOO_BIG, _) => IcmpError::PacketTooBig {
            mtu: u16::try_from(error.info).unwrap_or(u16::MAX),
        },
        (ErrorOrigin::Icmp, v4::UNREACHABLE, v4::PORT)
        | (ErrorOrigin::Icmp6, v6::UNREACHABLE, v6::PORT)
            if udp =>
        {
            IcmpError::NoSuchPort
        }
        (ErrorOrigin::Icmp, v4::UNREACHABLE, v4::PROTOCOL)
        | (ErrorOrigin::Icmp6, v6::PARAMETER, v6::NEXT_HEADER)
            if !udp =>
        {
            IcmpError::NoSuchProtocol
        }
        (ErrorOrigin::Icmp, v4::UNREACHABLE, v4::NET | v4::HOST)
        | (ErrorOrigin::Icmp6, v6::UNREACHABLE, v6::NO_ROUTE | v6::ADDRESS) => {
            IcmpError::Unreachable
        }
        _ => return None,
    };
    let quoted = quoted.get(..error.quoted).unwrap_or_default();
    Some(IcmpReport::new(error.remote, reported, quoted))
}

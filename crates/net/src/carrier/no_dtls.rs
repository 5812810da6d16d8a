//! Stand-in for DTLS in a build without the feature `dtls`: no connection can exist.

use std::collections::HashSet;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Instant;

pub(crate) use super::crossing::{Arrival, Failure, Opened, Records, SendDatagram};
use crate::Config;
use crate::dtls::DtlsError;
use crate::error::BindError;

pub(crate) const LOCAL: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
pub(crate) const LONGER_HEADER: u16 = 20;

/// Uninhabited: there are no connections.
#[derive(Debug)]
pub(crate) enum Connections {}

impl Connections {
    pub(crate) fn open(
        &self,
        _now: Instant,
        _local: IpAddr,
        _remote: SocketAddr,
        _send: SendDatagram<'_>,
    ) -> Result<IpAddr, DtlsError> {
        match *self {}
    }

    pub(crate) fn receive(
        &self,
        _now: Instant,
        _arrival: &mut Arrival<'_>,
        _send: SendDatagram<'_>,
        _opened: &mut Vec<Opened>,
    ) {
        match *self {}
    }

    pub(crate) fn send<R>(
        &self,
        _now: Instant,
        _alias: IpAddr,
        (_train, _segment): (&[u8], usize),
        _send: impl FnMut(&Records<'_>) -> R,
    ) -> Option<R> {
        match *self {}
    }

    pub(crate) fn handle_timeouts(&self, _now: Instant, _send: SendDatagram<'_>) {
        match *self {}
    }

    pub(crate) fn next_timeout(&self) -> Option<Instant> {
        match *self {}
    }

    pub(crate) fn take_failures(&self) -> Vec<Failure> {
        match *self {}
    }

    pub(crate) fn end_of(&self, _alias: IpAddr) -> Option<DtlsError> {
        match *self {}
    }

    pub(crate) fn peer(&self, _alias: IpAddr) -> Option<SocketAddr> {
        match *self {}
    }

    pub(crate) fn local(&self, _alias: IpAddr) -> Option<IpAddr> {
        match *self {}
    }

    pub(crate) fn len(&self) -> usize {
        match *self {}
    }

    pub(crate) fn is_sweep_due(&self, _now: Instant) -> bool {
        match *self {}
    }

    pub(crate) fn sweep(&self, _now: Instant, _used: &HashSet<IpAddr>, _send: SendDatagram<'_>) {
        match *self {}
    }

    pub(crate) fn close_all(&self, _now: Instant, _send: SendDatagram<'_>) {
        match *self {}
    }
}

#[expect(clippy::unnecessary_wraps, reason = "with the feature it can fail")]
pub(crate) fn connections(_config: &Config) -> Result<Option<Connections>, BindError> {
    Ok(None)
}

pub(crate) fn source_towards(_remote: SocketAddr) -> Option<IpAddr> {
    None
}

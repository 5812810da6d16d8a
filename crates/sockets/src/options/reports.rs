//! Options that report on an association (RFC 6458 §8.2).

use core::net::{IpAddr, SocketAddr};

use sheave_engine::{Abandonments, AssocStats, PathState, PathStats, Phase, Policy};
use sheave_wire::StreamId;

use super::Query;
use super::values::{fitting, int};
use crate::abi::{Field, OptionName, Record, Refusal, Struct, System, View};
use crate::socket::Kind;
use crate::{AssocId32, Domain, Errno};

/// Offset of the primary path in `sctp_status`.
const PRIMARY_AT: usize = 24;
/// Bytes before a list of addresses.
const ADDRESSES_AT: usize = 8;

impl Query<'_> {
    fn look(&self, number: AssocId32) -> Result<(AssocStats, Vec<PathStats>), Errno> {
        let engine = self.associations.find(number)?.engine;
        let stats = self.transport.endpoint.stats_of(engine);
        let paths = self.transport.endpoint.paths_of(engine);
        Ok((stats.ok_or(Errno::EINVAL)?, paths))
    }

    /// RFC 6458 §8.2.1
    pub(super) fn status(&mut self, given: &[u8]) -> Result<Vec<u8>, Errno> {
        let view = View::new(self.abi, Struct::Status, given)?;
        let number = self.lookup().one_assoc(view.assoc())?;
        let assoc = self.engine(number)?;
        let (unacknowledged, waiting) = (assoc.unacknowledged(), assoc.waiting());
        let (stats, paths) = self.look(number)?;
        let primary = paths
            .iter()
            .find(|path| path.primary)
            .ok_or(Errno::EINVAL)?;
        let narrow = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
        let point = u32::try_from(self.lookup().fragmentation_point(number)).unwrap_or(0);
        let inner = self.path_record(number, primary)?;
        let inbound = match (self.abi.system(), stats.phase) {
            // The peer has not announced its number of streams yet.
            (System::FreeBsd, Phase::CookieWait) => 0,
            _ => stats.inbound_streams,
        };
        Ok(Record::of(self.abi, Struct::Status, number)
            .set(Field::State, state_number(self.abi.system(), stats.phase))
            .set(Field::PeerRwnd, stats.peer_rwnd)
            .set(Field::Unacknowledged, narrow(unacknowledged))
            .set(Field::Pending, narrow(waiting))
            .set(Field::InboundStreams, inbound)
            .set(Field::OutboundStreams, stats.outbound_streams)
            .set(Field::FragmentationPoint, point)
            .with(PRIMARY_AT, &inner)
            .into_bytes())
    }

    /// RFC 6458 §8.2.2
    pub(super) fn path_info(&mut self, given: &[u8]) -> Result<Vec<u8>, Errno> {
        let view = View::new(self.abi, Struct::PeerAddrInfo, given)?;
        let found = match view.address(Field::Address) {
            Some(address) => self.lookup().path_to(view.assoc(), address),
            None => Err(Errno::EINVAL),
        };
        let (number, ip) = found.map_err(|_| self.abi.refusal(Refusal::NoAssociation))?;
        let (_, paths) = self.look(number)?;
        let mut paths = paths.iter();
        let path = paths.find(|path| path.remote == ip).ok_or(Errno::EINVAL)?;
        Ok(self.path_record(number, path)?.into_bytes())
    }

    /// An address of the peer, in the form that the program expects.
    fn present(&self, number: AssocId32, remote: IpAddr) -> Result<SocketAddr, Errno> {
        let port = self.associations.find(number)?.peer.port();
        Ok(self.socket.present(SocketAddr::new(remote, port)))
    }

    fn path_record(&self, number: AssocId32, path: &PathStats) -> Result<Record, Errno> {
        let shown = self.present(number, path.remote)?;
        let millis = |span: core::time::Duration| u32::try_from(span.as_millis()).unwrap_or(0);
        let state = path_state_number(self.abi.system(), path.state);
        Ok(Record::of(self.abi, Struct::PeerAddrInfo, number)
            .set_address(Field::Address, shown)
            .set(Field::State, state)
            .set(Field::Cwnd, u32::try_from(path.cwnd).unwrap_or(u32::MAX))
            .set(Field::Srtt, path.srtt.map_or(0, millis))
            .set(Field::Rto, millis(path.rto))
            .set(
                Field::PathMtu,
                path.pmtu
                    .saturating_sub(self.abi.uncounted(Domain::of(path.remote))),
            ))
    }

    /// RFC 6458 §8.1.2
    pub(super) fn assoc_info(&mut self, given: &[u8]) -> Result<Vec<u8>, Errno> {
        let view = View::new(self.abi, Struct::AssocParams, given)?;
        let settings = self.lookup().settings_of(view.assoc())?;
        let record = Record::of(self.abi, Struct::AssocParams, view.assoc())
            .set(Field::MaxRetrans, settings.max_retrans)
            .set(Field::CookieLife, settings.cookie_life);
        let Ok(number) = self.lookup().one_assoc(view.assoc()) else {
            // FreeBSD reports the initial receive window.
            let rwnd = match self.abi.system() {
                System::Linux => 0,
                System::FreeBsd => self.receive_space(),
            };
            return Ok(record.set(Field::LocalRwnd, rwnd).into_bytes());
        };
        let (stats, paths) = self.look(number)?;
        Ok(record
            .set(Field::Destinations, u64::try_from(paths.len()).unwrap_or(0))
            .set(Field::PeerRwnd, stats.peer_rwnd)
            .set(Field::LocalRwnd, stats.rwnd)
            .into_bytes())
    }

    /// Initial receive-buffer size of a socket's associations, bytes.
    fn receive_space(&self) -> u32 {
        let usual = self.profile.defaults.receive_buffer;
        let usual = u32::try_from(usual).unwrap_or(u32::MAX);
        // The stored size is twice the size that the program asked for.
        let own = self.socket.own.receive_buffer;
        own.map_or(usual, |doubled| doubled / 2)
    }

    /// `SCTP_GET_ASSOC_STATS`, a Linux option outside RFC 6458.
    pub(super) fn assoc_stats(&mut self, given: &[u8]) -> Result<Vec<u8>, Errno> {
        let assoc = int(given)?.cast_signed();
        let number = self.lookup().one_assoc(assoc)?;
        let (stats, paths) = self.look(number)?;
        let slowest = paths
            .iter()
            .max_by_key(|path| path.rto)
            .ok_or(Errno::EINVAL)?;
        let shown = self.present(number, slowest.remote)?;
        Ok(Record::of(self.abi, Struct::AssocStats, assoc)
            .set_address(Field::Address, shown)
            .set(
                Field::Rto,
                u64::try_from(slowest.rto.as_millis()).unwrap_or(0),
            )
            .set(Field::SacksReceived, stats.sacks_received)
            .set(Field::SacksSent, stats.sacks_sent)
            .set(Field::PacketsSent, stats.packets_sent)
            .set(Field::PacketsReceived, stats.packets_received)
            .set(Field::Retransmissions, stats.retransmissions)
            .set(Field::Duplicates, stats.duplicates_received)
            .set(Field::Early, stats.early_chunks_received)
            .set(Field::Gaps, stats.gaps_received)
            .set(Field::UnorderedSent, stats.unordered_chunks_sent)
            .set(Field::UnorderedReceived, stats.unordered_chunks_received)
            .set(
                Field::DataSent,
                stats
                    .chunks_sent
                    .saturating_sub(stats.unordered_chunks_sent),
            )
            .set(
                Field::DataReceived,
                stats
                    .chunks_received
                    .saturating_sub(stats.unordered_chunks_received),
            )
            .set(Field::ControlSent, stats.control_chunks_sent)
            .set(Field::ControlReceived, stats.control_chunks_received)
            .into_bytes())
    }

    /// RFC 6458 §8.2.5, §8.2.6
    pub(super) fn assoc_list(&self, option: OptionName, given: &[u8]) -> Result<Vec<u8>, Errno> {
        let socket = &*self.socket;
        let system = self.abi.system();
        if socket.kind == Kind::OneToOne
            || system == System::FreeBsd && socket.kind == Kind::PeeledOff
        {
            return Err(self.abi.refusal(Refusal::OtherStyle));
        }
        let count = u32::try_from(socket.assocs.len()).unwrap_or(u32::MAX);
        let mut answer = count.to_ne_bytes().to_vec();
        if option == OptionName::AssocIdList {
            answer.extend(socket.assocs.iter().flat_map(|number| number.to_ne_bytes()));
        }
        fitting(given, answer)
    }

    /// RFC 6458 §9.3
    pub(super) fn peer_addresses(&self, given: &[u8]) -> Result<Vec<u8>, Errno> {
        let assoc = int(given)?.cast_signed();
        let (_, association) = self.lookup().one(assoc)?;
        let port = association.peer.port();
        let paths = self.transport.endpoint.paths_of(association.engine);
        let addresses = paths.iter().map(|path| SocketAddr::new(path.remote, port));
        self.list(given, assoc, addresses)
    }

    /// RFC 6458 §9.5
    pub(super) fn own_addresses(&mut self, given: &[u8]) -> Result<Vec<u8>, Errno> {
        let assoc = int(given)?.cast_signed();
        let socket = &*self.socket;
        let takes_any = self.abi.system() == System::FreeBsd && socket.kind != Kind::OneToMany;
        let number = match self.abi.system() {
            // On Linux, 0 means the socket in both styles; its addresses may have changed since.
            System::Linux if assoc == 0 => None,
            _ if assoc == 0 || takes_any => self.lookup().one_assoc(assoc).ok(),
            _ => Some(self.lookup().one_assoc(assoc)?),
        };
        if let Some(number) = number {
            let port = self.associations.find(number)?.local_port;
            let found = self.engine(number)?;
            let local = found.local_addresses();
            let addresses = local.into_iter().map(|ip| SocketAddr::new(ip, port));
            return self.list(given, assoc, addresses);
        }
        let Some(binding) = &socket.binding else {
            // Linux writes nothing.
            return if given.len() < ADDRESSES_AT {
                Err(Errno::EINVAL)
            } else {
                Ok(Vec::new())
            };
        };
        let mut local = self.transport.usable_addresses(socket, binding);
        if local.is_empty() {
            local = self.transport.endpoint.local_addresses().to_vec();
        }
        let addresses = local
            .into_iter()
            .map(|ip| SocketAddr::new(ip, binding.port));
        self.list(given, assoc, addresses)
    }

    fn list(
        &self,
        given: &[u8],
        assoc: AssocId32,
        addresses: impl Iterator<Item = SocketAddr>,
    ) -> Result<Vec<u8>, Errno> {
        let mut body = Vec::new();
        let mut count = 0_u32;
        for address in addresses {
            body.extend(self.abi.address_bytes(self.socket.present(address)));
            count += 1;
        }
        if given.len() < ADDRESSES_AT {
            return Err(Errno::EINVAL);
        }
        if given.len() < ADDRESSES_AT + body.len() {
            return Err(Errno::ENOMEM);
        }
        Ok([&assoc.to_ne_bytes()[..], &count.to_ne_bytes(), &body].concat())
    }

    /// RFC 7496 §4.3, §4.4
    pub(super) fn abandonments(
        &mut self,
        option: OptionName,
        given: &[u8],
    ) -> Result<Vec<u8>, Errno> {
        let view = View::new(self.abi, Struct::PrStatus, given)?;
        let (number, association) = self.lookup().one(view.assoc())?;
        let stream = view.u16(Field::Stream);
        if option == OptionName::PrStreamStatus && stream >= association.outbound_streams {
            return Err(Errno::EINVAL);
        }
        let flags = self.abi.send_flags();
        let wanted = view.u16(Field::Policy);
        let policies = [
            (flags.timed, Policy::Timed),
            (flags.retransmissions, Policy::Retransmissions),
            (flags.priority, Policy::Priority),
        ];
        let all = wanted & 0x80 != 0;
        let chosen = policies.iter().filter(|(bits, _)| all || *bits == wanted);
        if !all && !policies.iter().any(|(bits, _)| *bits == wanted) {
            return Err(Errno::EINVAL);
        }
        let assoc = self.engine(number)?;
        let mut total = Abandonments::default();
        for (_, policy) in chosen {
            let found = if option == OptionName::PrStreamStatus {
                assoc.abandonments_on(StreamId(stream), *policy)
            } else {
                assoc.abandonments(*policy)
            };
            total.unsent += found.unsent;
            total.sent += found.sent;
        }
        Ok(Record::of(self.abi, Struct::PrStatus, view.assoc())
            .set(Field::Stream, stream)
            .set(Field::Policy, wanted)
            .set(Field::Unsent, total.unsent)
            .set(Field::Sent, total.sent)
            .into_bytes())
    }
}

/// The number of a state of an association (RFC 6458 §8.2.1).
const fn state_number(system: System, phase: Phase) -> u64 {
    let (linux, free_bsd) = match phase {
        Phase::CookieWait => (2, 0x02),
        Phase::CookieEchoed => (3, 0x04),
        Phase::Established => (4, 0x08),
        Phase::ShutdownPending => (5, 0x80),
        Phase::ShutdownSent => (6, 0x10),
        Phase::ShutdownReceived => (7, 0x20),
        Phase::ShutdownAckSent => (8, 0x40),
    };
    system.pick(linux, free_bsd)
}

/// The number of a path state (RFC 6458 §8.2.2). FreeBSD reports potentially failed paths as
/// active.
const fn path_state_number(system: System, state: PathState) -> u64 {
    let (linux, free_bsd) = match state {
        PathState::Inactive => (0, 2),
        PathState::PotentiallyFailed => (1, 1),
        PathState::Active => (2, 1),
        PathState::Unconfirmed => (3, 0x200),
    };
    system.pick(linux, free_bsd)
}

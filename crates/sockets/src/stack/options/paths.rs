//! Options of paths (RFC 6458 §8.1.12, RFC 7829 §7).

use core::net::{IpAddr, SocketAddr};
use std::collections::BTreeSet;

use sheave_engine::Time;

use super::{ALL, CURRENT};
use crate::abi::{Field, Record, Struct, System, View};
use crate::settings::{Discovery, PathSettings, path_flags};
use crate::socket::Kind;
use crate::stack::Stack;
use crate::{AssocId32, Domain, Errno, SocketId};

/// Smallest path MTU that can be set, bytes; 0 leaves it unchanged.
const LEAST_PMTU: u32 = 512;
/// Largest path MTU on FreeBSD, bytes.
const MOST_PMTU: u32 = 65_536;
/// Shortest interval between path MTU probes, milliseconds; 0 disables probes.
const LEAST_PROBE_INTERVAL: u32 = 5000;
/// Size of the struct without its newest fields, bytes.
const OLD_SIZE: usize = 152;

const HB: u32 = path_flags::HB_ENABLE | path_flags::HB_DISABLE;
const PMTUD: u32 = path_flags::PMTUD_ENABLE | path_flags::PMTUD_DISABLE;
const SACKS: u32 = path_flags::SACK_ENABLE | path_flags::SACK_DISABLE;

impl Stack {
    pub(super) fn set_path_params(
        &mut self,
        now: Time,
        id: SocketId,
        value: &[u8],
    ) -> Result<(), Errno> {
        let size = self.abi.layout(Struct::PeerAddrParams).size;
        let fits = match self.abi.system() {
            System::Linux => value.len() == size || value.len() == OLD_SIZE,
            System::FreeBsd => value.len() >= size,
        };
        if !fits {
            return Err(Errno::EINVAL);
        }
        let view = View::partial(self.abi, Struct::PeerAddrParams, value);
        let flags = view.u32(Field::Flags);
        let pmtu = view.u32(Field::PathMtu);
        let system = self.abi.system();
        let is_cut = value.len() == OLD_SIZE;
        let is_wrong = match system {
            System::Linux => {
                is_cut && flags & (path_flags::FLOW_LABEL | path_flags::DSCP) != 0
                    || flags & SACKS == SACKS
                    || view.u32(Field::SackDelay) > 500
                    || (1..LEAST_PMTU).contains(&pmtu)
            }
            // Only a fixed path MTU is checked.
            System::FreeBsd => {
                flags & path_flags::PMTUD_DISABLE != 0 && !(LEAST_PMTU..=MOST_PMTU).contains(&pmtu)
            }
        };
        let path = match system {
            System::Linux if is_wrong => return Err(Errno::EINVAL),
            _ => self.path_meant(id, &view)?,
        };
        if is_wrong || flags & HB == HB || flags & PMTUD == PMTUD {
            return Err(Errno::EINVAL);
        }
        self.reach(id, view.assoc())?;
        if flags & path_flags::HB_DEMAND != 0 {
            let meant = match path {
                Some((number, ip)) => Ok((number, Some(ip))),
                None => self
                    .one_assoc(id, view.assoc())
                    .map(|number| (number, None)),
            };
            match (meant, system) {
                (Ok((number, ip)), _) => self.demand_heartbeats(now, number, ip)?,
                (Err(error), System::Linux) => return Err(error),
                // Without an association, FreeBSD ignores the heartbeat request.
                (Err(_), System::FreeBsd) => {}
            }
        }
        let has_labels = match system {
            System::Linux => self.find(id)?.domain == Domain::V6,
            // With an association, any address family is accepted.
            System::FreeBsd if path.is_none() && self.one_assoc(id, view.assoc()).is_ok() => true,
            System::FreeBsd => self.abi.maps(self.find(id)?.domain),
        };
        let is_socket = path.is_none() && self.one_assoc(id, view.assoc()).is_err();
        let merged = |before: PathSettings| {
            let mut after = merge(before, &view, (system, has_labels));
            if system == System::FreeBsd && is_socket {
                // For a socket, the interval counts with or without the heartbeat flags.
                let interval = view.u32(Field::Interval);
                after.interval = match flags & path_flags::HB_TIME_IS_ZERO {
                    0 if interval == 0 => after.interval,
                    0 => interval,
                    _ => 0,
                };
            }
            after
        };
        self.change_paths(now, id, view.assoc(), path, merged)
    }

    /// Changes the parameters of one path, or of all paths that the id selects.
    fn change_paths(
        &mut self,
        now: Time,
        id: SocketId,
        assoc: AssocId32,
        path: Option<(AssocId32, IpAddr)>,
        change: impl Fn(PathSettings) -> PathSettings,
    ) -> Result<(), Errno> {
        let Some((number, ip)) = path else {
            // RFC 6458 §8.1.12: `CURRENT` and `ALL` select several associations, each with paths of
            // its own.
            if matches!(assoc, CURRENT | ALL)
                && self.one_assoc(id, assoc).is_err()
                && self.find(id)?.kind == Kind::OneToMany
            {
                return Err(Errno::EINVAL);
            }
            self.change(now, id, assoc, |settings| {
                settings.path = change(settings.path);
            })?;
            let (_, numbers) = self.reach(id, assoc)?;
            for number in numbers {
                if let Some(association) = self.assocs.get_mut(&number) {
                    for own in association.paths.values_mut() {
                        *own = change(*own);
                    }
                }
                self.tune_paths(now, number);
            }
            return Ok(());
        };
        let association = self.assocs.get_mut(&number).ok_or(Errno::EINVAL)?;
        let own = association.paths.get(&ip).copied();
        let own = change(own.unwrap_or(association.settings.path));
        association.paths.insert(ip, own);
        self.tune_paths(now, number);
        Ok(())
    }

    /// Passes the parameters of single paths to the engine.
    pub(in crate::stack) fn tune_paths(&mut self, now: Time, number: AssocId32) {
        let Some(association) = self.assocs.get(&number) else {
            return;
        };
        let paths = self.endpoint.paths_of(association.engine);
        let Some(mut assoc) = self.endpoint.assoc(association.engine) else {
            return;
        };
        for path in paths {
            let tuning = match association.paths.get(&path.remote) {
                Some(own) => own.tuning(),
                None => association.settings.path.usual_tuning(),
            };
            // A path that is gone needs no parameters.
            let _ = assoc.retune_path(now, path.remote, tuning);
        }
    }

    fn demand_heartbeats(
        &mut self,
        now: Time,
        number: AssocId32,
        path: Option<IpAddr>,
    ) -> Result<(), Errno> {
        let mut assoc = self.engine_assoc(number).ok_or(Errno::EINVAL)?;
        let paths = assoc.path_stats();
        for remote in paths.iter().map(|found| found.remote) {
            if path.is_none_or(|ip| ip == remote) {
                // A path that is gone needs no heartbeat.
                let _ = assoc.request_heartbeat(now, remote);
            }
        }
        Ok(())
    }

    /// The path that the request names; `None` for the unspecified address.
    pub(super) fn path_meant(
        &self,
        id: SocketId,
        view: &View<'_>,
    ) -> Result<Option<(AssocId32, IpAddr)>, Errno> {
        if self.abi.system() == System::FreeBsd {
            return self.path_meant_on_free_bsd(id, view);
        }
        let bytes = view.bytes(Field::Address).unwrap_or_default();
        // Without a family, the bytes at the offset of the socket's own family decide.
        let own = match self.find(id)?.domain {
            Domain::V4 => 4..8,
            Domain::V6 => 8..24,
        };
        let is_zero =
            |part: Option<&[u8]>| part.is_some_and(|part| part.iter().all(|byte| *byte == 0));
        if is_zero(bytes.get(..2)) && is_zero(bytes.get(own)) {
            return Ok(None);
        }
        let address = view.address(Field::Address).ok_or(Errno::EINVAL)?;
        if address.ip().to_canonical().is_unspecified() {
            return Ok(None);
        }
        self.path_to(id, view.assoc(), address).map(Some)
    }

    /// The address in the answer, in the form that the socket uses.
    pub(super) fn address_answered(
        &self,
        id: SocketId,
        view: &View<'_>,
        path: Option<(AssocId32, IpAddr)>,
    ) -> Result<Vec<u8>, Errno> {
        let mut bytes = view.bytes(Field::Address).unwrap_or_default().to_vec();
        if let (Some(_), Some(address)) = (path, view.address(Field::Address)) {
            let shown = self.abi.address_bytes(self.find(id)?.present(address));
            if let Some(start) = bytes.get_mut(..shown.len()) {
                start.copy_from_slice(&shown);
            }
        }
        Ok(bytes)
    }

    /// Finds the path to an address; the association may be named too.
    pub(super) fn path_to(
        &self,
        id: SocketId,
        assoc: AssocId32,
        address: SocketAddr,
    ) -> Result<(AssocId32, IpAddr), Errno> {
        if self.abi.system() == System::FreeBsd {
            let number = self.assoc_of_free_bsd(id, assoc, Some(address))?;
            let ip = address.ip().to_canonical();
            let number = number.filter(|number| self.has_address(*number, ip));
            return Ok((number.ok_or(Errno::EINVAL)?, ip));
        }
        let number = self.assoc_with(id, address).ok_or(Errno::EINVAL)?;
        match self.one_assoc(id, assoc) {
            Ok(named) if named != number => Err(Errno::EINVAL),
            _ => Ok((number, address.ip().to_canonical())),
        }
    }

    /// The number of the peer's addresses, and the sum of `pathmaxrxt` over their paths.
    pub(super) fn path_retrans(&self, number: AssocId32) -> (usize, u32) {
        let Some(association) = self.assocs.get(&number) else {
            return (0, 0);
        };
        let paths = self.endpoint.paths_of(association.engine);
        let remotes: BTreeSet<IpAddr> = paths.iter().map(|path| path.remote).collect();
        let bears = |remote| {
            let own = association.paths.get(remote);
            u32::from(own.unwrap_or(&association.settings.path).max_retrans)
        };
        (remotes.len(), remotes.iter().map(bears).sum())
    }

    pub(super) fn path_params(&self, id: SocketId, given: &[u8]) -> Result<Vec<u8>, Errno> {
        let least = match self.abi.system() {
            System::Linux => OLD_SIZE,
            System::FreeBsd => self.abi.layout(Struct::PeerAddrParams).size,
        };
        if given.len() < least {
            return Err(Errno::EINVAL);
        }
        let view = View::partial(self.abi, Struct::PeerAddrParams, given);
        let named = match self.abi.system() {
            System::Linux => None,
            System::FreeBsd => self.path_meant(id, &view)?,
        };
        let settings = self.settings_of(id, assoc_meant(&view, named))?;
        let named = match self.abi.system() {
            System::Linux => self.path_meant(id, &view)?,
            System::FreeBsd => named,
        };
        let address = self.address_answered(id, &view, named)?;
        let path = match named {
            None => settings.path,
            Some((number, ip)) => {
                let association = self.assocs.get(&number).ok_or(Errno::EINVAL)?;
                let mut own = association.paths.get(&ip).copied().unwrap_or(settings.path);
                let paths = self.endpoint.paths_of(association.engine);
                if let Some(path) = paths.iter().find(|path| path.remote == ip)
                    && own.pmtu == 0
                {
                    let uncounted = self.abi.uncounted(Domain::of(path.remote));
                    own.pmtu = path.pmtu.saturating_sub(uncounted).into();
                }
                own
            }
        };
        // FreeBSD sets SACK delays by another option.
        let hidden = match self.abi.system() {
            System::Linux => 0,
            System::FreeBsd => SACKS,
        };
        // For a socket, FreeBSD adds its flags to those in the buffer.
        let is_socket = named.is_none() && self.one_assoc(id, view.assoc()).is_err();
        let given_flags = match self.abi.system() {
            System::FreeBsd if is_socket => view.u32(Field::Flags),
            _ => 0,
        };
        let mut answer = Record::new(self.abi, Struct::PeerAddrParams)
            .set_signed(Field::Assoc, view.assoc())
            .set_bytes(Field::Address, &address)
            .set(Field::Interval, path.interval)
            .set(Field::MaxRetrans, path.max_retrans)
            .set(Field::PathMtu, path.pmtu)
            .set(Field::SackDelay, path.sack_delay)
            .set(Field::Flags, path.flags & !hidden | given_flags)
            .set(Field::FlowLabel, path.flow_label)
            .set(Field::Dscp, path.dscp)
            .into_bytes();
        if given.len() < answer.len() {
            answer.truncate(OLD_SIZE);
        }
        Ok(answer)
    }

    /// The parameters of a path, or the association's defaults.
    fn path_values(
        &self,
        id: SocketId,
        assoc: AssocId32,
        path: Option<(AssocId32, IpAddr)>,
    ) -> Result<PathSettings, Errno> {
        let Some((number, ip)) = path else {
            return Ok(self.settings_of(id, assoc)?.path);
        };
        let association = self.assocs.get(&number).ok_or(Errno::EINVAL)?;
        let own = association.paths.get(&ip);
        Ok(own.copied().unwrap_or(association.settings.path))
    }

    pub(super) fn set_thresholds(
        &mut self,
        now: Time,
        id: SocketId,
        layout: Struct,
        value: &[u8],
    ) -> Result<(), Errno> {
        let view = View::new(self.abi, layout, value)?;
        let (retrans, failed) = (
            view.u16(Field::MaxRetrans),
            view.u16(Field::PotentiallyFailed),
        );
        let switchover = match layout {
            Struct::PeerAddrThresholdsV2 => Some(view.u16(Field::Switchover)),
            _ => None,
        };
        if switchover.is_some_and(|switchover| failed > switchover) {
            return Err(Errno::EINVAL);
        }
        let path = self.path_meant(id, &view).map_err(|_| Errno::ENOENT)?;
        if path.is_none() {
            // Linux also rejects ids of several associations here.
            self.settings_of(id, view.assoc())?;
        }
        self.change_paths(now, id, view.assoc(), path, |before| PathSettings {
            max_retrans: match retrans {
                0 => before.max_retrans,
                given => given,
            },
            potentially_failed: failed,
            switchover: switchover.unwrap_or(before.switchover),
            ..before
        })
    }

    pub(super) fn set_probe_interval(
        &mut self,
        now: Time,
        id: SocketId,
        value: &[u8],
    ) -> Result<(), Errno> {
        let view = View::exactly(self.abi, Struct::ProbeInterval, value)?;
        let path = self.path_meant(id, &view)?;
        let interval = view.u32(Field::Interval);
        if (1..LEAST_PROBE_INTERVAL).contains(&interval) {
            return Err(Errno::EINVAL);
        }
        self.change_paths(now, id, view.assoc(), path, |before| PathSettings {
            probe_interval: Some(interval),
            ..before
        })
    }

    pub(super) fn probe_interval(&self, id: SocketId, given: &[u8]) -> Result<Vec<u8>, Errno> {
        let view = View::new(self.abi, Struct::ProbeInterval, given)?;
        let path = self.path_meant(id, &view)?;
        let values = self.path_values(id, view.assoc(), path)?;
        let address = self.address_answered(id, &view, path)?;
        Ok(Record::new(self.abi, Struct::ProbeInterval)
            .set_signed(Field::Assoc, view.assoc())
            .set_bytes(Field::Address, &address)
            .set(Field::Interval, values.probe_interval.unwrap_or(0))
            .into_bytes())
    }

    pub(super) fn thresholds(
        &self,
        id: SocketId,
        layout: Struct,
        given: &[u8],
    ) -> Result<Vec<u8>, Errno> {
        let view = View::new(self.abi, layout, given)?;
        let path = self.path_meant(id, &view).map_err(|_| Errno::ENOENT)?;
        let values = self.path_values(id, view.assoc(), path)?;
        let address = self.address_answered(id, &view, path)?;
        Ok(Record::new(self.abi, layout)
            .set_signed(Field::Assoc, view.assoc())
            .set_bytes(Field::Address, &address)
            .set(Field::MaxRetrans, values.max_retrans)
            .set(Field::PotentiallyFailed, values.potentially_failed)
            .set(Field::Switchover, values.switchover)
            .into_bytes())
    }
}

/// Merges a request into the previous settings; zeros and absent flags keep the old values.
fn merge(
    before: PathSettings,
    view: &View<'_>,
    (system, has_labels): (System, bool),
) -> PathSettings {
    let flags = view.u32(Field::Flags);
    let mut after = before;
    if system == System::FreeBsd && flags & path_flags::PMTUD_ENABLE != 0 {
        after.pmtu = 0;
    }
    if flags & path_flags::HB_ENABLE != 0 {
        let interval = view.u32(Field::Interval);
        if flags & path_flags::HB_TIME_IS_ZERO != 0 {
            after.interval = 0;
        } else if interval != 0 {
            after.interval = interval;
        }
    }
    if system == System::Linux && flags & path_flags::PMTUD_ENABLE != 0 {
        after.discovery = Discovery::Asked;
    }
    let sacks = match system {
        System::Linux => SACKS,
        // FreeBSD has another option for SACKs.
        System::FreeBsd => 0,
    };
    for mask in [HB, PMTUD, sacks] {
        if flags & mask != 0 {
            after.flags = after.flags & !mask | flags & mask;
        }
    }
    if flags & path_flags::PMTUD_DISABLE != 0 && view.u32(Field::PathMtu) != 0 {
        after.pmtu = view.u32(Field::PathMtu);
    }
    if flags & sacks & path_flags::SACK_ENABLE != 0 && view.u32(Field::SackDelay) != 0 {
        after.sack_delay = view.u32(Field::SackDelay);
    }
    if view.u16(Field::MaxRetrans) != 0 {
        after.max_retrans = view.u16(Field::MaxRetrans);
    }
    if flags & path_flags::FLOW_LABEL != 0 && has_labels {
        after.flow_label = view.u32(Field::FlowLabel) & 0xf_ffff;
        after.flags |= path_flags::FLOW_LABEL;
    }
    if flags & path_flags::DSCP != 0 {
        after.dscp = u8::try_from(view.get(Field::Dscp)).unwrap_or(0) & 0xfc;
        after.flags |= path_flags::DSCP;
    }
    after
}

/// The association that the request names: that of the path, if a path is named.
pub(super) fn assoc_meant(view: &View<'_>, path: Option<(AssocId32, IpAddr)>) -> AssocId32 {
    path.map_or(view.assoc(), |(number, _)| number)
}

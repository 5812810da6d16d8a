//! Options of paths (RFC 6458 §8.1.12, RFC 7829 §7).

use core::net::IpAddr;

use sheave_engine::{PathTuning, Time};

use crate::abi::{Field, Record, Struct, View};
use crate::settings::{PathSettings, path_flags};
use crate::stack::Stack;
use crate::{AssocId32, Domain, Errno, SocketId};

/// The least path MTU that can be set, bytes; 0 stands for "as it is".
const LEAST_PMTU: u32 = 512;
/// Bytes of the fields that the oldest programs know of.
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
        if value.len() != self.abi.layout(Struct::PeerAddrParams).size && value.len() != OLD_SIZE {
            return Err(Errno::EINVAL);
        }
        let view = View::partial(self.abi, Struct::PeerAddrParams, value);
        let flags = view.u32(Field::Flags);
        let pmtu = view.u32(Field::PathMtu);
        if flags & HB == HB
            || flags & PMTUD == PMTUD
            || flags & SACKS == SACKS
            || view.u32(Field::SackDelay) > 500
            || (1..LEAST_PMTU).contains(&pmtu)
        {
            return Err(Errno::EINVAL);
        }
        let path = self.path_meant(id, &view)?;
        if flags & path_flags::HB_DEMAND != 0 {
            let number = self.one_assoc(id, view.assoc())?;
            self.demand_heartbeats(now, number, path)?;
        }
        let domain = self.find(id)?.domain;
        let merged = |before: PathSettings| merge(before, &view, domain);
        self.change_paths(now, id, view.assoc(), path, merged)
    }

    /// Changes the values of one path, or of those that are meant by the id.
    fn change_paths(
        &mut self,
        now: Time,
        id: SocketId,
        assoc: AssocId32,
        path: Option<IpAddr>,
        change: impl Fn(PathSettings) -> PathSettings,
    ) -> Result<(), Errno> {
        let Some(ip) = path else {
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
        let number = self.one_assoc(id, assoc)?;
        let association = self.assocs.get_mut(&number).ok_or(Errno::EINVAL)?;
        let own = association.paths.get(&ip).copied();
        let own = change(own.unwrap_or(association.settings.path));
        association.paths.insert(ip, own);
        self.tune_paths(now, number);
        Ok(())
    }

    /// Tells the engine of the values that single paths have.
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
                None => PathTuning {
                    pmtu: association.settings.path.fixed_pmtu(),
                    ..PathTuning::default()
                },
            };
            // A path that is gone needs none.
            let _ = assoc.retune_path(now, path.remote, tuning);
        }
    }

    fn demand_heartbeats(
        &mut self,
        now: Time,
        number: AssocId32,
        path: Option<IpAddr>,
    ) -> Result<(), Errno> {
        let engine = self.assocs.get(&number).ok_or(Errno::EINVAL)?.engine;
        let mut assoc = self.endpoint.assoc(engine).ok_or(Errno::EINVAL)?;
        let paths = assoc.path_stats();
        for remote in paths.iter().map(|found| found.remote) {
            if path.is_none_or(|ip| ip == remote) {
                // A path that came and went between the two lines needs none.
                let _ = assoc.request_heartbeat(now, remote);
            }
        }
        Ok(())
    }

    /// The address of the peer that is meant; `None` for the unspecified one.
    pub(super) fn path_meant(
        &self,
        id: SocketId,
        view: &View<'_>,
    ) -> Result<Option<IpAddr>, Errno> {
        let bytes = view.bytes(Field::Address).unwrap_or_default();
        if bytes.iter().all(|byte| *byte == 0) {
            return Ok(None);
        }
        let address = view.address(Field::Address).ok_or(Errno::EINVAL)?;
        let ip = address.ip().to_canonical();
        if ip.is_unspecified() {
            return Ok(None);
        }
        let number = self.one_assoc(id, view.assoc())?;
        let association = self.assocs.get(&number).ok_or(Errno::EINVAL)?;
        let paths = self.endpoint.paths_of(association.engine);
        let known = paths.iter().any(|path| path.remote == ip);
        if known && address.port() == association.peer.port() {
            Ok(Some(ip))
        } else {
            Err(Errno::EINVAL)
        }
    }

    pub(super) fn path_params(&self, id: SocketId, given: &[u8]) -> Result<Vec<u8>, Errno> {
        if given.len() < OLD_SIZE {
            return Err(Errno::EINVAL);
        }
        let view = View::partial(self.abi, Struct::PeerAddrParams, given);
        let settings = self.settings_of(id, view.assoc())?;
        let path = match self.path_meant(id, &view)? {
            None => settings.path,
            Some(ip) => {
                let number = self.one_assoc(id, view.assoc())?;
                let association = self.assocs.get(&number).ok_or(Errno::EINVAL)?;
                let mut own = association.paths.get(&ip).copied().unwrap_or(settings.path);
                let paths = self.endpoint.paths_of(association.engine);
                if let Some(path) = paths.iter().find(|path| path.remote == ip)
                    && own.pmtu == 0
                {
                    own.pmtu = path.pmtu.into();
                }
                own
            }
        };
        let mut answer = Record::new(self.abi, Struct::PeerAddrParams)
            .set_signed(Field::Assoc, view.assoc())
            .set_bytes(
                Field::Address,
                view.bytes(Field::Address).unwrap_or_default(),
            )
            .set(Field::Interval, path.interval)
            .set(Field::MaxRetrans, path.max_retrans)
            .set(Field::PathMtu, path.pmtu)
            .set(Field::SackDelay, path.sack_delay)
            .set(Field::Flags, path.flags)
            .set(Field::FlowLabel, path.flow_label)
            .set(Field::Dscp, path.dscp)
            .into_bytes();
        if given.len() < answer.len() {
            answer.truncate(OLD_SIZE);
        }
        Ok(answer)
    }

    /// The values of a path, or those that its association has for all.
    fn path_values(
        &self,
        id: SocketId,
        assoc: AssocId32,
        path: Option<IpAddr>,
    ) -> Result<PathSettings, Errno> {
        let settings = self.settings_of(id, assoc)?;
        let Some(ip) = path else {
            return Ok(settings.path);
        };
        let number = self.one_assoc(id, assoc)?;
        let own = self
            .assocs
            .get(&number)
            .and_then(|found| found.paths.get(&ip));
        Ok(own.copied().unwrap_or(settings.path))
    }

    pub(super) fn set_thresholds(
        &mut self,
        now: Time,
        id: SocketId,
        layout: Struct,
        value: &[u8],
    ) -> Result<(), Errno> {
        let view = View::new(self.abi, layout, value)?;
        let path = self.path_meant(id, &view).map_err(|_| Errno::ENOENT)?;
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

    pub(super) fn thresholds(
        &self,
        id: SocketId,
        layout: Struct,
        given: &[u8],
    ) -> Result<Vec<u8>, Errno> {
        let view = View::new(self.abi, layout, given)?;
        let path = self.path_meant(id, &view).map_err(|_| Errno::ENOENT)?;
        let values = self.path_values(id, view.assoc(), path)?;
        Ok(Record::new(self.abi, layout)
            .set_signed(Field::Assoc, view.assoc())
            .set_bytes(
                Field::Address,
                view.bytes(Field::Address).unwrap_or_default(),
            )
            .set(Field::MaxRetrans, values.max_retrans)
            .set(Field::PotentiallyFailed, values.potentially_failed)
            .set(Field::Switchover, values.switchover)
            .into_bytes())
    }
}

/// Merges a program's request into the settings before it: zeros and absent flags leave them.
fn merge(before: PathSettings, view: &View<'_>, domain: Domain) -> PathSettings {
    let flags = view.u32(Field::Flags);
    let mut after = before;
    if flags & path_flags::HB_ENABLE != 0 {
        let interval = view.u32(Field::Interval);
        if flags & path_flags::HB_TIME_IS_ZERO != 0 {
            after.interval = 0;
        } else if interval != 0 {
            after.interval = interval;
        }
    }
    for mask in [HB, PMTUD, SACKS] {
        if flags & mask != 0 {
            after.flags = after.flags & !mask | flags & mask;
        }
    }
    if flags & path_flags::PMTUD_DISABLE != 0 && view.u32(Field::PathMtu) != 0 {
        after.pmtu = view.u32(Field::PathMtu);
    }
    if flags & path_flags::SACK_ENABLE != 0 && view.u32(Field::SackDelay) != 0 {
        after.sack_delay = view.u32(Field::SackDelay);
    }
    if view.u16(Field::MaxRetrans) != 0 {
        after.max_retrans = view.u16(Field::MaxRetrans);
    }
    if flags & path_flags::FLOW_LABEL != 0 && domain == Domain::V6 {
        after.flow_label = view.u32(Field::FlowLabel) & 0xf_ffff;
        after.flags |= path_flags::FLOW_LABEL;
    }
    if flags & path_flags::DSCP != 0 {
        after.dscp = u8::try_from(view.get(Field::Dscp)).unwrap_or(0) & 0xfc;
        after.flags |= path_flags::DSCP;
    }
    after
}

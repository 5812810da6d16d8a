//! Options of paths (RFC 6458 §8.1.12, RFC 7829 §7).

use core::net::IpAddr;

use sheave_engine::Time;

use crate::abi::{Field, Record, Struct, View};
use crate::settings::{PathSettings, path_flags};
use crate::stack::Stack;
use crate::{AssocId32, Errno, SocketId};

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
        let merged = |before: PathSettings| merge(before, &view);
        match path {
            None => self.change(now, id, view.assoc(), |settings| {
                settings.path = merged(settings.path);
            }),
            Some(ip) => {
                let number = self.one_assoc(id, view.assoc())?;
                let alone = self.is_only_path(number);
                let association = self.assocs.get_mut(&number).ok_or(Errno::EINVAL)?;
                let before = association.paths.get(&ip).copied();
                let after = merged(before.unwrap_or(association.settings.path));
                association.paths.insert(ip, after);
                // The engine knows values of an association only.
                if alone {
                    association.settings.path = after;
                    self.retune(now, id, number)?;
                }
                Ok(())
            }
        }
    }

    fn is_only_path(&self, number: AssocId32) -> bool {
        let association = self.assocs.get(&number);
        association.is_some_and(|found| self.endpoint.paths_of(found.engine).len() == 1)
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
        let ip = view
            .address(Field::Address)
            .map(|address| address.ip().to_canonical());
        let Some(ip) = ip.filter(|ip| !ip.is_unspecified()) else {
            return Ok(None);
        };
        let number = self.one_assoc(id, view.assoc())?;
        let engine = self.assocs.get(&number).ok_or(Errno::EINVAL)?.engine;
        let known = self
            .endpoint
            .paths_of(engine)
            .iter()
            .any(|path| path.remote == ip);
        if known {
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

    pub(super) fn set_thresholds(
        &mut self,
        now: Time,
        id: SocketId,
        layout: Struct,
        value: &[u8],
    ) -> Result<(), Errno> {
        let view = View::exactly(self.abi, layout, value)?;
        self.path_meant(id, &view)?;
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
        self.change(now, id, view.assoc(), |settings| {
            if retrans != 0 {
                settings.path.max_retrans = retrans;
            }
            settings.potentially_failed = failed;
            settings.switchover = switchover.unwrap_or(settings.switchover);
        })
    }

    pub(super) fn thresholds(
        &self,
        id: SocketId,
        layout: Struct,
        given: &[u8],
    ) -> Result<Vec<u8>, Errno> {
        let view = View::new(self.abi, layout, given)?;
        self.path_meant(id, &view)?;
        let settings = self.settings_of(id, view.assoc())?;
        Ok(Record::new(self.abi, layout)
            .set_signed(Field::Assoc, view.assoc())
            .set_bytes(
                Field::Address,
                view.bytes(Field::Address).unwrap_or_default(),
            )
            .set(Field::MaxRetrans, settings.path.max_retrans)
            .set(Field::PotentiallyFailed, settings.potentially_failed)
            .set(Field::Switchover, settings.switchover)
            .into_bytes())
    }
}

/// Merges a program's request into the settings before it: zeros and absent flags leave them.
fn merge(before: PathSettings, view: &View<'_>) -> PathSettings {
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
    if flags & path_flags::FLOW_LABEL != 0 {
        after.flow_label = view.u32(Field::FlowLabel) & 0xf_ffff;
        after.flags |= path_flags::FLOW_LABEL;
    }
    if flags & path_flags::DSCP != 0 {
        after.dscp = u8::try_from(view.get(Field::Dscp)).unwrap_or(0) & 0xfc;
        after.flags |= path_flags::DSCP;
    }
    after
}

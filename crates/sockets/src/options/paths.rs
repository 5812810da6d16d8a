//! Options of paths (RFC 6458 §8.1.12, RFC 7829 §7).

use core::net::IpAddr;

use super::{Change, Query};
use crate::abi::{Field, Record, Struct, System, View};
use crate::lookup::{ALL, CURRENT, assoc_meant};
use crate::settings::{Discovery, PathSettings, path_flags};
use crate::socket::Kind;
use crate::{AssocId32, Domain, Errno};

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

impl Change<'_> {
    pub(super) fn set_path_params(&mut self, value: &[u8]) -> Result<(), Errno> {
        let size = self.abi.layout(Struct::PeerAddrParams).size;
        let fits = self.abi.system().pick(
            value.len() == size || value.len() == OLD_SIZE,
            value.len() >= size,
        );
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
            _ => self.lookup().path_meant(&view)?,
        };
        if is_wrong || flags & HB == HB || flags & PMTUD == PMTUD {
            return Err(Errno::EINVAL);
        }
        self.lookup().reach(view.assoc())?;
        if flags & path_flags::HB_DEMAND != 0 {
            let meant = match path {
                Some((number, ip)) => Ok((number, Some(ip))),
                None => self
                    .lookup()
                    .one_assoc(view.assoc())
                    .map(|number| (number, None)),
            };
            match (meant, system) {
                (Ok((number, ip)), _) => self.demand_heartbeats(number, ip)?,
                (Err(error), System::Linux) => return Err(error),
                // Without an association, FreeBSD ignores the heartbeat request.
                (Err(_), System::FreeBsd) => {}
            }
        }
        let has_labels = match system {
            System::Linux => self.socket.domain == Domain::V6,
            // With an association, any address family is accepted.
            System::FreeBsd if path.is_none() && self.lookup().one_assoc(view.assoc()).is_ok() => {
                true
            }
            System::FreeBsd => self.abi.maps(self.socket.domain),
        };
        let is_socket = path.is_none() && self.lookup().one_assoc(view.assoc()).is_err();
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
        self.change_paths(view.assoc(), path, merged)
    }

    /// Changes the parameters of one path, or of all paths that the id selects.
    fn change_paths(
        &mut self,
        assoc: AssocId32,
        path: Option<(AssocId32, IpAddr)>,
        change: impl Fn(PathSettings) -> PathSettings,
    ) -> Result<(), Errno> {
        let Some((number, ip)) = path else {
            // RFC 6458 §8.1.12: `CURRENT` and `ALL` select several associations, each with paths of
            // its own.
            if matches!(assoc, CURRENT | ALL)
                && self.lookup().one_assoc(assoc).is_err()
                && self.socket.kind == Kind::OneToMany
            {
                return Err(Errno::EINVAL);
            }
            self.change(assoc, |settings| {
                settings.path = change(settings.path);
            })?;
            let (_, numbers) = self.lookup().reach(assoc)?;
            for number in numbers {
                let association = self.associations.find_mut(number)?;
                for own in association.paths.values_mut() {
                    *own = change(*own);
                }
                association.tune_paths(self.now, &mut self.transport.endpoint);
            }
            return Ok(());
        };
        let association = self.associations.find_mut(number)?;
        let own = change(association.path(&ip));
        association.paths.insert(ip, own);
        association.tune_paths(self.now, &mut self.transport.endpoint);
        Ok(())
    }

    fn demand_heartbeats(&mut self, number: AssocId32, path: Option<IpAddr>) -> Result<(), Errno> {
        let now = self.now;
        let mut assoc = self.engine(number)?;
        let paths = assoc.path_stats();
        for remote in paths.iter().map(|found| found.remote) {
            if path.is_none_or(|ip| ip == remote) {
                // A path that is gone needs no heartbeat.
                let _ = assoc.request_heartbeat(now, remote);
            }
        }
        Ok(())
    }

    pub(super) fn set_thresholds(&mut self, layout: Struct, value: &[u8]) -> Result<(), Errno> {
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
        let path = self.lookup().path_meant(&view).map_err(|_| Errno::ENOENT)?;
        if path.is_none() {
            // Linux also rejects ids of several associations here.
            self.lookup().settings_of(view.assoc())?;
        }
        self.change_paths(view.assoc(), path, |before| PathSettings {
            max_retrans: match retrans {
                0 => before.max_retrans,
                given => given,
            },
            potentially_failed: failed,
            switchover: switchover.unwrap_or(before.switchover),
            ..before
        })
    }

    pub(super) fn set_probe_interval(&mut self, value: &[u8]) -> Result<(), Errno> {
        let view = View::exactly(self.abi, Struct::ProbeInterval, value)?;
        let path = self.lookup().path_meant(&view)?;
        let interval = view.u32(Field::Interval);
        if (1..LEAST_PROBE_INTERVAL).contains(&interval) {
            return Err(Errno::EINVAL);
        }
        self.change_paths(view.assoc(), path, |before| PathSettings {
            probe_interval: Some(interval),
            ..before
        })
    }
}

impl Query<'_> {
    pub(super) fn path_params(&self, given: &[u8]) -> Result<Vec<u8>, Errno> {
        let least = self
            .abi
            .system()
            .pick(OLD_SIZE, self.abi.layout(Struct::PeerAddrParams).size);
        if given.len() < least {
            return Err(Errno::EINVAL);
        }
        let view = View::partial(self.abi, Struct::PeerAddrParams, given);
        let named = match self.abi.system() {
            System::Linux => None,
            System::FreeBsd => self.lookup().path_meant(&view)?,
        };
        let settings = self.lookup().settings_of(assoc_meant(&view, named))?;
        let named = match self.abi.system() {
            System::Linux => self.lookup().path_meant(&view)?,
            System::FreeBsd => named,
        };
        let address = self.lookup().address_answered(&view, named);
        let path = match named {
            None => settings.path,
            Some((number, ip)) => {
                let association = self.associations.find(number)?;
                let mut own = association.path(&ip);
                let paths = self.transport.endpoint.paths_of(association.engine);
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
        let hidden = self.abi.system().pick(0, SACKS);
        // For a socket, FreeBSD adds its flags to those in the buffer.
        let is_socket = named.is_none() && self.lookup().one_assoc(view.assoc()).is_err();
        let given_flags = match self.abi.system() {
            System::FreeBsd if is_socket => view.u32(Field::Flags),
            _ => 0,
        };
        let mut answer = Record::of(self.abi, Struct::PeerAddrParams, view.assoc())
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

    pub(super) fn probe_interval(&self, given: &[u8]) -> Result<Vec<u8>, Errno> {
        let view = View::new(self.abi, Struct::ProbeInterval, given)?;
        let path = self.lookup().path_meant(&view)?;
        let values = self.lookup().path_values(view.assoc(), path)?;
        let address = self.lookup().address_answered(&view, path);
        Ok(Record::of(self.abi, Struct::ProbeInterval, view.assoc())
            .set_bytes(Field::Address, &address)
            .set(Field::Interval, values.probe_interval.unwrap_or(0))
            .into_bytes())
    }

    pub(super) fn thresholds(&self, layout: Struct, given: &[u8]) -> Result<Vec<u8>, Errno> {
        let view = View::new(self.abi, layout, given)?;
        let path = self.lookup().path_meant(&view).map_err(|_| Errno::ENOENT)?;
        let values = self.lookup().path_values(view.assoc(), path)?;
        let address = self.lookup().address_answered(&view, path);
        Ok(Record::of(self.abi, layout, view.assoc())
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

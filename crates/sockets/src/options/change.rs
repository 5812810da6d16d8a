//! Setting options of the level `IPPROTO_SCTP`.

use sheave_engine::{Assoc, Time};

use super::values::{assoc_value, exact_int};
use crate::abi::{Field, OptionName, Struct, System, View};
use crate::associations::Associations;
use crate::attached::Attached;
use crate::changes::Changes;
use crate::control::{init_msg, send_values};
use crate::lookup::{Lookup, Reach, assoc_meant};
use crate::profile::Profile;
use crate::settings::{AssocSettings, path_flags};
use crate::socket::Socket;
use crate::transport::Transport;
use crate::{Abi, AssocId32, Domain, Errno};

/// The longest delay of a SACK, milliseconds (RFC 9260 §6.2).
const MOST_SACK_DELAY: u32 = 500;
/// FreeBSD's bounds for a cookie's lifetime, milliseconds.
const LEAST_COOKIE_LIFE: u32 = 1000;
const MOST_COOKIE_LIFE: u32 = 3_600_000;
/// Bounds of `SCTP_MAXSEG`: from the payload of a 512-byte packet to the longest chunk (16-bit
/// length). `HEADERS` are the common header and that of a DATA chunk.
const LEAST_PACKET: u32 = 512;
const HEADERS: u32 = 12 + 16;
const MOST_IN_A_CHUNK: u32 = 65_532 - 16;

/// A call that sets an option of a socket.
pub(crate) struct Change<'a> {
    pub(crate) now: Time,
    pub(crate) abi: Abi,
    pub(crate) profile: &'a Profile,
    pub(crate) socket: &'a mut Socket,
    pub(crate) associations: &'a mut Associations,
    pub(crate) transport: &'a mut Transport,
    pub(crate) changes: &'a mut Changes,
}

impl Change<'_> {
    /// Sets the option of a level.
    pub(crate) fn set(&mut self, level: i32, name: i32, value: &[u8]) -> Result<(), Errno> {
        let levels = self.abi.levels();
        if level == levels.sctp {
            let option = self.abi.option(name).ok_or(Errno::ENOPROTOOPT)?;
            self.set_sctp(option, value)
        } else if level == levels.socket {
            self.set_socket_level(name, value)
        } else if level == levels.ip || level == levels.ipv6 {
            self.set_ip(level, name, value)
        } else {
            Err(Errno::ENOPROTOOPT)
        }
    }

    pub(super) fn lookup(&self) -> Lookup<'_> {
        Lookup {
            abi: self.abi,
            socket: self.socket,
            associations: self.associations,
            endpoint: &self.transport.endpoint,
        }
    }

    /// The engine's handle of an association.
    pub(super) fn engine(&mut self, number: AssocId32) -> Result<Assoc<'_>, Errno> {
        self.transport.assoc(self.associations.find(number)?.engine)
    }

    /// An association of the socket.
    pub(super) fn attached(&mut self, number: AssocId32) -> Result<Attached<'_>, Errno> {
        Ok(Attached {
            number,
            association: self.associations.find_mut(number)?,
            socket: Some(&mut *self.socket),
            profile: self.profile,
            transport: self.transport,
            changes: self.changes,
        })
    }

    /// Changes the selected settings and updates the engine.
    pub(super) fn change(
        &mut self,
        assoc: AssocId32,
        change: impl Fn(&mut AssocSettings),
    ) -> Result<(), Errno> {
        let (reach, numbers) = self.lookup().reach(assoc)?;
        if reach == Reach::WithFuture {
            change(&mut self.socket.defaults);
            self.listen_anew()?;
        }
        for number in numbers {
            if let Some(association) = self.associations.get_mut(number) {
                change(&mut association.settings);
                association.retune(self.now, &self.socket.own, self.transport)?;
            }
        }
        Ok(())
    }

    pub(super) fn listen_anew(&mut self) -> Result<(), Errno> {
        let base = &self.profile.defaults;
        self.transport.listen_anew(base, self.socket)
    }

    /// Updates the engine from the socket's settings.
    pub(super) fn retune_all(&mut self) -> Result<(), Errno> {
        self.listen_anew()?;
        for number in &self.socket.assocs {
            if let Some(association) = self.associations.get_mut(*number) {
                association.retune(self.now, &self.socket.own, self.transport)?;
            }
        }
        Ok(())
    }

    pub(super) fn set_sctp(&mut self, option: OptionName, value: &[u8]) -> Result<(), Errno> {
        match option {
            OptionName::AuthChunk => self.add_auth_chunk(value),
            OptionName::HmacIdent => self.set_algorithms(value),
            OptionName::AuthKey => self.insert_key(value),
            OptionName::AuthActiveKey
            | OptionName::AuthDeactivateKey
            | OptionName::AuthDeleteKey => self.change_key(option, value),
            OptionName::NoDelay
            | OptionName::DisableFragments
            | OptionName::MappedV4
            | OptionName::FragmentInterleave
            | OptionName::ExplicitEor
            | OptionName::RecvRcvInfo
            | OptionName::RecvNxtInfo
            | OptionName::AutoAsconf
            | OptionName::ReusePort
            | OptionName::AutoClose
            | OptionName::PartialDeliveryPoint => self.set_own(option, value),
            OptionName::Events => self.set_events(value),
            OptionName::Event => self.set_event(value),
            OptionName::InitMsg => {
                let given = init_msg(&View::exactly(self.abi, Struct::InitMsg, value)?);
                let defaults = &mut self.socket.defaults;
                defaults.init = defaults.init.merged(given);
                self.listen_anew()
            }
            OptionName::RtoInfo => self.set_rto(value),
            OptionName::AssocInfo => self.set_assoc_info(value),
            OptionName::DelayedSack => self.set_delayed_sack(value),
            OptionName::PeerAddrParams => self.set_path_params(value),
            OptionName::PeerAddrThresholds => {
                self.set_thresholds(Struct::PeerAddrThresholds, value)
            }
            OptionName::PeerAddrThresholdsV2 => {
                self.set_thresholds(Struct::PeerAddrThresholdsV2, value)
            }
            OptionName::RemoteUdpEncapsPort => self.set_encapsulation_port(value),
            OptionName::ProbeInterval => self.set_probe_interval(value),
            OptionName::DefaultSendParam => self.set_default_send(Struct::SndRcvInfo, value),
            OptionName::DefaultSndInfo => self.set_default_send(Struct::SndInfo, value),
            OptionName::DefaultPrInfo => self.set_default_policy(value),
            OptionName::AdaptationLayer => {
                let indication = exact_int(self.abi, value)?;
                self.socket.defaults.adaptation = indication;
                self.listen_anew()
            }
            OptionName::PrimaryAddr => self.set_primary(value),
            OptionName::SetPeerPrimaryAddr => self.set_peer_primary(value),
            OptionName::ResetStreams => self.reset_streams(value),
            OptionName::ResetAssoc => self.reset_assoc(value),
            OptionName::AddStreams => self.add_streams(value),
            OptionName::StreamSchedulerValue => self.set_stream_value(value),
            OptionName::DtlsLocalConfig
            | OptionName::DtlsSendKeys
            | OptionName::DtlsAddReceiveKeys
            | OptionName::DtlsDeleteReceiveKeys
            | OptionName::DtlsEnforce
            | OptionName::DtlsReplayWindow => self.protect(option, value),
            _ => self.set_assoc_value(option, value),
        }
    }

    /// Stores an association number unchanged.
    fn set_assoc_value(&mut self, option: OptionName, value: &[u8]) -> Result<(), Errno> {
        if reports(option) {
            return Err(Errno::ENOPROTOOPT);
        }
        let size = self.abi.layout(Struct::AssocValue).size;
        let longer = matches!(
            option,
            OptionName::StreamScheduler | OptionName::InterleavingSupported
        ) || self.abi.system() == System::FreeBsd;
        if value.len() > size && !longer {
            return Err(Errno::EINVAL);
        }
        let (assoc, number) = assoc_value(self.abi, option, value)?;
        let set: fn(&mut AssocSettings, u32) = match option {
            OptionName::Context => |settings, number| settings.context = number,
            OptionName::MaxBurst => |settings, number| settings.max_burst = number,
            OptionName::MaxSeg => {
                self.lookup().settings_of(assoc)?;
                let least = match self.socket.domain {
                    Domain::V4 => LEAST_PACKET - 20 - HEADERS,
                    Domain::V6 => LEAST_PACKET - 40 - HEADERS,
                };
                let fits = (least..=MOST_IN_A_CHUNK).contains(&number);
                if self.abi.system() == System::Linux && number != 0 && !fits {
                    return Err(Errno::EINVAL);
                }
                // FreeBSD treats a limit above the longest chunk as none.
                match number < MOST_IN_A_CHUNK - 32 {
                    true => |settings, number| settings.max_seg = number,
                    false if self.abi.system() == System::FreeBsd => {
                        |settings, _| settings.max_seg = 0
                    }
                    false => |settings, number| settings.max_seg = number,
                }
            }
            OptionName::EnableStreamReset => {
                if number > 7 {
                    return Err(Errno::EINVAL);
                }
                |settings, number| settings.stream_reset = number
            }
            OptionName::ExposePotentiallyFailed => {
                self.lookup().settings_of(assoc)?;
                if number > 2 {
                    return Err(Errno::EINVAL);
                }
                |settings, number| settings.expose_potentially_failed = number
            }
            OptionName::StreamScheduler => return self.set_scheduler(assoc, number),
            _ => return self.set_extension(assoc, option, number),
        };
        self.change(assoc, |settings| set(settings, number))
    }

    /// RFC 6458 §8.1.1
    fn set_rto(&mut self, value: &[u8]) -> Result<(), Errno> {
        let view = View::exactly(self.abi, Struct::RtoInfo, value)?;
        let before = self.lookup().settings_of(view.assoc())?;
        let pick = |before: u32, field: Field| match view.u32(field) {
            0 => before,
            given => given,
        };
        let initial = pick(before.rto_initial, Field::Initial);
        let max = pick(before.rto_max, Field::Max);
        let min = pick(before.rto_min, Field::Min);
        let is_ordered = self
            .abi
            .system()
            .pick(min <= max, min <= initial && initial <= max);
        if !is_ordered {
            return Err(Errno::EINVAL);
        }
        self.change(view.assoc(), |settings| {
            (settings.rto_initial, settings.rto_max, settings.rto_min) = (initial, max, min);
        })
    }

    /// RFC 6458 §8.1.2
    fn set_assoc_info(&mut self, value: &[u8]) -> Result<(), Errno> {
        let view = View::exactly(self.abi, Struct::AssocParams, value)?;
        let (retrans, life) = (view.u16(Field::MaxRetrans), view.u32(Field::CookieLife));
        let life = match (self.abi.system(), life) {
            (System::FreeBsd, 1..) => life.clamp(LEAST_COOKIE_LIFE, MOST_COOKIE_LIFE),
            _ => life,
        };
        self.lookup().settings_of(view.assoc())?;
        if let Ok(number) = self.lookup().one_assoc(view.assoc()) {
            let (paths, sum) =
                (self.associations.find(number)?).path_retrans(&self.transport.endpoint);
            // RFC 9260 §8.2: otherwise all paths could fail while the association stays up.
            let is_linux = self.abi.system() == System::Linux;
            if is_linux && paths > 1 && u32::from(retrans) > sum {
                return Err(Errno::EINVAL);
            }
        }
        self.change(view.assoc(), |settings| {
            if retrans != 0 {
                settings.max_retrans = retrans;
            }
            if life != 0 {
                settings.cookie_life = life;
            }
        })
    }

    /// RFC 6458 §8.1.19
    fn set_delayed_sack(&mut self, value: &[u8]) -> Result<(), Errno> {
        let is_linux = self.abi.system() == System::Linux;
        let (assoc, delay, frequency) = if value.len() == 8 && is_linux {
            // Old form: only a delay, where 0 disables delayed SACKs.
            let (assoc, delay) = assoc_value(self.abi, OptionName::DelayedSack, value)?;
            (assoc, delay, u32::from(delay == 0))
        } else {
            let view = View::exactly(self.abi, Struct::SackInfo, value)?;
            (
                view.assoc(),
                view.u32(Field::SackDelay),
                view.u32(Field::SackFrequency),
            )
        };
        if !is_linux {
            // Checks the id before the delay.
            self.lookup().reach(assoc)?;
        }
        if delay > MOST_SACK_DELAY {
            return Err(Errno::EINVAL);
        }
        self.change(assoc, |settings| {
            let sacks = path_flags::SACK_ENABLE | path_flags::SACK_DISABLE;
            let path = &mut settings.path;
            if delay != 0 {
                path.sack_delay = delay;
                path.flags = path.flags & !sacks | path_flags::SACK_ENABLE;
            }
            if frequency == 1 && is_linux {
                path.flags = path.flags & !sacks | path_flags::SACK_DISABLE;
            } else if frequency > 0 {
                settings.sack_frequency = frequency;
                path.flags = path.flags & !sacks | path_flags::SACK_ENABLE;
            }
        })
    }

    /// RFC 6458 §8.1.13, §8.1.31
    fn set_default_send(&mut self, layout: Struct, value: &[u8]) -> Result<(), Errno> {
        let view = View::exactly(self.abi, layout, value)?;
        let values = send_values(&view);
        let flags = self.abi.send_flags();
        let known = flags.unordered
            | flags.address_override
            | flags.abort
            | flags.end
            | flags.end_of_record;
        let is_wrong = match self.abi.system() {
            System::Linux => values.flags & !known != 0,
            System::FreeBsd => self
                .lookup()
                .one_assoc(view.assoc())
                .ok()
                .and_then(|number| self.associations.get(number))
                .is_some_and(|found| values.stream >= found.outbound_streams),
        };
        if is_wrong {
            return Err(Errno::EINVAL);
        }
        self.change(view.assoc(), |settings| settings.send = values)
    }

    /// RFC 6458 §8.1.32
    fn set_default_policy(&mut self, value: &[u8]) -> Result<(), Errno> {
        let view = View::exactly(self.abi, Struct::DefaultPrInfo, value)?;
        let (policy, number) = (view.u16(Field::Policy), view.u32(Field::Value));
        let is_linux = self.abi.system() == System::Linux;
        let is_wrong = self.abi.system().pick(
            policy & !self.abi.send_flags().policies != 0,
            policy > self.abi.send_flags().retransmissions,
        );
        if !is_linux {
            // Checks the id before the policy.
            self.lookup().reach(view.assoc())?;
        }
        if is_wrong {
            return Err(Errno::EINVAL);
        }
        let number = if policy == 0 && is_linux { 0 } else { number };
        self.change(view.assoc(), |settings| {
            (settings.pr_policy, settings.pr_value) = (policy, number);
        })
    }

    /// RFC 6951 §6.1
    fn set_encapsulation_port(&mut self, value: &[u8]) -> Result<(), Errno> {
        let view = View::exactly(self.abi, Struct::UdpEncaps, value)?;
        let number = assoc_meant(&view, self.lookup().path_meant(&view)?);
        if self.abi.system() == System::FreeBsd {
            self.lookup().settings_of(number)?;
        }
        let port = view.bytes(Field::Port);
        let port = port.and_then(|port| port.try_into().ok());
        let port = u16::from_be_bytes(port.unwrap_or_default());
        self.change(number, |settings| settings.encapsulation = port)
    }
}

/// Whether an option is read-only.
const fn reports(option: OptionName) -> bool {
    matches!(
        option,
        OptionName::Status
            | OptionName::PeerAddrInfo
            | OptionName::PeerAuthChunks
            | OptionName::LocalAuthChunks
            | OptionName::AssocNumber
            | OptionName::AssocIdList
            | OptionName::PeerAddrs
            | OptionName::LocalAddrs
            | OptionName::AssocStats
            | OptionName::PrAssocStatus
            | OptionName::PrStreamStatus
            | OptionName::DtlsConfig
            | OptionName::DtlsLocalParameter
            | OptionName::DtlsPeerParameter
            | OptionName::DtlsStats
    )
}

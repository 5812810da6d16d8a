//! Reading options of the level `IPPROTO_SCTP`.

use sheave_engine::Assoc;

use super::values::{assoc_value, fitting, show_assoc_value};
use crate::abi::{Field, OptionName, Record, Refusal, Struct, System, View};
use crate::associations::Associations;
use crate::lookup::{Lookup, assoc_meant};
use crate::notification::describe;
use crate::profile::Profile;
use crate::settings::path_flags;
use crate::socket::Socket;
use crate::transport::Transport;
use crate::{Abi, AssocId32, Errno};

/// A call that reads an option of a socket.
pub(crate) struct Query<'a> {
    pub(crate) abi: Abi,
    pub(crate) profile: &'a Profile,
    pub(crate) socket: &'a mut Socket,
    pub(crate) associations: &'a Associations,
    pub(crate) transport: &'a mut Transport,
}

impl Query<'_> {
    /// Reads the option of a level.
    pub(crate) fn get(&mut self, level: i32, name: i32, given: &[u8]) -> Result<Vec<u8>, Errno> {
        let levels = self.abi.levels();
        if level == levels.sctp {
            let option = self.abi.option(name).ok_or(Errno::ENOPROTOOPT)?;
            self.sctp_option(option, given)
        } else if level == levels.socket {
            self.socket_level(name)
        } else if level == levels.ip || level == levels.ipv6 {
            self.ip(level, name)
        } else {
            Err(Errno::EOPNOTSUPP)
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

    pub(super) fn sctp_option(
        &mut self,
        option: OptionName,
        given: &[u8],
    ) -> Result<Vec<u8>, Errno> {
        match option {
            OptionName::AuthChunk
            | OptionName::AuthKey
            | OptionName::AuthDeleteKey
            | OptionName::AuthDeactivateKey => Err(self.abi.refusal(Refusal::Secret)),
            OptionName::HmacIdent => self.algorithms(given),
            OptionName::AuthActiveKey => self.active_key(given),
            OptionName::PeerAuthChunks | OptionName::LocalAuthChunks => {
                self.auth_chunks(option, given)
            }
            OptionName::Events => self.events(given),
            OptionName::Event => self.event(given),
            OptionName::InitMsg => {
                let init = self.socket.defaults.init;
                let record = Record::new(self.abi, Struct::InitMsg)
                    .set(Field::OutboundStreams, init.outbound_streams)
                    .set(Field::InboundStreams, init.inbound_streams)
                    .set(Field::Attempts, init.attempts)
                    .set(Field::Timeout, init.timeout);
                fitting(given, record.into_bytes())
            }
            OptionName::RtoInfo => {
                let view = View::new(self.abi, Struct::RtoInfo, given)?;
                let settings = self.lookup().settings_of(view.assoc())?;
                Ok(Record::of(self.abi, Struct::RtoInfo, view.assoc())
                    .set(Field::Initial, settings.rto_initial)
                    .set(Field::Max, settings.rto_max)
                    .set(Field::Min, settings.rto_min)
                    .into_bytes())
            }
            OptionName::AssocInfo => self.assoc_info(given),
            OptionName::DelayedSack => self.delayed_sack(given),
            OptionName::PeerAddrParams => self.path_params(given),
            OptionName::PeerAddrThresholds => self.thresholds(Struct::PeerAddrThresholds, given),
            OptionName::PeerAddrThresholdsV2 => {
                self.thresholds(Struct::PeerAddrThresholdsV2, given)
            }
            OptionName::RemoteUdpEncapsPort => {
                let view = View::new(self.abi, Struct::UdpEncaps, given)?;
                let named = self.lookup().path_meant(&view)?;
                let number = assoc_meant(&view, named);
                let port = self.lookup().settings_of(number)?.encapsulation;
                let address = self.lookup().address_answered(&view, named);
                Ok(Record::of(self.abi, Struct::UdpEncaps, view.assoc())
                    .set_bytes(Field::Address, &address)
                    .set_bytes(Field::Port, &port.to_be_bytes())
                    .into_bytes())
            }
            OptionName::ProbeInterval => self.probe_interval(given),
            OptionName::DefaultSendParam => self.default_send(Struct::SndRcvInfo, given),
            OptionName::DefaultSndInfo => self.default_send(Struct::SndInfo, given),
            OptionName::DefaultPrInfo => {
                let view = View::new(self.abi, Struct::DefaultPrInfo, given)?;
                let settings = self.lookup().settings_of(view.assoc())?;
                Ok(Record::of(self.abi, Struct::DefaultPrInfo, view.assoc())
                    .set(Field::Value, settings.pr_value)
                    .set(Field::Policy, settings.pr_policy)
                    .into_bytes())
            }
            OptionName::PrimaryAddr => self.primary(given),
            OptionName::Status => self.status(given),
            OptionName::PeerAddrInfo => self.path_info(given),
            OptionName::PeerAddrs => self.peer_addresses(given),
            OptionName::LocalAddrs => self.own_addresses(given),
            OptionName::AssocStats => self.assoc_stats(given),
            OptionName::AssocNumber | OptionName::AssocIdList => self.assoc_list(option, given),
            OptionName::PrAssocStatus | OptionName::PrStreamStatus => {
                self.abandonments(option, given)
            }
            OptionName::StreamSchedulerValue => self.stream_value(given),
            OptionName::DtlsConfig
            | OptionName::DtlsLocalParameter
            | OptionName::DtlsPeerParameter
            | OptionName::DtlsEnforce
            | OptionName::DtlsReplayWindow
            | OptionName::DtlsStats => self.protection(option, given),
            OptionName::DtlsLocalConfig => Err(Errno::EOPNOTSUPP),
            OptionName::DtlsSendKeys
            | OptionName::DtlsAddReceiveKeys
            | OptionName::DtlsDeleteReceiveKeys
            | OptionName::BindxAdd
            | OptionName::BindxRemove
            | OptionName::ResetStreams
            | OptionName::ResetAssoc
            | OptionName::AddStreams
            | OptionName::SetPeerPrimaryAddr
            | OptionName::Connectx
            | OptionName::ConnectxOld => Err(Errno::ENOPROTOOPT),
            _ => self.number(option, given),
        }
    }

    /// An integer option of the socket or of associations.
    fn number(&mut self, option: OptionName, given: &[u8]) -> Result<Vec<u8>, Errno> {
        if let Some(own) = self.own(option)? {
            return fitting(given, own.to_ne_bytes().to_vec());
        }
        let (assoc, _) = assoc_value(self.abi, option, given)?;
        let settings = self.lookup().settings_of(assoc)?;
        let value = match option {
            OptionName::Context => settings.context,
            OptionName::MaxBurst => settings.max_burst,
            OptionName::MaxSeg => match self.lookup().one_assoc(assoc) {
                Ok(number) => u32::try_from(self.lookup().fragmentation_point(number)).unwrap_or(0),
                Err(_) => settings.max_seg,
            },
            OptionName::EnableStreamReset => settings.stream_reset,
            OptionName::ExposePotentiallyFailed => settings.expose_potentially_failed,
            OptionName::StreamScheduler => settings.scheduler_number,
            _ => self.extension(assoc, option)?,
        };
        let mut answer = show_assoc_value(self.abi, given, assoc, value);
        if option == OptionName::MaxBurst && self.abi.system() == System::Linux {
            // Linux leaves the length unchanged.
            answer.extend_from_slice(given.get(answer.len()..).unwrap_or_default());
        }
        Ok(answer)
    }

    fn delayed_sack(&self, given: &[u8]) -> Result<Vec<u8>, Errno> {
        let is_linux = self.abi.system() == System::Linux;
        let old = is_linux && given.len() == self.abi.layout(Struct::AssocValue).size;
        let assoc = if old {
            assoc_value(self.abi, OptionName::DelayedSack, given)?.0
        } else {
            View::new(self.abi, Struct::SackInfo, given)?.assoc()
        };
        let settings = self.lookup().settings_of(assoc)?;
        let is_shown = !is_linux || settings.path.flags & path_flags::SACK_ENABLE != 0;
        let (delay, frequency) = if is_shown {
            (settings.path.sack_delay, settings.sack_frequency)
        } else {
            (0, 1)
        };
        if old {
            return Ok(show_assoc_value(self.abi, given, assoc, delay));
        }
        Ok(Record::of(self.abi, Struct::SackInfo, assoc)
            .set(Field::SackDelay, delay)
            .set(Field::SackFrequency, frequency)
            .into_bytes())
    }

    fn default_send(&self, layout: Struct, given: &[u8]) -> Result<Vec<u8>, Errno> {
        let view = View::new(self.abi, layout, given)?;
        let mut values = self.lookup().settings_of(view.assoc())?.send;
        if self.abi.system() == System::FreeBsd {
            // Policies are in `SCTP_DEFAULT_PRINFO`.
            values.flags &= !self.abi.send_flags().policies;
        }
        let record = Record::new(self.abi, layout).set(Field::TimeToLive, values.time_to_live);
        Ok(describe(record, &values, view.assoc()).into_bytes())
    }
}

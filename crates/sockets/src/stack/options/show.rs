//! Reading options of the level `IPPROTO_SCTP`.

use super::paths::assoc_meant;
use super::{assoc_value, show_assoc_value};
use crate::abi::{Field, OptionName, Record, Refusal, Struct, System, View};
use crate::notification::describe;
use crate::settings::path_flags;
use crate::stack::Stack;
use crate::{Errno, SocketId};

impl Stack {
    pub(super) fn sctp_option(
        &mut self,
        id: SocketId,
        option: OptionName,
        given: &[u8],
    ) -> Result<Vec<u8>, Errno> {
        match option {
            OptionName::AuthChunk
            | OptionName::AuthKey
            | OptionName::AuthDeleteKey
            | OptionName::AuthDeactivateKey => Err(self.abi.refusal(Refusal::Secret)),
            OptionName::HmacIdent
            | OptionName::AuthActiveKey
            | OptionName::PeerAuthChunks
            | OptionName::LocalAuthChunks => self.auth(id, option, given),
            OptionName::Events => self.events(id, given),
            OptionName::Event => self.event(id, given),
            OptionName::InitMsg => {
                room(given, self.abi.layout(Struct::InitMsg).size)?;
                let init = self.find(id)?.defaults.init;
                Ok(Record::new(self.abi, Struct::InitMsg)
                    .set(Field::OutboundStreams, init.outbound_streams)
                    .set(Field::InboundStreams, init.inbound_streams)
                    .set(Field::Attempts, init.attempts)
                    .set(Field::Timeout, init.timeout)
                    .into_bytes())
            }
            OptionName::RtoInfo => {
                let view = View::new(self.abi, Struct::RtoInfo, given)?;
                let settings = self.settings_of(id, view.assoc())?;
                Ok(Record::new(self.abi, Struct::RtoInfo)
                    .set_signed(Field::Assoc, view.assoc())
                    .set(Field::Initial, settings.rto_initial)
                    .set(Field::Max, settings.rto_max)
                    .set(Field::Min, settings.rto_min)
                    .into_bytes())
            }
            OptionName::AssocInfo => self.assoc_info(id, given),
            OptionName::DelayedSack => self.delayed_sack(id, given),
            OptionName::PeerAddrParams => self.path_params(id, given),
            OptionName::PeerAddrThresholds => {
                self.thresholds(id, Struct::PeerAddrThresholds, given)
            }
            OptionName::PeerAddrThresholdsV2 => {
                self.thresholds(id, Struct::PeerAddrThresholdsV2, given)
            }
            OptionName::RemoteUdpEncapsPort => {
                let view = View::new(self.abi, Struct::UdpEncaps, given)?;
                let named = self.path_meant(id, &view)?;
                let number = assoc_meant(&view, named);
                let port = self.settings_of(id, number)?.encapsulation;
                let address = self.address_answered(id, &view, named)?;
                Ok(Record::new(self.abi, Struct::UdpEncaps)
                    .set_signed(Field::Assoc, view.assoc())
                    .set_bytes(Field::Address, &address)
                    .set_bytes(Field::Port, &port.to_be_bytes())
                    .into_bytes())
            }
            OptionName::ProbeInterval => self.probe_interval(id, given),
            OptionName::DefaultSendParam => self.default_send(id, Struct::SndRcvInfo, given),
            OptionName::DefaultSndInfo => self.default_send(id, Struct::SndInfo, given),
            OptionName::DefaultPrInfo => {
                let view = View::new(self.abi, Struct::DefaultPrInfo, given)?;
                let settings = self.settings_of(id, view.assoc())?;
                Ok(Record::new(self.abi, Struct::DefaultPrInfo)
                    .set_signed(Field::Assoc, view.assoc())
                    .set(Field::Value, settings.pr_value)
                    .set(Field::Policy, settings.pr_policy)
                    .into_bytes())
            }
            OptionName::PrimaryAddr => self.primary(id, given),
            OptionName::Status => self.status(id, given),
            OptionName::PeerAddrInfo => self.path_info(id, given),
            OptionName::PeerAddrs => self.peer_addresses(id, given),
            OptionName::LocalAddrs => self.own_addresses(id, given),
            OptionName::AssocStats => self.assoc_stats(id, given),
            OptionName::AssocNumber | OptionName::AssocIdList => self.assoc_list(id, option, given),
            OptionName::PrAssocStatus | OptionName::PrStreamStatus => {
                self.abandonments(id, option, given)
            }
            OptionName::StreamSchedulerValue => self.stream_value(id, given),
            OptionName::BindxAdd
            | OptionName::BindxRemove
            | OptionName::ResetStreams
            | OptionName::ResetAssoc
            | OptionName::AddStreams
            | OptionName::SetPeerPrimaryAddr
            | OptionName::Connectx
            | OptionName::ConnectxOld => Err(Errno::ENOPROTOOPT),
            _ => self.number(id, option, given),
        }
    }

    /// An integer option of the socket or of associations.
    fn number(&mut self, id: SocketId, option: OptionName, given: &[u8]) -> Result<Vec<u8>, Errno> {
        if let Some(own) = self.own(id, option)? {
            room(given, 4)?;
            return Ok(own.to_ne_bytes().to_vec());
        }
        let (assoc, _) = assoc_value(self.abi, option, given)?;
        let settings = self.settings_of(id, assoc)?;
        let value = match option {
            OptionName::Context => settings.context,
            OptionName::MaxBurst => settings.max_burst,
            OptionName::MaxSeg => match self.one_assoc(id, assoc) {
                Ok(number) => u32::try_from(self.fragmentation_point(number)).unwrap_or(0),
                Err(_) => settings.max_seg,
            },
            OptionName::EnableStreamReset => settings.stream_reset,
            OptionName::ExposePotentiallyFailed => settings.expose_potentially_failed,
            OptionName::StreamScheduler => settings.scheduler_number,
            _ => self.extension(id, assoc, option)?,
        };
        let mut answer = show_assoc_value(self.abi, given, assoc, value);
        if option == OptionName::MaxBurst && self.abi.system() == System::Linux {
            // Linux leaves the length unchanged.
            answer.extend_from_slice(given.get(answer.len()..).unwrap_or_default());
        }
        Ok(answer)
    }

    fn delayed_sack(&self, id: SocketId, given: &[u8]) -> Result<Vec<u8>, Errno> {
        let is_linux = self.abi.system() == System::Linux;
        let old = is_linux && given.len() == self.abi.layout(Struct::AssocValue).size;
        let assoc = if old {
            assoc_value(self.abi, OptionName::DelayedSack, given)?.0
        } else {
            View::new(self.abi, Struct::SackInfo, given)?.assoc()
        };
        let settings = self.settings_of(id, assoc)?;
        let is_shown = !is_linux || settings.path.flags & path_flags::SACK_ENABLE != 0;
        let (delay, frequency) = if is_shown {
            (settings.path.sack_delay, settings.sack_frequency)
        } else {
            (0, 1)
        };
        if old {
            return Ok(show_assoc_value(self.abi, given, assoc, delay));
        }
        Ok(Record::new(self.abi, Struct::SackInfo)
            .set_signed(Field::Assoc, assoc)
            .set(Field::SackDelay, delay)
            .set(Field::SackFrequency, frequency)
            .into_bytes())
    }

    fn default_send(&self, id: SocketId, layout: Struct, given: &[u8]) -> Result<Vec<u8>, Errno> {
        let view = View::new(self.abi, layout, given)?;
        let mut values = self.settings_of(id, view.assoc())?.send;
        if self.abi.system() == System::FreeBsd {
            // Policies are in `SCTP_DEFAULT_PRINFO`.
            values.flags &= !self.abi.send_flags().policies;
        }
        let record = Record::new(self.abi, layout).set(Field::TimeToLive, values.time_to_live);
        Ok(describe(record, &values, view.assoc()).into_bytes())
    }
}

/// Rejects a buffer that is too small.
fn room(given: &[u8], needed: usize) -> Result<(), Errno> {
    if given.len() < needed {
        Err(Errno::EINVAL)
    } else {
        Ok(())
    }
}

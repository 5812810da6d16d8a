//! Setting options of the level `IPPROTO_SCTP`.

use core::net::Ipv4Addr;
use core::num::NonZeroU16;

use sheave_engine::{
    AddressChangeError, Assoc, PathError, ReconfigurationError, StreamDirection, StreamScheduler,
    Time,
};
use sheave_wire::StreamId;

use super::paths::assoc_meant;
use super::{assoc_value, int};
use crate::abi::{Field, OptionName, Refusal, Struct, System, View};
use crate::control::{init_msg, send_values};
use crate::settings::{AssocSettings, DefaultSend, EVENT_TYPES, EventType, path_flags};
use crate::socket::{Kind, StreamRequest};
use crate::stack::Stack;
use crate::stack::connect::merged;
use crate::{Abi, AssocId32, Domain, Errno, SocketId, notification};

/// The longest delay of a SACK, milliseconds (RFC 9260 §6.2).
const MOST_SACK_DELAY: u32 = 500;
/// Bounds of SCTP_MAXSEG: packets carry as much as the least path MTU does, and a chunk's length has
/// 16 bits. The headers are the common one and that of a DATA chunk.
const LEAST_PACKET: u32 = 512;
const HEADERS: u32 = 12 + 16;
const MOST_IN_A_CHUNK: u32 = 65_532 - 16;

impl Stack {
    pub(super) fn set_sctp(
        &mut self,
        now: Time,
        id: SocketId,
        option: OptionName,
        value: &[u8],
    ) -> Result<(), Errno> {
        match option {
            OptionName::AuthChunk
            | OptionName::HmacIdent
            | OptionName::AuthKey
            | OptionName::AuthActiveKey
            | OptionName::AuthDeactivateKey
            | OptionName::AuthDeleteKey => self.set_auth(now, id, option, value),
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
            | OptionName::PartialDeliveryPoint => self.set_own(now, id, option, value),
            OptionName::Events => self.set_events(id, value),
            OptionName::Event => self.set_event(now, id, value),
            OptionName::InitMsg => {
                let given = init_msg(&View::exactly(self.abi, Struct::InitMsg, value)?);
                let defaults = &mut self.find_mut(id)?.defaults;
                defaults.init = merged(defaults.init, given);
                self.listen_anew(id)
            }
            OptionName::RtoInfo => self.set_rto(now, id, value),
            OptionName::AssocInfo => self.set_assoc_info(now, id, value),
            OptionName::DelayedSack => self.set_delayed_sack(now, id, value),
            OptionName::PeerAddrParams => self.set_path_params(now, id, value),
            OptionName::PeerAddrThresholds => {
                self.set_thresholds(now, id, Struct::PeerAddrThresholds, value)
            }
            OptionName::PeerAddrThresholdsV2 => {
                self.set_thresholds(now, id, Struct::PeerAddrThresholdsV2, value)
            }
            OptionName::RemoteUdpEncapsPort => {
                let view = View::exactly(self.abi, Struct::UdpEncaps, value)?;
                let number = assoc_meant(&view, self.path_meant(id, &view)?);
                let port = view
                    .bytes(Field::Port)
                    .and_then(|port| port.try_into().ok());
                let port = u16::from_be_bytes(port.unwrap_or_default());
                self.change(now, id, number, |settings| {
                    settings.encapsulation = port;
                })
            }
            OptionName::ProbeInterval => {
                let view = View::exactly(self.abi, Struct::ProbeInterval, value)?;
                let number = assoc_meant(&view, self.path_meant(id, &view)?);
                let interval = view.u32(Field::Interval);
                if interval != 0 && interval < 5000 {
                    return Err(Errno::EINVAL);
                }
                self.change(now, id, number, |settings| {
                    settings.probe_interval = interval;
                })
            }
            OptionName::DefaultSendParam => {
                let view = View::exactly(self.abi, Struct::SndRcvInfo, value)?;
                self.set_default_send(now, id, view.assoc(), send_values(&view))
            }
            OptionName::DefaultSndInfo => {
                let view = View::exactly(self.abi, Struct::SndInfo, value)?;
                self.set_default_send(now, id, view.assoc(), send_values(&view))
            }
            OptionName::DefaultPrInfo => {
                let view = View::exactly(self.abi, Struct::DefaultPrInfo, value)?;
                let (policy, number) = (view.u16(Field::Policy), view.u32(Field::Value));
                if policy & !self.abi.send_flags().policies != 0 {
                    return Err(Errno::EINVAL);
                }
                let number = if policy == 0 { 0 } else { number };
                self.change(now, id, view.assoc(), |settings| {
                    (settings.pr_policy, settings.pr_value) = (policy, number);
                })
            }
            OptionName::AdaptationLayer => {
                let indication = exact_int(self.abi, value)?;
                self.find_mut(id)?.defaults.adaptation = indication;
                self.listen_anew(id)
            }
            OptionName::PrimaryAddr => self.set_primary(now, id, value),
            OptionName::SetPeerPrimaryAddr => self.set_peer_primary(now, id, value),
            OptionName::BindxAdd => {
                let addresses = self.abi.addresses(value)?;
                self.add_addresses(now, id, &addresses)
            }
            OptionName::BindxRemove => {
                let addresses = self.abi.addresses(value)?;
                self.remove_addresses(now, id, &addresses)
            }
            OptionName::ResetStreams => self.reset_streams(now, id, value),
            OptionName::ResetAssoc => {
                let number = self.one_assoc(id, exact_int(self.abi, value)?.cast_signed())?;
                if !self.may_reset(number, 2) {
                    return Err(self.abi.refusal(Refusal::NoReconfiguration));
                }
                self.reconfigure(number, StreamRequest::ResetAssociation, |mut assoc| {
                    assoc.reset_tsns(now)
                })
            }
            OptionName::AddStreams => self.add_streams(now, id, value),
            OptionName::StreamSchedulerValue => self.set_stream_value(now, id, value),
            _ => self.set_assoc_value(now, id, option, value),
        }
    }

    /// Options of the socket alone.
    fn set_own(
        &mut self,
        now: Time,
        id: SocketId,
        option: OptionName,
        value: &[u8],
    ) -> Result<(), Errno> {
        let (default, abi) = (self.defaults.receive_buffer, self.abi);
        let system = abi.system();
        let socket = self.find_mut(id)?;
        let one_to_one = socket.kind == Kind::OneToOne;
        let value = match option {
            OptionName::AutoClose if one_to_one => return Err(Errno::EOPNOTSUPP),
            OptionName::ReusePort if !one_to_one => return Err(Errno::EOPNOTSUPP),
            OptionName::ReusePort if socket.binding.is_some() => return Err(Errno::EFAULT),
            OptionName::AutoClose
            | OptionName::FragmentInterleave
            | OptionName::PartialDeliveryPoint => exact_int(abi, value)?,
            _ => int(value)?,
        };
        let flag = u32::from(value != 0);
        let own = &mut socket.own;
        match option {
            OptionName::NoDelay => own.no_delay = flag,
            OptionName::DisableFragments => own.disable_fragments = flag,
            OptionName::MappedV4 => own.mapped_v4 = flag,
            OptionName::FragmentInterleave => {
                own.fragment_interleave = match system {
                    System::Linux => flag,
                    System::FreeBsd if value > 2 => return Err(Errno::EINVAL),
                    System::FreeBsd => value,
                };
            }
            OptionName::ExplicitEor => own.explicit_eor = flag,
            OptionName::RecvRcvInfo => own.recv_rcv_info = flag,
            OptionName::RecvNxtInfo => own.recv_nxt_info = flag,
            OptionName::AutoAsconf => {
                // All addresses of the machine are those of the socket, or none changes by itself.
                let all = socket.binding.as_ref();
                let all = all.is_some_and(|binding| binding.addresses.is_empty());
                if !all && flag != 0 {
                    return Err(Errno::EINVAL);
                }
                own.auto_asconf = flag;
            }
            OptionName::ReusePort => own.reuse_port = flag,
            OptionName::AutoClose => own.auto_close = value,
            OptionName::PartialDeliveryPoint => {
                let most = own.receive_buffer.map_or(default, |bytes| bytes as usize) / 2;
                if value as usize > most {
                    return Err(Errno::EINVAL);
                }
                own.partial_delivery_point = value;
            }
            _ => return Err(Errno::ENOPROTOOPT),
        }
        self.retune_all(now, id)
    }

    /// A number for associations, which is kept as it is.
    fn set_assoc_value(
        &mut self,
        now: Time,
        id: SocketId,
        option: OptionName,
        value: &[u8],
    ) -> Result<(), Errno> {
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
        let flag = u32::from(number != 0);
        let set: fn(&mut AssocSettings, u32) = match option {
            OptionName::Context => |settings, number| settings.context = number,
            OptionName::MaxBurst => |settings, number| settings.max_burst = number,
            OptionName::MaxSeg => {
                self.settings_of(id, assoc)?;
                let least = match self.find(id)?.domain {
                    Domain::V4 => LEAST_PACKET - 20 - HEADERS,
                    Domain::V6 => LEAST_PACKET - 40 - HEADERS,
                };
                let fits = (least..=MOST_IN_A_CHUNK).contains(&number);
                match self.abi.system() {
                    System::Linux if number != 0 && !fits => return Err(Errno::EINVAL),
                    // What is too little or too much does as well as any number.
                    System::FreeBsd if !fits => |settings, _| settings.max_seg = 0,
                    _ => |settings, number| settings.max_seg = number,
                }
            }
            OptionName::EnableStreamReset => {
                if number > 7 {
                    return Err(Errno::EINVAL);
                }
                |settings, number| settings.stream_reset = number
            }
            OptionName::ExposePotentiallyFailed => {
                self.settings_of(id, assoc)?;
                if number > 2 {
                    return Err(Errno::EINVAL);
                }
                |settings, number| settings.expose_potentially_failed = number
            }
            OptionName::StreamScheduler => return self.set_scheduler(now, id, assoc, number),
            OptionName::InterleavingSupported => {
                self.settings_of(id, assoc)?;
                if self.find(id)?.own.fragment_interleave == 0 {
                    return Err(Errno::EPERM);
                }
                return self.change_future(id, |settings| settings.interleaving = flag);
            }
            OptionName::PrSupported => {
                self.settings_of(id, assoc)?;
                return self.change_future(id, |settings| settings.pr_supported = flag);
            }
            OptionName::ReconfigSupported => {
                self.settings_of(id, assoc)?;
                return self.change_future(id, |settings| settings.reconfig_supported = flag);
            }
            OptionName::AsconfSupported => {
                self.settings_of(id, assoc)?;
                return self.change_future(id, |settings| settings.asconf_supported = flag);
            }
            OptionName::AuthSupported => {
                self.settings_of(id, assoc)?;
                return self.change_future(id, |settings| settings.auth_supported = flag);
            }
            OptionName::EcnSupported => {
                self.settings_of(id, assoc)?;
                return self.change_future(id, |settings| settings.ecn_supported = flag);
            }
            _ => return Err(Errno::ENOPROTOOPT),
        };
        self.change(now, id, assoc, |settings| set(settings, number))
    }

    /// Changes what holds for associations to come: both ends agree on it when one begins.
    fn change_future(
        &mut self,
        id: SocketId,
        change: impl FnOnce(&mut AssocSettings),
    ) -> Result<(), Errno> {
        change(&mut self.find_mut(id)?.defaults);
        self.listen_anew(id)
    }

    // RFC 6458 §6.2.1: programs of any age know so many of the types.
    fn set_events(&mut self, id: SocketId, value: &[u8]) -> Result<(), Errno> {
        if value.len() > EVENT_TYPES {
            return Err(Errno::EINVAL);
        }
        let numbers: Vec<AssocId32> = self.find(id)?.assocs.iter().copied().collect();
        let before = self.find(id)?.defaults.events;
        let mut events = before;
        for (bit, on) in value.iter().enumerate() {
            events = if *on != 0 {
                events | 1 << bit
            } else {
                events & !(1 << bit)
            };
        }
        self.find_mut(id)?.defaults.events = events;
        for number in &numbers {
            if let Some(association) = self.assocs.get_mut(number) {
                association.settings.events = events;
            }
        }
        let dry = 1 << EventType::SenderDry as u32;
        if events & dry != 0 && before & dry == 0 {
            self.tell_dry(&numbers);
        }
        Ok(())
    }

    /// RFC 6458 §6.2.2, §8.1.28
    fn set_event(&mut self, now: Time, id: SocketId, value: &[u8]) -> Result<(), Errno> {
        // Linux, too, takes what is longer.
        let view = View::new(self.abi, Struct::Event, value)?;
        let event = self.abi.event_type(view.u16(Field::Type));
        let bit = event.ok_or(Errno::EINVAL)? as u32;
        let on = view.get(Field::On) != 0;
        let (_, numbers) = self.reach(id, view.assoc())?;
        self.change(now, id, view.assoc(), |settings| {
            let events = settings.events;
            settings.events = if on {
                events | 1 << bit
            } else {
                events & !(1 << bit)
            };
        })?;
        if on && bit == EventType::SenderDry as u32 {
            self.tell_dry(&numbers);
        }
        Ok(())
    }

    /// Whoever begins to listen for "dry" hears at once where nothing is on its way (RFC 6458
    /// §6.1.9).
    fn tell_dry(&mut self, numbers: &[AssocId32]) {
        for number in numbers {
            let assoc = self.engine_assoc(*number);
            let dry = assoc.is_some_and(|assoc| assoc.stats().send_buffered == 0);
            if dry && self.is_up(*number) {
                self.notify(*number, EventType::SenderDry, |abi| {
                    notification::plain(abi, *number, EventType::SenderDry)
                });
                if let Some(owner) = self.assocs.get(number).and_then(|found| found.owner) {
                    self.touch(owner);
                }
            }
        }
    }

    /// RFC 6458 §8.1.1
    fn set_rto(&mut self, now: Time, id: SocketId, value: &[u8]) -> Result<(), Errno> {
        let view = View::exactly(self.abi, Struct::RtoInfo, value)?;
        let before = self.settings_of(id, view.assoc())?;
        let pick = |before: u32, field: Field| match view.u32(field) {
            0 => before,
            given => given,
        };
        let initial = pick(before.rto_initial, Field::Initial);
        let max = pick(before.rto_max, Field::Max);
        let min = pick(before.rto_min, Field::Min);
        if min > max {
            return Err(Errno::EINVAL);
        }
        self.change(now, id, view.assoc(), |settings| {
            (settings.rto_initial, settings.rto_max, settings.rto_min) = (initial, max, min);
        })
    }

    /// RFC 6458 §8.1.2
    fn set_assoc_info(&mut self, now: Time, id: SocketId, value: &[u8]) -> Result<(), Errno> {
        let view = View::exactly(self.abi, Struct::AssocParams, value)?;
        let (retrans, life) = (view.u16(Field::MaxRetrans), view.u32(Field::CookieLife));
        self.settings_of(id, view.assoc())?;
        if let Ok(number) = self.one_assoc(id, view.assoc()) {
            let (paths, sum) = self.path_retrans(number);
            // RFC 9260 §8.2: else the peer would not be given up with its last path.
            if paths > 1 && u32::from(retrans) > sum {
                return Err(Errno::EINVAL);
            }
        }
        self.change(now, id, view.assoc(), |settings| {
            if retrans != 0 {
                settings.max_retrans = retrans;
            }
            if life != 0 {
                settings.cookie_life = life;
            }
        })
    }

    /// RFC 6458 §8.1.19
    fn set_delayed_sack(&mut self, now: Time, id: SocketId, value: &[u8]) -> Result<(), Errno> {
        let (assoc, delay, frequency) = if value.len() == 8 {
            // Of old: a delay alone, where 0 means none.
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
        if delay > MOST_SACK_DELAY {
            return Err(Errno::EINVAL);
        }
        self.change(now, id, assoc, |settings| {
            let sacks = path_flags::SACK_ENABLE | path_flags::SACK_DISABLE;
            let path = &mut settings.path;
            if delay != 0 {
                path.sack_delay = delay;
                path.flags = path.flags & !sacks | path_flags::SACK_ENABLE;
            }
            if frequency == 1 {
                path.flags = path.flags & !sacks | path_flags::SACK_DISABLE;
            } else if frequency > 1 {
                settings.sack_frequency = frequency;
                path.flags = path.flags & !sacks | path_flags::SACK_ENABLE;
            }
        })
    }

    /// RFC 6458 §8.1.13, §8.1.31
    fn set_default_send(
        &mut self,
        now: Time,
        id: SocketId,
        assoc: AssocId32,
        values: DefaultSend,
    ) -> Result<(), Errno> {
        let flags = self.abi.send_flags();
        let known = flags.unordered
            | flags.address_override
            | flags.abort
            | flags.end
            | flags.end_of_record;
        if values.flags & !known != 0 {
            return Err(Errno::EINVAL);
        }
        self.change(now, id, assoc, |settings| settings.send = values)
    }

    /// RFC 6458 §8.1.9
    fn set_primary(&mut self, now: Time, id: SocketId, value: &[u8]) -> Result<(), Errno> {
        let view = View::exactly(self.abi, Struct::Primary, value)?;
        let address = view.address(Field::Address).ok_or(Errno::EINVAL)?;
        let (number, ip) = self.path_to(id, view.assoc(), address)?;
        let mut assoc = self.engine_assoc(number).ok_or(Errno::EINVAL)?;
        let outcome = assoc.set_primary(ip);
        self.digest(now);
        outcome.map_err(|error| match error {
            PathError::Unknown | PathError::Unconfirmed => Errno::EINVAL,
        })
    }

    /// RFC 6458 §8.3.1
    fn set_peer_primary(&mut self, now: Time, id: SocketId, value: &[u8]) -> Result<(), Errno> {
        if self.find(id)?.defaults.asconf_supported == 0 {
            return Err(Errno::EPERM);
        }
        let view = View::exactly(self.abi, Struct::Primary, value)?;
        let address = view.address(Field::Address).ok_or(Errno::EINVAL)?;
        let number = self.one_assoc(id, view.assoc())?;
        let association = self.assocs.get(&number).ok_or(Errno::EINVAL)?;
        // With another port it is none of ours.
        let ip = match address.port() == association.local_port {
            true => address.ip().to_canonical(),
            false => Ipv4Addr::UNSPECIFIED.into(),
        };
        let mut assoc = self
            .endpoint
            .assoc(association.engine)
            .ok_or(Errno::EINVAL)?;
        let outcome = assoc.set_peer_primary(now, ip);
        outcome.map_err(|error| match error {
            AddressChangeError::NotLocal => Errno::EADDRNOTAVAIL,
            AddressChangeError::NotEstablished => Errno::ENOTCONN,
            _ => Errno::EPERM,
        })
    }

    fn reconfigure(
        &mut self,
        number: AssocId32,
        request: StreamRequest,
        ask: impl FnOnce(Assoc<'_>) -> Result<(), ReconfigurationError>,
    ) -> Result<(), Errno> {
        let association = self.assocs.get_mut(&number).ok_or(Errno::EINVAL)?;
        let assoc = self
            .endpoint
            .assoc(association.engine)
            .ok_or(Errno::EINVAL)?;
        ask(assoc).map_err(|error| match error {
            ReconfigurationError::Unavailable => Errno::ENOPROTOOPT,
            ReconfigurationError::NotEstablished => Errno::ENOTCONN,
            ReconfigurationError::Busy => Errno::EINPROGRESS,
            ReconfigurationError::UnknownStream | ReconfigurationError::BadCount => Errno::EINVAL,
        })?;
        association.request = Some(request);
        Ok(())
    }

    /// RFC 6525 §6.3.2
    fn reset_streams(&mut self, now: Time, id: SocketId, value: &[u8]) -> Result<(), Errno> {
        let view = View::new(self.abi, Struct::ResetStreams, value)?;
        let count = usize::from(view.u16(Field::Count));
        let list = value
            .get(self.abi.layout(Struct::ResetStreams).size..)
            .unwrap_or_default();
        let list = list.get(..count * 2).ok_or(Errno::EINVAL)?;
        let streams: Vec<StreamId> = list
            .as_chunks()
            .0
            .iter()
            .map(|bytes| StreamId(u16::from_ne_bytes(*bytes)))
            .collect();
        let flags = match self.abi.system() {
            System::Linux => view.u16(Field::Flags),
            System::FreeBsd => view.u16(Field::Flags) & 3,
        };
        let number = self.one_assoc(id, view.assoc())?;
        if !self.may_reset(number, 1) {
            return Err(self.abi.refusal(Refusal::NoReconfiguration));
        }
        if flags == 0 || flags > 3 {
            return Err(Errno::EINVAL);
        }
        let directions = [
            (2, StreamDirection::Outgoing),
            (1, StreamDirection::Incoming),
        ];
        for (bit, direction) in directions {
            if flags & bit != 0 {
                let request = StreamRequest::ResetStreams(direction, streams.clone());
                self.reconfigure(number, request, |mut assoc| {
                    assoc.reset_streams(now, &streams, direction)
                })?;
            }
        }
        Ok(())
    }

    /// Whether a program may ask the peer for that; on FreeBSD `SCTP_ENABLE_STREAM_RESET` is about what the
    /// peer asks for.
    fn may_reset(&self, number: AssocId32, bit: u32) -> bool {
        let found = self.assocs.get(&number);
        found.is_some_and(|found| {
            let enabled = match self.abi.system() {
                System::Linux => found.settings.stream_reset & bit != 0,
                System::FreeBsd => true,
            };
            found.settings.reconfig_supported != 0 && enabled
        })
    }

    /// RFC 6525 §6.3.4
    fn add_streams(&mut self, now: Time, id: SocketId, value: &[u8]) -> Result<(), Errno> {
        let view = View::exactly(self.abi, Struct::AddStreams, value)?;
        let number = self.one_assoc(id, view.assoc())?;
        let (inbound, outbound) = (
            view.u16(Field::InboundStreams),
            view.u16(Field::OutboundStreams),
        );
        if !self.may_reset(number, 4) {
            return Err(self.abi.refusal(Refusal::NoReconfiguration));
        }
        if inbound == 0 && outbound == 0 {
            return Err(Errno::EINVAL);
        }
        let directions = [
            (outbound, StreamDirection::Outgoing),
            (inbound, StreamDirection::Incoming),
        ];
        for (count, direction) in directions {
            if count > 0 {
                self.reconfigure(number, StreamRequest::AddStreams, |mut assoc| {
                    assoc.add_streams(now, count, direction)
                })?;
            }
        }
        Ok(())
    }

    /// RFC 8260 §4.3.2
    fn set_scheduler(
        &mut self,
        now: Time,
        id: SocketId,
        assoc: AssocId32,
        wanted: u32,
    ) -> Result<(), Errno> {
        let schedule = self.abi.scheduler(wanted).ok_or(Errno::EINVAL)?;
        let (_, numbers) = self.reach(id, assoc)?;
        self.change(now, id, assoc, |settings| {
            settings.scheduler = schedule;
            settings.scheduler_number = wanted;
        })?;
        for number in numbers {
            if let Some(mut assoc) = self.engine_assoc(number) {
                assoc.set_stream_scheduler(now, schedule);
            }
        }
        Ok(())
    }

    /// RFC 8260 §4.3.3
    fn set_stream_value(&mut self, now: Time, id: SocketId, value: &[u8]) -> Result<(), Errno> {
        let view = View::new(self.abi, Struct::StreamValue, value)?;
        let (stream, wanted) = (StreamId(view.u16(Field::Stream)), view.u16(Field::Value));
        if let Ok(number) = self.one_assoc(id, view.assoc()) {
            return self.set_value_of(now, number, stream, wanted);
        }
        let socket = self.find(id)?;
        if socket.kind == Kind::OneToMany && view.assoc() != super::CURRENT {
            return Err(Errno::EINVAL);
        }
        let numbers: Vec<AssocId32> = socket.assocs.iter().copied().collect();
        let outcomes = numbers
            .into_iter()
            .map(|number| self.set_value_of(now, number, stream, wanted));
        // Where one refuses, the others have it nevertheless.
        outcomes.fold(Ok(()), Result::and)
    }

    fn set_value_of(
        &mut self,
        now: Time,
        number: AssocId32,
        stream: StreamId,
        wanted: u16,
    ) -> Result<(), Errno> {
        let mut assoc = self.engine_assoc(number).ok_or(Errno::EINVAL)?;
        let outcome = match (assoc.stream_scheduler(), NonZeroU16::new(wanted)) {
            (StreamScheduler::WeightedFairQueueing, Some(weight)) => {
                assoc.set_stream_weight(now, stream, weight)
            }
            (StreamScheduler::WeightedFairQueueing, None) => return Err(Errno::EINVAL),
            _ => assoc.set_stream_priority(now, stream, wanted),
        };
        outcome.map_err(|_| Errno::EINVAL)
    }
}

/// A 32-bit number that nothing follows.
fn exact_int(abi: Abi, value: &[u8]) -> Result<u32, Errno> {
    if value.len() == 4 || abi.system() == System::FreeBsd {
        int(value)
    } else {
        Err(Errno::EINVAL)
    }
}

/// Whether an option can be read alone.
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
    )
}

//! Integer options of the socket itself.

use sheave_engine::Coalescing;

use super::values::{exact_int, int};
use super::{Change, Query};
use crate::Errno;
use crate::abi::{OptionName, Refusal, System};
use crate::socket::Kind;

impl Change<'_> {
    pub(super) fn set_own(&mut self, option: OptionName, value: &[u8]) -> Result<(), Errno> {
        let (default, abi) = (self.profile.defaults.receive_buffer, self.abi);
        let system = abi.system();
        let socket = &mut *self.socket;
        let one_to_one = socket.kind == Kind::OneToOne;
        let is_peeled = system == System::FreeBsd && socket.kind == Kind::PeeledOff;
        let value = match option {
            OptionName::AutoClose if one_to_one || is_peeled => {
                return Err(abi.refusal(Refusal::OtherStyle));
            }
            OptionName::ReusePort if !one_to_one => return Err(abi.refusal(Refusal::OtherStyle)),
            OptionName::ReusePort if socket.binding.is_some() => {
                return Err(abi.refusal(Refusal::BoundAlready));
            }
            OptionName::MappedV4 if system == System::FreeBsd && !abi.maps(socket.domain) => {
                return Err(Errno::EINVAL);
            }
            OptionName::AutoClose
            | OptionName::FragmentInterleave
            | OptionName::PartialDeliveryPoint => exact_int(abi, value)?,
            _ => int(value)?,
        };
        let flag = u32::from(value != 0);
        let bound_to_all = socket.is_bound_to_all();
        let own = &mut socket.own;
        match option {
            OptionName::NoDelay => own.no_delay = Some(flag),
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
                // Addresses change automatically only on a socket bound to all addresses.
                if !bound_to_all && (flag != 0 || system == System::FreeBsd) {
                    return Err(Errno::EINVAL);
                }
                own.auto_asconf = flag;
            }
            OptionName::ReusePort => {
                own.reuse_port = match system {
                    System::Linux => flag,
                    // FreeBSD ignores the value.
                    System::FreeBsd => 1,
                };
            }
            OptionName::AutoClose => own.auto_close = value,
            OptionName::PartialDeliveryPoint => {
                let buffer = own.receive_buffer.map_or(default, |bytes| bytes as usize);
                let most = match (system, own.receive_buffer) {
                    (System::Linux, _) => buffer / 2,
                    // The stored size is twice the size that the program asked for.
                    (System::FreeBsd, Some(_)) => buffer / 2,
                    (System::FreeBsd, None) => buffer,
                };
                if value as usize > most {
                    return Err(Errno::EINVAL);
                }
                own.partial_delivery_point = value;
            }
            _ => return Err(Errno::ENOPROTOOPT),
        }
        self.retune_all()
    }
}

impl Query<'_> {
    /// The value of a per-socket option; `None` for an option of associations.
    pub(super) fn own(&self, option: OptionName) -> Result<Option<u32>, Errno> {
        let socket = &*self.socket;
        let own = &socket.own;
        let is_free_bsd = self.abi.system() == System::FreeBsd;
        Ok(Some(match option {
            OptionName::ReusePort if is_free_bsd && socket.kind != Kind::OneToOne => {
                return Err(Errno::EINVAL);
            }
            OptionName::AutoAsconf if is_free_bsd && !socket.is_bound_to_all() => {
                return Err(Errno::EINVAL);
            }
            OptionName::NoDelay => own.no_delay.unwrap_or(match self.abi.system() {
                System::Linux => u32::from(self.profile.defaults.coalescing == Coalescing::NoDelay),
                // Like usrsctp, which does not withhold the ends of messages for this option.
                System::FreeBsd => 0,
            }),
            OptionName::DisableFragments => own.disable_fragments,
            OptionName::MappedV4 => own.mapped_v4,
            OptionName::FragmentInterleave => own.fragment_interleave,
            OptionName::PartialDeliveryPoint if is_free_bsd && own.partial_delivery_point == 0 => {
                u32::try_from(self.profile.defaults.partial_delivery_point).unwrap_or(u32::MAX)
            }
            OptionName::PartialDeliveryPoint => own.partial_delivery_point,
            OptionName::ExplicitEor => own.explicit_eor,
            OptionName::RecvRcvInfo => own.recv_rcv_info,
            OptionName::RecvNxtInfo => own.recv_nxt_info,
            OptionName::AutoAsconf => own.auto_asconf,
            OptionName::ReusePort => own.reuse_port,
            OptionName::AdaptationLayer => socket.defaults.adaptation,
            OptionName::AutoClose
                if socket.kind == Kind::OneToOne && self.abi.system() == System::Linux =>
            {
                return Err(Errno::EOPNOTSUPP);
            }
            OptionName::AutoClose if is_free_bsd && socket.kind != Kind::OneToMany => 0,
            OptionName::AutoClose => own.auto_close,
            _ => return Ok(None),
        }))
    }
}

//! Primary address options: the peer's and the local one (RFC 6458 §8.1.9, §8.3.1).

use core::net::Ipv4Addr;

use sheave_engine::{AddressChangeError, PathError, Time};

use crate::abi::{Field, Record, Refusal, Struct, System, View};
use crate::stack::Stack;
use crate::{Errno, SocketId};

impl Stack {
    /// RFC 6458 §8.1.9
    pub(super) fn set_primary(
        &mut self,
        now: Time,
        id: SocketId,
        value: &[u8],
    ) -> Result<(), Errno> {
        let view = View::exactly(self.abi, Struct::Primary, value)?;
        if self.one_assoc(id, view.assoc()) == Err(Errno::ENOENT) {
            return Err(Errno::ENOENT);
        }
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
    pub(super) fn set_peer_primary(
        &mut self,
        now: Time,
        id: SocketId,
        value: &[u8],
    ) -> Result<(), Errno> {
        let is_linux = self.abi.system() == System::Linux;
        if is_linux && self.find(id)?.defaults.asconf_supported == 0 {
            return Err(Errno::EPERM);
        }
        let view = View::exactly(self.abi, Struct::Primary, value)?;
        let number = self.one_assoc(id, view.assoc());
        if number == Err(Errno::ENOENT) {
            return Err(Errno::ENOENT);
        }
        let address = view.address(Field::Address).ok_or(Errno::EINVAL)?;
        let number = number?;
        let local_port = self.assocs.get(&number).ok_or(Errno::EINVAL)?.local_port;
        // An address with another port is not local.
        let ip = match address.port() == local_port {
            true => address.ip().to_canonical(),
            false => Ipv4Addr::UNSPECIFIED.into(),
        };
        let abi = self.abi;
        let mut assoc = self.engine_assoc(number).ok_or(Errno::EINVAL)?;
        let outcome = assoc.set_peer_primary(now, ip);
        outcome.map_err(|error| match error {
            AddressChangeError::NotLocal => abi.refusal(Refusal::NotOurs),
            AddressChangeError::NotEstablished => abi.refusal(Refusal::NotUp),
            _ if is_linux => Errno::EPERM,
            _ => Errno::EINVAL,
        })
    }

    /// RFC 6458 §8.1.9
    pub(super) fn primary(&self, id: SocketId, given: &[u8]) -> Result<Vec<u8>, Errno> {
        let view = View::new(self.abi, Struct::Primary, given)?;
        let number = self.one_assoc(id, view.assoc())?;
        let association = self.assocs.get(&number).ok_or(Errno::EINVAL)?;
        let shown = self.find(id)?.present(association.peer);
        Ok(Record::new(self.abi, Struct::Primary)
            .set_signed(Field::Assoc, view.assoc())
            .set_address(Field::Address, shown)
            .into_bytes())
    }
}

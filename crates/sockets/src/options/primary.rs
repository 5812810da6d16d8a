//! Primary address options: the peer's and the local one (RFC 6458 §8.1.9, §8.3.1).

use core::net::Ipv4Addr;

use sheave_engine::{AddressChangeError, PathError};

use super::{Change, Query};
use crate::Errno;
use crate::abi::{Field, Record, Refusal, Struct, System, View};

impl Change<'_> {
    /// RFC 6458 §8.1.9
    pub(super) fn set_primary(&mut self, value: &[u8]) -> Result<(), Errno> {
        let view = View::exactly(self.abi, Struct::Primary, value)?;
        if self.lookup().one_assoc(view.assoc()) == Err(Errno::ENOENT) {
            return Err(Errno::ENOENT);
        }
        let address = view.address(Field::Address).ok_or(Errno::EINVAL)?;
        let (number, ip) = self.lookup().path_to(view.assoc(), address)?;
        let outcome = self.engine(number)?.set_primary(ip);
        outcome.map_err(|error| match error {
            PathError::Unknown | PathError::Unconfirmed => Errno::EINVAL,
        })
    }

    /// RFC 6458 §8.3.1
    pub(super) fn set_peer_primary(&mut self, value: &[u8]) -> Result<(), Errno> {
        let is_linux = self.abi.system() == System::Linux;
        if is_linux && self.socket.defaults.asconf_supported == 0 {
            return Err(Errno::EPERM);
        }
        let view = View::exactly(self.abi, Struct::Primary, value)?;
        let number = self.lookup().one_assoc(view.assoc());
        if number == Err(Errno::ENOENT) {
            return Err(Errno::ENOENT);
        }
        let address = view.address(Field::Address).ok_or(Errno::EINVAL)?;
        let number = number?;
        let local_port = self.associations.find(number)?.local_port;
        // An address with another port is not local.
        let ip = match address.port() == local_port {
            true => address.ip().to_canonical(),
            false => Ipv4Addr::UNSPECIFIED.into(),
        };
        let (abi, now) = (self.abi, self.now);
        let outcome = self.engine(number)?.set_peer_primary(now, ip);
        outcome.map_err(|error| match error {
            AddressChangeError::NotLocal => abi.refusal(Refusal::NotOurs),
            AddressChangeError::NotEstablished => abi.refusal(Refusal::NotUp),
            _ if is_linux => Errno::EPERM,
            _ => Errno::EINVAL,
        })
    }
}

impl Query<'_> {
    /// RFC 6458 §8.1.9
    pub(super) fn primary(&self, given: &[u8]) -> Result<Vec<u8>, Errno> {
        let view = View::new(self.abi, Struct::Primary, given)?;
        let (_, association) = self.lookup().one(view.assoc())?;
        let shown = self.socket.present(association.peer);
        Ok(Record::of(self.abi, Struct::Primary, view.assoc())
            .set_address(Field::Address, shown)
            .into_bytes())
    }
}

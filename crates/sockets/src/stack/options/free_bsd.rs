//! Option rules specific to FreeBSD.

use core::net::{IpAddr, SocketAddr};

use crate::abi::{Field, OptionName, View};
use crate::stack::Stack;
use crate::{AssocId32, Errno, SocketId};

impl Stack {
    /// Finds the path as FreeBSD does: first the association, by id or address.
    pub(super) fn path_meant_on_free_bsd(
        &self,
        id: SocketId,
        view: &View<'_>,
    ) -> Result<Option<(AssocId32, IpAddr)>, Errno> {
        let address = view.address(Field::Address);
        let Some(number) = self.assoc_of_free_bsd(id, view.assoc(), address)? else {
            return Ok(None);
        };
        let Some(address) = address else {
            return Err(Errno::EAFNOSUPPORT);
        };
        let ip = address.ip().to_canonical();
        match self.has_address(number, ip) {
            true => Ok(Some((number, ip))),
            false if ip.is_unspecified() => Ok(None),
            false => Err(Errno::EINVAL),
        }
    }

    /// The association that an id or an address names; `None` for the socket itself.
    pub(super) fn assoc_of_free_bsd(
        &self,
        id: SocketId,
        assoc: AssocId32,
        address: Option<SocketAddr>,
    ) -> Result<Option<AssocId32>, Errno> {
        match self.one_assoc(id, assoc) {
            Ok(number) => Ok(Some(number)),
            Err(Errno::ENOENT) => Err(Errno::ENOENT),
            Err(_) => Ok(address.and_then(|address| self.assoc_with(id, address))),
        }
    }

    /// Whether the peer has this address, at any port.
    pub(super) fn has_address(&self, number: AssocId32, ip: IpAddr) -> bool {
        let association = self.assocs.get(&number);
        association.is_some_and(|found| found.peer.ip() == ip || self.has_path(found, ip))
    }

    /// FreeBSD lets a program change an extension only for future associations, and only with the
    /// settings that the extension depends on.
    pub(super) fn may_have(
        &mut self,
        id: SocketId,
        assoc: AssocId32,
        option: OptionName,
        number: u32,
    ) -> Result<(), Errno> {
        let is_live = self.one_assoc(id, assoc).is_ok();
        let socket = self.find_mut(id)?;
        let (asconf, auth) = (
            socket.defaults.asconf_supported,
            socket.defaults.auth_supported,
        );
        let lacks = match (option, number) {
            (OptionName::InterleavingSupported, 1..) => socket.own.fragment_interleave != 2,
            // RFC 5061 §4.1.1
            (OptionName::AuthSupported, 0) => asconf != 0,
            (OptionName::AsconfSupported, 1..) => auth == 0,
            _ => false,
        };
        if is_live || lacks {
            return Err(Errno::EINVAL);
        }
        if option == OptionName::AsconfSupported {
            socket
                .defaults
                .auth_mut()
                .protect_address_changes(number != 0);
        }
        Ok(())
    }

    /// Initial receive-buffer size of a socket's associations, bytes.
    pub(super) fn receive_space(&self, id: SocketId) -> Result<u32, Errno> {
        let own = self.find(id)?.own.receive_buffer;
        // The stored size is twice the size that the program asked for.
        let own = own.map(|doubled| doubled / 2);
        Ok(own.unwrap_or_else(|| u32::try_from(self.defaults.receive_buffer).unwrap_or(u32::MAX)))
    }
}

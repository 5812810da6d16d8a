//! Paths that requests name by an address.

use core::net::{IpAddr, SocketAddr};

use super::Lookup;
use crate::abi::{Field, System, View};
use crate::settings::PathSettings;
use crate::{AssocId32, Domain, Errno};

impl Lookup<'_> {
    /// The path that the request names; `None` for the unspecified address.
    pub(crate) fn path_meant(&self, view: &View<'_>) -> Result<Option<(AssocId32, IpAddr)>, Errno> {
        if self.abi.system() == System::FreeBsd {
            return self.path_meant_on_free_bsd(view);
        }
        let bytes = view.bytes(Field::Address).unwrap_or_default();
        // Without a family, the bytes at the offset of the socket's own family decide.
        let own = match self.socket.domain {
            Domain::V4 => 4..8,
            Domain::V6 => 8..24,
        };
        let is_zero =
            |part: Option<&[u8]>| part.is_some_and(|part| part.iter().all(|byte| *byte == 0));
        if is_zero(bytes.get(..2)) && is_zero(bytes.get(own)) {
            return Ok(None);
        }
        let address = view.address(Field::Address).ok_or(Errno::EINVAL)?;
        if address.ip().to_canonical().is_unspecified() {
            return Ok(None);
        }
        self.path_to(view.assoc(), address).map(Some)
    }

    /// Finds the path as FreeBSD does: first the association, by id or address.
    fn path_meant_on_free_bsd(
        &self,
        view: &View<'_>,
    ) -> Result<Option<(AssocId32, IpAddr)>, Errno> {
        let address = view.address(Field::Address);
        let Some(number) = self.assoc_of_free_bsd(view.assoc(), address)? else {
            return Ok(None);
        };
        let ip = address.ok_or(Errno::EAFNOSUPPORT)?.ip().to_canonical();
        match self.has_address(number, ip) {
            true => Ok(Some((number, ip))),
            false if ip.is_unspecified() => Ok(None),
            false => Err(Errno::EINVAL),
        }
    }

    /// The association that an id or an address names; `None` for the socket itself.
    fn assoc_of_free_bsd(
        &self,
        assoc: AssocId32,
        address: Option<SocketAddr>,
    ) -> Result<Option<AssocId32>, Errno> {
        match self.one_assoc(assoc) {
            Ok(number) => Ok(Some(number)),
            Err(Errno::ENOENT) => Err(Errno::ENOENT),
            Err(_) => Ok(address.and_then(|address| self.assoc_with(address))),
        }
    }

    /// Whether the peer has this address, at any port.
    pub(crate) fn has_address(&self, number: AssocId32, ip: IpAddr) -> bool {
        let found = self.associations.get(number);
        found.is_some_and(|found| found.has_address(self.endpoint, ip))
    }

    /// Finds the path to an address; the association may be named too.
    pub(crate) fn path_to(
        &self,
        assoc: AssocId32,
        address: SocketAddr,
    ) -> Result<(AssocId32, IpAddr), Errno> {
        let ip = address.ip().to_canonical();
        if self.abi.system() == System::FreeBsd {
            let number = self.assoc_of_free_bsd(assoc, Some(address))?;
            let number = number.filter(|number| self.has_address(*number, ip));
            return Ok((number.ok_or(Errno::EINVAL)?, ip));
        }
        let number = self.assoc_with(address).ok_or(Errno::EINVAL)?;
        match self.one_assoc(assoc) {
            Ok(named) if named != number => Err(Errno::EINVAL),
            _ => Ok((number, ip)),
        }
    }

    /// The address in the answer, in the form that the socket uses.
    pub(crate) fn address_answered(
        &self,
        view: &View<'_>,
        path: Option<(AssocId32, IpAddr)>,
    ) -> Vec<u8> {
        let mut bytes = view.bytes(Field::Address).unwrap_or_default().to_vec();
        if let (Some(_), Some(address)) = (path, view.address(Field::Address)) {
            let shown = self.abi.address_bytes(self.socket.present(address));
            if let Some(start) = bytes.get_mut(..shown.len()) {
                start.copy_from_slice(&shown);
            }
        }
        bytes
    }

    /// The parameters of a path, or the association's defaults.
    pub(crate) fn path_values(
        &self,
        assoc: AssocId32,
        path: Option<(AssocId32, IpAddr)>,
    ) -> Result<PathSettings, Errno> {
        match path {
            Some((number, ip)) => Ok(self.associations.find(number)?.path(&ip)),
            None => Ok(self.settings_of(assoc)?.path),
        }
    }
}

/// The association that the request names: that of the path, if a path is named.
pub(crate) fn assoc_meant(view: &View<'_>, path: Option<(AssocId32, IpAddr)>) -> AssocId32 {
    path.map_or(view.assoc(), |(number, _)| number)
}

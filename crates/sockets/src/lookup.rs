//! Looks up the associations and settings that a call on a socket names (RFC 6458 §7.2).

mod paths;
mod peers;

use sheave_engine::Endpoint;

pub(crate) use self::paths::assoc_meant;
use crate::abi::{Refusal, System};
use crate::association::Association;
use crate::associations::Associations;
use crate::settings::AssocSettings;
use crate::socket::{Kind, Socket};
use crate::{Abi, AssocId32, Errno};

/// Ids for future associations, current ones, and both (RFC 6458 §7.2).
pub(crate) const FUTURE: AssocId32 = 0;
pub(crate) const CURRENT: AssocId32 = 1;
pub(crate) const ALL: AssocId32 = 2;

/// Whether an option also applies to future associations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    WithFuture,
    WithoutFuture,
}

/// A socket and the associations that its calls may name.
#[derive(Clone, Copy)]
pub(crate) struct Lookup<'a> {
    pub(crate) abi: Abi,
    pub(crate) socket: &'a Socket,
    pub(crate) associations: &'a Associations,
    pub(crate) endpoint: &'a Endpoint,
}

impl<'a> Lookup<'a> {
    /// The association that an id names; a one-to-one socket ignores the id.
    pub(crate) fn one_assoc(&self, assoc: AssocId32) -> Result<AssocId32, Errno> {
        let socket = self.socket;
        let is_linux = self.abi.system() == System::Linux;
        if socket.kind != Kind::OneToMany {
            // FreeBSD's one-to-one socket has its association from the first INIT on.
            let has = |number: &AssocId32| !is_linux || self.associations.is_up(*number);
            return socket.only_assoc().filter(has).ok_or(Errno::EINVAL);
        }
        let found = socket.assocs.get(&assoc).copied();
        found.ok_or_else(|| match assoc {
            FUTURE..=ALL => Errno::EINVAL,
            _ => self.abi.refusal(Refusal::UnknownAssociation),
        })
    }

    /// The association that an id names, with its state.
    pub(crate) fn one(&self, assoc: AssocId32) -> Result<(AssocId32, &'a Association), Errno> {
        let number = self.one_assoc(assoc)?;
        Ok((number, self.associations.find(number)?))
    }

    /// The settings that an id selects: an association's, or the socket's for future associations.
    pub(crate) fn settings_of(&self, assoc: AssocId32) -> Result<&'a AssocSettings, Errno> {
        match self.one_assoc(assoc) {
            Ok(number) => Ok(&self.associations.find(number)?.settings),
            Err(_) if self.socket.kind != Kind::OneToMany || assoc == FUTURE => {
                Ok(&self.socket.defaults)
            }
            Err(error) => Err(error),
        }
    }

    /// The associations that an id selects, and whether it selects future ones.
    pub(crate) fn reach(&self, assoc: AssocId32) -> Result<(Reach, Vec<AssocId32>), Errno> {
        if let Ok(number) = self.one_assoc(assoc) {
            return Ok((Reach::WithoutFuture, vec![number]));
        }
        if self.socket.kind != Kind::OneToMany {
            return Ok((Reach::WithFuture, Vec::new()));
        }
        let all = || self.socket.assocs.iter().copied().collect();
        match assoc {
            // Linux also accepts negative ids, which select no association, without an error.
            ..0 if self.abi.system() == System::Linux => Ok((Reach::WithoutFuture, Vec::new())),
            FUTURE => Ok((Reach::WithFuture, Vec::new())),
            CURRENT => Ok((Reach::WithoutFuture, all())),
            ALL => Ok((Reach::WithFuture, all())),
            _ => Err(self.abi.refusal(Refusal::UnknownAssociation)),
        }
    }

    /// The largest message that fits into one packet of an association, bytes.
    pub(crate) fn fragmentation_point(&self, number: AssocId32) -> usize {
        let found = self.associations.get(number);
        found.map_or(usize::MAX, |found| found.fragmentation_point(self.endpoint))
    }
}

//! Socket options (RFC 6458 §8).

mod auth;
mod change;
mod extensions;
mod free_bsd;
mod notifications;
mod own;
mod paths;
mod primary;
mod reports;
mod show;
mod socket_level;
mod special;
mod streams;

use sheave_engine::Time;

use super::{Stack, fit};
use crate::abi::{Abi, Field, OptionName, Record, Refusal, Struct, System, View};
use crate::settings::AssocSettings;
use crate::socket::{Kind, Limited};
use crate::{AssocId32, Errno, SocketId};

/// Ids for future associations, current ones, and both (RFC 6458 §7.2).
const FUTURE: AssocId32 = 0;
const CURRENT: AssocId32 = 1;
const ALL: AssocId32 = 2;

/// Smallest fragment size that can be set, bytes: a 512-byte packet without IPv6 and SCTP headers.
const LEAST_FRAGMENT: u32 = 512 - 40 - 28;

/// Whether an option also applies to future associations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    WithFuture,
    WithoutFuture,
}

impl Stack {
    /// Sets a socket option: levels `SOL_SOCKET`, `IPPROTO_IP`, `IPPROTO_IPV6` and `IPPROTO_SCTP`
    /// (RFC 6458 §8).
    ///
    /// # Errors
    /// The errors of `setsockopt`.
    pub fn set_option(
        &mut self,
        now: Time,
        id: SocketId,
        level: i32,
        name: i32,
        value: &[u8],
    ) -> Result<(), Errno> {
        self.find(id)?;
        let levels = self.abi.levels();
        let outcome = if level == levels.sctp {
            let option = self.abi.option(name).ok_or(Errno::ENOPROTOOPT)?;
            self.set_sctp(now, id, option, value)
        } else if level == levels.socket {
            self.set_socket_level(now, id, name, value)
        } else if level == levels.ip || level == levels.ipv6 {
            self.set_ip(now, id, level, name, value)
        } else {
            Err(Errno::ENOPROTOOPT)
        };
        self.digest(now);
        outcome
    }

    /// Reads a socket option. `given` is the program's buffer, which names the association or
    /// address. Reading `SO_ERROR` clears it.
    ///
    /// # Errors
    /// The errors of `getsockopt`.
    pub fn option(
        &mut self,
        _now: Time,
        id: SocketId,
        level: i32,
        name: i32,
        given: &[u8],
    ) -> Result<Vec<u8>, Errno> {
        self.find(id)?;
        let levels = self.abi.levels();
        let mut answer = if level == levels.sctp {
            let option = self.abi.option(name).ok_or(Errno::ENOPROTOOPT)?;
            self.sctp_option(id, option, given)?
        } else if level == levels.socket {
            self.socket_level(id, name)?
        } else if level == levels.ip || level == levels.ipv6 {
            self.ip(id, level, name)?
        } else {
            return Err(Errno::EOPNOTSUPP);
        };
        answer.truncate(given.len());
        Ok(answer)
    }

    /// The association that an id names; a one-to-one socket ignores the id.
    fn one_assoc(&self, id: SocketId, assoc: AssocId32) -> Result<AssocId32, Errno> {
        let socket = self.find(id)?;
        let is_linux = self.abi.system() == System::Linux;
        if socket.kind != Kind::OneToMany {
            // FreeBSD's one-to-one socket has its association from the first INIT on.
            let has = |number: &AssocId32| !is_linux || self.is_up(*number);
            return socket.only_assoc().filter(has).ok_or(Errno::EINVAL);
        }
        let found = socket.assocs.get(&assoc).copied();
        found.ok_or_else(|| match assoc {
            FUTURE..=ALL => Errno::EINVAL,
            _ => self.abi.refusal(Refusal::UnknownAssociation),
        })
    }

    /// The settings that an id selects: an association's, or the socket's for future associations.
    fn settings_of(&self, id: SocketId, assoc: AssocId32) -> Result<&AssocSettings, Errno> {
        let socket = self.find(id)?;
        match self.one_assoc(id, assoc) {
            Ok(number) => self
                .assocs
                .get(&number)
                .map(|found| &found.settings)
                .ok_or(Errno::EINVAL),
            Err(_) if socket.kind != Kind::OneToMany || assoc == FUTURE => Ok(&socket.defaults),
            Err(error) => Err(error),
        }
    }

    /// The associations that an id selects, and whether it selects future ones.
    fn reach(&self, id: SocketId, assoc: AssocId32) -> Result<(Reach, Vec<AssocId32>), Errno> {
        let socket = self.find(id)?;
        if let Ok(number) = self.one_assoc(id, assoc) {
            return Ok((Reach::WithoutFuture, vec![number]));
        }
        if socket.kind != Kind::OneToMany {
            return Ok((Reach::WithFuture, Vec::new()));
        }
        let all = || socket.assocs.iter().copied().collect();
        match assoc {
            // Linux also accepts negative ids, which select no association, without an error.
            ..0 if self.abi.system() == System::Linux => Ok((Reach::WithoutFuture, Vec::new())),
            FUTURE => Ok((Reach::WithFuture, Vec::new())),
            CURRENT => Ok((Reach::WithoutFuture, all())),
            ALL => Ok((Reach::WithFuture, all())),
            _ => Err(self.abi.refusal(Refusal::UnknownAssociation)),
        }
    }

    /// Changes the selected settings and updates the engine.
    fn change(
        &mut self,
        now: Time,
        id: SocketId,
        assoc: AssocId32,
        change: impl Fn(&mut AssocSettings),
    ) -> Result<(), Errno> {
        let (reach, numbers) = self.reach(id, assoc)?;
        if reach == Reach::WithFuture {
            change(&mut self.find_mut(id)?.defaults);
            self.listen_anew(id)?;
        }
        for number in numbers {
            if let Some(association) = self.assocs.get_mut(&number) {
                change(&mut association.settings);
            }
            self.retune(now, id, number)?;
        }
        Ok(())
    }

    /// Updates the engine from a socket's settings.
    pub(super) fn retune_all(&mut self, now: Time, id: SocketId) -> Result<(), Errno> {
        self.listen_anew(id)?;
        let numbers: Vec<AssocId32> = self.find(id)?.assocs.iter().copied().collect();
        numbers
            .into_iter()
            .try_for_each(|number| self.retune(now, id, number))
    }

    /// Updates the engine from an association's settings.
    pub(super) fn retune(
        &mut self,
        now: Time,
        id: SocketId,
        number: AssocId32,
    ) -> Result<(), Errno> {
        let own = self.find(id)?.own.clone();
        let Some(association) = self.assocs.get_mut(&number) else {
            return Ok(());
        };
        let Some(mut assoc) = self.endpoint.assoc(association.engine) else {
            return Ok(());
        };
        let most = association.settings.max_seg;
        if most != 0 || association.limited == Limited::Yes {
            association.limited = Limited::Yes;
            // FreeBSD stores sizes that no chunk can have.
            let fits = (LEAST_FRAGMENT..=u16::MAX.into()).contains(&most);
            let most = u16::try_from(most).ok().filter(|_| fits);
            assoc.set_max_fragment(now, most);
        }
        let options = association.settings.options(assoc.options(), &own);
        let options = fit(self.keys.as_deref(), options);
        assoc.retune(now, &options).map_err(|_| Errno::EINVAL)
    }
}

/// Parses a 32-bit integer; more bytes may follow.
fn int(value: &[u8]) -> Result<u32, Errno> {
    let bytes = value.get(..4).and_then(|bytes| bytes.try_into().ok());
    bytes.map(u32::from_ne_bytes).ok_or(Errno::EINVAL)
}

/// Parses exactly 32 bits; FreeBSD ignores further bytes.
fn exact_int(abi: Abi, value: &[u8]) -> Result<u32, Errno> {
    if value.len() == 4 || abi.system() == System::FreeBsd {
        int(value)
    } else {
        Err(Errno::EINVAL)
    }
}

/// Parses `struct sctp_assoc_value`, or a bare integer for options that once had only one.
fn assoc_value(abi: Abi, option: OptionName, value: &[u8]) -> Result<(AssocId32, u32), Errno> {
    let is_old = matches!(
        option,
        OptionName::MaxSeg | OptionName::MaxBurst | OptionName::DelayedSack
    );
    if value.len() == 4 && is_old && abi.system() == System::Linux {
        return Ok((FUTURE, int(value)?));
    }
    let view = View::new(abi, Struct::AssocValue, value)?;
    Ok((view.assoc(), view.u32(Field::Value)))
}

/// Serializes the answer in the form of the request.
fn show_assoc_value(abi: Abi, given: &[u8], assoc: AssocId32, value: u32) -> Vec<u8> {
    if given.len() == 4 {
        return value.to_ne_bytes().to_vec();
    }
    Record::new(abi, Struct::AssocValue)
        .set_signed(Field::Assoc, assoc)
        .set(Field::Value, value)
        .into_bytes()
}

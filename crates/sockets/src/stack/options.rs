//! `setsockopt` and `getsockopt` (RFC 6458 §8).

use sheave_engine::Time;

use super::{Stack, Timestamps};
use crate::abi::{OptionName, SocketOption};
use crate::options::{Change, Query};
use crate::{Errno, SocketId};

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
        let abi = self.profile.abi;
        let socket = self.sockets.find_mut(id)?;
        match abi.option(name).filter(|_| level == abi.levels().sctp) {
            Some(OptionName::BindxAdd) => {
                return self.add_addresses(now, id, &abi.addresses(value)?);
            }
            Some(OptionName::BindxRemove) => {
                return self.remove_addresses(now, id, &abi.addresses(value)?);
            }
            _ => {}
        }
        let mut change = Change {
            now,
            abi,
            profile: &self.profile,
            socket,
            associations: &mut self.associations,
            transport: &mut self.transport,
            changes: &mut self.changes,
        };
        let outcome = change.set(level, name, value);
        let own = &change.socket.own;
        let (closes, stamps) = (own.auto_close > 0, own.timestamps.is_some());
        if closes {
            self.sockets.next_look = Some(now);
        }
        if stamps {
            self.timestamps = Timestamps::Used;
        }
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
        let abi = self.profile.abi;
        let mut query = Query {
            abi,
            profile: &self.profile,
            socket: self.sockets.find_mut(id)?,
            associations: &self.associations,
            transport: &mut self.transport,
        };
        let mut answer = query.get(level, name, given)?;
        if level == abi.levels().socket && abi.socket_option(name) == Some(SocketOption::Error) {
            self.changes.touch(id);
        }
        answer.truncate(given.len());
        Ok(answer)
    }
}

//! Authentication options (RFC 6458 §8.1.17, §8.1.18, §8.2.3, §8.2.4, §8.3.2 to §8.3.5). Like
//! Linux, they return `EACCES` while `net.sctp.auth_enable` is 0 and `SCTP_AUTH_SUPPORTED` is not
//! set.

use sheave_engine::{
    Assoc, ChunkSet, HmacAlgorithm, KeyError, KeyId, SharedKey, Time, wire::ChunkType,
};

use super::values::{fitting, int};
use super::{Change, Query};
use crate::abi::{Field, OptionName, Record, Refusal, Struct, System, View};
use crate::lookup::{ALL, CURRENT, Reach};
use crate::settings::{AssocSettings, AuthSettings};
use crate::socket::Kind;
use crate::{Abi, AssocId32, Errno};

/// Largest number of chunk types that can be required.
const MOST_CHUNKS: usize = 20;
/// Largest number of HMAC algorithms in a request.
const MOST_ALGORITHMS: u32 = 4;
/// Bytes before a list of algorithms.
const ALGORITHMS_AT: usize = 4;
/// Chunk types that must not be authenticated (RFC 4895 §3.2).
const NEVER: [ChunkType; 4] = [
    ChunkType::INIT,
    ChunkType::INIT_ACK,
    ChunkType::SHUTDOWN_COMPLETE,
    ChunkType::AUTH,
];

impl Change<'_> {
    /// RFC 6458 §8.3.2
    pub(super) fn add_auth_chunk(&mut self, value: &[u8]) -> Result<(), Errno> {
        needs_auth(self.abi, &self.socket.defaults)?;
        let ((&[number], _) | (&[number, ..], System::FreeBsd)) = (value, self.abi.system()) else {
            return Err(Errno::EINVAL);
        };
        let is_free_bsd = self.abi.system() == System::FreeBsd;
        if NEVER.contains(&ChunkType(number)) {
            return Err(Errno::EINVAL);
        }
        let defaults = &mut self.socket.defaults;
        if is_free_bsd {
            defaults.auth_supported = 1;
        }
        let auth = defaults.auth_mut();
        if !auth.chunks.contains(&number) {
            if auth.chunks.len() >= MOST_CHUNKS {
                return Err(Errno::EINVAL);
            }
            auth.chunks.push(number);
        }
        self.listen_anew()
    }

    /// RFC 6458 §8.1.17
    pub(super) fn set_algorithms(&mut self, value: &[u8]) -> Result<(), Errno> {
        needs_auth(self.abi, &self.socket.defaults)?;
        let count = int(value)?;
        let list = value.get(ALGORITHMS_AT..).unwrap_or_default();
        if count == 0 || count > MOST_ALGORITHMS || list.len() < count as usize * 2 {
            return Err(Errno::EINVAL);
        }
        let numbers = list.as_chunks().0.iter().take(count as usize);
        let mut algorithms = Vec::new();
        for number in numbers {
            let algorithm = match u16::from_ne_bytes(*number) {
                1 => HmacAlgorithm::Sha1,
                3 => HmacAlgorithm::Sha256,
                _ => return Err(self.abi.refusal(Refusal::UnknownAlgorithm)),
            };
            if !algorithms.contains(&algorithm) {
                algorithms.push(algorithm);
            }
        }
        // RFC 4895 §3.3
        if !algorithms.contains(&HmacAlgorithm::Sha1) {
            return Err(Errno::EINVAL);
        }
        self.socket.defaults.auth_mut().algorithms = algorithms;
        self.listen_anew()
    }

    /// RFC 6458 §8.3.3
    pub(super) fn insert_key(&mut self, value: &[u8]) -> Result<(), Errno> {
        let view = View::new(self.abi, Struct::AuthKey, value)?;
        let start = self.abi.layout(Struct::AuthKey).size;
        let rest = value.get(start..).unwrap_or_default();
        let length = usize::from(view.u16(Field::Length));
        let secret = match self.abi.system() {
            System::Linux => rest.get(..length).filter(|_| !rest.is_empty()),
            System::FreeBsd if length == 0 => Some(rest),
            System::FreeBsd => rest.get(..length),
        };
        let secret = secret.ok_or(Errno::EINVAL)?;
        let key = SharedKey::new(KeyId(view.u16(Field::Key)), secret);
        let own = key.clone();
        let change = move |auth: &mut AuthSettings| {
            auth.keys.retain(|other| other.id() != own.id());
            auth.keys.push(own.clone());
            Ok(())
        };
        let is_free_bsd = self.abi.system() == System::FreeBsd;
        self.with_keys(view.assoc(), change, |assoc, _| {
            match assoc.insert_key(key.clone()) {
                // An active key keeps its value, since the peer could not follow the change.
                Err(KeyError::Active) if is_free_bsd => Ok(()),
                outcome => outcome,
            }
        })
    }

    /// RFC 6458 §8.1.18, §8.3.4, §8.3.5
    pub(super) fn change_key(&mut self, option: OptionName, value: &[u8]) -> Result<(), Errno> {
        let view = View::exactly(self.abi, Struct::AuthKeyId, value)?;
        let key = KeyId(view.u16(Field::Key));
        let change = move |auth: &mut AuthSettings| {
            let known = auth.keys.iter().any(|other| other.id() == key);
            let is_active = auth.active == key;
            match option {
                OptionName::AuthActiveKey if known => auth.active = key,
                // Keys that no association uses are deleted at once.
                OptionName::AuthDeleteKey | OptionName::AuthDeactivateKey
                    if known && !is_active =>
                {
                    auth.keys.retain(|other| other.id() != key);
                }
                _ => return Err(Errno::EINVAL),
            }
            Ok(())
        };
        self.with_keys(view.assoc(), change, |assoc, now| match option {
            OptionName::AuthActiveKey => assoc.activate_key(key),
            OptionName::AuthDeleteKey => assoc.delete_key(key),
            _ => assoc.deactivate_key(now, key),
        })
    }

    /// Changes the keys of the selected current and future associations.
    fn with_keys(
        &mut self,
        assoc: AssocId32,
        change: impl Fn(&mut AuthSettings) -> Result<(), Errno>,
        act: impl Fn(&mut Assoc<'_>, Time) -> Result<(), KeyError>,
    ) -> Result<(), Errno> {
        let (reach, numbers) = self.lookup().reach(assoc)?;
        let is_of_many = self.socket.kind == Kind::OneToMany;
        let (is_free_bsd, assoc_meant) = (self.abi.system() == System::FreeBsd, assoc);
        if reach == Reach::WithFuture {
            needs_auth(self.abi, &self.socket.defaults)?;
            change(self.socket.defaults.auth_mut())?;
            self.listen_anew()?;
        }
        for number in numbers {
            needs_auth(self.abi, self.lookup().settings_of(number)?)?;
            let association = self.associations.find_mut(number)?;
            let mut assoc = self.transport.assoc(association.engine)?;
            match act(&mut assoc, self.now) {
                Ok(()) => {}
                Err(KeyError::Unavailable) if is_free_bsd => {}
                Err(KeyError::Unavailable) => return Err(Errno::EACCES),
                // With several associations, failures of single ones are ignored.
                Err(_) if is_free_bsd && is_of_many && matches!(assoc_meant, CURRENT | ALL) => {}
                Err(_) => return Err(Errno::EINVAL),
            }
            // The copy for `getsockopt` may have dropped the key already.
            let _ = change(association.settings.auth_mut());
        }
        Ok(())
    }
}

impl Query<'_> {
    /// RFC 6458 §8.1.17
    pub(super) fn algorithms(&self, given: &[u8]) -> Result<Vec<u8>, Errno> {
        needs_auth(self.abi, &self.socket.defaults)?;
        let algorithms = self.socket.defaults.auth().algorithms;
        let count = u32::try_from(algorithms.len()).unwrap_or(0);
        let numbers = algorithms.iter().map(|algorithm| match algorithm {
            HmacAlgorithm::Sha1 => 1_u16,
            HmacAlgorithm::Sha256 => 3,
        });
        let list: Vec<u8> = numbers.flat_map(u16::to_ne_bytes).collect();
        fitting(given, [&count.to_ne_bytes()[..], &list].concat())
    }

    /// RFC 6458 §8.1.18
    pub(super) fn active_key(&self, given: &[u8]) -> Result<Vec<u8>, Errno> {
        let view = View::new(self.abi, Struct::AuthKeyId, given)?;
        let settings = self.lookup().settings_of(view.assoc())?;
        needs_auth(self.abi, settings)?;
        Ok(Record::of(self.abi, Struct::AuthKeyId, view.assoc())
            .set(Field::Key, settings.auth().active.0)
            .into_bytes())
    }

    /// RFC 6458 §8.2.3, §8.2.4
    pub(super) fn auth_chunks(
        &mut self,
        option: OptionName,
        given: &[u8],
    ) -> Result<Vec<u8>, Errno> {
        let view = View::new(self.abi, Struct::AuthChunks, given)?;
        let assoc = view.assoc();
        let number = self.lookup().one_assoc(assoc);
        let is_free_bsd = self.abi.system() == System::FreeBsd;
        if number == Err(Errno::ENOENT) {
            return Err(Errno::ENOENT);
        }
        let numbers: Vec<u8> = match (number, option) {
            (Ok(number), OptionName::LocalAuthChunks)
                if is_free_bsd && !self.associations.is_up(number) =>
            {
                self.lookup().settings_of(number)?.auth().chunks
            }
            (Ok(number), _) => {
                needs_auth(self.abi, self.lookup().settings_of(number)?)?;
                let found = self.engine(number)?;
                let set: ChunkSet = match option {
                    OptionName::PeerAuthChunks => found.peer_chunks(),
                    _ => found.local_chunks(),
                };
                (0..=u8::MAX)
                    .filter(|number| set.contains(ChunkType(*number)))
                    .collect()
            }
            (Err(_), OptionName::LocalAuthChunks) => {
                let settings = self.lookup().settings_of(assoc)?;
                needs_auth(self.abi, settings)?;
                settings.auth().chunks
            }
            (Err(_), _) => return Err(self.abi.refusal(Refusal::NoAssociation)),
        };
        let count = u32::try_from(numbers.len()).unwrap_or(0);
        let mut answer = Record::of(self.abi, Struct::AuthChunks, assoc)
            .set(Field::Count, count)
            .into_bytes();
        answer.extend(numbers);
        fitting(given, answer)
    }
}

/// Refuses a request for settings without authentication.
fn needs_auth(abi: Abi, settings: &AssocSettings) -> Result<(), Errno> {
    match (abi.system(), settings.auth_supported) {
        (System::Linux, 0) => Err(Errno::EACCES),
        // FreeBSD stores the values until authentication is used.
        _ => Ok(()),
    }
}

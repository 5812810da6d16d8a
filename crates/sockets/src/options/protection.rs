//! Options of protected associations (draft-ietf-tsvwg-sctp-dtls-chunk-04 §7.7). The host has the keys: programs read
//! what was agreed on and what was counted, and give no keys of their own.

use sheave_engine::{KeyRole, ProtectedRestart};

use super::Query;
use super::change::Change;
use super::values::{assoc_value, fitting, int, show_assoc_value};
use crate::Errno;
use crate::abi::OptionName;

/// Flags of `sctp_dtls_config`; their numbers are ours.
const CLIENT: u16 = 1;
const SERVER: u16 = 2;
const RESTART: u16 = 4;

impl Query<'_> {
    pub(super) fn protection(
        &mut self,
        option: OptionName,
        given: &[u8],
    ) -> Result<Vec<u8>, Errno> {
        let named = given.get(..4).ok_or(Errno::EINVAL)?;
        let assoc = int(named)?.cast_signed();
        let number = self.lookup().one_assoc(assoc)?;
        let abi = self.abi;
        let mut engine = self.engine(number)?;
        let window = engine.options().replay_window;
        let mut shield = engine.protection();
        let agreement = shield
            .as_mut()
            .and_then(|shield| shield.agreement().cloned());
        let ours = agreement.as_ref().map(|found| match found.role {
            KeyRole::Client => [&found.client_parameter, &found.server_parameter],
            KeyRole::Server => [&found.server_parameter, &found.client_parameter],
        });
        let parameter = |place: usize| {
            let bytes = ours.map(|both| both[place].as_slice()).unwrap_or_default();
            let count = u32::try_from(bytes.len()).unwrap_or(0);
            [named, &count.to_ne_bytes(), bytes].concat()
        };
        let answer = match option {
            OptionName::DtlsConfig => {
                let flags = agreement.as_ref().map_or(0, |found| {
                    let role = match found.role {
                        KeyRole::Client => CLIENT,
                        KeyRole::Server => SERVER,
                    };
                    match found.restart {
                        ProtectedRestart::On => role | RESTART,
                        ProtectedRestart::Off => role,
                    }
                });
                let methods: Vec<u8> = agreement.iter().map(|found| found.method).collect();
                let count = u16::from(agreement.is_some());
                [named, &flags.to_ne_bytes(), &count.to_ne_bytes(), &methods].concat()
            }
            OptionName::DtlsLocalParameter => parameter(0),
            OptionName::DtlsPeerParameter => parameter(1),
            OptionName::DtlsStats => {
                let stats = shield.map(|mut shield| shield.stats()).unwrap_or_default();
                let counts = [stats.unprotected, stats.forged, stats.received, stats.sent];
                let counts = counts.iter().flat_map(|count| count.to_ne_bytes());
                named.iter().copied().chain([0; 4]).chain(counts).collect()
            }
            OptionName::DtlsReplayWindow => show_assoc_value(abi, given, assoc, u32::from(window)),
            _ => {
                let enforced = shield.is_some_and(|mut shield| shield.is_enforced());
                show_assoc_value(abi, given, assoc, u32::from(enforced))
            }
        };
        fitting(given, answer)
    }
}

impl Change<'_> {
    /// Keys, and what was agreed on with them, are the host's: `EOPNOTSUPP`. Protection is enforced before a program
    /// sees an association, so that it can be asked for, and not be taken back.
    pub(super) fn protect(&mut self, option: OptionName, value: &[u8]) -> Result<(), Errno> {
        if option != OptionName::DtlsEnforce {
            return Err(Errno::EOPNOTSUPP);
        }
        let (assoc, on) = assoc_value(self.abi, option, value)?;
        let number = self.lookup().one_assoc(assoc)?;
        let mut engine = self.engine(number)?;
        let enforced = engine
            .protection()
            .is_some_and(|mut shield| shield.is_enforced());
        match (enforced, on) {
            (true, 1..) | (false, 0) => Ok(()),
            (true, 0) => Err(Errno::EINVAL),
            (false, 1..) => Err(Errno::EOPNOTSUPP),
        }
    }
}

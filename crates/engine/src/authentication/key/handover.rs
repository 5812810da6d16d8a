//! Keys as they leave for another endpoint and go on there.

use alloc::vec::Vec;

use super::{Entry, KeyId, Keyring, SharedKey, Standing};
use crate::handover::{Key, KeyStanding};

impl Keyring {
    pub(crate) fn standing(&self) -> Vec<Key> {
        let key = |entry: &Entry| Key {
            id: entry.shared.id,
            standing: match entry.standing {
                Standing::Usable => KeyStanding::Usable,
                Standing::Deactivated => KeyStanding::Deactivated,
            },
            secret: entry.shared.secret.clone(),
        };
        self.entries.iter().map(key).collect()
    }

    pub(crate) fn resume(active: KeyId, keys: &[Key]) -> Self {
        let entry = |key: &Key| Entry {
            standing: match key.standing {
                KeyStanding::Usable => Standing::Usable,
                KeyStanding::Deactivated => Standing::Deactivated,
            },
            ..Entry::new(SharedKey::new(key.id, key.secret.to_vec()))
        };
        Self {
            entries: keys.iter().map(entry).collect(),
            active,
        }
    }
}

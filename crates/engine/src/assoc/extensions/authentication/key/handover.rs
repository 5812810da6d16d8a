//! Export and import of keys.

use alloc::vec::Vec;

use super::{Entry, KeyId, KeyUse, Keyring, SharedKey};
use crate::handover::{Key, KeyStanding};

impl Keyring {
    pub(crate) fn standing(&self) -> Vec<Key> {
        let key = |entry: &Entry| Key {
            id: entry.shared.id,
            standing: match entry.standing {
                KeyUse::Usable => KeyStanding::Usable,
                KeyUse::Deactivated => KeyStanding::Deactivated,
            },
            secret: entry.shared.secret.clone(),
        };
        self.entries.iter().map(key).collect()
    }

    pub(crate) fn resume(active: KeyId, keys: &[Key]) -> Self {
        let entry = |key: &Key| Entry {
            standing: match key.standing {
                KeyStanding::Usable => KeyUse::Usable,
                KeyStanding::Deactivated => KeyUse::Deactivated,
            },
            ..Entry::new(SharedKey::new(key.id, key.secret.to_vec()))
        };
        Self {
            entries: keys.iter().map(entry).collect(),
            active,
        }
    }
}

//! Shared keys (RFC 4895).

use std::ffi::c_void;

use sheave::authentication::{KeyId, SharedKey};

use crate::association::Association;
use crate::border;
use crate::status::Status;

/// Adds a shared key of `length` bytes, or replaces the secret of the key with this id. The peer
/// may use the key at once; this end uses it after sheave_association_activate_key(). Initial keys
/// are options: `authentication_key` and others in docs/options.md.
///
/// Errors: SHEAVE_STATUS_NOT_AGREED if the association does not authenticate; SHEAVE_STATUS_IN_USE
/// if messages sent with this key are not acknowledged yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_insert_key(
    association: Option<&Association>,
    id: u16,
    secret: *const c_void,
    length: usize,
) -> Status {
    border::on(association, "association", |association| {
        // SAFETY: as the top of the header asks of the caller.
        let secret = unsafe { border::array(secret.cast::<u8>(), length, "secret") }?;
        let key = SharedKey::new(KeyId(id), secret);
        Ok(association.association.insert_key(key)?)
    })
}

/// Sends with this key from now on.
///
/// Errors: SHEAVE_STATUS_NOT_AGREED; SHEAVE_STATUS_INVALID_ARGUMENT if the key does not exist or
/// was deactivated.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_association_activate_key(
    association: Option<&Association>,
    id: u16,
) -> Status {
    border::on(association, "association", |association| {
        Ok(association.association.activate_key(KeyId(id))?)
    })
}

/// Stops sending with this key for good; chunks that the peer sends with it stay valid.
/// SHEAVE_EVENT_KIND_AUTHENTICATION reports when no data sent with the key is in flight.
///
/// Errors: SHEAVE_STATUS_NOT_AGREED; SHEAVE_STATUS_INVALID_ARGUMENT if the key does not exist;
/// SHEAVE_STATUS_IN_USE if it is the active key.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_association_deactivate_key(
    association: Option<&Association>,
    id: u16,
) -> Status {
    border::on(association, "association", |association| {
        Ok(association.association.deactivate_key(KeyId(id))?)
    })
}

/// Removes a key: chunks that the peer sends with it are dropped from now on.
///
/// Errors: SHEAVE_STATUS_NOT_AGREED; SHEAVE_STATUS_INVALID_ARGUMENT if the key does not exist;
/// SHEAVE_STATUS_IN_USE if it is the active key, or if messages sent with it are not acknowledged
/// yet.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_association_delete_key(
    association: Option<&Association>,
    id: u16,
) -> Status {
    border::on(association, "association", |association| {
        Ok(association.association.delete_key(KeyId(id))?)
    })
}

//! Shared keys (RFC 4895).

use std::ffi::c_void;

use sheave::authentication::{KeyId, SharedKey};

use crate::association::Association;
use crate::border;
use crate::status::Status;

/// Gives the association another shared key of `length` bytes, or the key of that id another secret.
/// The peer may use it from now on; we do once sheave_association_activate_key() says so. The keys
/// that an association begins with are options: `authentication_key` and others of docs/options.md.
///
/// Errors: SHEAVE_STATUS_NOT_AGREED, when the association does not authenticate; SHEAVE_STATUS_IN_USE,
/// when messages that were sent with the key of that id are not acknowledged yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_insert_key(
    association: *const Association,
    id: u16,
    secret: *const c_void,
    length: usize,
) -> Status {
    border::call(|| {
        // SAFETY: as the top of the header asks of the caller.
        let association = unsafe { border::borrow(association, "association") }?;
        // SAFETY: likewise.
        let secret = unsafe { border::array(secret.cast::<u8>(), length, "secret") }?;
        let key = SharedKey::new(KeyId(id), secret);
        Ok(association.association.insert_key(key)?)
    })
}

/// Sends with that key from now on.
///
/// Errors: SHEAVE_STATUS_NOT_AGREED; SHEAVE_STATUS_INVALID_ARGUMENT, when there is no key of that id,
/// or it was deactivated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_activate_key(
    association: *const Association,
    id: u16,
) -> Status {
    border::call(|| {
        // SAFETY: as the top of the header asks of the caller.
        let association = unsafe { border::borrow(association, "association") }?;
        Ok(association.association.activate_key(KeyId(id))?)
    })
}

/// Promises not to send with that key again; what the peer sends with it still counts.
/// SHEAVE_EVENT_KIND_AUTHENTICATION tells when nothing that was sent with it is on the way any more.
///
/// Errors: SHEAVE_STATUS_NOT_AGREED; SHEAVE_STATUS_INVALID_ARGUMENT, when there is no key of that id;
/// SHEAVE_STATUS_IN_USE, when it is the active one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_deactivate_key(
    association: *const Association,
    id: u16,
) -> Status {
    border::call(|| {
        // SAFETY: as the top of the header asks of the caller.
        let association = unsafe { border::borrow(association, "association") }?;
        Ok(association.association.deactivate_key(KeyId(id))?)
    })
}

/// Removes a key: what the peer sends with it is dropped from now on.
///
/// Errors: SHEAVE_STATUS_NOT_AGREED; SHEAVE_STATUS_INVALID_ARGUMENT, when there is no key of that id;
/// SHEAVE_STATUS_IN_USE, when it is the active one, or messages that were sent with it are not
/// acknowledged yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_delete_key(
    association: *const Association,
    id: u16,
) -> Status {
    border::call(|| {
        // SAFETY: as the top of the header asks of the caller.
        let association = unsafe { border::borrow(association, "association") }?;
        Ok(association.association.delete_key(KeyId(id))?)
    })
}

//! The checksum of packets.

use std::ffi::c_void;

use crate::border;

/// Computes the CRC32c of a packet whose checksum field is zero, in the field's byte order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn usrsctp_crc32c(buffer: *mut c_void, length: usize) -> u32 {
    border::call(0, || {
        // SAFETY: as usrsctp.h says.
        let bytes = unsafe { border::bytes(buffer, length) }?;
        Ok(sheave_wire::crc32c(bytes).to_le())
    })
}

//! The checksum of packets.

use std::ffi::c_void;

use crate::border;

/// The CRC32c of a packet whose checksum is zero, as it is stored in the packet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn usrsctp_crc32c(buffer: *mut c_void, length: usize) -> u32 {
    border::call(0, || {
        // SAFETY: as usrsctp.h says.
        let bytes = unsafe { border::bytes(buffer, length) }?;
        Ok(sheave_wire::crc32c(bytes).to_le())
    })
}

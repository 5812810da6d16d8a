//! Packets as text, for `text2pcap`.

use std::ffi::{c_char, c_int, c_void};
use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use sheave_sockets::Errno;

use crate::border;

/// Largest packet that is printed, bytes.
const MOST: usize = 1 << 16;

/// Formats a packet; `usrsctp_freedumpbuffer` frees the text. NULL for a missing or too long
/// packet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn usrsctp_dumppacket(
    buffer: *const c_void,
    length: usize,
    outbound: c_int,
) -> *mut c_char {
    border::call(std::ptr::null_mut(), || {
        if length == 0 || length > MOST {
            return Err(Errno::EINVAL);
        }
        // SAFETY: as usrsctp.h says.
        let packet = unsafe { border::bytes(buffer, length) }?;
        let direction = match outbound {
            0 => 'I',
            _ => 'O',
        };
        Ok(border::allocate_text(&text(packet, direction)))
    })
}

/// Frees a text of `usrsctp_dumppacket`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn usrsctp_freedumpbuffer(text: *mut c_char) {
    // SAFETY: as usrsctp.h says.
    unsafe { border::free(text.cast()) };
}

fn text(packet: &[u8], direction: char) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.unwrap_or_default();
    let (hours, minutes, seconds) = time_of_day(now.as_secs());
    let micros = now.subsec_micros();
    let mut text = format!("\n{direction} {hours:02}:{minutes:02}:{seconds:02}.{micros:06} 0000 ");
    for byte in packet {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x} ");
    }
    text.push_str("# SCTP_PACKET\n");
    text
}

/// Local hours, minutes and seconds.
fn time_of_day(seconds: u64) -> (c_int, c_int, c_int) {
    let seconds = libc::time_t::try_from(seconds).unwrap_or(0);
    // SAFETY: `tm` is numbers and a pointer that may be NULL.
    let mut parts: libc::tm = unsafe { std::mem::zeroed() };
    // SAFETY: both are ours.
    unsafe { libc::localtime_r(&raw const seconds, &raw mut parts) };
    (parts.tm_hour, parts.tm_min, parts.tm_sec)
}

//! Counters.

use crate::border;
use crate::host;

/// `struct sctpstat`: 32-bit counters only.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Statistics([u32; COUNT]);

/// Number of counters.
const COUNT: usize = 166;

/// Indices of the counters in use; the others stay 0.
mod place {
    pub(super) const ESTABLISHED_NOW: usize = 2;
    pub(super) const OUT_OF_THE_BLUE: usize = 9;
    pub(super) const CHECKSUM_ERRORS: usize = 10;
    pub(super) const OUT_PACKETS: usize = 19;
    pub(super) const IN_PACKETS: usize = 20;
    pub(super) const RECEIVED_PACKETS: usize = 21;
    pub(super) const SENT_PACKETS: usize = 40;
    pub(super) const SEND_ERRORS: usize = 49;
    pub(super) const TOO_SHORT: usize = 97;
    pub(super) const BAD_CHECKSUM: usize = 98;
    pub(super) const BAD_TAG: usize = 100;
}

/// Copies the counters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn usrsctp_get_stat(statistics: *mut Statistics) {
    border::status(|| {
        // SAFETY: as usrsctp.h says.
        unsafe { border::write(statistics, count()) };
        Ok(())
    });
}

fn count() -> Statistics {
    let mut counted = [0; COUNT];
    let mut guard = host::lock();
    let Some(host) = guard.as_mut() else {
        return Statistics(counted);
    };
    let [sent, received, failed] = host.internet.packets();
    let [out, input] = host.connections.counts;
    let first = host.internet.stack.endpoint().stats();
    let second = host.connections.stack.endpoint().stats();
    let (sent, received) = (sent + out, received + input);
    let broken = first.bad_checksum + second.bad_checksum;
    let established = first.associations + second.associations;
    let values = [
        (place::ESTABLISHED_NOW, established as u64),
        (
            place::OUT_OF_THE_BLUE,
            first.out_of_the_blue + second.out_of_the_blue,
        ),
        (place::CHECKSUM_ERRORS, broken),
        (place::OUT_PACKETS, sent),
        (place::IN_PACKETS, received),
        (place::RECEIVED_PACKETS, received),
        (place::SENT_PACKETS, sent),
        (place::SEND_ERRORS, failed),
        (place::TOO_SHORT, first.malformed + second.malformed),
        (place::BAD_CHECKSUM, broken),
        (place::BAD_TAG, first.bad_tag + second.bad_tag),
    ];
    for (place, value) in values {
        // The library's counters wrap at 32 bits.
        counted[place] = u32::try_from(value & u64::from(u32::MAX)).unwrap_or(0);
    }
    Statistics(counted)
}

//! The description of a message to send.

use std::ffi::c_uint;

use bytes::Bytes;
use sheave_sockets::Errno;

use super::received::control;

/// Types of ancillary data in FreeBSD's headers.
const SND_INFO: i32 = 4;
const PR_INFO: i32 = 7;
const AUTH_INFO: i32 = 8;

/// Flags of `snd_flags`.
const EOF: u16 = 0x0100;
const ABORT: u16 = 0x0200;
const EOR: u16 = 0x2000;

/// Sizes of `struct sctp_sndinfo`, `sctp_prinfo`, `sctp_authinfo` and `sctp_sendv_spa`, bytes.
const SND_INFO_SIZE: usize = 16;
const PR_INFO_SIZE: usize = 8;
const AUTH_INFO_SIZE: usize = 2;
const SPA_SIZE: usize = 32;
/// Offsets of the parts of `struct sctp_sendv_spa`.
const SND_INFO_AT: usize = 4;
const PR_INFO_AT: usize = 20;
const AUTH_INFO_AT: usize = 28;
/// Offset of the association id in `struct sctp_sndinfo`.
const ASSOC_AT: usize = 12;
/// Range of the flags in `struct sctp_sndinfo`.
const FLAGS: core::ops::Range<usize> = 2..4;

/// Bits of `sendv_flags`.
const SND_INFO_VALID: u32 = 1;
const PR_INFO_VALID: u32 = 2;
const AUTH_INFO_VALID: u32 = 4;

/// A validated message description.
#[derive(Debug)]
pub(super) struct Info {
    sndinfo: Option<[u8; SND_INFO_SIZE]>,
    prinfo: Option<[u8; PR_INFO_SIZE]>,
    authinfo: Option<[u8; AUTH_INFO_SIZE]>,
    /// Offset of the association id in the program's struct.
    pub(super) assoc_at: Option<usize>,
}

/// The arguments of one `sendmsg` call.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) control: Vec<u8>,
    pub(super) payload: Bytes,
}

impl Info {
    /// Parses the program's description.
    ///
    /// # Errors
    /// `EINVAL` for an unknown type or length.
    pub(super) fn parse(given: &[u8], kind: c_uint) -> Result<Self, Errno> {
        let none = Self {
            sndinfo: None,
            prinfo: None,
            authinfo: None,
            assoc_at: None,
        };
        match (kind, given.len()) {
            (0, 0) => Ok(none),
            (1, SND_INFO_SIZE) => Ok(Self {
                sndinfo: taken(given, 0),
                assoc_at: Some(ASSOC_AT),
                ..none
            }),
            // Stream and payload protocol are 0, regardless of the socket's defaults.
            (2, PR_INFO_SIZE) => Ok(Self {
                sndinfo: Some([0; SND_INFO_SIZE]),
                prinfo: taken(given, 0),
                ..none
            }),
            // RFC 6458 §9.12; usrsctp itself does not accept keys here.
            (3, AUTH_INFO_SIZE) => Ok(Self {
                sndinfo: Some([0; SND_INFO_SIZE]),
                authinfo: taken(given, 0),
                ..none
            }),
            (4, SPA_SIZE) => {
                let flags = taken(given, 0).map_or(0, u32::from_ne_bytes);
                let valid = |bit| flags & bit != 0;
                Ok(Self {
                    sndinfo: match valid(SND_INFO_VALID) {
                        true => taken(given, SND_INFO_AT),
                        false => Some([0; SND_INFO_SIZE]),
                    },
                    prinfo: taken(given, PR_INFO_AT).filter(|_| valid(PR_INFO_VALID)),
                    authinfo: taken(given, AUTH_INFO_AT).filter(|_| valid(AUTH_INFO_VALID)),
                    assoc_at: valid(SND_INFO_VALID).then_some(SND_INFO_AT + ASSOC_AT),
                })
            }
            _ => Err(Errno::EINVAL),
        }
    }

    /// The calls needed to send the message: two if the message also starts the shutdown.
    pub(super) fn parts(&self, payload: Bytes) -> Vec<Part> {
        let flags = self
            .sndinfo
            .map_or(0, |info| u16::from_ne_bytes([info[2], info[3]]));
        let part = |flags, payload| Part {
            control: self.control(flags),
            payload,
        };
        if flags & (EOF | ABORT) == EOF && !payload.is_empty() {
            return vec![part(flags & !EOF | EOR, payload), part(flags, Bytes::new())];
        }
        vec![part(flags, payload)]
    }

    fn control(&self, flags: u16) -> Vec<u8> {
        let mut bytes = Vec::new();
        if let Some(mut info) = self.sndinfo {
            if let Some(place) = info.get_mut(FLAGS) {
                place.copy_from_slice(&flags.to_ne_bytes());
            }
            control(&mut bytes, SND_INFO, &info);
        }
        if let Some(mut info) = self.prinfo {
            // Only the low four bits are the policy.
            let policy = u16::from_ne_bytes([info[0], info[1]]) & 0x0f;
            [info[0], info[1]] = policy.to_ne_bytes();
            control(&mut bytes, PR_INFO, &info);
        }
        if let Some(info) = self.authinfo {
            control(&mut bytes, AUTH_INFO, &info);
        }
        bytes
    }
}

fn taken<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}

#[cfg(test)]
mod tests;

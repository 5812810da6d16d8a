//! Sends short files, several per message.

use std::io;

use super::Want;
use super::file_transfer::Done;
use crate::transfer::message::{IfDifferent, ToReceiver};
use crate::transfer::original::Original;

/// Appends a short file, or the reason for not sending it, to `message`.
pub(super) fn append(original: &Original, want: &Want, message: &mut Vec<u8>) -> io::Result<Done> {
    let (id, size) = (want.id, original.size());
    let len = usize::try_from(size).unwrap_or(usize::MAX);
    let mut bytes = Vec::new();
    original.read(&mut bytes, 0, len)?;
    if let Some(change) = original.change()? {
        return Ok(Done::Changed(change));
    }
    if bytes.len() < len {
        return Err(io::Error::other("the file is shorter than the system says"));
    }
    let hash = *blake3::hash(&bytes).as_bytes();
    if want.offset > 0 && want.offset == size && hash == want.prefix {
        let offset = want.offset;
        ToReceiver::Begin { id, offset }.append(message);
        ToReceiver::End { id, hash }.append(message);
        return Ok(Done::Skipped(size));
    }
    if want.offset > 0 && want.if_different == IfDifferent::SayOnly {
        ToReceiver::Differs { id }.append(message);
        return Ok(Done::Over);
    }
    let bytes = bytes.as_slice();
    ToReceiver::Whole { id, hash, bytes }.append(message);
    Ok(Done::Sent(size))
}

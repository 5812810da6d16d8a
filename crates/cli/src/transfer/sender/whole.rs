//! Sends short files, several per message.

use std::io;

use super::Want;
use super::file_transfer::Done;
use crate::transfer::message::{IfDifferent, ToReceiver, WHOLE_HEADER, write_whole_header};
use crate::transfer::original::Original;

/// Appends a short file, or the reason for not sending it, to `message`.
///
/// # Errors
/// The system's error.
pub(super) fn append(original: &Original, want: &Want, message: &mut Vec<u8>) -> io::Result<Done> {
    let begin = message.len();
    let done = read(original, want, message);
    if !matches!(done, Ok(Done::Sent(_))) {
        message.truncate(begin);
    }
    let (id, offset) = (want.id, want.offset);
    match done {
        Ok(Done::Skipped(_)) => {
            ToReceiver::Begin { id, offset }.append(message);
            let hash = want.prefix;
            ToReceiver::End { id, hash }.append(message);
        }
        Ok(Done::Over) => ToReceiver::Differs { id }.append(message),
        _ => {}
    }
    done
}

fn read(original: &Original, want: &Want, message: &mut Vec<u8>) -> io::Result<Done> {
    let (begin, size) = (message.len(), original.size());
    let len = usize::try_from(size).unwrap_or(usize::MAX);
    message.resize(begin + WHOLE_HEADER, 0);
    original.read(message, 0, len)?;
    if let Some(change) = original.change()? {
        return Ok(Done::Changed(change));
    }
    let (header, bytes) = message[begin..].split_at_mut(WHOLE_HEADER);
    if bytes.len() < len {
        return Err(io::Error::other("the file is shorter than the system says"));
    }
    let hash = *blake3::hash(bytes).as_bytes();
    if want.offset > 0 && want.offset == size && hash == want.prefix {
        return Ok(Done::Skipped(size));
    }
    if want.offset > 0 && want.if_different == IfDifferent::SayOnly {
        return Ok(Done::Over);
    }
    let mut written = Vec::with_capacity(WHOLE_HEADER);
    write_whole_header(&mut written, want.id, &hash, len);
    header.copy_from_slice(&written);
    Ok(Done::Sent(size))
}

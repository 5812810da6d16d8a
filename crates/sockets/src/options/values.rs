//! Plain values of options.

use crate::abi::{Abi, Field, OptionName, Record, Struct, System, View};
use crate::lookup::FUTURE;
use crate::{AssocId32, Errno};

/// Parses a 32-bit integer; more bytes may follow.
pub(super) fn int(value: &[u8]) -> Result<u32, Errno> {
    let bytes = value.get(..4).and_then(|bytes| bytes.try_into().ok());
    bytes.map(u32::from_ne_bytes).ok_or(Errno::EINVAL)
}

/// Parses exactly 32 bits; FreeBSD ignores further bytes.
pub(super) fn exact_int(abi: Abi, value: &[u8]) -> Result<u32, Errno> {
    if value.len() == 4 || abi.system() == System::FreeBsd {
        int(value)
    } else {
        Err(Errno::EINVAL)
    }
}

/// Parses `struct sctp_assoc_value`, or a bare integer for options that once had only one.
pub(super) fn assoc_value(
    abi: Abi,
    option: OptionName,
    value: &[u8],
) -> Result<(AssocId32, u32), Errno> {
    let is_old = matches!(
        option,
        OptionName::MaxSeg | OptionName::MaxBurst | OptionName::DelayedSack
    );
    if value.len() == 4 && is_old && abi.system() == System::Linux {
        return Ok((FUTURE, int(value)?));
    }
    let view = View::new(abi, Struct::AssocValue, value)?;
    Ok((view.assoc(), view.u32(Field::Value)))
}

/// Serializes the answer in the form of the request.
pub(super) fn show_assoc_value(abi: Abi, given: &[u8], assoc: AssocId32, value: u32) -> Vec<u8> {
    if given.len() == 4 {
        return value.to_ne_bytes().to_vec();
    }
    Record::new(abi, Struct::AssocValue)
        .set_signed(Field::Assoc, assoc)
        .set(Field::Value, value)
        .into_bytes()
}

/// The answer, unless the program's buffer is too small for it.
pub(super) fn fitting(given: &[u8], answer: Vec<u8>) -> Result<Vec<u8>, Errno> {
    match given.len() < answer.len() {
        true => Err(Errno::EINVAL),
        false => Ok(answer),
    }
}

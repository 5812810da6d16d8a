use std::string::ToString;

use crate::captured::{ABORT, assert_bytes, assert_captured, hex, packet_of, parse};
use crate::{Abort, Cause, Causes, Chunk, TagReflection};

#[test]
fn a_captured_abort_is_read_and_written() {
    let causes = [Cause::UserInitiatedAbort(b"bye now")];
    let abort = Abort {
        reflected: TagReflection::Own,
        causes: Causes::from(&causes),
    };
    assert_captured(ABORT, &Chunk::Abort(abort));
}

#[test]
fn the_t_bit_tells_whose_tag_it_is() {
    let abort = Abort {
        reflected: TagReflection::Reflected,
        causes: Causes::EMPTY,
    };
    assert_bytes("06010004", &Chunk::Abort(abort));
}

#[test]
fn other_flags_are_ignored() {
    let packet = packet_of(&hex("06fe0004"));
    let abort = Abort {
        reflected: TagReflection::Own,
        causes: Causes::EMPTY,
    };
    assert_eq!(parse(&packet), [Ok(Chunk::Abort(abort))]);
}

#[test]
fn an_abort_with_broken_causes_is_still_an_abort() {
    let packet = packet_of(&hex("06000008 00010fff"));
    let Ok(Chunk::Abort(abort)) = parse(&packet)[0] else {
        panic!("ABORT")
    };
    assert_eq!(
        abort.causes.iter().next().unwrap().unwrap_err().what,
        "length past the end"
    );
}

#[test]
fn it_prints_causes_and_the_t_bit() {
    let causes = [Cause::OutOfResource, Cause::UserInitiatedAbort(b"bye")];
    let abort = Abort {
        reflected: TagReflection::Reflected,
        causes: Causes::from(&causes),
    };
    assert_eq!(
        Chunk::Abort(abort).to_string(),
        "ABORT [Out of Resource, User-Initiated Abort 3 bytes \"bye\"] tag reflected"
    );
}

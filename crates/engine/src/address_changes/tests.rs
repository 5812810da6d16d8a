use bytes::Bytes;

use super::{AddressDialogue, Turn};

#[test]
fn the_last_answer_is_repeated_and_no_other() {
    let mut dialogue = AddressDialogue::new(7, u32::MAX);
    assert_eq!(dialogue.turn(u32::MAX), Turn::Due);
    assert_eq!(dialogue.turn(u32::MAX - 1), Turn::Stray);
    let answer = Bytes::from_static(b"done");
    dialogue.due = 0;
    dialogue.answer = Some(answer.clone());
    assert_eq!(dialogue.turn(u32::MAX), Turn::Again(answer));
    assert_eq!(dialogue.turn(0), Turn::Due);
    for serial in [1, 2, u32::MAX - 1, 1 << 31] {
        assert_eq!(dialogue.turn(serial), Turn::Stray);
    }
}

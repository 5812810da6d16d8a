use bytes::Bytes;

use super::{AddressDialogue, AsconfSequence};

#[test]
fn the_last_answer_is_repeated_and_no_other() {
    let mut dialogue = AddressDialogue::new(7, u32::MAX);
    assert_eq!(dialogue.classify(u32::MAX), AsconfSequence::Next);
    assert_eq!(dialogue.classify(u32::MAX - 1), AsconfSequence::OutOfOrder);
    let answer = Bytes::from_static(b"done");
    dialogue.due = 0;
    dialogue.answer = Some(answer.clone());
    assert_eq!(
        dialogue.classify(u32::MAX),
        AsconfSequence::Repeated(answer)
    );
    assert_eq!(dialogue.classify(0), AsconfSequence::Next);
    for serial in [1, 2, u32::MAX - 1, 1 << 31] {
        assert_eq!(dialogue.classify(serial), AsconfSequence::OutOfOrder);
    }
}

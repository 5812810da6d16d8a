use super::*;
use Part::{First, Last, Middle, Whole};

fn joined(
    joiner: &mut Joiner,
    stream: u16,
    part: Part,
    text: &str,
) -> Option<Result<Vec<u8>, ReceiveError>> {
    let message = Message::new(StreamId(stream), text.as_bytes().to_vec());
    let joined = joiner.push(Received::new(message, part), 10)?;
    Some(joined.map(|received| received.message.payload.to_vec()))
}

fn whole(text: &str) -> Option<Result<Vec<u8>, ReceiveError>> {
    Some(Ok(text.as_bytes().to_vec()))
}

#[test]
fn parts_are_joined_while_other_streams_pass_by() {
    let mut joiner = Joiner::default();
    assert_eq!(joined(&mut joiner, 1, First, "ab"), None);
    assert_eq!(joined(&mut joiner, 2, Whole, "xy"), whole("xy"));
    assert_eq!(joined(&mut joiner, 1, Middle, "cd"), None);
    assert_eq!(joined(&mut joiner, 1, Last, "e"), whole("abcde"));
    assert!(joiner.open.is_empty());
}

#[test]
fn a_message_over_the_limit_is_refused_once_and_the_next_one_comes() {
    let mut joiner = Joiner::default();
    let refused = Some(Err(ReceiveError::TooLarge { limit: 10 }));
    assert_eq!(joined(&mut joiner, 1, First, "123456"), None);
    assert_eq!(joined(&mut joiner, 1, Middle, "123456"), None);
    assert_eq!(joined(&mut joiner, 1, Middle, "1"), None);
    assert_eq!(joined(&mut joiner, 1, Last, "1"), refused);
    assert_eq!(joined(&mut joiner, 1, Whole, "12345678901"), refused);
    assert_eq!(joined(&mut joiner, 1, Whole, "ok"), whole("ok"));
}

#[test]
fn a_message_that_was_given_up_does_not_leak_into_the_next() {
    let mut joiner = Joiner::default();
    assert_eq!(joined(&mut joiner, 1, First, "old"), None);
    assert_eq!(joined(&mut joiner, 1, First, "ne"), None);
    assert_eq!(joined(&mut joiner, 1, Last, "w"), whole("new"));
}

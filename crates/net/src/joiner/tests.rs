use super::*;

fn part(stream: u16, part: Part, text: &str) -> Received {
    let message = Message::new(StreamId(stream), text.as_bytes().to_vec());
    Received::new(message, part)
}

fn joined(joiner: &mut Joiner, received: Received) -> Option<Result<Vec<u8>, ReceiveError>> {
    let joined = joiner.push(received, 10)?;
    Some(joined.map(|received| received.message.payload.to_vec()))
}

#[test]
fn parts_are_joined_while_other_streams_pass_by() {
    let mut joiner = Joiner::default();
    assert_eq!(joined(&mut joiner, part(1, Part::First, "ab")), None);
    assert_eq!(
        joined(&mut joiner, part(2, Part::Whole, "xy")),
        Some(Ok(b"xy".to_vec()))
    );
    assert_eq!(joined(&mut joiner, part(1, Part::Middle, "cd")), None);
    assert_eq!(
        joined(&mut joiner, part(1, Part::Last, "e")),
        Some(Ok(b"abcde".to_vec()))
    );
    assert!(joiner.open.is_empty());
}

#[test]
fn a_message_over_the_limit_is_refused_once_and_the_next_one_comes() {
    let mut joiner = Joiner::default();
    let refused = Some(Err(ReceiveError::TooLarge { limit: 10 }));
    assert_eq!(joined(&mut joiner, part(1, Part::First, "123456")), None);
    assert_eq!(joined(&mut joiner, part(1, Part::Middle, "123456")), None);
    assert_eq!(joined(&mut joiner, part(1, Part::Middle, "1")), None);
    assert_eq!(joined(&mut joiner, part(1, Part::Last, "1")), refused);
    assert_eq!(
        joined(&mut joiner, part(1, Part::Whole, "12345678901")),
        refused
    );
    assert_eq!(
        joined(&mut joiner, part(1, Part::Whole, "ok")),
        Some(Ok(b"ok".to_vec()))
    );
}

#[test]
fn a_message_that_was_given_up_does_not_leak_into_the_next() {
    let mut joiner = Joiner::default();
    assert_eq!(joined(&mut joiner, part(1, Part::First, "old")), None);
    assert_eq!(joined(&mut joiner, part(1, Part::First, "ne")), None);
    assert_eq!(
        joined(&mut joiner, part(1, Part::Last, "w")),
        Some(Ok(b"new".to_vec()))
    );
}

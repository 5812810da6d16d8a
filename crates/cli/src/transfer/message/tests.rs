use super::*;

fn entry(kind: Kind) -> Entry {
    Entry {
        id: 7,
        name: b"a/b".to_vec(),
        kind,
        modified: ModifiedAt {
            seconds: -5,
            nanos: 999_999_999,
        },
    }
}

fn to_receiver() -> Vec<ToReceiver<'static>> {
    vec![
        ToReceiver::Hello {
            version: 1,
            entries: 3,
            bytes: u64::MAX,
        },
        ToReceiver::Entry(entry(Kind::File {
            size: 1 << 40,
            mode: FileMode::Executable,
        })),
        ToReceiver::Entry(entry(Kind::Directory)),
        ToReceiver::Entry(entry(Kind::Link {
            target: b"../x".to_vec(),
        })),
        ToReceiver::Finish,
        ToReceiver::Begin { id: 1, offset: 2 },
        ToReceiver::Data {
            id: 1,
            offset: 2,
            bytes: b"hello",
        },
        ToReceiver::End {
            id: 1,
            hash: [9; 32],
        },
        ToReceiver::Differs { id: 4 },
        ToReceiver::Gone {
            id: 4,
            reason: "permission denied".into(),
        },
    ]
}

fn to_sender() -> Vec<ToSender> {
    vec![
        ToSender::Welcome {
            version: 1,
            window: 1024,
        },
        ToSender::Want {
            id: 3,
            offset: 4,
            prefix: [1; 32],
            if_different: IfDifferent::SayOnly,
        },
        ToSender::Settled {
            id: 3,
            outcome: Outcome::Refused,
            reason: "exists".into(),
        },
        ToSender::Report(Tally {
            written: 1,
            identical: 2,
            refused: 3,
            failed: 4,
            bytes: 5,
        }),
    ]
}

#[test]
fn what_is_written_is_read_back() {
    for message in to_receiver() {
        assert_eq!(ToReceiver::parse(&message.write()), Ok(message.clone()));
    }
    for message in to_sender() {
        assert_eq!(ToSender::parse(&message.write()), Ok(message.clone()));
    }
}

#[test]
fn a_message_cut_anywhere_is_malformed_and_never_panics() {
    for message in to_receiver() {
        let bytes = message.write();
        for len in 0..bytes.len() {
            let cut = ToReceiver::parse(&bytes[..len]);
            assert!(cut.is_err() || matches!(cut, Ok(ToReceiver::Data { .. })));
        }
    }
    for message in to_sender() {
        let bytes = message.write();
        for len in 0..bytes.len() {
            assert!(ToSender::parse(&bytes[..len]).is_err());
        }
    }
}

#[test]
fn trailing_bytes_are_malformed() {
    let mut bytes = ToReceiver::Finish.write();
    bytes.push(0);
    let expected = Malformed {
        field: "trailing bytes",
    };
    assert_eq!(ToReceiver::parse(&bytes), Err(expected));
}

#[test]
fn a_long_reason_is_cut_at_a_character() {
    let message = ToReceiver::Gone {
        id: 1,
        reason: "é".repeat(400),
    };
    let bytes = message.write();
    let Ok(ToReceiver::Gone { reason, .. }) = ToReceiver::parse(&bytes) else {
        panic!("not read back");
    };
    assert_eq!(reason, "é".repeat(256));
}

#[test]
fn more_data_than_a_chunk_is_malformed() {
    let bytes = vec![0; CHUNK + 1];
    let message = ToReceiver::Data {
        id: 1,
        offset: 0,
        bytes: &bytes,
    };
    assert!(ToReceiver::parse(&message.write()).is_err());
}

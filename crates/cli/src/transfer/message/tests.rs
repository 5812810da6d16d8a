use super::*;

/// The only record of a message.
fn only<'a, T>(
    bytes: &'a [u8],
    read: impl Fn(&mut &'a [u8]) -> Result<T, Malformed>,
) -> Result<T, Malformed> {
    let mut rest = bytes;
    let record = read(&mut rest)?;
    assert!(rest.is_empty(), "bytes are left");
    Ok(record)
}

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
        ToReceiver::Hello { version: VERSION },
        ToReceiver::Terms {
            terms: Terms {
                run: Run::Dry,
                update: Update::OlderOnly,
                detail: Detail::Archive,
            },
            entries: 3,
            bytes: u64::MAX,
        },
        ToReceiver::Entry(entry(Kind::File {
            size: 1 << 40,
            mode: Permissions::from_mode(0o100_751),
        })),
        ToReceiver::Entry(entry(Kind::Pipe)),
        ToReceiver::Entry(entry(Kind::Directory {
            mode: Permissions::from_mode(0o700),
        })),
        ToReceiver::Entry(entry(Kind::HardLink {
            to: b"a/a".to_vec(),
        })),
        ToReceiver::Entry(entry(Kind::DirectoryEnd {
            directory: 3,
            mode: Permissions::from_mode(0),
        })),
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
        ToReceiver::Hole {
            id: 1,
            offset: 7,
            len: MAX_HOLE,
        },
        ToReceiver::End {
            id: 1,
            hash: [9; 32],
        },
        ToReceiver::Whole {
            id: 1,
            hash: [8; 32],
            bytes: b"short",
        },
        ToReceiver::Changed {
            id: 1,
            modified: ModifiedAt {
                seconds: 5,
                nanos: 6,
            },
            size: 7,
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
            version: VERSION,
            window: 1024,
            detail: Detail::Archive,
        },
        ToSender::Want {
            id: 3,
            prefix: Some((4, [1; 32])),
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
            newer: 5,
            bytes: 6,
        }),
    ]
}

#[test]
fn written_values_are_read_back() {
    for message in to_receiver() {
        assert_eq!(
            only(&message.write(), ToReceiver::read),
            Ok(message.clone())
        );
    }
    for message in to_sender() {
        assert_eq!(only(&message.write(), ToSender::read), Ok(message.clone()));
    }
}

#[test]
fn a_message_cut_anywhere_is_malformed_and_never_panics() {
    for message in to_receiver() {
        let bytes = message.write();
        for len in 0..bytes.len() {
            assert!(only(&bytes[..len], ToReceiver::read).is_err());
        }
    }
    for message in to_sender() {
        let bytes = message.write();
        for len in 0..bytes.len() {
            assert!(only(&bytes[..len], ToSender::read).is_err());
        }
    }
}

#[test]
fn records_stand_one_behind_the_other_in_a_message() {
    let mut message = Vec::new();
    let records = to_receiver().into_iter().skip(1);
    for record in records.clone() {
        record.append(&mut message);
    }
    let mut rest = message.as_slice();
    for record in records {
        assert_eq!(ToReceiver::read(&mut rest), Ok(record));
    }
    assert!(rest.is_empty());
}

#[test]
fn a_long_reason_is_cut_at_a_character() {
    let message = ToReceiver::Gone {
        id: 1,
        reason: "é".repeat(400),
    };
    let bytes = message.write();
    let Ok(ToReceiver::Gone { reason, .. }) = only(&bytes, ToReceiver::read) else {
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
    assert!(only(&message.write(), ToReceiver::read).is_err());
    let message = ToReceiver::Whole {
        id: 1,
        hash: [0; 32],
        bytes: &bytes[..=MAX_WHOLE],
    };
    assert!(only(&message.write(), ToReceiver::read).is_err());
}

#[test]
fn data_begins_with_its_header() {
    let (id, offset, bytes) = (300, 1 << 40, &[7; 200][..]);
    let mut message = Vec::new();
    data_header(&mut message, id, offset, bytes.len());
    message.extend(bytes);
    assert_eq!(message, ToReceiver::Data { id, offset, bytes }.write());
}

#[test]
fn another_version_is_read_whatever_follows_it() {
    let hello = ToReceiver::Hello { version: 77 };
    let mut message = hello.write();
    message.extend(b"whatever that version says");
    assert_eq!(ToReceiver::read(&mut message.as_slice()), Ok(hello));
    let parsed = only(&[0, 1, 255, 255, 255, 255, 255, 255], ToSender::read);
    assert!(matches!(parsed, Ok(ToSender::Welcome { version: 1, .. })));
}

#[test]
fn special_mode_bits_are_neither_sent_nor_read() {
    assert_eq!(Permissions::from_mode(0o104_755).bits(), 0o755);
    let mode = Permissions::from_mode(0o755);
    let directory = ToReceiver::Entry(entry(Kind::Directory { mode })).write();
    let mode = Permissions(0o4755);
    let special = ToReceiver::Entry(entry(Kind::Directory { mode })).write();
    assert_eq!(directory.len(), special.len());
    assert!(only(&directory, ToReceiver::read).is_ok());
    assert!(only(&special, ToReceiver::read).is_err());
}

#[test]
fn a_hole_of_nothing_or_of_too_much_is_malformed() {
    for len in [0, MAX_HOLE + 1] {
        let message = ToReceiver::Hole {
            id: 1,
            offset: 0,
            len,
        };
        assert!(only(&message.write(), ToReceiver::read).is_err());
    }
}

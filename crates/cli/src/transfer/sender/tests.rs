use super::*;
use crate::transfer::manifest::{LinkPolicy, Selection};

/// A sender of one file of ten bytes, welcomed and with its entry announced.
fn sender() -> (tempfile::TempDir, Sender) {
    let top = tempfile::tempdir().unwrap();
    let path = top.path().join("file");
    std::fs::write(&path, "0123456789").unwrap();
    let selection = Selection {
        links: LinkPolicy::Keep,
        exclude: Vec::new(),
        input_name: "stdin".to_owned(),
    };
    let manifest = Manifest::collect(&[path], &selection).unwrap();
    let mut sender = Sender::new(manifest, Terms::default(), 2);
    assert!(matches!(sender.poll(), Step::Send(0, _)));
    let welcome = ToSender::Welcome {
        version: VERSION,
        window: 8,
        detail: Detail::Usual,
    };
    sender.handle_message(&welcome.write()).unwrap();
    assert!(matches!(sender.poll(), Step::Send(0, _)));
    assert!(matches!(sender.poll(), Step::Send(0, _)));
    (top, sender)
}

fn want(id: EntryId, offset: u64) -> Vec<u8> {
    ToSender::Want {
        id,
        prefix: (offset > 0).then(|| (offset, *blake3::hash(b"").as_bytes())),
        if_different: IfDifferent::SendAll,
    }
    .write()
}

/// The records of the next message.
fn said(sender: &mut Sender) -> Vec<String> {
    loop {
        match sender.poll() {
            Step::Send(_, message) => {
                let mut rest = message.as_slice();
                let mut records = Vec::new();
                while !rest.is_empty() {
                    records.push(format!("{:?}", ToReceiver::read(&mut rest).unwrap()));
                }
                return records;
            }
            Step::Working => {}
            _ => return Vec::new(),
        }
    }
}

#[test]
fn a_file_that_changed_after_it_was_listed_is_announced_anew() {
    let (top, mut sender) = sender();
    std::fs::write(top.path().join("file"), "0123456789 and more").unwrap();
    sender.handle_message(&want(0, 0)).unwrap();
    let records = said(&mut sender);
    assert!(records[0].starts_with("Changed { id: 0, "), "{records:?}");
    assert!(records[0].ends_with("size: 19 }"), "{records:?}");
    sender.handle_message(&want(0, 0)).unwrap();
    let records = said(&mut sender);
    assert!(records[0].starts_with("Whole { id: 0, "), "{records:?}");
    assert_eq!(sender.progress().sent, 19);
    assert_eq!(sender.total(), (1, 19));
}

#[test]
fn a_receiver_asks_once_for_what_was_announced_up_to_its_end() {
    for wants in [&[(1, 0)][..], &[(0, 11)], &[(0, 0), (0, 0)]] {
        let (_top, mut sender) = sender();
        let answers = (wants.iter()).map(|&(id, at)| sender.handle_message(&want(id, at)));
        let answers: Vec<_> = answers.collect();
        let (last, others) = answers.split_last().unwrap();
        assert!(others.iter().all(Result::is_ok), "{wants:?}");
        assert!(matches!(last, Err(Fault::Rule(_))), "{wants:?}");
    }
}

#[test]
fn a_receiver_of_another_version_is_told_so() {
    let mut sender = Sender::new(Manifest::default(), Terms::default(), 1);
    let welcome = ToSender::Welcome {
        version: 9,
        window: 8,
        detail: Detail::Usual,
    };
    assert_eq!(
        sender.handle_message(&welcome.write()),
        Err(Fault::Version(9))
    );
}

#[test]
fn an_entry_cannot_be_settled_twice() {
    let (_top, mut sender) = sender();
    let settled = ToSender::Settled {
        id: 0,
        outcome: Outcome::Refused,
        reason: "no\x1b[2J".into(),
    };
    sender.handle_message(&settled.write()).unwrap();
    assert_eq!(sender.poll_notice().unwrap().reason, "no\\u{1b}[2J");
    assert!(matches!(
        sender.handle_message(&settled.write()),
        Err(Fault::Rule(_))
    ));
}

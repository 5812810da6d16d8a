use std::os::unix::fs::symlink;

use super::*;
use crate::transfer::message::{MAX_HOLE, ModifiedAt};

/// A receiver that has been greeted, in a directory of its own beside which nothing may appear.
struct Victim {
    top: tempfile::TempDir,
    receiver: Receiver,
}

fn victim(policy: Policy) -> Victim {
    let top = tempfile::tempdir().unwrap();
    let tree = Tree::open(&top.path().join("in")).unwrap();
    let mut receiver = Receiver::new(tree, policy, Arc::default());
    let hello = ToReceiver::Hello { version: VERSION };
    receiver.handle_message(0, &hello.write()).unwrap();
    let terms = ToReceiver::Terms {
        terms: Terms::default(),
        entries: u64::MAX,
        bytes: u64::MAX,
    };
    receiver.handle_message(0, &terms.write()).unwrap();
    Victim { top, receiver }
}

impl Victim {
    fn announce(&mut self, id: EntryId, name: &[u8], kind: Kind) -> Result<(), Fault> {
        let entry = Entry {
            id,
            name: name.to_vec(),
            kind,
            modified: ModifiedAt::default(),
        };
        self.receiver
            .handle_message(0, &ToReceiver::Entry(entry).write())
    }

    fn outcome(&mut self) -> Option<Outcome> {
        let mut last = None;
        while let Some(message) = self.receiver.poll_message() {
            let mut rest = message.as_slice();
            while !rest.is_empty() {
                if let ToSender::Settled { outcome, .. } = ToSender::read(&mut rest).unwrap() {
                    last = Some(outcome);
                }
            }
        }
        last
    }

    fn say(&mut self, stream: u16, message: &ToReceiver<'_>) -> Result<(), Fault> {
        self.receiver.handle_message(stream, &message.write())
    }
}

fn file(size: u64) -> Kind {
    Kind::File {
        size,
        mode: Permissions::from_mode(0o644),
    }
}

fn begin(id: EntryId, offset: u64) -> ToReceiver<'static> {
    ToReceiver::Begin { id, offset }
}

fn data(id: EntryId, offset: u64, bytes: &[u8]) -> ToReceiver<'_> {
    ToReceiver::Data { id, offset, bytes }
}

#[test]
fn names_that_lead_outside_are_refused_and_nothing_is_written() {
    let mut victim = victim(Policy::default());
    let names: [&[u8]; 8] = [
        b"../x",
        b"/tmp/x",
        b"a/../../x",
        b"",
        b"a\0b",
        b".",
        b"..",
        b".sheave-partial/x",
    ];
    for (id, name) in (0..).zip(names) {
        victim.announce(id, name, file(1)).unwrap();
        assert_eq!(
            victim.outcome(),
            Some(Outcome::Refused),
            "{}",
            printable(name)
        );
    }
    assert_eq!(victim.top.path().read_dir().unwrap().count(), 1);
    assert_eq!(victim.top.path().join("in").read_dir().unwrap().count(), 0);
}

#[test]
fn a_link_and_then_a_file_through_it_writes_nothing_outside() {
    let mut victim = victim(Policy::default());
    let target = |text: &str| Kind::Link {
        target: text.as_bytes().to_vec(),
    };
    victim.announce(0, b"a", target("..")).unwrap();
    assert_eq!(victim.outcome(), Some(Outcome::Refused));
    victim.announce(1, b"a", target("/tmp")).unwrap();
    assert_eq!(victim.outcome(), Some(Outcome::Refused));
    symlink("..", victim.top.path().join("in/b")).unwrap();
    victim.announce(2, b"b/x", file(1)).unwrap();
    assert_eq!(victim.outcome(), Some(Outcome::Failed));
    let mode = Permissions::from_mode(0o755);
    let directory = Kind::Directory { mode };
    victim.announce(3, b"b/y", directory).unwrap();
    assert_eq!(victim.outcome(), Some(Outcome::Failed));
    assert_eq!(victim.top.path().read_dir().unwrap().count(), 1);
}

#[test]
fn a_link_that_appears_after_the_announcement_is_not_followed() {
    let mut victim = victim(Policy::default());
    victim.announce(0, b"d/x", file(1)).unwrap();
    symlink("..", victim.top.path().join("in/d")).unwrap();
    victim.say(1, &begin(0, 0)).unwrap();
    victim.say(1, &data(0, 0, b"x")).unwrap();
    let hash = *blake3::hash(b"x").as_bytes();
    victim.say(1, &ToReceiver::End { id: 0, hash }).unwrap();
    assert_eq!(victim.outcome(), Some(Outcome::Failed));
    assert_eq!(victim.top.path().read_dir().unwrap().count(), 1);
}

#[test]
fn an_announced_size_costs_nothing_before_the_bytes_come() {
    let mut victim = victim(Policy::default());
    victim.announce(0, b"x", file(u64::MAX)).unwrap();
    victim.say(1, &begin(0, 0)).unwrap();
    let parts = victim.top.path().join("in/.sheave-partial");
    let part = parts.read_dir().unwrap().next().unwrap().unwrap();
    assert_eq!(part.metadata().unwrap().len(), 0);
}

#[test]
fn more_open_entries_than_the_window_end_the_session() {
    let mut victim = victim(Policy::default());
    for id in 0..WINDOW {
        victim
            .announce(id, format!("f{id}").as_bytes(), file(1))
            .unwrap();
    }
    let one_more = victim.announce(WINDOW, b"x", file(1));
    assert!(matches!(one_more, Err(Fault::Rule(_))));
}

#[test]
fn messages_out_of_turn_end_the_session() {
    let hash = [0; 32];
    let whole = |id, bytes| ToReceiver::Whole { id, hash, bytes };
    let changed = ToReceiver::Changed {
        id: 0,
        modified: ModifiedAt::default(),
        size: 1,
    };
    let scripts: [&[(u16, ToReceiver<'_>)]; 20] = [
        &[(0, whole(0, b"0123456789"))],
        &[(1, whole(0, b"012345678"))],
        &[(1, whole(5, b"0123456789"))],
        &[(1, begin(0, 0)), (2, whole(0, b"0123456789"))],
        &[(1, begin(0, 0)), (2, changed.clone())],
        &[(1, begin(1, 0)), (1, changed.clone())],
        &[(0, begin(0, 0))],
        &[(1, ToReceiver::Finish)],
        &[(0, ToReceiver::Finish)],
        &[(1, begin(5, 0))],
        &[(1, begin(0, 3))],
        &[(1, begin(0, 0)), (1, begin(1, 0))],
        &[(1, begin(0, 0)), (2, begin(0, 0))],
        &[(1, data(0, 0, b"x"))],
        &[(1, begin(0, 0)), (1, data(0, 1, b"x"))],
        &[(1, begin(0, 0)), (1, data(0, 0, b"12345678901"))],
        &[(1, begin(0, 0)), (2, data(0, 0, b"x"))],
        &[(1, begin(0, 0)), (1, ToReceiver::End { id: 1, hash })],
        &[(1, ToReceiver::Differs { id: 0 })],
        &[
            (1, begin(0, 0)),
            (
                2,
                ToReceiver::Gone {
                    id: 0,
                    reason: String::new(),
                },
            ),
            (1, data(0, 0, b"x")),
        ],
    ];
    for script in scripts {
        let mut victim = victim(Policy::default());
        victim.announce(0, b"x", file(10)).unwrap();
        victim.announce(1, b"y", file(10)).unwrap();
        let outcome = script
            .iter()
            .try_for_each(|(stream, message)| victim.say(*stream, message));
        assert!(matches!(outcome, Err(Fault::Rule(_))), "{script:?}");
    }
}

#[test]
fn a_wrong_hash_twice_fails_the_file() {
    let mut victim = victim(Policy::default());
    let hash = [0; 32];
    victim.announce(0, b"x", file(1)).unwrap();
    for _ in 0..2 {
        victim.say(1, &begin(0, 0)).unwrap();
        victim.say(1, &data(0, 0, b"x")).unwrap();
        victim.say(1, &ToReceiver::End { id: 0, hash }).unwrap();
    }
    assert_eq!(victim.outcome(), Some(Outcome::Failed));
    assert!(!victim.top.path().join("in/x").exists());
}

#[test]
fn a_short_file_with_a_wrong_hash_is_not_written_and_fails_the_second_time() {
    let mut victim = victim(Policy::default());
    victim.announce(0, b"x", file(1)).unwrap();
    let whole = ToReceiver::Whole {
        id: 0,
        hash: [0; 32],
        bytes: b"x",
    };
    victim.say(1, &whole).unwrap();
    assert_eq!(victim.outcome(), None);
    victim.say(1, &whole).unwrap();
    assert_eq!(victim.outcome(), Some(Outcome::Failed));
    assert_eq!(victim.top.path().join("in").read_dir().unwrap().count(), 0);
}

#[test]
fn an_old_version_is_named_in_the_fault() {
    let top = tempfile::tempdir().unwrap();
    let tree = Tree::open(top.path()).unwrap();
    let mut receiver = Receiver::new(tree, Policy::default(), Arc::default());
    let hello = ToReceiver::Hello { version: 9 };
    assert_eq!(
        receiver.handle_message(0, &hello.write()),
        Err(Fault::Version(9))
    );
}

#[test]
fn arbitrary_bytes_never_panic() {
    let mut seed = 7_u64;
    for _ in 0..20_000 {
        let mut victim_bytes = Vec::new();
        for _ in 0..40 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(3);
            victim_bytes.push(seed.to_be_bytes()[2]);
        }
        victim_bytes[0] %= 14;
        let _ = ToReceiver::read(&mut victim_bytes.as_slice());
        let _ = ToSender::read(&mut victim_bytes.as_slice());
    }
}

fn mode_of(path: &std::path::Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;

    path.metadata().unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_directory_that_was_there_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt;

    let mut victim = victim(Policy::default());
    let path = victim.top.path().join("in/mine");
    std::fs::create_dir(&path).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o750)).unwrap();
    for (at, mode) in (0..).step_by(2).zip([0o777, 0o000]) {
        let mode = Permissions::from_mode(mode);
        victim
            .announce(at, b"mine", Kind::Directory { mode })
            .unwrap();
        assert_eq!(victim.outcome(), Some(Outcome::Identical));
        let end = Kind::DirectoryEnd {
            directory: at,
            mode,
        };
        victim.announce(at + 1, b"mine", end).unwrap();
        assert_eq!(victim.outcome(), Some(Outcome::Done));
        assert_eq!(mode_of(&path), 0o750);
    }
}

#[test]
fn a_hard_link_leads_nowhere_outside_and_to_files_alone() {
    let mut victim = victim(Policy::default());
    let top = victim.top.path().to_owned();
    std::fs::write(top.join("outside"), "secret").unwrap();
    symlink("../outside", top.join("in/link")).unwrap();
    std::fs::create_dir(top.join("in/directory")).unwrap();
    let targets: [(&[u8], Outcome); 5] = [
        (b"../outside", Outcome::Refused),
        (b"/etc/passwd", Outcome::Refused),
        (b"link", Outcome::Failed),
        (b"directory", Outcome::Failed),
        (b"missing", Outcome::Failed),
    ];
    for (id, (to, outcome)) in (0..).zip(targets) {
        let to = to.to_vec();
        victim.announce(id, b"x", Kind::HardLink { to }).unwrap();
        assert_eq!(victim.outcome(), Some(outcome), "{id}");
    }
    assert!(!top.join("in/x").exists());
}

#[test]
fn a_hole_is_no_longer_than_the_file_and_stands_where_it_belongs() {
    let hole = |offset, len| ToReceiver::Hole { id: 0, offset, len };
    for (offset, len) in [(1, 1), (0, 11), (0, MAX_HOLE)] {
        let mut victim = victim(Policy::default());
        victim.announce(0, b"x", file(10)).unwrap();
        victim.say(1, &begin(0, 0)).unwrap();
        assert!(victim.say(1, &hole(offset, len)).is_err());
    }
}

#[test]
fn an_unfinished_pipe_leaves_nothing_behind() {
    let mut victim = victim(Policy::default());
    victim.announce(0, b"x", Kind::Pipe).unwrap();
    victim.say(1, &begin(0, 0)).unwrap();
    victim.say(1, &data(0, 0, b"some")).unwrap();
    let Victim { top, receiver } = victim;
    drop(receiver);
    assert_eq!(top.path().join("in").read_dir().unwrap().count(), 0);
}

#[test]
fn a_full_disk_is_said_to_be_the_receivers() {
    let error = io::Error::from_raw_os_error(28);
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    assert_eq!(reason_of(&error), "the receiver's disk is full");
}

use std::ops::Deref;

use rustix::net::{RecvFlags, SocketFlags, SocketType};

use super::lent::{Access, Lent, ROOM};
use super::region::Region;
use super::words::{Request, TOLD};
use super::*;
use crate::sys::memory::{Fault, Memory, Span};

/// A door with a program of one thread, this one, behind it.
struct Scene {
    door: Preload,
    name: String,
    secret: u64,
    theirs: Option<OwnedFd>,
}

fn scene() -> Scene {
    let threshold = open().unwrap();
    let (arrivals, life) = (threshold.arrivals, threshold.life);
    Scene {
        door: Preload::new(arrivals, life, threshold.secret).unwrap(),
        name: threshold.name,
        secret: threshold.secret,
        theirs: Some(threshold.theirs),
    }
}

/// The library's side of a connection.
struct Library {
    socket: OwnedFd,
    region: Option<Shared>,
}

impl Deref for Library {
    type Target = Region;

    fn deref(&self) -> &Region {
        self.region.as_ref().unwrap()
    }
}

impl Scene {
    fn connect(&self) -> OwnedFd {
        let kind = SocketType::SEQPACKET;
        let flags = SocketFlags::CLOEXEC;
        let socket = rustix::net::socket_with(AddressFamily::UNIX, kind, flags, None).unwrap();
        let address = SocketAddrUnix::new_abstract_name(self.name.as_bytes()).unwrap();
        rustix::net::connect(&socket, &address).unwrap();
        socket
    }

    /// A connection on which the host knows the program.
    fn enter(&mut self) -> Library {
        let socket = self.connect();
        let secret = self.secret;
        say(&socket, Said::Hello { secret });
        assert_eq!(self.heard(), []);
        let mut bytes = [0; TOLD];
        let (length, files) = socket::receive_with(socket.as_fd(), &mut bytes).unwrap();
        assert_eq!(Told::of_bytes(&bytes[..length]), Some(Told::Region));
        let region = Shared::of(&files[0]).unwrap();
        Library {
            socket,
            region: Some(region),
        }
    }

    /// All that the door tells until it has nothing more to tell.
    fn heard(&mut self) -> Vec<Heard> {
        let mut heard = Vec::new();
        let mut quiet = 0;
        // An arrival is no news by itself, and a packet may follow it.
        while quiet < 4 {
            match self.door.hear().unwrap() {
                Heard::Nothing => quiet += 1,
                news => heard.push(news),
            }
        }
        heard
    }

    /// Makes a call as a library does that finds nobody watching.
    fn call(&mut self, library: &Library, request: Request) -> Trapped {
        assert_eq!(library.ask(&request, 0), Other::Asleep);
        say(&library.socket, Said::Look);
        match self.heard().as_slice() {
            [Heard::Call(call)] => *call,
            other => panic!("{other:?}"),
        }
    }
}

fn request(id: u64) -> Request {
    Request {
        id,
        thread: thread(),
        number: libc::SYS_listen,
        args: [4, 5, 0, 0, 0, 0],
        seen: words::Seen::default(),
    }
}

/// This thread.
fn thread() -> u32 {
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("Pid:"));
    line.unwrap().trim().parse().unwrap()
}

fn say(socket: &OwnedFd, said: Said) {
    rustix::net::send(socket, &said.to_bytes(), SendFlags::empty()).unwrap();
}

/// The packet that came; `None` where the host has hung up.
fn told(socket: &OwnedFd) -> Option<Told> {
    let mut bytes = [0; TOLD];
    match rustix::net::recv(socket, &mut bytes, RecvFlags::DONTWAIT) {
        Ok((length, _)) => Told::of_bytes(&bytes[..length]),
        // It hung up on packets that it had not read.
        Err(error) => {
            assert_eq!(error, Errno::CONNRESET);
            None
        }
    }
}

fn is_quiet(socket: &OwnedFd) -> bool {
    rustix::net::recv(socket, &mut [0; TOLD], RecvFlags::DONTWAIT) == Err(Errno::AGAIN)
}

#[test]
fn a_library_is_believed_what_it_sees_of_sockets_that_its_process_had() {
    let mut scene = scene();
    let [one, other] = [scene.enter(), scene.enter()];
    let mut stack = sheave_sockets::Stack::new(
        vec![std::net::Ipv4Addr::LOCALHOST.into()],
        Default::default(),
        Default::default(),
        sheave_sockets::Abi::LINUX,
        [0; 32],
    );
    let style = sheave_sockets::Style::OneToOne;
    let id = stack.socket(sheave_sockets::Domain::V4, style);
    let mut seen_by = |library: &Library, name, inode| {
        let flags = u64::from(OFlags::NONBLOCK.bits());
        let seen = words::Seen { inode, flags };
        let request = Request {
            seen,
            ..request(name)
        };
        let call = scene.call(library, request);
        if inode == 7 && name == 1 {
            scene.door.prove(call.id, 7, id);
        }
        scene.door.answer(call.id, Ok(0)).unwrap();
        scene.door.rest();
        call.seen
    };
    // Nothing is known at first.
    assert_eq!(seen_by(&one, 1, 7), None);
    let seen = Seen {
        inode: 7,
        id,
        blocking: socket::Blocking::Never,
    };
    assert_eq!(seen_by(&one, 2, 7), Some(seen));
    // Another socket, and another process's connection.
    assert_eq!(seen_by(&one, 3, 8), None);
    assert_eq!(seen_by(&other, 4, 7), None);
}

#[test]
fn looking_in_vain_is_left_out_for_longer_and_longer_until_it_was_worth_while() {
    let mut worth = Worth::default();
    let mut left_out = |outcome: fn(&mut Worth)| {
        outcome(&mut worth);
        worth = Worth::of_word(worth.to_word());
        (0..).take_while(|_| !worth.is_due()).count()
    };
    let failures: Vec<_> = (0..8).map(|_| left_out(Worth::failed)).collect();
    assert_eq!(failures, [1, 2, 4, 8, 16, 32, 64, 64]);
    assert_eq!(left_out(Worth::succeeded), 0);
    assert_eq!(left_out(Worth::failed), 1);
}

#[test]
fn a_call_is_heard_and_answered_under_the_name_it_came_with() {
    let mut scene = scene();
    let library = scene.enter();
    let request = request(77);
    let call = scene.call(&library, request);
    assert_eq!((call.number, call.args), (request.number, request.args));
    assert_eq!(call.thread, request.thread);
    assert_eq!(call.process, Some(std::process::id()));
    assert!(scene.door.is_waiting(call.id));
    scene.door.answer(call.id, Err(libc::EINVAL)).unwrap();
    assert!(!scene.door.is_waiting(call.id));
    let what = Answered::Returns(-i64::from(libc::EINVAL));
    assert_eq!(library.answer_to(77), Some(what));
    // Nobody waits for a second answer.
    assert_eq!(scene.door.answer(call.id, Ok(0)), Err(Gone));
    // The library did not sleep.
    assert!(is_quiet(&library.socket));
}

#[test]
fn a_call_that_woke_the_host_leaves_no_packet_to_look_for() {
    let mut scene = scene();
    let library = scene.enter();
    assert_eq!(library.ask(&request(7), 0), Other::Asleep);
    say(&library.socket, Said::Look);
    assert!(matches!(scene.door.hear(), Ok(Heard::Call(_))));
    assert!(!has_unread(library.socket.as_fd()));
}

#[test]
fn a_library_that_sleeps_is_woken_once() {
    let mut scene = scene();
    let library = scene.enter();
    let call = scene.call(&library, request(1));
    scene.door.let_wait(call.id);
    assert!(library.is_waiting(1));
    library.sleep();
    scene.door.go_on(call.id).unwrap();
    assert_eq!(told(&library.socket), Some(Told::Wake));
    assert_eq!(library.answer_to(1), Some(Answered::GoesOn));
    assert_eq!(library.wake(), Other::Awake);
    assert!(is_quiet(&library.socket));
}

#[test]
fn a_host_that_watches_overhears_calls_until_it_rests() {
    let mut scene = scene();
    scene.door.watching = Watching::Regions;
    let library = scene.enter();
    let call = scene.call(&library, request(1));
    scene.door.answer(call.id, Ok(0)).unwrap();
    assert!(!scene.door.has_unheard());
    assert_eq!(library.ask(&request(2), 0), Other::Awake);
    assert!(scene.door.has_unheard());
    let call = scene.door.overhear().unwrap();
    assert_eq!(scene.door.overhear(), None);
    scene.door.answer(call.id, Ok(0)).unwrap();
    // A call that comes while the host lies down keeps it up.
    assert_eq!(library.ask(&request(3), 0), Other::Awake);
    scene.door.rest();
    assert!(scene.door.has_unheard());
    let call = scene.door.overhear().unwrap();
    scene.door.answer(call.id, Ok(0)).unwrap();
    scene.door.rest();
    assert!(!scene.door.has_unheard() && !scene.door.is_expectant());
    scene.call(&library, request(4));
}

#[test]
fn one_processor_is_left_to_the_program() {
    let mut scene = scene();
    scene.door.watching = Watching::Never;
    let library = scene.enter();
    assert_eq!(library.patience(), 0);
    let call = scene.call(&library, request(1));
    scene.door.answer(call.id, Ok(0)).unwrap();
    assert!(!scene.door.is_expectant());
    assert_eq!(library.ask(&request(2), 0), Other::Asleep);
}

#[test]
fn a_descriptor_comes_in_a_packet_before_its_answer() {
    let mut scene = scene();
    let library = scene.enter();
    let call = scene.call(&library, request(1));
    let gift = Gift {
        end: library.socket.as_fd(),
        on_exec: OnExec::Close,
        place: &mut || unreachable!("the kernel chooses"),
        written: Some((&Memory::new(7, None), 0x1000)),
    };
    assert_eq!(scene.door.give(call.id, gift), Ok(None));
    let mut bytes = [0; TOLD];
    let (length, descriptors) = socket::receive_with(library.socket.as_fd(), &mut bytes).unwrap();
    let what = Answered::Descriptor {
        closes_on_exec: true,
        at: 0x1000,
    };
    assert_eq!((length, descriptors.len()), (TOLD, 1));
    assert_eq!(Told::of_bytes(&bytes), Some(Told::Descriptor));
    assert_eq!(library.answer_to(1), Some(what));
    let inode = |fd: &OwnedFd| rustix::fs::fstat(fd).unwrap().st_ino;
    assert_eq!(inode(&descriptors[0]), inode(&library.socket));
}

#[test]
fn who_does_not_know_the_secret_or_speaks_for_others_is_not_heard() {
    let mut scene = scene();
    let (secret, wrong) = (scene.secret, scene.secret ^ 1);
    let hello = Said::Hello { secret }.to_bytes();
    let beginnings = [
        &Said::Hello { secret: wrong }.to_bytes()[..],
        &Said::Look.to_bytes(),
        &Said::Withdraw { id: 0 }.to_bytes(),
        &[0; 1],
        &[0; SAID],
        &[&hello[..], &[0]].concat(),
        &[0; 4096],
    ];
    for bytes in beginnings {
        let socket = scene.connect();
        rustix::net::send(&socket, bytes, SendFlags::empty()).unwrap();
        assert_eq!(scene.heard(), [], "{bytes:?}");
        assert_eq!(told(&socket), None, "{bytes:?}");
    }
    // The first process of the system.
    let thread = 1;
    let library = scene.enter();
    let strange = Request {
        thread,
        ..request(1)
    };
    library.ask(&strange, 0);
    say(&library.socket, Said::Look);
    assert_eq!(scene.heard(), []);
    assert_eq!(told(&library.socket), None);
    assert!(library.is_gone());
    // Others are heard as before.
    let library = scene.enter();
    scene.call(&library, request(1));
}

#[test]
fn a_connection_has_one_call_at_a_time() {
    let mut scene = scene();
    let library = scene.enter();
    let call = scene.call(&library, request(1));
    library.ask(&request(2), 0);
    say(&library.socket, Said::Look);
    assert_eq!(scene.heard(), []);
    assert!(scene.door.is_waiting(call.id));
    scene.door.answer(call.id, Ok(7)).unwrap();
    assert_eq!(library.answer_to(1), Some(Answered::Returns(7)));
    let next = scene.door.take_call(number_of(call.caller)).unwrap();
    assert_ne!(next.id, call.id);
}

fn number_of(caller: Caller) -> u64 {
    match caller {
        Caller::Connection(number) => number,
        Caller::Thread(_) => panic!("{caller:?}"),
    }
}

#[test]
fn a_call_is_withdrawn_only_while_it_waits() {
    let mut scene = scene();
    let library = scene.enter();
    let call = scene.call(&library, request(1));
    say(&library.socket, Said::Withdraw { id: 9 });
    assert_eq!(scene.heard(), []);
    say(&library.socket, Said::Withdraw { id: 1 });
    assert_eq!(scene.heard(), [Heard::Withdrawn(call.caller)]);
    scene.door.answer(call.id, Err(libc::EINTR)).unwrap();
    say(&library.socket, Said::Withdraw { id: 1 });
    assert_eq!(scene.heard(), []);
    assert!(library.answer_to(1).is_some());
}

#[test]
fn a_call_is_heard_before_its_withdrawal() {
    let mut scene = scene();
    scene.door.watching = Watching::Regions;
    let library = scene.enter();
    let call = scene.call(&library, request(1));
    scene.door.answer(call.id, Ok(0)).unwrap();
    // No packet announces the call, since the host watches.
    assert_eq!(library.ask(&request(2), 0), Other::Awake);
    say(&library.socket, Said::Withdraw { id: 2 });
    let heard = scene.heard();
    let [Heard::Call(call), Heard::Withdrawn(caller)] = heard.as_slice() else {
        panic!("{heard:?}");
    };
    assert_eq!(call.caller, *caller);
}

#[test]
fn a_call_on_a_connection_that_was_closed_is_not_heard() {
    let mut scene = scene();
    let Library { socket, region } = scene.enter();
    let region = region.unwrap();
    region.ask(&request(1), 0);
    drop(socket);
    assert_eq!(scene.heard(), []);
    assert!(region.is_gone());
}

#[test]
fn it_is_over_once_the_last_process_has_gone() {
    let mut scene = scene();
    let library = scene.enter();
    let call = scene.call(&library, request(1));
    scene.theirs = None;
    assert_eq!(scene.heard(), []);
    drop(library);
    assert!(!scene.door.is_waiting(call.id));
    assert_eq!(scene.door.hear().unwrap(), Heard::Left(call.caller));
    assert_eq!(scene.door.hear().unwrap(), Heard::Over);
}

#[test]
fn a_program_without_sctp_ends_without_a_call() {
    let mut scene = scene();
    assert_eq!(scene.heard(), []);
    scene.theirs = None;
    assert_eq!(scene.door.hear().unwrap(), Heard::Over);
}

#[test]
fn callers_of_two_doors_are_told_apart() {
    let mut scenes = [scene(), scene()];
    let mut callers = Vec::new();
    let mut libraries = Vec::new();
    for scene in &mut scenes {
        let library = scene.enter();
        callers.push(scene.call(&library, request(1)).caller);
        libraries.push(library);
    }
    assert_ne!(callers[0], callers[1]);
}

/// A process that nobody has: its memory can only be what a call lends.
const NOBODY: u32 = 1 << 30;

/// Lends bytes that lie at that address, and tells the first of the words that are left.
fn lend(lent: &Lent, first: usize, at: u64, bytes: &[u8], access: Access) -> Option<usize> {
    let word = |index: usize| {
        let mut word = [0; 8];
        let part = bytes.chunks(8).nth(index).unwrap();
        word[..part.len()].copy_from_slice(part);
        u64::from_ne_bytes(word)
    };
    let length = u64::try_from(bytes.len()).unwrap();
    lent.lend(first, (at, length), access, word)
}

/// The host's answers in memory, as the library writes them to the program's.
fn taken(lent: &Lent) -> Vec<(u64, Vec<u8>)> {
    let mut parts: Vec<(u64, Vec<u8>)> = Vec::new();
    lent.take(|at, bytes| match parts.last_mut() {
        Some((start, part)) if *start + part.len() as u64 == at => part.extend(bytes),
        _ => parts.push((at, bytes.to_vec())),
    });
    parts
}

#[test]
fn lent_memory_is_read_and_written_without_the_process() {
    let mut scene = scene();
    let library = scene.enter();
    let lent = library.lent();
    let first = lend(lent, 0, 0x1003, b"an address", Access::Read).unwrap();
    let first = lend(lent, first, 0x2000, b"room for seventeen", Access::Both).unwrap();
    lend(lent, first, 0x3000, &[0; 1500], Access::Write).unwrap();
    let call = scene.call(&library, request(1));
    let memory = Memory::new(NOBODY, scene.door.loan(call.id));
    let mut bytes = [0; 7];
    assert_eq!(memory.read(0x1006, &mut bytes), Ok(()));
    assert_eq!(&bytes, b"address");
    let span = |at, length| Span { at, length };
    let both = [span(0x2005, 3), span(0, 0), span(0x1003, 10)];
    assert_eq!(memory.gather(&both), Ok(b"foran address".to_vec()));
    let long = [7; 1500];
    assert_eq!(memory.scatter(&[(0x3000, &long), (0x2001, b"ats")]), Ok(()));
    assert_eq!(memory.scatter(&[(0x2010, b"!")]), Ok(()));
    scene.door.answer(call.id, Ok(0)).unwrap();
    let parts = [
        (0x3000, long.to_vec()),
        (0x2001, b"ats".to_vec()),
        (0x2010, b"!".to_vec()),
    ];
    assert_eq!(taken(lent), parts);
}

#[test]
fn memory_that_is_not_lent_is_the_process_own_and_that_of_an_earlier_call_is_not_lent() {
    let mut scene = scene();
    let library = scene.enter();
    let lent = library.lent();
    let first = lend(lent, 0, 0x1000, b"read", Access::Read).unwrap();
    lend(lent, first, 0x2000, b"write", Access::Write).unwrap();
    let call = scene.call(&library, request(1));
    let memory = Memory::new(NOBODY, scene.door.loan(call.id));
    let mut four = [0; 4];
    for at in [0xfff, 0x1001, 0x2000, u64::MAX - 1] {
        assert_eq!(memory.read(at, &mut four), Err(Fault), "{at:#x}");
    }
    for at in [0x1000, 0x1fff, 0x2002, u64::MAX - 1] {
        assert_eq!(memory.scatter(&[(at, b"four")]), Err(Fault), "{at:#x}");
    }
    // All or nothing.
    assert_eq!(
        memory.scatter(&[(0x2000, b"four"), (0x1000, b"four")]),
        Err(Fault)
    );
    assert_eq!(taken(lent), []);
    assert_eq!(memory.read(0x1000, &mut four), Ok(()));
    scene.door.answer(call.id, Ok(0)).unwrap();
    library.ask(&request(2), 0);
    assert_eq!(memory.read(0x1000, &mut four), Err(Fault));
}

#[test]
fn what_is_too_much_to_lend_is_not_lent_and_a_hostile_program_hurts_itself_alone() {
    let mut scene = scene();
    let library = scene.enter();
    let lent = library.lent();
    assert_eq!(lend(lent, 0, 0x1000, &[0; ROOM + 1], Access::Read), None);
    assert_eq!(lend(lent, usize::MAX, 0x1000, &[0; 9], Access::Read), None);
    // The lengths of parts without bytes are the library's to bound, or nobody's.
    lent.lend(0, (0x1000, u64::MAX), Access::Write, |_| 0)
        .unwrap();
    let call = scene.call(&library, request(1));
    let memory = Memory::new(NOBODY, scene.door.loan(call.id));
    let half = [3; ROOM / 2];
    for expected in [Ok(()), Ok(()), Err(Fault)] {
        assert_eq!(memory.scatter(&[(0x1000, &half)]), expected);
    }
    assert_eq!(taken(lent).len(), 2);
    // Words of any content.
    const WORDS: [u64; 8] = [0, 1, 2, 3, 8, 0x1000, 1 << 61, u64::MAX];
    let mut state = 1_u64;
    for _ in 0..2000 {
        lent.overwrite(|| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            WORDS[usize::try_from(state >> 61).unwrap()]
        });
        let mut bytes = [0; 16];
        let _ = memory.read(0x1000, &mut bytes);
        let _ = memory.read(u64::MAX, &mut bytes);
        let _ = memory.scatter(&[(0x1000, &half), (u64::MAX, &bytes)]);
    }
}

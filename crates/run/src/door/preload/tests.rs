use rustix::net::{SocketFlags, SocketType};

use super::*;

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

impl Scene {
    fn connect(&self) -> OwnedFd {
        let kind = SocketType::SEQPACKET;
        let flags = SocketFlags::CLOEXEC;
        let socket = rustix::net::socket_with(AddressFamily::UNIX, kind, flags, None).unwrap();
        let address = SocketAddrUnix::new_abstract_name(self.name.as_bytes()).unwrap();
        rustix::net::connect(&socket, &address).unwrap();
        socket
    }

    fn request(&self, what: Asked, id: u64) -> Request {
        Request {
            what,
            secret: self.secret,
            thread: thread(),
            id,
            number: libc::SYS_listen,
            args: [4, 5, 0, 0, 0, 0],
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

    fn call(&mut self, socket: &OwnedFd, request: Request) -> Trapped {
        say(socket, request);
        match self.heard().as_slice() {
            [Heard::Call(call)] => *call,
            other => panic!("{other:?}"),
        }
    }
}

/// This thread.
fn thread() -> u32 {
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("Pid:"));
    line.unwrap().trim().parse().unwrap()
}

fn say(socket: &OwnedFd, request: Request) {
    rustix::net::send(socket, &request.to_bytes(), SendFlags::empty()).unwrap();
}

/// The answer that came; `None` where the host has hung up.
fn answer(socket: &OwnedFd) -> Option<Answer> {
    let mut bytes = [0; ANSWER];
    let (length, _) = rustix::net::recv(socket, &mut bytes, RecvFlags::DONTWAIT).unwrap();
    (length == ANSWER).then(|| Answer::of_bytes(&bytes).unwrap())
}

#[test]
fn a_call_is_heard_and_answered_under_the_name_it_came_with() {
    let mut scene = scene();
    let socket = scene.connect();
    let request = scene.request(Asked::Call, 77);
    let call = scene.call(&socket, request);
    assert_eq!((call.number, call.args), (request.number, request.args));
    assert_eq!(call.thread, request.thread);
    assert!(scene.door.is_waiting(call.id));
    scene.door.answer(call.id, Err(libc::EINVAL)).unwrap();
    assert!(!scene.door.is_waiting(call.id));
    let what = Answered::Returns(-i64::from(libc::EINVAL));
    assert_eq!(answer(&socket), Some(Answer { what, id: 77 }));
    // Nobody waits for a second answer.
    assert_eq!(scene.door.answer(call.id, Ok(0)), Err(Gone));
    let call = scene.call(&socket, scene.request(Asked::Call, 78));
    scene.door.go_on(call.id).unwrap();
    let what = Answered::GoesOn;
    assert_eq!(answer(&socket), Some(Answer { what, id: 78 }));
}

#[test]
fn a_descriptor_comes_with_its_answer() {
    let mut scene = scene();
    let socket = scene.connect();
    let call = scene.call(&socket, scene.request(Asked::Call, 1));
    let gift = Gift {
        end: socket.as_fd(),
        on_exec: OnExec::Close,
        place: &mut || unreachable!("the kernel chooses"),
        written: Some((7, 0x1000)),
    };
    assert_eq!(scene.door.give(call.id, gift), Ok(None));
    let mut bytes = [0; ANSWER];
    let (length, descriptors) = socket::receive_with(socket.as_fd(), &mut bytes).unwrap();
    let answer = Answer::of_bytes(&bytes).unwrap();
    let what = Answered::Descriptor {
        closes_on_exec: true,
        at: 0x1000,
    };
    assert_eq!((length, descriptors.len()), (ANSWER, 1));
    assert_eq!(answer, Answer { what, id: 1 });
    let inode = |fd: &OwnedFd| rustix::fs::fstat(fd).unwrap().st_ino;
    assert_eq!(inode(&descriptors[0]), inode(&socket));
}

#[test]
fn who_does_not_know_the_secret_or_speaks_for_others_is_not_heard() {
    let mut scene = scene();
    let right = scene.request(Asked::Call, 1);
    let wrong = [
        Request {
            secret: right.secret ^ 1,
            ..right
        },
        // The first process of the system.
        Request { thread: 1, ..right },
    ];
    for request in wrong {
        let socket = scene.connect();
        say(&socket, request);
        assert_eq!(scene.heard(), [], "{request:?}");
        assert_eq!(answer(&socket), None, "{request:?}");
    }
    for bytes in [&[0; 1][..], &[0; REQUEST + 1], &[0; REQUEST], &[0; 4096]] {
        let socket = scene.connect();
        rustix::net::send(&socket, bytes, SendFlags::empty()).unwrap();
        assert_eq!(scene.heard(), []);
        assert_eq!(answer(&socket), None);
    }
    // Others are heard as before.
    let socket = scene.connect();
    scene.call(&socket, right);
}

#[test]
fn a_connection_has_one_call_at_a_time() {
    let mut scene = scene();
    let socket = scene.connect();
    let call = scene.call(&socket, scene.request(Asked::Call, 1));
    say(&socket, scene.request(Asked::Call, 2));
    assert_eq!(scene.heard(), [Heard::Left(call.caller)]);
    assert!(!scene.door.is_waiting(call.id));
    assert_eq!(scene.door.answer(call.id, Ok(0)), Err(Gone));
}

#[test]
fn a_call_is_withdrawn_only_while_it_waits() {
    let mut scene = scene();
    let socket = scene.connect();
    let call = scene.call(&socket, scene.request(Asked::Call, 1));
    say(&socket, scene.request(Asked::Withdraw, 9));
    assert_eq!(scene.heard(), []);
    say(&socket, scene.request(Asked::Withdraw, 1));
    assert_eq!(scene.heard(), [Heard::Withdrawn(call.caller)]);
    scene.door.answer(call.id, Err(libc::EINTR)).unwrap();
    say(&socket, scene.request(Asked::Withdraw, 1));
    assert_eq!(scene.heard(), []);
    assert!(answer(&socket).is_some());
}

#[test]
fn it_is_over_once_the_last_process_has_gone() {
    let mut scene = scene();
    let socket = scene.connect();
    let call = scene.call(&socket, scene.request(Asked::Call, 1));
    scene.theirs = None;
    assert_eq!(scene.heard(), []);
    drop(socket);
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
    let sockets = scenes.each_ref().map(Scene::connect);
    let mut callers = Vec::new();
    for (scene, socket) in scenes.iter_mut().zip(&sockets) {
        let request = scene.request(Asked::Call, 1);
        callers.push(scene.call(socket, request).caller);
    }
    assert_ne!(callers[0], callers[1]);
}

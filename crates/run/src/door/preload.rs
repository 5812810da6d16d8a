//! The door of programs into which a library was preloaded: it stands before the functions of the C
//! library and says each call over a Unix socket, a connection for each call at a time.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use rustix::event::epoll;
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketAddrUnix, SocketFlags, SocketType, sockopt,
};

use super::{Arrival, Caller, Door, Gift, GiveError, Gone, Heard, OnExec, Trapped};
use crate::socket;
use crate::sys::{AT_ONCE, signals};
use words::{ANSWER, Answer, Answered, Asked, REQUEST, Request};

#[cfg_attr(
    not(test),
    expect(
        dead_code,
        reason = "the library says what is heard here, and hears what is said"
    )
)]
#[path = "../../preload/words.rs"]
mod words;

pub(crate) use words::VARIABLE;

/// Connections at once: each is a descriptor of the host's.
const MOST: usize = 16 << 10;
const ARRIVALS: u64 = u64::MAX;
const LIFE: u64 = u64::MAX - 1;

/// A call that waits for its answer.
#[derive(Clone, Copy, Debug)]
struct Pending {
    /// Names it in the host.
    id: u64,
    /// Names it to the library.
    asked: u64,
}

#[derive(Debug)]
struct Connection {
    socket: OwnedFd,
    process: u32,
    pending: Option<Pending>,
}

/// The host's side.
#[derive(Debug)]
pub(crate) struct Preload {
    /// Tells of arrivals, requests, and the end.
    events: OwnedFd,
    arrivals: OwnedFd,
    /// Hangs up when all processes of the program have closed its other end, or ended.
    life: OwnedFd,
    /// Whether that is waited for: not while the program has connections, of which it tells later.
    watches_life: bool,
    /// The number that our programs' libraries say.
    secret: u64,
    /// Whether new connections are waited for: not while there are too many.
    accepts: bool,
    /// By their descriptors, whose numbers differ from those of other doors, too.
    connections: HashMap<u64, Connection>,
    /// The connections of calls, by the host's names of these.
    calls: HashMap<u64, u64>,
    next: u64,
}

/// What a program is started with: the name of the host's socket, and the other end of its life line.
#[derive(Debug)]
pub(crate) struct Threshold {
    pub(crate) name: String,
    pub(crate) secret: u64,
    pub(crate) arrivals: OwnedFd,
    pub(crate) life: OwnedFd,
    pub(crate) theirs: OwnedFd,
}

/// Opens a socket for a program's connections.
pub(crate) fn open() -> io::Result<Threshold> {
    let random = || -> io::Result<u64> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        Ok(u64::from_ne_bytes(random))
    };
    // The name can be seen by all, in /proc/net/unix.
    let (name, secret) = (format!("sheave-door-{:016x}", random()?), random()?);
    let (family, flags) = (AddressFamily::UNIX, SocketFlags::CLOEXEC);
    let arrivals = rustix::net::socket_with(family, SocketType::SEQPACKET, flags, None)?;
    let address = SocketAddrUnix::new_abstract_name(name.as_bytes())?;
    rustix::net::bind(&arrivals, &address)?;
    rustix::net::listen(&arrivals, 128)?;
    rustix::io::ioctl_fionbio(&arrivals, true)?;
    let (life, theirs) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    Ok(Threshold {
        name,
        secret,
        arrivals,
        life,
        theirs,
    })
}

impl Preload {
    pub(crate) fn new(arrivals: OwnedFd, life: OwnedFd, secret: u64) -> io::Result<Self> {
        let events = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let mut door = Self {
            events,
            arrivals,
            life,
            watches_life: false,
            secret,
            accepts: false,
            connections: HashMap::new(),
            calls: HashMap::new(),
            next: 0,
        };
        door.watch_life()?;
        door.accept_on()?;
        Ok(door)
    }

    fn watch(&self, what: impl AsFd, token: u64, flags: epoll::EventFlags) -> io::Result<()> {
        let data = epoll::EventData::new_u64(token);
        Ok(epoll::add(&self.events, what, data, flags)?)
    }

    fn watch_life(&mut self) -> io::Result<()> {
        if !self.watches_life {
            self.watch(&self.life, LIFE, epoll::EventFlags::empty())?;
            self.watches_life = true;
        }
        Ok(())
    }

    fn accept_on(&mut self) -> io::Result<()> {
        if !self.accepts {
            self.watch(&self.arrivals, ARRIVALS, epoll::EventFlags::IN)?;
            self.accepts = true;
        }
        Ok(())
    }

    /// Leaves arrivals where they are until something else happens.
    fn accept_off(&mut self) {
        if self.accepts {
            let _ = epoll::delete(&self.events, &self.arrivals);
            self.accepts = false;
        }
    }

    fn arrive(&mut self) {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = match rustix::net::accept_with(&self.arrivals, flags) {
            Ok(socket) => socket,
            Err(Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::NOBUFS) => {
                return self.accept_off();
            }
            Err(_) => return,
        };
        let Ok(peer) = sockopt::socket_peercred(&socket) else {
            return;
        };
        let Ok(number) = u64::try_from(socket.as_raw_fd()) else {
            return;
        };
        let flags = epoll::EventFlags::IN | epoll::EventFlags::RDHUP;
        if self.watch(&socket, number, flags).is_ok() {
            let process = peer.pid.as_raw_nonzero().get().unsigned_abs();
            let connection = Connection {
                socket,
                process,
                pending: None,
            };
            self.connections.insert(number, connection);
        }
        if self.connections.len() >= MOST {
            self.accept_off();
        }
    }

    fn drop_connection(&mut self, number: u64) -> Heard {
        let Some(connection) = self.connections.remove(&number) else {
            return Heard::Nothing;
        };
        let _ = epoll::delete(&self.events, &connection.socket);
        if self.connections.is_empty() {
            let _ = self.watch_life();
        }
        match connection.pending {
            Some(pending) => {
                self.calls.remove(&pending.id);
                Heard::Left(Caller::Connection(number))
            }
            None => Heard::Nothing,
        }
    }

    /// The life line has been cut.
    fn is_cut(&mut self) -> Heard {
        if self.connections.is_empty() {
            return Heard::Over;
        }
        let _ = epoll::delete(&self.events, &self.life);
        self.watches_life = false;
        Heard::Nothing
    }

    fn request(&mut self, number: u64) -> Heard {
        let Some(connection) = self.connections.get_mut(&number) else {
            return Heard::Nothing;
        };
        // One byte more, to tell one that is too long.
        let mut bytes = [0; REQUEST + 1];
        let flags = RecvFlags::DONTWAIT;
        let length = match rustix::net::recv(&connection.socket, &mut bytes, flags) {
            Ok((length, _)) => length,
            Err(Errno::AGAIN | Errno::INTR) => return Heard::Nothing,
            Err(_) => 0,
        };
        let request = match bytes.first_chunk::<REQUEST>() {
            Some(bytes) if length == REQUEST => Request::of_bytes(bytes),
            _ => None,
        };
        // Programs of others would be lent this one's rights.
        let request = request.filter(|request| request.secret == self.secret);
        let caller = Caller::Connection(number);
        match (request, connection.pending) {
            (Some(request), None) if request.what == Asked::Call => {
                // A thread of another process would lend the caller that one's memory.
                if signals::send(connection.process, request.thread, 0).is_err() {
                    return self.drop_connection(number);
                }
                let id = self.next;
                self.next += 1;
                connection.pending = Some(Pending {
                    id,
                    asked: request.id,
                });
                self.calls.insert(id, number);
                Heard::Call(Trapped {
                    id,
                    caller,
                    thread: request.thread,
                    number: request.number,
                    args: request.args,
                })
            }
            (Some(request), pending) if request.what == Asked::Withdraw => match pending {
                Some(pending) if pending.asked == request.id => Heard::Withdrawn(caller),
                // It was answered before this came.
                _ => Heard::Nothing,
            },
            _ => self.drop_connection(number),
        }
    }

    /// Says the answer to a call, which waits no more.
    fn say(&mut self, id: u64, what: Answered, end: Option<BorrowedFd<'_>>) -> Result<(), Gone> {
        let number = self.calls.remove(&id).ok_or(Gone)?;
        let connection = self.connections.get_mut(&number).ok_or(Gone)?;
        let pending = connection.pending.take().ok_or(Gone)?;
        let answer = Answer {
            what,
            id: pending.asked,
        };
        let bytes: [u8; ANSWER] = answer.to_bytes();
        let socket = connection.socket.as_fd();
        let said = match end {
            Some(end) => socket::send_with(socket, &bytes, &[end]),
            None => {
                let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
                rustix::net::send(socket, &bytes, flags).map(|_| ())
            }
        };
        said.map_err(|_| Gone)
    }
}

impl AsFd for Preload {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.events.as_fd()
    }
}

impl Door for Preload {
    fn hear(&mut self) -> io::Result<Heard> {
        if self.connections.len() < MOST {
            let _ = self.accept_on();
        }
        let mut events = [const {
            epoll::Event {
                flags: epoll::EventFlags::empty(),
                data: epoll::EventData::new_u64(0),
            }
        }; 1];
        match epoll::wait(&self.events, &mut events, Some(&AT_ONCE)) {
            Ok(0) | Err(Errno::INTR) => return Ok(Heard::Nothing),
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        let data = events[0].data;
        Ok(match data.u64() {
            ARRIVALS => {
                self.arrive();
                Heard::Nothing
            }
            LIFE => self.is_cut(),
            number => self.request(number),
        })
    }

    fn answer(&mut self, id: u64, answer: Result<i64, i32>) -> Result<(), Gone> {
        let value = answer.unwrap_or_else(|code| -i64::from(code));
        self.say(id, Answered::Returns(value), None)
    }

    fn go_on(&mut self, id: u64) -> Result<(), Gone> {
        self.say(id, Answered::GoesOn, None)
    }

    /// The library waits for the answer, whatever signals there are.
    fn arrival(&self) -> Arrival {
        Arrival::Certain
    }

    fn is_waiting(&self, id: u64) -> bool {
        let number = self.calls.get(&id);
        let connection = number.and_then(|number| self.connections.get(number));
        connection.is_some_and(|connection| {
            let flags = rustix::event::PollFlags::RDHUP;
            let mut polled = [rustix::event::PollFd::new(&connection.socket, flags)];
            let _ = rustix::event::poll(&mut polled, Some(&AT_ONCE));
            polled[0].revents().is_empty()
        })
    }

    fn give(&mut self, id: u64, gift: Gift<'_>) -> Result<Option<i32>, GiveError> {
        let what = Answered::Descriptor {
            closes_on_exec: gift.on_exec == OnExec::Close,
            at: gift.written.map_or(0, |(_, at)| at),
        };
        let said = self.say(id, what, Some(gift.end));
        said.map(|()| None).map_err(|Gone| GiveError::Gone)
    }

    /// The library tells of that itself.
    fn is_interrupted(&self, _: u32) -> bool {
        false
    }
}

#[cfg(test)]
mod tests;

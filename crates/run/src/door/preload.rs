//! The door for programs with a preloaded library: the library wraps functions of the C library and
//! passes each call through shared memory, one connection per concurrent call. A Unix socket wakes
//! the side that sleeps.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};
use std::time::{Duration, Instant};

use rustix::event::epoll;
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SendFlags, SocketAddrUnix, SocketFlags, SocketType, sockopt};
use sheave_sockets::SocketId;

use super::{Arrival, Caller, Door, Gift, GiveError, Gone, Heard, OnExec, Seen, Trapped};
use crate::socket;
use crate::sys::memory::Loan;
use crate::sys::shared::Shared;
use crate::sys::{self, AT_ONCE, has_unread, signals};
use region::Other;
use words::{Answered, SAID, Said, Told};
use worth::Worth;

#[expect(dead_code, reason = "the library's side is in here, too")]
#[path = "../../preload/lent.rs"]
pub(crate) mod lent;
#[expect(dead_code, reason = "the library's side is in here, too")]
#[path = "../../preload/region.rs"]
pub(crate) mod region;
#[cfg_attr(
    not(test),
    expect(
        dead_code,
        reason = "the library says what is heard here, and hears what is said"
    )
)]
#[path = "../../preload/words.rs"]
mod words;

#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the library keeps its own in a word")
)]
#[path = "../../preload/worth.rs"]
mod worth;

pub(crate) use words::VARIABLE;

/// Most connections at once; each uses a descriptor of the host.
const MOST: usize = 16 << 10;
/// Most regions that the host polls at once; calls in other regions wake the host.
const MOST_WATCHED: usize = 32;
/// The next call is expected within this time after the last.
const EXPECTED: Duration = Duration::from_micros(50);
/// Polls of the library for an answer before it sleeps: some tens of microseconds.
const PATIENCE: u64 = 800;
/// Most sockets remembered per connection.
const MOST_PROVED: usize = 64;
/// Low bits of a call's id that hold the connection number.
const CONNECTION: u32 = 32;
const ARRIVALS: u64 = u64::MAX;
const LIFE: u64 = u64::MAX - 1;

/// A call without an answer yet.
#[derive(Clone, Copy, Debug)]
struct Pending {
    /// The call's id in the host.
    id: u64,
    /// The call's id in the library.
    asked: u64,
}

#[derive(Debug)]
struct Connection {
    socket: OwnedFd,
    /// The process that has sent the secret.
    process: Option<u32>,
    /// The shared region, after the library has sent the secret.
    region: Option<Arc<Shared>>,
    /// The library's id of the last received call.
    taken: u64,
    /// The thread of that call.
    thread: u32,
    /// Sockets of the process by inode; one that was closed since is unknown by its id.
    proved: HashMap<u64, SocketId>,
    pending: Option<Pending>,
    /// Whether polling the region has paid off.
    watching: Worth,
}

impl Connection {
    /// Whether the next call is likely to come soon and to find the host running.
    fn is_promising(&mut self) -> bool {
        let region = self.region.as_ref();
        if region.is_none_or(|region| region.is_asked_on(sys::processor())) {
            return false;
        }
        self.watching.is_due()
    }

    /// The socket that the library names, if the process is known to have had it.
    fn believes(&self, seen: words::Seen) -> Option<Seen> {
        let id = *self.proved.get(&seen.inode)?;
        let flags = OFlags::from_bits_retain((seen.flags & 0xffff_ffff) as u32);
        Some(Seen {
            inode: seen.inode,
            id,
            blocking: flags.into(),
        })
    }

    /// The library's id of a call that was not received yet.
    fn unheard(&self) -> Option<u64> {
        let asked = self.region.as_ref()?.asked();
        (self.pending.is_none() && asked != self.taken).then_some(asked)
    }
}

/// The connection number in a call's id.
fn number_of(id: u64) -> u64 {
    id & ((1 << CONNECTION) - 1)
}

/// Whether the host polls for calls; not on a single processor, which the program needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Watching {
    Regions,
    Never,
}

/// The host's side of the door.
#[derive(Debug)]
pub(crate) struct Preload {
    /// An epoll descriptor for new connections, packets and the program's end.
    events: OwnedFd,
    arrivals: OwnedFd,
    /// A pipe that hangs up once every process of the program has closed its end or exited.
    life: OwnedFd,
    /// Whether `life` is polled; not while the program has connections, whose ends are noticed
    /// anyway.
    watches_life: bool,
    /// The secret that the program's libraries must send.
    secret: u64,
    /// Whether new connections are accepted; not while there are too many.
    accepts: bool,
    /// Connections by descriptor number.
    connections: HashMap<u64, Connection>,
    /// Number of the last call, the high bits of its id.
    last: u32,
    watching: Watching,
    /// Connections that were just answered and whose regions are polled for the next call.
    watched: Vec<u64>,
    /// Time until which those regions are polled.
    expected: Instant,
}

/// The start of a program's door: the name of the host's socket and the program's end of the pipe.
#[derive(Debug)]
pub(crate) struct Threshold {
    pub(crate) name: String,
    pub(crate) secret: u64,
    pub(crate) arrivals: OwnedFd,
    pub(crate) life: OwnedFd,
    pub(crate) theirs: OwnedFd,
}

/// Opens a socket to which a program's libraries connect.
pub(crate) fn open() -> io::Result<Threshold> {
    let random = || -> io::Result<u64> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        Ok(u64::from_ne_bytes(random))
    };
    // Every user can read the name in /proc/net/unix, hence the secret.
    let (name, secret) = (format!("sheave-door-{:016x}", random()?), random()?);
    let (family, flags) = (AddressFamily::UNIX, SocketFlags::CLOEXEC);
    let arrivals = rustix::net::socket_with(family, SocketType::SEQPACKET, flags, None)?;
    let address = SocketAddrUnix::new_abstract_name(name.as_bytes())?;
    rustix::net::bind(&arrivals, &address)?;
    // Credentials of each packet name its sender. (gVisor's SO_PEERCRED names the caller itself.)
    sockopt::set_socket_passcred(&arrivals, true)?;
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
            last: 0,
            watching: match std::thread::available_parallelism() {
                Ok(processors) if processors.get() > 1 => Watching::Regions,
                _ => Watching::Never,
            },
            watched: Vec::new(),
            expected: Instant::now(),
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

    /// Stops accepting connections until another event.
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
        let Ok(number) = u64::try_from(socket.as_raw_fd()) else {
            return;
        };
        let flags = epoll::EventFlags::IN | epoll::EventFlags::RDHUP;
        if self.watch(&socket, number, flags).is_ok() {
            let connection = Connection {
                socket,
                process: None,
                region: None,
                taken: 0,
                thread: 0,
                proved: HashMap::new(),
                pending: None,
                watching: Worth::default(),
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
        self.watched.retain(|watched| *watched != number);
        if let Some(region) = &connection.region {
            region.leave();
        }
        if self.connections.is_empty() {
            let _ = self.watch_life();
        }
        match connection.pending {
            Some(_) => Heard::Left(Caller::Connection(number)),
            None => Heard::Nothing,
        }
    }

    /// Handles the hang-up of the program's pipe.
    fn is_cut(&mut self) -> Heard {
        if self.connections.is_empty() {
            return Heard::Over;
        }
        let _ = epoll::delete(&self.events, &self.life);
        self.watches_life = false;
        Heard::Nothing
    }

    /// Handles events of a connection.
    fn on_connection(&mut self, number: u64, flags: epoll::EventFlags) -> Heard {
        if flags.intersects(epoll::EventFlags::RDHUP | epoll::EventFlags::HUP) {
            return self.drop_connection(number);
        }
        // A call that did not wake the host precedes the packet that withdraws it.
        if let Some(call) = self.overhear() {
            return Heard::Call(call);
        }
        let Some(connection) = self.connections.get_mut(&number) else {
            return Heard::Nothing;
        };
        // One extra byte detects packets that are too long.
        let mut bytes = [0; SAID + 1];
        let (length, sender) = match socket::receive_from(connection.socket.as_fd(), &mut bytes) {
            Ok(received) => received,
            Err(Errno::AGAIN | Errno::INTR) => return Heard::Nothing,
            Err(_) => (0, None),
        };
        let said = bytes.get(..length).and_then(Said::of_bytes);
        match (said, &connection.region) {
            // Without the secret, other users' programs would get this program's rights.
            (Some(Said::Hello { secret }), None) if secret == self.secret => {
                match self.welcome(number, sender) {
                    Ok(()) => Heard::Nothing,
                    Err(_) => self.drop_connection(number),
                }
            }
            (Some(Said::Look), Some(_)) => self.take_call(number).into(),
            (Some(Said::Withdraw { id }), Some(_)) => match connection.pending {
                Some(pending) if pending.asked == id => {
                    Heard::Withdrawn(Caller::Connection(number))
                }
                // The call was already answered.
                _ => Heard::Nothing,
            },
            _ => self.drop_connection(number),
        }
    }

    /// Shares a region with the process whose library sent the secret.
    fn welcome(&mut self, number: u64, process: Option<u32>) -> io::Result<()> {
        let Some(connection) = self.connections.get_mut(&number) else {
            return Ok(());
        };
        connection.process = Some(process.ok_or(Errno::SRCH)?);
        sockopt::set_socket_passcred(&connection.socket, false)?;
        let (region, file) = Shared::new()?;
        if self.watching == Watching::Regions {
            region.set_patience(PATIENCE);
        }
        let told = Told::Region.to_bytes();
        socket::send_with(connection.socket.as_fd(), &told, &[file.as_fd()])?;
        connection.region = Some(Arc::new(region));
        Ok(())
    }

    /// Receives the call in the connection's region, if any.
    fn take_call(&mut self, number: u64) -> Option<Trapped> {
        let connection = self.connections.get_mut(&number)?;
        let asked = connection.unheard()?;
        let region = connection.region.as_ref()?;
        let request = region.request(asked);
        // A thread of another process would give the caller access to that process's memory.
        if connection.thread != request.thread {
            if signals::send(connection.process?, request.thread, 0).is_err() {
                self.drop_connection(number);
                return None;
            }
            connection.thread = request.thread;
        }
        connection.taken = asked;
        let seen = connection.believes(request.seen);
        let watched = self.watched.len();
        self.watched.retain(|watched| *watched != number);
        if self.watched.len() < watched {
            connection.watching.succeeded();
        }
        self.last = self.last.wrapping_add(1);
        let id = u64::from(self.last) << CONNECTION | number;
        connection.pending = Some(Pending { id, asked });
        Some(Trapped {
            id,
            caller: Caller::Connection(number),
            thread: request.thread,
            process: connection.process,
            number: request.number,
            args: request.args,
            seen,
        })
    }

    /// The connection of an unanswered call.
    fn caller(&self, id: u64) -> Option<&Connection> {
        let connection = self.connections.get(&number_of(id))?;
        let pending = connection.pending.as_ref()?;
        (pending.id == id).then_some(connection)
    }

    fn is_unheard(&self, number: &u64) -> bool {
        let connection = self.connections.get(number);
        connection.is_some_and(|connection| connection.unheard().is_some())
    }

    /// Sends the answer to a call.
    fn say(&mut self, id: u64, what: Answered, end: Option<BorrowedFd<'_>>) -> Result<(), Gone> {
        let number = number_of(id);
        let connection = self.connections.get_mut(&number).ok_or(Gone)?;
        let pending = connection
            .pending
            .take_if(|pending| pending.id == id)
            .ok_or(Gone)?;
        let watches = self.watching == Watching::Regions
            && self.watched.len() < MOST_WATCHED
            && connection.is_promising();
        let region = connection.region.as_ref().ok_or(Gone)?;
        let socket = connection.socket.as_fd();
        if let Some(end) = end {
            let told = Told::Descriptor.to_bytes();
            if socket::send_with(socket, &told, &[end]).is_err() {
                // The shutdown ends the library's wait.
                let _ = rustix::net::shutdown(socket, rustix::net::Shutdown::Both);
                return Err(Gone);
            }
        }
        if watches {
            region.watch(sys::processor());
            self.watched.push(number);
            self.expected = Instant::now() + EXPECTED;
        } else {
            region.stop_watching();
        }
        match region.answer(pending.asked, what) {
            Other::Awake => Ok(()),
            Other::Asleep => {
                let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
                match rustix::net::send(socket, &Told::Wake.to_bytes(), flags) {
                    // The queue is full, so the library cannot sleep.
                    Ok(_) | Err(Errno::AGAIN) => Ok(()),
                    Err(_) => Err(Gone),
                }
            }
        }
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
            number => self.on_connection(number, events[0].flags),
        })
    }

    fn overhear(&mut self) -> Option<Trapped> {
        let unheard = self
            .watched
            .iter()
            .copied()
            .find(|number| self.is_unheard(number))?;
        self.take_call(unheard)
    }

    fn has_unheard(&self) -> bool {
        self.watched.iter().any(|number| self.is_unheard(number))
    }

    fn is_expectant(&self) -> bool {
        !self.watched.is_empty() && Instant::now() < self.expected
    }

    fn rest(&mut self) {
        let regions = |number: &u64| self.connections.get(number)?.region.as_ref();
        self.watched
            .iter()
            .filter_map(regions)
            .for_each(|region| region.stop_watching());
        fence(Ordering::SeqCst);
        let connections = &mut self.connections;
        self.watched.retain(|number| {
            let Some(connection) = connections.get_mut(number) else {
                return false;
            };
            let has_called = connection.unheard().is_some();
            if !has_called {
                connection.watching.failed();
            }
            has_called
        });
    }

    fn loan(&self, id: u64) -> Option<Loan> {
        let connection = self.caller(id)?;
        let region = connection.region.as_ref()?;
        let asked = connection.pending?.asked;
        Some(Loan::new(Arc::clone(region), asked))
    }

    fn let_wait(&self, id: u64) {
        if let Some(Connection {
            region: Some(region),
            pending: Some(pending),
            ..
        }) = self.caller(id)
        {
            region.let_wait(pending.asked);
        }
    }

    fn prove(&mut self, id: u64, inode: u64, socket: SocketId) {
        let connection = self.connections.get_mut(&number_of(id));
        let is_it =
            |connection: &&mut Connection| connection.pending.is_some_and(|call| call.id == id);
        if let Some(connection) = connection.filter(is_it) {
            if connection.proved.len() >= MOST_PROVED {
                connection.proved.clear();
            }
            connection.proved.insert(inode, socket);
        }
    }

    fn answer(&mut self, id: u64, answer: Result<i64, i32>) -> Result<(), Gone> {
        let value = answer.unwrap_or_else(|code| -i64::from(code));
        self.say(id, Answered::Returns(value), None)
    }

    fn go_on(&mut self, id: u64) -> Result<(), Gone> {
        self.say(id, Answered::GoesOn, None)
    }

    /// The library waits for the answer despite signals.
    fn arrival(&self) -> Arrival {
        Arrival::Certain
    }

    fn is_waiting(&self, id: u64) -> bool {
        self.caller(id).is_some_and(|connection| {
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

    fn has_gifts_on_their_way(&self) -> bool {
        let mut all = self.connections.values();
        all.any(|connection| has_unread(connection.socket.as_fd()))
    }

    /// The library reports interruptions itself.
    fn is_interrupted(&self, _: u32) -> bool {
        false
    }
}

#[cfg(test)]
mod tests;

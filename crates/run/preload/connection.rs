//! Connections to the host, each for one call at a time.

use core::ffi::c_int;
use core::hint;
use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering};

use crate::host::{self, Outcome, close};
use crate::kernel::{self, arg, call, number};
use crate::lend;
use crate::packets::{Cancel, Heard, hear, say};
use crate::region::{Other, Region, SIZE};
use crate::words::{Answered, Request, Said, Told};
use crate::worth::Worth;

const F_DUPFD_CLOEXEC: usize = 1030;
/// Lowest descriptor number of connections if possible, to leave low numbers to the program.
const HIGH: usize = 960;
const READ_AND_WRITE: usize = 3;
const SHARED: usize = 1;
/// Longest time for a running host to notice a closed connection, milliseconds.
const NOTICE: usize = 1000;
/// Bits of an address within a page.
const PAGE: u32 = 12;
/// Bits of a thread id.
const THREAD: u32 = 22;

/// Idle connections: the region's page and the thread of the last call; 0 if unused. A forked child
/// inherits its parent's entries and must not use them.
static IDLE: [AtomicU64; 32] = [const { AtomicU64::new(0) }; 32];

/// A connection used only by this thread.
#[derive(Clone, Copy)]
pub(crate) struct Connection(&'static Region);

impl Connection {
    /// An idle connection of this thread's last call, whose id also identifies the process;
    /// otherwise a new one.
    pub(crate) fn take(thread: u32) -> Option<Self> {
        for place in &IDLE {
            let idle = place.load(Ordering::Relaxed);
            if idle != 0
                && idle & thread_mark(u32::MAX) == thread_mark(thread)
                && let Some(taken) = Self::take_from(place, idle)
            {
                return Some(taken);
            }
        }
        let process = process();
        for place in &IDLE {
            let idle = place.load(Ordering::Relaxed);
            if idle != 0
                && let Some(taken) = Self::take_from(place, idle)
            {
                if taken.is_of(process) {
                    return Some(taken);
                }
                let back = place.compare_exchange(0, idle, Ordering::Release, Ordering::Relaxed);
                if back.is_err() {
                    taken.abandon();
                }
            }
        }
        Self::new()
    }

    fn take_from(place: &AtomicU64, idle: u64) -> Option<Self> {
        place
            .compare_exchange(idle, 0, Ordering::Acquire, Ordering::Relaxed)
            .ok()?;
        let at = (idle >> THREAD) << PAGE;
        let region = ptr::with_exposed_provenance::<Region>(at as usize);
        // SAFETY: the word was that of a mapped region, which is unmapped only by who has taken it.
        Some(Self(unsafe { &*region }))
    }

    /// Returns the connection to the idle ones.
    pub(crate) fn put_back(self, thread: u32) {
        let at = ptr::from_ref(self.0).expose_provenance() as u64;
        let idle = (at >> PAGE) << THREAD | thread_mark(thread);
        for place in &IDLE {
            let put = place.compare_exchange(0, idle, Ordering::Release, Ordering::Relaxed);
            if put.is_ok() {
                return;
            }
        }
        // Connections of a forked process's parent are useless.
        let process = process();
        for place in &IDLE {
            let old = place.load(Ordering::Relaxed);
            if old != 0
                && let Some(taken) = Self::take_from(place, old)
            {
                let stale = !taken.is_of(process);
                let kept = if stale { idle } else { old };
                let put = place.compare_exchange(0, kept, Ordering::Release, Ordering::Relaxed);
                if stale || put.is_err() {
                    taken.abandon();
                }
                if stale && put.is_ok() {
                    return;
                }
            }
        }
        self.abandon();
    }

    /// Opens a new connection.
    pub(crate) fn new() -> Option<Self> {
        let low = host::connect()?;
        let memory = loop {
            match hear(low, 0, Cancel::Later) {
                Heard::Packet(Told::Region, memory) if memory >= 0 => break Some(memory),
                Heard::Failed(kernel::EINTR) => {}
                _ => break None,
            }
        };
        let at = memory.and_then(|memory| {
            let args = [0, SIZE, READ_AND_WRITE, SHARED, arg(memory), 0];
            let at = call(number::MMAP, args);
            close(memory);
            at.ok()
        });
        let Some(at) = at else {
            close(low);
            return None;
        };
        let high = call(number::FCNTL, [arg(low), F_DUPFD_CLOEXEC, HIGH, 0, 0, 0]);
        let fd = match high.ok().and_then(|high| c_int::try_from(high).ok()) {
            Some(high) => {
                close(low);
                high
            }
            None => low,
        };
        // SAFETY: the kernel has just mapped a page here, which stays until this connection is abandoned, and
        // of which every bit pattern is a region.
        let region = unsafe { &*ptr::with_exposed_provenance::<Region>(at) };
        let notes = region.notes();
        notes.fd.store(arg(fd) as u64, Ordering::Relaxed);
        notes.inode.store(kernel::inode_of(fd), Ordering::Relaxed);
        notes.process.store(process(), Ordering::Relaxed);
        Some(Self(region))
    }

    /// Drops the connection.
    fn abandon(self) {
        if self.is_open() {
            close(self.fd());
        }
        let _ = call(number::MUNMAP, [self.at(), SIZE, 0, 0, 0, 0]);
    }

    fn fd(self) -> c_int {
        c_int::try_from(self.0.notes().fd.load(Ordering::Relaxed)).unwrap_or(-1)
    }

    /// Whether the program has left the descriptor open.
    fn is_open(self) -> bool {
        kernel::inode_of(self.fd()) == self.0.notes().inode.load(Ordering::Relaxed)
    }

    fn is_of(self, process: u64) -> bool {
        self.0.notes().process.load(Ordering::Relaxed) == process
    }

    /// Makes a call on this connection, or on a new one if it was lost; returns the connection used
    /// and whether the host polls.
    pub(crate) fn ask(self, request: &Request) -> Option<(Self, Other)> {
        if let Some(host) = self.asks(request) {
            return Some((self, host));
        }
        self.abandon();
        let fresh = Self::new()?;
        if let Some(host) = fresh.asks(request) {
            return Some((fresh, host));
        }
        fresh.abandon();
        None
    }

    fn asks(self, request: &Request) -> Option<Other> {
        lend::lend(request, self.0.lent());
        let processor = kernel::processor();
        match self.0.ask(request, processor) {
            Other::Awake if !self.0.is_watched_on(processor) => Some(Other::Awake),
            Other::Awake => Some(Other::Asleep),
            Other::Asleep => {
                let told = self.is_open() && say(self.fd(), Said::Look).is_ok();
                told.then_some(Other::Asleep)
            }
        }
    }

    /// Waits for the answer. No value here needs to be dropped, because cancellation unwinds
    /// without dropping.
    pub(crate) extern "C-unwind" fn answer(
        self,
        request: &Request,
        host: Other,
        cancel: Cancel,
    ) -> Outcome {
        let (region, id) = (self.0, request.id);
        if host == Other::Awake {
            self.spin(id);
        }
        if let Some(answer) = region.answer_to(id) {
            return self.finish(answer, Nap::None, Gift::None);
        }
        if !self.is_open() {
            return self.wait_for_end(id);
        }
        let (mut nap, mut gift, mut withdrawn) = (Nap::None, Gift::None, false);
        loop {
            if nap == Nap::None {
                region.sleep();
                nap = Nap::Said;
            }
            if let Some(answer) = region.answer_to(id) {
                return self.finish(answer, nap, gift);
            }
            match hear(self.fd(), self.at(), cancel) {
                Heard::Packet(Told::Wake, _) => nap = Nap::None,
                Heard::Packet(_, fd) => gift = Gift::Came(fd),
                // A signal handler has run and wants blocked calls to end. A call that has already
                // had an effect returns its result.
                Heard::Failed(kernel::EINTR) => {
                    if !withdrawn && say(self.fd(), Said::Withdraw { id }).is_ok() {
                        withdrawn = true;
                    }
                }
                Heard::Failed(_) => return self.end(id),
            }
        }
    }

    /// Polls for the answer briefly, unless the call is blocked.
    fn spin(self, id: u64) {
        let note = &self.0.notes().looking;
        let mut looking = Worth::of_word(note.load(Ordering::Relaxed));
        if looking.is_due() {
            let is_answered = (0..self.0.patience()).any(|_| {
                hint::spin_loop();
                self.0.answer_to(id).is_some() || self.0.is_waiting(id)
            });
            match is_answered {
                true => looking.succeeded(),
                // The host has no processor to run on.
                false => looking.failed(),
            }
        }
        note.store(looking.to_word(), Ordering::Relaxed);
    }

    /// Receives the packets of an answer, so that none is left for the next call.
    fn finish(self, answer: Answered, nap: Nap, mut gift: Gift) -> Outcome {
        let mut wakes = nap == Nap::Said && self.0.wake() == Other::Awake;
        let has_gift = matches!(answer, Answered::Descriptor { .. });
        while wakes || (has_gift && gift == Gift::None) {
            match hear(self.fd(), self.at(), Cancel::Later) {
                Heard::Packet(Told::Wake, _) => wakes = false,
                Heard::Packet(_, fd) => gift = Gift::Came(fd),
                Heard::Failed(kernel::EINTR) => {}
                Heard::Failed(_) => break,
            }
        }
        lend::take_back(self.0.lent());
        match gift {
            Gift::Came(fd) => Outcome::Answered(answer, fd),
            Gift::None => Outcome::Answered(answer, -1),
        }
    }

    /// Waits until the host has noticed that the program closed the descriptor.
    fn wait_for_end(self, id: u64) -> Outcome {
        let millisecond = [0_u64, 1_000_000];
        for _ in 0..NOTICE {
            if self.0.is_gone() || self.0.answer_to(id).is_some() {
                break;
            }
            let at = (&raw const millisecond) as usize;
            let _ = call(number::NANOSLEEP, [at, 0, 0, 0, 0, 0]);
        }
        self.end(id)
    }

    /// Handles a lost connection.
    fn end(self, id: u64) -> Outcome {
        // Order matters: `gone` is set after the last answer.
        let is_gone = self.0.is_gone();
        let outcome = match self.0.answer_to(id) {
            Some(Answered::Descriptor { .. }) => Outcome::Lost,
            Some(answer) => {
                lend::take_back(self.0.lent());
                Outcome::Answered(answer, -1)
            }
            None if is_gone => Outcome::Unheard,
            None => Outcome::Lost,
        };
        if !matches!(outcome, Outcome::Answered(..)) {
            self.abandon();
        }
        outcome
    }

    fn at(self) -> usize {
        ptr::from_ref(self.0) as usize
    }
}

/// Whether the library has declared sleep and was not woken yet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nap {
    None,
    Said,
}

/// The descriptor of an answer: its number, or -1 if the process has reached its limit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gift {
    None,
    Came(c_int),
}

fn thread_mark(thread: u32) -> u64 {
    u64::from(thread) & ((1 << THREAD) - 1)
}

fn process() -> u64 {
    call(number::GETPID, [0; 6]).unwrap_or(0) as u64
}

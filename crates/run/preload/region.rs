//! Memory that a connection of the library shares with the host: one call, the memory it lends, and
//! its answer.
//!
//! No wake-up is lost: each side first publishes its news (`asked`, `answered`) and then checks
//! whether the other sleeps; before sleeping it sets its flag (`watching`, `sleeping`) and then
//! checks for news again. A sequentially consistent fence separates the two steps, so at least one
//! side sees the other's write.
//!
//! The program may write anything here at any time: the host reads each word of a call once and
//! trusts none.

use core::sync::atomic::{AtomicU64, Ordering, fence};

use super::lent::Lent;
use super::words::{Answered, Request, Seen};

/// Size of the region, bytes.
pub(crate) const SIZE: usize = 8192;

/// The layout; all zeros is a fresh region.
#[repr(C)]
pub(crate) struct Region {
    asking: Asking,
    answering: Answering,
    notes: Notes,
    lent: Lent,
}

const _: () = assert!(size_of::<Region>() <= SIZE);

/// Words written by the library.
#[repr(C, align(128))]
struct Asking {
    /// Id of the last call, 0 before the first.
    asked: AtomicU64,
    /// Thread, number and arguments of the call, and the file of the first argument.
    call: [AtomicU64; 10],
    /// Processor of the call plus 1, or 0 if unknown.
    processor: AtomicU64,
    /// 1 while the library sleeps. The side that resets it handles the wake-up packet: the host
    /// sends it, or the library need not receive it.
    sleeping: AtomicU64,
}

/// Words written by the host.
#[repr(C, align(128))]
struct Answering {
    /// Id of the last answered call.
    answered: AtomicU64,
    answer: [AtomicU64; 2],
    /// Id of the last blocked call.
    waiting: AtomicU64,
    /// 1 while the host polls this region.
    watching: AtomicU64,
    /// 1 once the host has stopped handling calls of this region.
    gone: AtomicU64,
    /// Polls for an answer before the library sleeps.
    patience: AtomicU64,
    /// Processor of the host when it began to poll.
    processor: AtomicU64,
}

/// The library's private state of the connection.
#[repr(C, align(128))]
pub(crate) struct Notes {
    /// The connection's descriptor.
    pub(crate) fd: AtomicU64,
    /// Inode of that descriptor, to detect its reuse.
    pub(crate) inode: AtomicU64,
    /// The process that created the connection.
    pub(crate) process: AtomicU64,
    /// State of [`Worth`](super::worth::Worth): whether to poll for answers.
    pub(crate) looking: AtomicU64,
}

/// Whether the other side must be woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Other {
    Awake,
    Asleep,
}

/// Methods of the library's side.
impl Region {
    pub(crate) fn notes(&self) -> &Notes {
        &self.notes
    }

    /// Memory lent by the current call.
    pub(crate) fn lent(&self) -> &Lent {
        &self.lent
    }

    /// Publishes a call made on this processor.
    pub(crate) fn ask(&self, request: &Request, processor: u64) -> Other {
        let [a, b, c, d, e, f] = request.args;
        let number = request.number.cast_unsigned();
        let (thread, seen) = (u64::from(request.thread), request.seen);
        let words = [thread, number, a, b, c, d, e, f, seen.inode, seen.flags];
        for (place, word) in self.asking.call.iter().zip(words) {
            place.store(word, Ordering::Relaxed);
        }
        self.asking.processor.store(processor, Ordering::Relaxed);
        self.asking.asked.store(request.id, Ordering::Release);
        fence(Ordering::SeqCst);
        match self.answering.watching.load(Ordering::Relaxed) {
            0 => Other::Asleep,
            _ => Other::Awake,
        }
    }

    /// The answer to a call, if published.
    pub(crate) fn answer_to(&self, id: u64) -> Option<Answered> {
        if self.answering.answered.load(Ordering::Acquire) != id {
            return None;
        }
        let words = &self.answering.answer;
        let words = words.each_ref().map(|word| word.load(Ordering::Relaxed));
        Some(Answered::of_words(words))
    }

    /// Whether the call is blocked.
    pub(crate) fn is_waiting(&self, id: u64) -> bool {
        self.answering.waiting.load(Ordering::Relaxed) == id
    }

    /// Whether the host has stopped handling calls; an unanswered call then had no effect.
    pub(crate) fn is_gone(&self) -> bool {
        self.answering.gone.load(Ordering::Acquire) != 0
    }

    /// Number of polls for an answer before the library sleeps.
    pub(crate) fn patience(&self) -> u64 {
        self.answering.patience.load(Ordering::Relaxed)
    }

    /// Whether the host polls on this same processor and thus needs it free.
    pub(crate) fn is_watched_on(&self, processor: u64) -> bool {
        self.answering.processor.load(Ordering::Relaxed) == processor
    }

    /// Declares that the library sleeps; check for an answer afterwards.
    pub(crate) fn sleep(&self) {
        self.asking.sleeping.store(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    /// Declares that the library is awake; [`Other::Awake`] if the host has sent or will send a
    /// wake-up packet.
    pub(crate) fn wake(&self) -> Other {
        match self.asking.sleeping.swap(0, Ordering::AcqRel) {
            0 => Other::Awake,
            _ => Other::Asleep,
        }
    }
}

/// Methods of the host's side.
impl Region {
    /// Sets how often the library polls for an answer before it sleeps.
    pub(crate) fn set_patience(&self, looks: u64) {
        self.answering.patience.store(looks, Ordering::Relaxed);
    }

    /// Id of the last call; a program that bypasses the library may still be writing the call.
    pub(crate) fn asked(&self) -> u64 {
        self.asking.asked.load(Ordering::Acquire)
    }

    /// Copies the call with this id.
    pub(crate) fn request(&self, id: u64) -> Request {
        let words = &self.asking.call;
        let words = words.each_ref().map(|word| word.load(Ordering::Relaxed));
        let [thread, number, args @ .., inode, flags] = words;
        Request {
            id,
            thread: (thread & 0xffff_ffff) as u32,
            number: number.cast_signed(),
            args,
            seen: Seen { inode, flags },
        }
    }

    /// Notes that the call is blocked.
    pub(crate) fn let_wait(&self, id: u64) {
        self.answering.waiting.store(id, Ordering::Relaxed);
    }

    /// Answers the call.
    pub(crate) fn answer(&self, id: u64, what: Answered) -> Other {
        let words = what.to_words();
        for (place, word) in self.answering.answer.iter().zip(words) {
            place.store(word, Ordering::Relaxed);
        }
        self.answering.answered.store(id, Ordering::Release);
        fence(Ordering::SeqCst);
        let sleeping = &self.asking.sleeping;
        // Reads first: a swap would take the cache line from the library.
        match sleeping.load(Ordering::Relaxed) != 0 && sleeping.swap(0, Ordering::AcqRel) != 0 {
            true => Other::Asleep,
            false => Other::Awake,
        }
    }

    /// Whether the last call was made on this same processor, which the program needs free.
    pub(crate) fn is_asked_on(&self, processor: u64) -> bool {
        self.asking.processor.load(Ordering::Relaxed) == processor
    }

    /// Declares that the host polls on this processor.
    pub(crate) fn watch(&self, processor: u64) {
        self.answering.processor.store(processor, Ordering::Relaxed);
        self.answering.watching.store(1, Ordering::Relaxed);
    }

    /// Declares that calls must wake the host; check for a call afterwards.
    pub(crate) fn stop_watching(&self) {
        self.answering.watching.store(0, Ordering::Relaxed);
    }

    /// Declares that the host handles no more calls of this region.
    pub(crate) fn leave(&self) {
        self.stop_watching();
        self.answering.gone.store(1, Ordering::Release);
    }
}

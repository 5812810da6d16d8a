//! The memory that a connection of the library shares with the host: one call, what it lends, and its answer.
//!
//! No wake-up is lost. Each side first writes its news (`asked`, `answered`), then looks whether the other one
//! sleeps; and each first says that it sleeps (`watching`, `sleeping`), then looks for news once more. A fence
//! of sequential consistency stands in between, so that one of the two sees what the other wrote.
//!
//! A program may write anything here at any time: the host reads each word of a call once, and believes none.

use core::sync::atomic::{AtomicU64, Ordering, fence};

use super::lent::Lent;
use super::words::{Answered, Request, Seen};

/// Bytes of the memory.
pub(crate) const SIZE: usize = 8192;

/// The layout; zeros are a region in which nothing has happened.
#[repr(C)]
pub(crate) struct Region {
    asking: Asking,
    answering: Answering,
    notes: Notes,
    lent: Lent,
}

const _: () = assert!(size_of::<Region>() <= SIZE);

/// The library's words.
#[repr(C, align(128))]
struct Asking {
    /// The name of the last call, 0 before the first.
    asked: AtomicU64,
    /// The thread, number and arguments of that call, and what is seen behind the first one.
    call: [AtomicU64; 10],
    /// The processor on which the call was made: its number and 1; 0 where that is not known.
    processor: AtomicU64,
    /// 1 while the library sleeps; who makes it 0 knows of the packet that wakes it: the host sends it, or
    /// the library need not receive it.
    sleeping: AtomicU64,
}

/// The host's words.
#[repr(C, align(128))]
struct Answering {
    /// The name of the last call that was answered.
    answered: AtomicU64,
    answer: [AtomicU64; 2],
    /// The name of the last call that has to wait for something.
    waiting: AtomicU64,
    /// 1 while the host looks for calls here without being woken.
    watching: AtomicU64,
    /// 1 once the host will receive and answer no call here any more.
    gone: AtomicU64,
    /// Looks for an answer before the library sleeps.
    patience: AtomicU64,
    /// The processor on which the host was when it began to watch.
    processor: AtomicU64,
}

/// The library's notes about its connection, which the host does not read.
#[repr(C, align(128))]
pub(crate) struct Notes {
    /// The connection's descriptor.
    pub(crate) fd: AtomicU64,
    /// The inode of that descriptor, by which it is known again.
    pub(crate) inode: AtomicU64,
    /// The process that made it.
    pub(crate) process: AtomicU64,
    /// Whether it is worth while to look for answers before the library sleeps.
    pub(crate) looking: AtomicU64,
}

/// Whether one side has to be woken for the news of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Other {
    Awake,
    Asleep,
}

/// The library's side.
impl Region {
    pub(crate) fn notes(&self) -> &Notes {
        &self.notes
    }

    /// The memory that the next call, or the last one, lends.
    pub(crate) fn lent(&self) -> &Lent {
        &self.lent
    }

    /// Makes a call on that processor.
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

    /// The answer to the call of that name.
    pub(crate) fn answer_to(&self, id: u64) -> Option<Answered> {
        if self.answering.answered.load(Ordering::Acquire) != id {
            return None;
        }
        let words = &self.answering.answer;
        let words = words.each_ref().map(|word| word.load(Ordering::Relaxed));
        Some(Answered::of_words(words))
    }

    /// Whether the call of that name has to wait for something.
    pub(crate) fn is_waiting(&self, id: u64) -> bool {
        self.answering.waiting.load(Ordering::Relaxed) == id
    }

    /// Whether the host will receive and answer no call here any more: one without an answer had no effect.
    pub(crate) fn is_gone(&self) -> bool {
        self.answering.gone.load(Ordering::Acquire) != 0
    }

    /// Looks for an answer before the library sleeps.
    pub(crate) fn patience(&self) -> u64 {
        self.answering.patience.load(Ordering::Relaxed)
    }

    /// Whether the host watches on that very processor, and gets on only once it is free.
    pub(crate) fn is_watched_on(&self, processor: u64) -> bool {
        self.answering.processor.load(Ordering::Relaxed) == processor
    }

    /// The library sleeps, unless it finds an answer now.
    pub(crate) fn sleep(&self) {
        self.asking.sleeping.store(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    /// The library does not sleep; [`Other::Awake`] where the host has sent, or sends, a packet that wakes it.
    pub(crate) fn wake(&self) -> Other {
        match self.asking.sleeping.swap(0, Ordering::AcqRel) {
            0 => Other::Awake,
            _ => Other::Asleep,
        }
    }
}

/// The host's side.
impl Region {
    /// Sets how often the library looks for an answer before it sleeps.
    pub(crate) fn set_patience(&self, looks: u64) {
        self.answering.patience.store(looks, Ordering::Relaxed);
    }

    /// The name of the last call; what it is may be written yet where that is not the library's doing.
    pub(crate) fn asked(&self) -> u64 {
        self.asking.asked.load(Ordering::Acquire)
    }

    /// A copy of the call of that name.
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

    /// The call of that name waits for something.
    pub(crate) fn let_wait(&self, id: u64) {
        self.answering.waiting.store(id, Ordering::Relaxed);
    }

    /// Answers the call of that name.
    pub(crate) fn answer(&self, id: u64, what: Answered) -> Other {
        let words = what.to_words();
        for (place, word) in self.answering.answer.iter().zip(words) {
            place.store(word, Ordering::Relaxed);
        }
        self.answering.answered.store(id, Ordering::Release);
        fence(Ordering::SeqCst);
        let sleeping = &self.asking.sleeping;
        // The library shares the line: it is not taken from it for nothing.
        match sleeping.load(Ordering::Relaxed) != 0 && sleeping.swap(0, Ordering::AcqRel) != 0 {
            true => Other::Asleep,
            false => Other::Awake,
        }
    }

    /// Whether the last call was made on that very processor, and the next one comes only once it is free.
    pub(crate) fn is_asked_on(&self, processor: u64) -> bool {
        self.asking.processor.load(Ordering::Relaxed) == processor
    }

    /// The host looks for calls here from now on, without being woken, on that processor.
    pub(crate) fn watch(&self, processor: u64) {
        self.answering.processor.store(processor, Ordering::Relaxed);
        self.answering.watching.store(1, Ordering::Relaxed);
    }

    /// The host has to be woken for calls, unless it finds one after a fence.
    pub(crate) fn stop_watching(&self) {
        self.answering.watching.store(0, Ordering::Relaxed);
    }

    /// The host will receive no call from here any more.
    pub(crate) fn leave(&self) {
        self.stop_watching();
        self.answering.gone.store(1, Ordering::Release);
    }
}

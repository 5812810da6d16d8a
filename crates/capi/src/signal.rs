use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Wake, Waker};

/// A file descriptor that is readable while a handle has something pending: a pipe that holds one
/// byte. It is created on first use.
///
/// A waker raises the signal when something becomes pending; the call that takes the last item
/// [updates](Signal::update) the signal.
#[derive(Debug, Default)]
pub(crate) struct Signal {
    pipe: Mutex<Option<Pipe>>,
    /// The conditions that raise the signal.
    interest: AtomicU32,
}

#[derive(Debug)]
struct Pipe {
    reader: PipeReader,
    writer: PipeWriter,
    level: Level,
}

/// Whether the byte is in the pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Low,
    High,
}

impl Signal {
    /// Returns the descriptor, created on first use, and sets the conditions that raise the signal.
    pub(crate) fn open(&self, interest: u32) -> io::Result<RawFd> {
        self.interest.store(interest, Ordering::SeqCst);
        let mut pipe = self.lock();
        if let Some(pipe) = &*pipe {
            return Ok(pipe.reader.as_raw_fd());
        }
        let (reader, writer) = io::pipe()?;
        let descriptor = reader.as_raw_fd();
        *pipe = Some(Pipe {
            reader,
            writer,
            level: Level::Low,
        });
        Ok(descriptor)
    }

    /// The conditions that raise the signal.
    pub(crate) fn interest(&self) -> u32 {
        self.interest.load(Ordering::SeqCst)
    }

    /// Makes the descriptor readable.
    pub(crate) fn raise(&self) {
        if let Some(pipe) = &mut *self.lock() {
            pipe.raise();
        }
    }

    /// Makes the descriptor readable if `waits` returns true; otherwise unreadable, and the context
    /// passed to `waits` will raise the signal.
    pub(crate) fn update(self: &Arc<Self>, waits: impl Fn(&Context<'_>) -> bool) {
        if self.lock().is_none() {
            return;
        }
        if waits(&Context::from_waker(Waker::noop())) {
            self.raise();
            return;
        }
        if let Some(pipe) = &mut *self.lock() {
            pipe.lower();
        }
        // Something may have become pending in between; later changes wake.
        if waits(&Context::from_waker(&Waker::from(Arc::clone(self)))) {
            self.raise();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Pipe>> {
        self.pipe.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        self.raise();
    }
}

impl Pipe {
    /// Neither call blocks: the pipe has room for the byte, and it is read only if present.
    fn raise(&mut self) {
        if self.level == Level::Low && self.writer.write(&[0]).is_ok() {
            self.level = Level::High;
        }
    }

    fn lower(&mut self) {
        if self.level == Level::High && self.reader.read(&mut [0]).is_ok() {
            self.level = Level::Low;
        }
    }
}

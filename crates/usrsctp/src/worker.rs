//! The library's thread, which handles packets and timers.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd};

use crate::delivery;
use crate::host;

/// A handle of the thread.
pub(crate) struct Worker {
    wake: Arc<OwnedFd>,
    /// The end of the thread's sleep; `None` while awake.
    asleep_until: Option<Sleep>,
    /// A descriptor that is readable when packets arrive.
    packets: Option<Arc<OwnedFd>>,
    thread: Option<JoinHandle<()>>,
}

/// The end of a sleep.
#[derive(Clone, Copy, Debug)]
enum Sleep {
    Until(Instant),
    UntilPackets,
}

/// The next step of the thread.
#[derive(Clone, Debug)]
enum Next {
    Sleep(Option<Duration>, Option<Arc<OwnedFd>>),
    End,
}

impl Worker {
    /// Starts the thread; `packets` is readable when packets arrive.
    pub(crate) fn start(packets: Option<OwnedFd>) -> std::io::Result<Self> {
        let wake = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
        let own = Arc::clone(&wake);
        let thread = thread::Builder::new()
            .name("sheave-usrsctp".into())
            .spawn(move || work(&own))?;
        Ok(Self {
            wake,
            asleep_until: None,
            packets: packets.map(Arc::new),
            thread: Some(thread),
        })
    }

    /// Wakes the thread if it would sleep longer than `rest`.
    pub(crate) fn hurry(&mut self, rest: Option<Duration>) {
        let wake = match (self.asleep_until, rest) {
            (Some(Sleep::UntilPackets), Some(_)) => true,
            (Some(Sleep::Until(end)), Some(rest)) => Instant::now() + rest < end,
            _ => false,
        };
        if wake {
            self.wake();
        }
    }

    /// Makes the thread wait for packets on this descriptor.
    pub(crate) fn watch(&mut self, packets: Option<OwnedFd>) {
        self.packets = packets.map(Arc::new);
        self.wake();
    }

    /// Wakes the thread.
    pub(crate) fn wake(&mut self) {
        self.asleep_until = None;
        // Cannot fail: the thread resets the counter on each wake-up.
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
    }

    /// Returns the handle to join; the thread ends when the host is gone.
    pub(crate) fn end(mut self) -> Option<JoinHandle<()>> {
        self.wake();
        let thread = self.thread.take();
        // The thread cannot join itself from a callback.
        thread.filter(|thread| thread.thread().id() != thread::current().id())
    }
}

fn work(wake: &OwnedFd) {
    loop {
        let next = step(wake);
        delivery::deliver();
        match next {
            Next::End => return,
            Next::Sleep(rest, packets) => sleep(packets.as_deref(), wake, rest),
        }
    }
}

fn step(wake: &OwnedFd) -> Next {
    let mut guard = host::lock();
    let Some(host) = guard.as_mut() else {
        return Next::End;
    };
    // A new host after re-initialisation has its own thread.
    let own = host.worker.as_ref();
    if !own.is_some_and(|worker| std::ptr::eq(&*worker.wake, wake)) {
        return Next::End;
    }
    let _ = rustix::io::read(wake, &mut [0; 8]);
    host.step();
    host.settle(None);
    let rest = host.rest();
    let mut packets = None;
    if let Some(worker) = &mut host.worker {
        packets.clone_from(&worker.packets);
        worker.asleep_until = Some(match rest {
            Some(rest) => Sleep::Until(Instant::now() + rest),
            None => Sleep::UntilPackets,
        });
    }
    Next::Sleep(rest, packets)
}

fn sleep(packets: Option<&OwnedFd>, wake: &OwnedFd, rest: Option<Duration>) {
    let span = rest.map(|rest| Timespec {
        tv_sec: rest.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: rest.subsec_nanos().into(),
    });
    let mut polled = vec![PollFd::new(wake, PollFlags::IN)];
    polled.extend(packets.map(|packets| PollFd::new(packets, PollFlags::IN)));
    // Checks the host next, whatever ended the sleep.
    let _ = rustix::event::poll(&mut polled, span.as_ref());
}

//! A simulated operating system that fails like real ones, and a randomized search for driver bugs.

use std::io::{self, IoSliceMut};
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use quinn_udp::{RecvMeta, Transmit, UdpSockRef, UdpSocketState};
use rustix::event::PollFd;

use crate::carrier::{Real, System};

/// Errors that a send may return.
pub(super) const OF_SENDS: &[i32] = &[
    libc::ENOBUFS,
    libc::EMSGSIZE,
    libc::ECONNREFUSED,
    libc::EINTR,
    libc::EAGAIN,
    libc::EPERM,
    libc::ENETUNREACH,
    libc::EHOSTUNREACH,
    libc::EADDRNOTAVAIL,
    libc::ENETDOWN,
    libc::ENODEV,
    libc::EINVAL,
    libc::EIO,
];

/// Errors that a receive may return.
pub(super) const OF_RECEIVES: &[i32] = &[
    libc::EINTR,
    libc::EAGAIN,
    libc::ECONNREFUSED,
    libc::ENOMEM,
    libc::ENOBUFS,
    libc::ENETDOWN,
    libc::EHOSTUNREACH,
];

/// Errors that a wait may return.
const OF_WAITS: &[i32] = &[libc::EINTR, libc::ENOMEM];

/// Faults currently injected; none by default.
#[derive(Clone, Debug, Default)]
pub(super) struct Faults {
    /// Errors of sends, and the percentage of sends that fail.
    pub(super) sends: (&'static [i32], u64),
    /// Errors of receives, and the percentage of receives that fail.
    pub(super) receives: (&'static [i32], u64),
    /// Percentage of waits that fail.
    pub(super) waits: u64,
    /// Percentage of receives that return at most one datagram.
    pub(super) short: u64,
    /// Addresses whose interface is down.
    pub(super) gone: Vec<IpAddr>,
    /// The thread whose next send panics.
    pub(super) panics: Option<ThreadId>,
}

/// The faulty operating system.
#[derive(Debug)]
pub(super) struct Faulty {
    draw: Mutex<u64>,
    faults: Mutex<Faults>,
    /// Offset of the system's clock, ns.
    ahead: AtomicU64,
    waits: AtomicU64,
    /// The thread that last waited.
    waiter: Mutex<Option<ThreadId>>,
    stillness: Mutex<Stillness>,
    is_moved: Condvar,
}

/// Whether a driver is descheduled at the end of a wait, before it handles the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stillness {
    #[default]
    Off,
    /// The next driver to end a wait will stop.
    Wanted,
    /// A driver has stopped.
    Reached,
}

impl Faulty {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            draw: Mutex::new(seed),
            faults: Mutex::default(),
            // Above zero, so that the clock can be set back.
            ahead: AtomicU64::new(1_000_000_000),
            waits: AtomicU64::new(0),
            waiter: Mutex::default(),
            stillness: Mutex::default(),
            is_moved: Condvar::new(),
        }
    }

    /// Stops the next driver to end a wait, until [`go_on`](Self::go_on), and returns once it has
    /// stopped; `wake` ends its wait.
    pub(super) fn stand_still(&self, wake: impl FnOnce()) {
        *self.stillness() = Stillness::Wanted;
        wake();
        let mut stillness = self.stillness();
        while *stillness == Stillness::Wanted {
            stillness = self.wait_for_move(stillness);
        }
    }

    /// Resumes the stopped driver.
    pub(super) fn go_on(&self) {
        *self.stillness() = Stillness::Off;
        self.is_moved.notify_all();
    }

    fn stillness(&self) -> MutexGuard<'_, Stillness> {
        self.stillness
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_for_move<'a>(&self, held: MutexGuard<'a, Stillness>) -> MutexGuard<'a, Stillness> {
        let held = self.is_moved.wait(held);
        held.unwrap_or_else(PoisonError::into_inner)
    }

    /// Called at the end of a driver's wait; stops the driver if requested.
    fn end_wait(&self) {
        let mut stillness = self.stillness();
        if *stillness != Stillness::Wanted {
            return;
        }
        *stillness = Stillness::Reached;
        self.is_moved.notify_all();
        while *stillness == Stillness::Reached {
            stillness = self.wait_for_move(stillness);
        }
    }

    pub(super) fn set(&self, faults: Faults) {
        *self.faults() = faults;
    }

    pub(super) fn faults(&self) -> MutexGuard<'_, Faults> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the clock forward.
    pub(super) fn jump(&self, span: Duration) {
        let nanos = u64::try_from(span.as_nanos()).expect("a span of years");
        self.ahead.fetch_add(nanos, Ordering::Relaxed);
    }

    /// Sets the clock back, which no real system should do.
    pub(super) fn fall_back(&self, span: Duration) {
        let nanos = u64::try_from(span.as_nanos()).expect("a span of years");
        self.ahead.fetch_sub(nanos, Ordering::Relaxed);
    }

    /// Number of driver waits so far.
    pub(super) fn waits(&self) -> u64 {
        self.waits.load(Ordering::Relaxed)
    }

    /// Whether the calling thread was the last driver to wait.
    pub(super) fn is_waited_on_here(&self) -> bool {
        let waiter = self.waiter.lock().unwrap_or_else(PoisonError::into_inner);
        *waiter == Some(thread::current().id())
    }

    /// A number below `bound` (SplitMix64).
    pub(super) fn below(&self, bound: u64) -> u64 {
        let mut state = self.draw.lock().unwrap_or_else(PoisonError::into_inner);
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = *state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    /// Fails with a random error of the list, with the given probability in percent.
    fn fail(&self, (errors, percent): (&[i32], u64)) -> io::Result<()> {
        if self.below(100) >= percent {
            return Ok(());
        }
        let count = u64::try_from(errors.len()).expect("a few");
        let at = usize::try_from(self.below(count)).expect("a few");
        Err(io::Error::from_raw_os_error(errors[at]))
    }
}

impl System for Faulty {
    fn now(&self) -> Instant {
        Real.now() + Duration::from_nanos(self.ahead.load(Ordering::Relaxed))
    }

    fn send(
        &self,
        socket: &socket2::Socket,
        state: &UdpSocketState,
        transmit: &Transmit<'_>,
        dscp: u8,
    ) -> io::Result<()> {
        let faults = self.faults().clone();
        if faults.panics == Some(thread::current().id()) {
            self.faults().panics = None;
            panic!("a panic that a test asks for");
        }
        if faults.gone.contains(&transmit.destination.ip()) {
            return Err(io::Error::from_raw_os_error(libc::ENETUNREACH));
        }
        self.fail(faults.sends)?;
        Real.send(socket, state, transmit, dscp)
    }

    fn receive(
        &self,
        socket: UdpSockRef<'_>,
        state: &UdpSocketState,
        buffers: &mut [IoSliceMut<'_>],
        metas: &mut [RecvMeta],
    ) -> io::Result<usize> {
        let faults = self.faults().clone();
        self.fail(faults.receives)?;
        let room = match self.below(100) < faults.short {
            true => 1,
            false => buffers.len(),
        };
        Real.receive(socket, state, &mut buffers[..room], &mut metas[..room])
    }

    fn poll(&self, polled: &mut [PollFd<'_>], span: Duration) -> io::Result<usize> {
        self.waits.fetch_add(1, Ordering::Relaxed);
        *self.waiter.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread::current().id());
        let percent = self.faults().waits;
        self.fail((OF_WAITS, percent))?;
        let outcome = Real.poll(polled, span);
        self.end_wait();
        outcome
    }
}

mod tests;

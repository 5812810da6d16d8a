//! Waits for events after briefly polling for calls that do not wake the host.

use std::hint;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{Timespec, epoll};

use super::lookout::Lookout;
use super::programs::Programs;
use crate::door::Door;

/// Most events per wait.
const EVENTS: usize = 64;
/// Most trapped calls of a program between two checks for packets.
pub(super) const CALLS: usize = 8;
/// Polls for calls between two checks for other events: about two microseconds.
const LOOKS: usize = 64;
const KIND: u32 = 56;

/// A source of events, encoded in epoll data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Carrier,
    Signals,
    Meeting,
    Door(usize),
    Link(usize),
    Socket(u64),
}

impl Source {
    fn data(self) -> epoll::EventData {
        let wide = |index: usize| u64::try_from(index).unwrap_or(0);
        epoll::EventData::new_u64(match self {
            Self::Carrier => 0,
            Self::Signals => 1 << KIND,
            Self::Meeting => 2 << KIND,
            Self::Door(index) => (3 << KIND) | wide(index),
            Self::Link(index) => (4 << KIND) | wide(index),
            Self::Socket(inode) => (5 << KIND) | inode,
        })
    }

    fn of(event: &epoll::Event) -> Self {
        let data = event.data;
        let number = data.u64() & ((1 << KIND) - 1);
        let index = usize::try_from(number).unwrap_or(usize::MAX);
        match data.u64() >> KIND {
            0 => Self::Carrier,
            1 => Self::Signals,
            2 => Self::Meeting,
            3 => Self::Door(index),
            4 => Self::Link(index),
            _ => Self::Socket(number),
        }
    }
}

/// Events with their sources.
pub(super) type Events = Vec<(Source, epoll::EventFlags)>;

pub(super) struct Poller {
    epoll: OwnedFd,
    lookout: Lookout,
    /// Calls polled from shared memory since the last wait for events.
    overheard: usize,
    /// End of the last wait for events.
    woke: Instant,
}

impl Poller {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            epoll: epoll::create(epoll::CreateFlags::CLOEXEC)?,
            lookout: Lookout::new(),
            overheard: 0,
            woke: Instant::now(),
        })
    }

    pub(super) fn watch(
        &self,
        what: &impl AsFd,
        source: Source,
        flags: epoll::EventFlags,
    ) -> io::Result<()> {
        Ok(epoll::add(&self.epoll, what, source.data(), flags)?)
    }

    /// Changes the events to wait for at the host's end of a socket.
    pub(super) fn change(&self, inode: u64, end: &OwnedFd, flags: epoll::EventFlags) {
        let _ = epoll::modify(&self.epoll, end, Source::Socket(inode).data(), flags);
    }

    pub(super) fn forget(&self, what: &impl AsFd) {
        let _ = epoll::delete(&self.epoll, what);
    }

    /// The events from the kernel, waiting at most `span`.
    fn events(&self, span: Option<Duration>) -> io::Result<Events> {
        let mut room = [const { EMPTY }; EVENTS];
        let span = span.map(|span| Timespec {
            tv_sec: span.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: span.subsec_nanos().into(),
        });
        let count = match epoll::wait(&self.epoll, &mut room, span.as_ref()) {
            Err(rustix::io::Errno::INTR) => 0,
            count => count?,
        };
        let events = room[..count].iter();
        Ok(events
            .map(|event| (Source::of(event), event.flags))
            .collect())
    }

    /// The events that are due already.
    pub(super) fn due(&self) -> Events {
        self.events(Some(Duration::ZERO)).unwrap_or_default()
    }

    /// Waits for events, at most `span`. None means a timeout or a polled call.
    pub(super) fn wait(
        &mut self,
        programs: &mut Programs,
        span: Option<Duration>,
    ) -> io::Result<Events> {
        let has_unheard = |programs: &Programs| programs.doors().any(Door::has_unheard);
        let looks = |programs: &Programs| {
            (0..LOOKS).any(|_| {
                let found = has_unheard(programs);
                hint::spin_loop();
                found
            })
        };
        let mut began = None;
        while programs.doors().any(Door::is_expectant) {
            // Checks for other events after at most `CALLS` calls.
            if self.overheard < CALLS && looks(programs) {
                self.overheard += 1;
                return Ok(Events::new());
            }
            self.overheard = 0;
            let events = self.events(Some(Duration::ZERO))?;
            let began = *began.get_or_insert_with(Instant::now);
            let is_due = span.is_some_and(|span| began.elapsed() >= span);
            if !events.is_empty() || is_due || has_unheard(programs) {
                return Ok(events);
            }
        }
        programs.rest();
        if has_unheard(programs) {
            return Ok(Events::new());
        }
        let events = self.wait_for_events(span);
        self.woke = Instant::now();
        events
    }

    /// Waits for events from the kernel.
    fn wait_for_events(&mut self, span: Option<Duration>) -> io::Result<Events> {
        let look = self.lookout.span(self.woke.elapsed());
        let look = span.map_or(look, |span| span.min(look));
        if look.is_zero() {
            return self.events(span);
        }
        let began = Instant::now();
        while began.elapsed() < look {
            let events = self.events(Some(Duration::ZERO))?;
            if !events.is_empty() {
                self.lookout.found();
                return Ok(events);
            }
        }
        self.lookout.missed();
        self.events(span.map(|span| span.saturating_sub(began.elapsed())))
    }
}

const EMPTY: epoll::Event = epoll::Event {
    flags: epoll::EventFlags::empty(),
    data: epoll::EventData::new_u64(0),
};

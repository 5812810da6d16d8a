//! Associations on both links, set up from either end.

use std::thread;
use std::time::{Duration, Instant};

use sheave::stats::PathState;
use sheave::{Association, Endpoint, Listener, Options};
use sheave_interop::session::PATIENCE;
use sheave_interop::{Caller, Death, KernelPeer};

use crate::failover;
use crate::{OURS, Over, THEIRS, serve, set};

/// The task of the kernel's program; a load is the size and the number of its messages.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    /// Takes what we send.
    Sink,
    /// Sends that load.
    Source(&'static str),
    /// Sends back what we send where we call; otherwise that load, and expects it back.
    Echo(&'static str),
}

impl Part {
    /// The role of a server, and what it needs to know.
    const fn of_server(self) -> (&'static str, &'static str) {
        match self {
            Self::Sink => ("sink", ""),
            Self::Source(load) => ("offer", load),
            Self::Echo(_) => ("echo", ""),
        }
    }

    /// The role of a client, and what it needs to know.
    const fn of_client(self) -> (&'static str, &'static str) {
        match self {
            Self::Sink => ("join", ""),
            Self::Source(load) => ("send", load),
            Self::Echo(load) => ("ping", load),
        }
    }
}

/// An association over raw IP and both links.
pub(super) struct Meeting<'a> {
    pub(super) kernel: &'a KernelPeer,
    pub(super) association: Association,
    pub(super) caller: Caller,
    /// The name of the kernel's log, by which its program is told what to do.
    pub(super) log: String,
    /// The first word of the line that the program ends with.
    role: &'static str,
    _ends: (Endpoint, Option<Listener>),
}

impl<'a> Meeting<'a> {
    /// Sets up the association of that number, with more `words` for the kernel's program, and
    /// waits until both ends know that both links work.
    pub(super) fn new(
        kernel: &'a KernelPeer,
        number: u16,
        caller: Caller,
        part: Part,
        options: Options,
        words: &str,
    ) -> Self {
        // The kernel proves an address after 0.5 to 1.5 of this, 3 s by default; once it has measured a
        // round trip, its other rules hold.
        set(kernel, "rto_initial", 200);
        let endpoint = Over::Ip.bind(&OURS);
        let (log, port) = (format!("meeting{number}"), 1700 + number);
        let words = format!("{words} bind={},{}", THEIRS[0], THEIRS[1]);
        let (role, association, listener) = match caller {
            Caller::We => {
                let (role, load) = part.of_server();
                serve(kernel, &log, role, port, &format!("{load} {words}"));
                let called = Over::Ip.call_with(options, &endpoint, &THEIRS, port);
                (role, called.expect("the kernel answers"), None)
            }
            Caller::They => {
                let (role, load) = part.of_client();
                let listener = endpoint.listen(port, options).expect("the port is free");
                let to = format!("{} {port} {load}", OURS[0]);
                kernel.start(&log, &format!("peer {role} {to} {words} control={log}"));
                let called = listener.accept_timeout(PATIENCE);
                (role, called.expect("the kernel calls"), Some(listener))
            }
        };
        let meeting = Self {
            kernel,
            association,
            caller,
            log,
            role,
            _ends: (endpoint, listener),
        };
        meeting.prove();
        meeting
    }

    /// Waits until both paths of ours, and the kernel's, are known to carry packets.
    pub(super) fn prove(&self) {
        let deadline = Instant::now() + PATIENCE;
        let active = || {
            let paths = self.association.path_stats();
            paths.len() == 2 && paths.iter().all(|path| path.state == PathState::Active)
        };
        while !active() {
            let paths = self.association.path_stats();
            assert!(Instant::now() < deadline, "{paths:?}");
            thread::sleep(Duration::from_millis(5));
        }
        failover::wait_until_the_kernel_trusts_both_links(self.kernel);
    }

    /// Ends it gracefully from here, and hands over the kernel's log.
    pub(super) fn shut_down(&self) -> String {
        assert_eq!(self.association.shutdown_timeout(PATIENCE), Ok(()));
        self.last_words()
    }

    /// The kernel's log, once it says how the association ended there.
    pub(super) fn last_words(&self) -> String {
        let beginning = format!("{} bytes", self.role);
        self.kernel.wait_for_line(&self.log, &beginning, PATIENCE)
    }
}

/// Makes the first link work again.
pub(super) fn revive(kernel: &KernelPeer, death: &Death) {
    for one in death {
        failover::heal(kernel, *one);
    }
}

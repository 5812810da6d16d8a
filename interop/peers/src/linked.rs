use std::net::IpAddr;
use std::thread;
use std::time::{Duration, Instant};

use sheave::stats::PathState;
use sheave::{Association, Config, Endpoint, Listener, Options, Target};

use crate::session::PATIENCE;
use crate::{Caller, Child, Links, Program};

/// The UDP port of our end.
const UDP_PORT: u16 = 9899;

/// The task of the peer's program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Takes what we send.
    Sink,
    /// Sends messages of 10,000 bytes, one in 3 ms, until it is told to stop.
    Source,
    /// Sends back what we send.
    Echo,
}

impl Part {
    const fn of_server(self) -> (&'static str, &'static str) {
        match self {
            Self::Sink => ("sink", ""),
            Self::Source => ("offer", "10000 0 streams=10 gap=3"),
            Self::Echo => ("echo", ""),
        }
    }

    const fn of_client(self) -> (&'static str, &'static str) {
        match self {
            Self::Sink => ("take", ""),
            Self::Source => ("send", "10000 0 streams=10 gap=3"),
            Self::Echo => ("join", ""),
        }
    }
}

/// An association with a peer's program on two links.
pub struct Linked<'a> {
    /// The links.
    pub links: &'a Links,
    /// Our end.
    pub endpoint: Endpoint,
    /// The association.
    pub association: Association,
    /// The peer's program.
    pub peer: Child,
    /// The first word of the line that the program ends with.
    role: &'static str,
    _listener: Option<Listener>,
}

impl<'a> Linked<'a> {
    /// Sets up an association on both links, with more `words` for the peer's program, and waits until both ends
    /// know that both links work.
    pub fn new(
        links: &'a Links,
        caller: Caller,
        part: Part,
        options: Options,
        words: &str,
    ) -> Self {
        let [first, second] = Links::THEIRS;
        let words = format!("{words} local={first} local={second} quick-failover");
        let mut linked = Self::with_addresses(
            links,
            caller,
            part,
            options,
            &words,
            (&Links::OURS, &Links::THEIRS),
        );
        linked.prove();
        linked
    }

    /// Sets up an association between those addresses of ours and those of the peer, whose program is given no
    /// other words than these.
    pub fn with_addresses(
        links: &'a Links,
        caller: Caller,
        part: Part,
        options: Options,
        words: &str,
        (ours, theirs): (&[IpAddr], &[IpAddr]),
    ) -> Self {
        let endpoint = Endpoint::bind(Config::udp(ours.iter().copied(), UDP_PORT));
        let endpoint = endpoint.expect("the addresses are ours");
        let (role, load) = match caller {
            Caller::We => part.of_server(),
            Caller::They => part.of_client(),
        };
        let words = format!("{load} {words}");
        let (peer, association, listener) = match caller {
            Caller::We => {
                let peer = links.peer.serve(role, &words);
                let to = theirs.iter().copied();
                let target = Target::over_udp(to, links.peer.udp_port, Program::PORT);
                let target = target.with_options(options);
                let called = endpoint.connect_timeout(target, PATIENCE);
                (peer, called.expect("the peer answers"), None)
            }
            Caller::They => {
                let listener = endpoint.listen(Program::PORT, options);
                let listener = listener.expect("the port is free");
                let words = format!("{words} to={}", ours[0]);
                let peer = links.peer.call(role, UDP_PORT, &words);
                let called = listener.accept_timeout(PATIENCE);
                (peer, called.expect("the peer calls"), Some(listener))
            }
        };
        Self {
            links,
            endpoint,
            association,
            peer,
            role,
            _listener: listener,
        }
    }

    /// Waits until both ends know that both links carry packets.
    pub fn prove(&mut self) {
        let deadline = Instant::now() + PATIENCE;
        let ours = |association: &Association| {
            let paths = association.path_stats();
            paths.len() == 2 && paths.iter().all(|path| path.state == PathState::Active)
        };
        loop {
            let theirs = self.paths();
            if ours(&self.association) && theirs.matches(" active").count() == 2 {
                return;
            }
            let paths = self.association.path_stats();
            assert!(Instant::now() < deadline, "{theirs}; ours: {paths:?}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Tells the peer's program to do something (`interop/usrsctp/control.h`), and waits until it has.
    pub fn tell(&mut self, command: &str) {
        let outcome = self.attempt(command);
        assert!(outcome.starts_with("did "), "{outcome}");
    }

    /// Tells the peer's program to do something that it may not be able to; its answer.
    pub fn attempt(&mut self, command: &str) -> String {
        self.peer.tell(command);
        self.peer.line_of(&["did ", "failed "], PATIENCE)
    }

    /// Our addresses as the peer knows them, each with its state there.
    pub fn paths(&mut self) -> String {
        self.peer.tell("paths");
        self.peer.line_of(&["paths", "failed "], PATIENCE)
    }

    /// Ends the association gracefully from here; the peer's last line.
    pub fn shut_down(&mut self) -> String {
        assert_eq!(self.association.shutdown_timeout(PATIENCE), Ok(()));
        self.last_words()
    }

    /// The line with which the peer ends.
    pub fn last_words(&mut self) -> String {
        self.peer.line(&format!("{} bytes", self.role), PATIENCE)
    }
}

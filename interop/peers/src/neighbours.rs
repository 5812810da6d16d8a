use std::net::{IpAddr, Ipv4Addr};
use std::thread;
use std::time::Duration;

use sheave::dtls::{Dtls, Identity};
use sheave::error::ConnectError;
use sheave::{Association, Config, Endpoint, Options, Target};

use crate::session::{self, Load, PATIENCE};
use crate::{Child, Impairment, Program, Relay, Side, Tape, Watchdog, skip};

const LOCALHOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// Longest time for a test.
const LIMIT: Duration = Duration::from_secs(600);

/// Our end, a peer's program, what lies between them, and who watches over the time.
pub struct Neighbours {
    /// Our end.
    pub ours: Endpoint,
    /// The peer.
    pub peer: Program,
    relay: Option<Relay>,
    _watchdog: Watchdog,
}

impl Neighbours {
    /// Ours and the peer, side by side; `None`, which was said, where the machine lacks the peer.
    pub fn beside(peer: Result<Program, &'static str>) -> Option<Self> {
        Self::beside_with(Config::udp([LOCALHOST], 0), peer)
    }

    /// Ours and the peer like [`beside`](Self::beside), over DTLS; whoever the peer is, it is trusted.
    pub fn over_dtls(peer: Result<Program, &'static str>) -> Option<Self> {
        let identity = Identity::generate().expect("there is randomness");
        let dtls = Dtls::with_certificate(identity);
        Self::beside_with(Config::dtls([LOCALHOST], 0, dtls), peer)
    }

    fn beside_with(config: Config, peer: Result<Program, &'static str>) -> Option<Self> {
        let peer = peer.map_err(skip).ok()?;
        Some(Self {
            ours: Endpoint::bind(config).expect("127.0.0.1 is there"),
            peer,
            relay: None,
            _watchdog: Watchdog::start(LIMIT),
        })
    }

    /// Connects both like [`beside`](Self::beside), with that impairment between them; the left side
    /// is ours.
    pub fn through(
        impairment: Impairment,
        seed: u64,
        peer: Result<Program, &'static str>,
    ) -> Option<Self> {
        let near = Self::beside(peer)?;
        let udp_port = near.udp_port();
        let relay = Relay::between(udp_port, near.peer.udp_port, impairment, seed);
        Some(Self {
            relay: Some(relay),
            ..near
        })
    }

    fn udp_port(&self) -> u16 {
        self.ours.udp_port().expect("we speak UDP")
    }

    /// The packets that both sent so far, if something lies between them.
    pub fn tape(&self) -> Tape {
        self.relay.as_ref().expect("there is a relay").tape()
    }

    /// Calls the peer, who serves, at an SCTP port.
    /// Errors: there is no association.
    pub fn try_call(&self, port: u16, options: Options) -> Result<Association, ConnectError> {
        let relay = self.relay.as_ref();
        let udp_port = relay.map_or(self.peer.udp_port, |relay| relay.port);
        let target = Target::over_udp([LOCALHOST], udp_port, port).with_options(options);
        self.ours.connect_timeout(target, PATIENCE)
    }

    /// Calls the peer, who serves.
    pub fn call(&self, options: Options) -> Association {
        let called = self.try_call(Program::PORT, options);
        called.expect("the peer answers")
    }

    /// Starts the peer as a client of ours, whether we listen or not.
    pub fn start_client(&self, role: &str, words: &str) -> Child {
        let relay = self.relay.as_ref();
        let udp_port = relay.map_or(self.udp_port(), |relay| relay.port);
        self.peer.call(role, udp_port, words)
    }

    /// Has the peer call us; the association and the peer's program.
    pub fn be_called(&self, options: Options, role: &str, words: &str) -> (Association, Child) {
        let listener = self.ours.listen(Program::PORT, options);
        let listener = listener.expect("the port is free");
        let child = self.start_client(role, words);
        let association = listener.accept_timeout(PATIENCE).expect("the peer calls");
        (association, child)
    }

    /// Sets up an association that `caller` begins; the peer has one role of two as a server, the other
    /// as a client. Returns its role and its program, too.
    pub fn meet(
        &self,
        caller: Side,
        [serving, calling]: [&'static str; 2],
        options: Options,
        theirs: &str,
    ) -> (Association, &'static str, Child) {
        match caller {
            Side::Left => {
                let server = self.peer.serve(serving, theirs);
                (self.call(options), serving, server)
            }
            Side::Right => {
                let (association, child) = self.be_called(options, calling, theirs);
                (association, calling, child)
            }
        }
    }

    /// Has the peer serve as `echo`, calls it, sends it messages, gets them back and shuts down.
    pub fn ping(&self, load: &Load, options: Options, theirs: &str) {
        let mut server = self.peer.serve("echo", theirs);
        let association = self.call(options);
        session::ping(&association, load);
        assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
        let (bytes, count) = (load.bytes(), load.count);
        let end = server.line("echo bytes", PATIENCE);
        let expected = format!("echo bytes {bytes} messages {count} wrong 0 end ");
        assert!(end.starts_with(&expected), "{end}");
        assert!(Self::is_graceful(&end), "{end}");
    }

    /// Whether a server's last line tells of a graceful end.
    pub fn is_graceful(end: &str) -> bool {
        ["shutdown", "closed"]
            .iter()
            .any(|word| end.ends_with(word))
    }

    /// Calls the peer, who serves as `echo` and may give up what is even, sends it messages, and shuts down
    /// when all the others have come back.
    pub fn get_back_in_part(&self, load: &Load, options: Options, mut server: Child) {
        let association = self.call(options);
        let tally = thread::scope(|scope| {
            let sender = scope.spawn(|| session::send(&association, load));
            let tally = session::receive_odd(&association, load.count as usize / 2);
            sender.join().expect("everything was sent");
            tally
        });
        assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
        let end = server.line("echo bytes", PATIENCE);
        assert!(Self::is_graceful(&end), "{end}");
        assert!(
            end.contains(&format!("messages {} wrong 0", load.count)),
            "{end}"
        );
        assert_eq!(tally.wrong, 0);
        assert!(tally.messages < load.count as usize, "nothing was given up");
    }

    /// Has the peer call, send these messages with `words`, get them back and shut down.
    pub fn be_pinged(&self, load: &Load, options: Options, words: &str) {
        let count = load.count;
        let words = format!("{} {words}", load.words());
        let (association, mut child) = self.be_called(options, "ping", &words);
        let tally = session::echo(&association).expect("the peer ends gracefully");
        let bytes = load.bytes();
        let seen = (tally.bytes, tally.messages, tally.wrong);
        assert_eq!(seen, (bytes, count as usize, 0));
        assert_eq!(
            child.line("ping bytes", PATIENCE),
            format!("ping bytes {bytes} messages {count} wrong 0 end shutdown")
        );
        assert!(child.succeeds(PATIENCE));
    }
}

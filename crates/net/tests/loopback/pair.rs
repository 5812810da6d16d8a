use std::net::{IpAddr, Ipv4Addr};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use sheave::{
    Association, Config, Endpoint, Listener, Message, Options, Profile, Received, StreamId, Target,
};

/// The SCTP port that servers listen on.
pub(crate) const PORT: u16 = 5001;

/// Longer than anything here may take, on a machine that stands still now and then.
pub(crate) const LONG: Duration = Duration::from_secs(120);

/// Time for the peers of an endpoint that is dropped, where none answers any more.
pub(crate) const LINGER: Duration = Duration::from_secs(5);

/// 127.0.0.`last`.
pub(crate) fn localhost(last: u8) -> IpAddr {
    Ipv4Addr::new(127, 0, 0, last).into()
}

/// An endpoint over UDP at these loopback addresses.
pub(crate) fn endpoint(lasts: &[u8]) -> Endpoint {
    let config = Config {
        linger: LINGER,
        ..Config::udp(lasts.iter().copied().map(localhost), 0)
    };
    Endpoint::bind(config).unwrap()
}

/// Options with quick timers.
pub(crate) fn quick() -> Options {
    Profile::Datacenter.options()
}

/// The target at which `server` listens.
pub(crate) fn target(server: &Endpoint, options: Options) -> Target {
    let remote = server.local_addresses().iter().copied();
    Target::over_udp(remote, server.udp_port().unwrap(), PORT).with_options(options)
}

/// Two endpoints with an association between them.
pub(crate) struct Pair {
    pub(crate) near: Association,
    pub(crate) far: Association,
    pub(crate) listener: Listener,
    pub(crate) client: Endpoint,
    pub(crate) server: Endpoint,
}

impl Pair {
    pub(crate) fn new(options: Options) -> Self {
        Self::over(endpoint(&[1]), endpoint(&[2]), options)
    }

    pub(crate) fn over(client: Endpoint, server: Endpoint, options: Options) -> Self {
        let listener = server.listen(PORT, options.clone()).unwrap();
        let near = client
            .connect_timeout(target(&server, options), LONG)
            .unwrap();
        let far = listener.accept_timeout(LONG).unwrap();
        Self {
            near,
            far,
            listener,
            client,
            server,
        }
    }
}

/// A message of `size` bytes that tells its number and cannot be mistaken for another.
pub(crate) fn numbered(stream: u16, number: u32, size: usize) -> Message {
    let mut payload: Vec<u8> = number.to_be_bytes().to_vec();
    payload.extend((4..size).map(|at| pattern(number, at)));
    payload.truncate(size.max(4));
    Message::new(StreamId(stream), payload)
}

fn pattern(number: u32, at: usize) -> u8 {
    (number as usize * 31 + at * 7 + at / 251).to_le_bytes()[0]
}

/// The number of a message made by [`numbered`], whose every byte is checked.
pub(crate) fn number_of(payload: &[u8]) -> u32 {
    let number = u32::from_be_bytes(payload[..4].try_into().unwrap());
    let intact = (4..payload.len()).all(|at| payload[at] == pattern(number, at));
    assert!(intact, "message {number} arrived damaged");
    number
}

/// The next message, in time.
pub(crate) fn next(association: &Association) -> Received {
    association
        .receive_timeout(LONG)
        .unwrap()
        .expect("the association ended early")
}

/// Runs `script` in a thread of its own and fails where it takes longer than `span`.
pub(crate) fn within(span: Duration, script: impl FnOnce() + Send + 'static) {
    let (done, outcome) = mpsc::channel();
    let running = thread::spawn(move || {
        script();
        let _ = done.send(());
    });
    match outcome.recv_timeout(span) {
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("it hangs"),
        _ => {
            if let Err(panic) = running.join() {
                std::panic::resume_unwind(panic);
            }
        }
    }
}

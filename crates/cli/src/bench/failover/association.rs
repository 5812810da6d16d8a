use std::io;
use std::thread;
use std::time::{Duration, Instant};

use sheave::stats::PathState;
use sheave::{Association, Bytes, Config, Endpoint, Message, Options, StreamId, Target};

use super::trial::Flow;
use crate::bench::network::Network;
use crate::failure::{Failure, While};

/// The SCTP port of the far end.
const PORT: u16 = 7;
/// Maximum time for set-up and confirmation of both paths.
const SET_UP: Duration = Duration::from_secs(20);

/// Two endpoints with an association between them.
pub struct Pair {
    near: Association,
    far: Association,
    _endpoints: [Endpoint; 2],
}

impl Pair {
    /// Sets up the association and waits until both paths are confirmed.
    /// Errors: a socket cannot be opened, or the association fails.
    pub fn connect(network: &Network, options: &Options) -> Result<Self, Failure> {
        let bind = |ips| {
            Endpoint::bind(Config {
                linger: Duration::from_millis(100),
                ..Config::udp(ips, 0)
            })
        };
        let near = network.near.perform(|| bind(network.near_addresses()));
        let far = network.far.perform(|| bind(network.far_addresses()));
        let near = near.while_doing("near end")?.while_doing("near end")?;
        let far = far.while_doing("far end")?.while_doing("far end")?;
        let listener = far.listen(PORT, options.clone());
        let listener = listener.while_doing("far end")?;
        let target = Target::over_udp(network.far_addresses(), far.udp_port().unwrap_or(0), PORT);
        let one = near.connect_timeout(target.with_options(options.clone()), SET_UP);
        let one = one.while_doing("cannot connect")?;
        let other = listener.accept_timeout(SET_UP);
        let other = other.ok_or_else(|| Failure::new("nobody came"))?;
        for association in [&one, &other] {
            prove(association)?;
        }
        Ok(Self {
            near: one,
            far: other,
            _endpoints: [near, far],
        })
    }
}

impl Flow for Pair {
    fn send(&self, message: &[u8]) -> io::Result<()> {
        let message = Message::new(StreamId(0), Bytes::copy_from_slice(message));
        self.near.send(message).map_err(io::Error::other)
    }

    fn receive(&self, bytes: usize) -> io::Result<()> {
        match self.far.receive().map_err(io::Error::other)? {
            Some(received) if received.message.payload.len() == bytes => Ok(()),
            Some(_) => Err(io::Error::other("a message of another length came")),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    fn round_trip(&self) -> Option<Duration> {
        let paths = self.near.path_stats();
        paths.iter().filter_map(|path| path.srtt).max()
    }

    fn close(&self) {
        self.near.abort("the trial is over");
        self.far.abort("the trial is over");
    }
}

/// Waits until both paths of an association are confirmed.
fn prove(association: &Association) -> Result<(), Failure> {
    let deadline = Instant::now() + SET_UP;
    loop {
        let paths = association.path_stats();
        if paths.len() == 2 && paths.iter().all(|path| path.state == PathState::Active) {
            return Ok(());
        }
        if Instant::now() >= deadline {
            return Err(Failure::new("a path that nobody cut carries nothing"));
        }
        thread::sleep(Duration::from_millis(2));
    }
}

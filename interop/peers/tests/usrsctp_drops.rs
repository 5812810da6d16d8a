//! Reports of damaged packets between Sheave and usrsctp, through a relay that damages some.

use std::net::{IpAddr, Ipv4Addr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use sheave::{Config, Endpoint, Options, PacketDropReports, Target};
use sheave_interop::session::{self, Load, PATIENCE, options};
use sheave_interop::{Usrsctp, Watchdog, skip};

const LOCALHOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// Of the long packets every so manieth is damaged.
const EVERY: usize = 20;
/// Bytes of a packet that is long: it has data.
const LONG: usize = 500;

/// Passes datagrams on between two ports and flips the last bit of some long ones.
struct Relay {
    port: u16,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Relay {
    fn between(one: u16, other: u16) -> Self {
        let socket = UdpSocket::bind((LOCALHOST, 0)).expect("127.0.0.1 is there");
        let pause = Some(Duration::from_millis(20));
        socket.set_read_timeout(pause).expect("a pause");
        let port = socket.local_addr().expect("it is bound").port();
        let stop = Arc::<AtomicBool>::default();
        let ended = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let (mut bytes, mut seen) = (vec![0; 65_536], 0_usize);
            while !ended.load(Ordering::Relaxed) {
                let Ok((len, from)) = socket.recv_from(&mut bytes) else {
                    continue;
                };
                let to = if from.port() == one { other } else { one };
                if len > LONG {
                    seen += 1;
                    bytes[len - 1] ^= u8::from(seen.is_multiple_of(EVERY));
                }
                let _ = socket.send_to(&bytes[..len], (LOCALHOST, to));
            }
        });
        Self {
            port,
            stop,
            thread: Some(thread),
        }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn reporting() -> Options {
    Options {
        packet_drop_reports: PacketDropReports::On,
        ..options()
    }
}

fn prepare() -> Option<(Endpoint, Usrsctp, Relay, Watchdog)> {
    let peer = match Usrsctp::build() {
        Ok(peer) => peer,
        Err(why) => {
            skip(why);
            return None;
        }
    };
    let ours = Endpoint::bind(Config::udp([LOCALHOST], 0)).expect("127.0.0.1 is there");
    let udp_port = ours.udp_port().expect("we speak UDP");
    let relay = Relay::between(udp_port, peer.udp_port);
    Some((ours, peer, relay, Watchdog::start(Duration::from_secs(120))))
}

#[test]
fn we_repeat_at_once_what_the_peer_reports_as_damaged() {
    let Some((ours, peer, relay, _watchdog)) = prepare() else {
        return;
    };
    let mut server = peer.serve_with("sink", 9, "drop-reports");
    let target = Target::over_udp([LOCALHOST], relay.port, 9).with_options(reporting());
    let association = ours.connect_timeout(target, PATIENCE).expect("it answers");
    session::send(&association, &Load::new(10_000, 300, 7));
    // A shutdown waits for all acknowledgements, and takes the figures along.
    let mut stats = association.stats().expect("it is open");
    while stats.send_buffered > 0 {
        thread::sleep(Duration::from_millis(20));
        stats = association.stats().expect("it is open");
    }
    assert!(stats.damage_retransmissions > 0, "{stats:?}");
    assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
    let end = server.line("sink ", PATIENCE);
    assert_eq!(end, "sink bytes 3000000 messages 300 wrong 0 end shutdown");
}

#[test]
fn the_peer_hears_of_what_reaches_us_damaged() {
    let Some((ours, peer, relay, _watchdog)) = prepare() else {
        return;
    };
    let listener = ours.listen(7, reporting()).expect("the port is free");
    let mut child = peer.call("ping", relay.port, 7, "5000 300 streams=5 drop-reports");
    let association = listener.accept_timeout(PATIENCE).expect("the peer calls");
    let watched = association.clone();
    let reports = thread::spawn(move || {
        let mut most = 0;
        while let Some(stats) = watched.stats() {
            most = stats.drop_reports_sent.max(most);
            thread::sleep(Duration::from_millis(5));
        }
        most
    });
    let tally = session::echo(&association).expect("the peer ends gracefully");
    assert_eq!((tally.messages, tally.wrong), (300, 0));
    let end = child.line("ping ", PATIENCE);
    assert_eq!(end, "ping bytes 1500000 messages 300 wrong 0 end shutdown");
    assert!(reports.join().expect("it watched") > 0);
}

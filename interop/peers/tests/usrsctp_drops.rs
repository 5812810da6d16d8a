//! Reports of damaged packets between Sheave and usrsctp, over links that damage some.

use std::thread;
use std::time::Duration;

use sheave::Options;
use sheave::options::PacketDropReports;
use sheave_interop::session::{self, Load, PATIENCE, options};
use sheave_interop::{Impairment, Neighbours, Program};

const DAMAGING: Impairment = Impairment {
    corruption: 5,
    ..Impairment::CLEAN
};

fn through() -> Option<Neighbours> {
    Neighbours::through(DAMAGING, 1, Program::usrsctp())
}

fn reporting() -> Options {
    Options {
        packet_drop_reports: PacketDropReports::On,
        ..options()
    }
}

#[test]
fn we_repeat_at_once_what_the_peer_reports_as_damaged() {
    let Some(near) = through() else {
        return;
    };
    let mut server = near.peer.serve("sink", "drop-reports");
    let association = near.call(reporting());
    session::send(&association, &Load::new(10_000, 300, 7));
    // A shutdown waits for all acknowledgements, and takes the figures along.
    let stats = session::until_acknowledged(&association);
    assert!(stats.damage_retransmissions > 0, "{stats:?}");
    assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
    let end = server.line("sink bytes", PATIENCE);
    assert_eq!(end, "sink bytes 3000000 messages 300 wrong 0 end shutdown");
}

#[test]
fn the_peer_hears_of_what_reaches_us_damaged() {
    let Some(near) = through() else {
        return;
    };
    let words = "5000 300 streams=5 drop-reports";
    let (association, mut child) = near.be_called(reporting(), "ping", words);
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
    let end = child.line("ping bytes", PATIENCE);
    assert_eq!(end, "ping bytes 1500000 messages 300 wrong 0 end shutdown");
    assert!(reports.join().expect("it watched") > 0);
}

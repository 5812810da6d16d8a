//! Streams that are reset and added (RFC 6525).

use std::thread;
use std::time::Duration;

use sheave::options::{PeerRequests, Reconfiguration};
use sheave::streams::StreamDirection;
use sheave::{Association, Event, Options, StreamId};
use sheave_interop::session::{self, Load, PATIENCE};
use sheave_interop::{KernelPeer, Told};

use crate::{OURS, Over, THEIRS, options, scenario, serve, set};

const STREAMS: u16 = 8;

fn changing() -> Options {
    Options {
        reconfiguration: Reconfiguration::On(PeerRequests::ALL),
        outbound_streams: STREAMS,
        ..options()
    }
}

fn ids(streams: &[u16]) -> Vec<StreamId> {
    streams.iter().copied().map(StreamId).collect()
}

fn was_reset(direction: StreamDirection, streams: &[u16]) -> Event {
    Event::StreamsReset {
        direction,
        streams: ids(streams),
    }
}

/// Makes every request that we can make of the kernel.
fn ask_the_kernel(kernel: &KernelPeer, log: &str, association: &Association) {
    use StreamDirection::{Incoming, Outgoing};
    let mut told = Told::of(association);
    let reset = |streams: &[u16], direction| {
        let outcome = association.reset_streams(&ids(streams), direction);
        outcome.expect("the kernel reconfigures");
    };
    reset(&[1, 2], Outgoing);
    told.wait_for(&was_reset(Outgoing, &[1, 2]));
    let _ = kernel.wait_for_line(log, "reset in streams 1 2", PATIENCE);
    reset(&[3], Incoming);
    told.wait_for(&was_reset(Incoming, &[3]));
    let _ = kernel.wait_for_line(log, "reset out streams 3", PATIENCE);
    association.reset_tsns().expect("nothing else is under way");
    told.wait_for_association_reset();
    let _ = kernel.wait_for_line(log, "reset all", PATIENCE);
    association
        .add_streams(3, Outgoing)
        .expect("nothing else is under way");
    told.wait_for(&Event::StreamsChanged {
        outbound_streams: STREAMS + 3,
        inbound_streams: STREAMS,
    });
    association
        .add_streams(2, Incoming)
        .expect("nothing else is under way");
    told.wait_for(&Event::StreamsChanged {
        outbound_streams: STREAMS + 3,
        inbound_streams: STREAMS + 2,
    });
    assert_eq!(kernel.ask(log, "streams"), "streams in 11 out 10");
}

/// Answers every request that the kernel can make of us.
fn be_asked_by_the_kernel(kernel: &KernelPeer, log: &str, association: &Association) {
    use StreamDirection::{Incoming, Outgoing};
    let mut told = Told::of(association);
    kernel.tell(log, "reset out 1 2");
    told.wait_for(&was_reset(Incoming, &[1, 2]));
    kernel.tell(log, "reset in 3 4");
    told.wait_for(&was_reset(Outgoing, &[3, 4]));
    kernel.tell(log, "reset-all");
    told.wait_for_association_reset();
    let (inbound, outbound) = (
        association.inbound_streams(),
        association.outbound_streams(),
    );
    kernel.tell(log, "add 4 5");
    told.wait_for(&Event::StreamsChanged {
        outbound_streams: outbound + 4,
        inbound_streams: inbound + 5,
    });
    let expected = format!("streams in {} out {}", outbound + 4, inbound + 5);
    assert_eq!(kernel.ask(log, "streams"), expected);
}

#[test]
fn the_kernel_and_we_reset_and_add_streams_and_we_called() {
    scenario(|kernel| {
        set(kernel, "reconf_enable", 1);
        serve(
            kernel,
            "streams",
            "echo",
            1700,
            &format!("streams={STREAMS} reset"),
        );
        let endpoint = Over::Ip.bind(&OURS[..1]);
        let association = Over::Ip.call_with(changing(), &endpoint, &THEIRS[..1], 1700);
        let association = association.expect("the kernel answers");
        let ping = || session::ping(&association, &Load::new(1000, 60, STREAMS));
        ping();
        ask_the_kernel(kernel, "streams", &association);
        ping();
        be_asked_by_the_kernel(kernel, "streams", &association);
        ping();
        // And on the new ones.
        session::ping(&association, &Load::new(1000, 60, STREAMS + 7));
        assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
    });
}

#[test]
fn the_kernel_and_we_reset_and_add_streams_while_data_flows_and_it_called() {
    scenario(|kernel| {
        set(kernel, "reconf_enable", 1);
        Over::Udp.prepare(kernel);
        let endpoint = Over::Udp.bind(&OURS[..1]);
        let listener = endpoint.listen(7, changing()).expect("the port is free");
        let words = format!("streams={STREAMS} reset control=streams gap=20");
        kernel.start(
            "streams",
            &format!("peer ping 10.99.1.1 7 1000 100000 {words}"),
        );
        let association = listener.accept_timeout(PATIENCE).expect("the kernel calls");
        let tally = thread::scope(|scope| {
            let echo = scope.spawn(|| session::echo(&association));
            ask_the_kernel(kernel, "streams", &association);
            be_asked_by_the_kernel(kernel, "streams", &association);
            kernel.tell("streams", "stop");
            echo.join().expect("it does not panic")
        });
        let tally = tally.expect("the kernel ends gracefully");
        assert_eq!(tally.wrong, 0);
        let text = kernel.wait_for_line("streams", "ping ", PATIENCE);
        let end = format!("messages {} wrong 0 end shutdown", tally.messages);
        assert!(text.contains(&end), "{text}");
    });
}

#[test]
fn a_request_that_the_kernel_may_not_make_is_denied() {
    scenario(|kernel| {
        set(kernel, "reconf_enable", 1);
        serve(
            kernel,
            "streams",
            "echo",
            1700,
            &format!("streams={STREAMS} reset"),
        );
        let strict = Options {
            reconfiguration: Reconfiguration::On(PeerRequests::RESET_INCOMING),
            ..changing()
        };
        let endpoint = Over::Ip.bind(&OURS[..1]);
        let association = Over::Ip.call_with(strict, &endpoint, &THEIRS[..1], 1700);
        let association = association.expect("the kernel answers");
        session::ping(&association, &Load::new(1000, 10, STREAMS));
        kernel.tell("streams", "reset in 3");
        let _ = kernel.wait_for_line("streams", "reset in streams 3 denied", PATIENCE);
        kernel.tell("streams", "add 4 0");
        let text = kernel.wait_for_line("streams", "changed ", PATIENCE);
        assert!(text.contains(" denied"), "{text}");
        thread::sleep(Duration::from_millis(50));
        assert_eq!(association.outbound_streams(), STREAMS);
        session::ping(&association, &Load::new(1000, 10, STREAMS));
        assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
    });
}

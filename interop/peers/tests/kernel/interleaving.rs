//! Messages whose fragments alternate, I-DATA (RFC 8260).

use std::thread;

use sheave::{Association, Interleaving, Message, Options, Ppid, StreamId, StreamScheduler};
use sheave_interop::session::{self, Load, PATIENCE};
use sheave_interop::{Capture, matching, pattern, skip};

use crate::{OURS, Over, THEIRS, options, scenario, serve, set};

const LOAD: Load = Load::new(200_000, 25, 5);

/// Of a message that takes long, and of one that does not.
const LONG: usize = 2_000_000;
const SHORT: usize = 100;

fn interleaving(scheduler: StreamScheduler) -> Options {
    Options {
        interleaving: Interleaving::On,
        scheduler,
        ..options()
    }
}

/// Asks tshark whether all user data travelled in I-DATA.
fn check(capture: Option<Capture>) {
    let Some(file) = capture.map(Capture::finish) else {
        skip("no dumpcap: nothing was captured");
        return;
    };
    let count = |filter: &str| matching(&file, filter);
    match (
        count("sctp.chunk_type == 64"),
        count("sctp.chunk_type == 0"),
    ) {
        (Some(interleaved), Some(plain)) => {
            assert!(interleaved > 1000, "only {interleaved}");
            assert_eq!(plain, 0);
        }
        _ => skip("no tshark: its opinion is missing"),
    }
    std::fs::remove_file(file).expect("the file was ours");
}

#[test]
fn the_kernel_and_we_interleave_and_we_call() {
    scenario(|kernel| {
        set(kernel, "intl_enable", 1);
        serve(kernel, "wide", "echo", 1700, "interleave");
        let capture = Capture::start("sheave1");
        let endpoint = Over::Udp.bind(&OURS[..1]);
        let ours = interleaving(StreamScheduler::RoundRobin);
        let association = Over::Udp.call_with(ours, &endpoint, &THEIRS[..1], 1700);
        let association = association.expect("the kernel answers");
        session::ping(&association, &LOAD);
        assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
        let text = kernel.wait_for_line("wide", "echo ", PATIENCE);
        assert!(text.contains("messages 25 wrong 0 end shutdown"), "{text}");
        check(capture);
    });
}

#[test]
fn the_kernel_and_we_interleave_and_it_calls() {
    scenario(|kernel| {
        set(kernel, "intl_enable", 1);
        let endpoint = Over::Ip.bind(&OURS[..1]);
        let ours = interleaving(StreamScheduler::RoundRobin);
        let listener = endpoint.listen(7, ours).expect("the port is free");
        // First come, by priority, in turns: the three that Linux 6.1 has.
        for scheduler in 0..3 {
            let words = format!("streams=5 interleave scheduler={scheduler}");
            let log = format!("ping{scheduler}");
            kernel.start(&log, &format!("peer ping 10.99.1.1 7 200000 10 {words}"));
            let association = listener.accept_timeout(PATIENCE).expect("the kernel calls");
            let tally = session::echo(&association).expect("the kernel ends gracefully");
            assert_eq!((tally.messages, tally.wrong), (10, 0));
            let text = kernel.wait_for_line(&log, "ping ", PATIENCE);
            assert!(text.contains("messages 10 wrong 0 end shutdown"), "{text}");
        }
    });
}

fn send(association: &Association, stream: u16, number: u32, size: usize) {
    let payload = pattern(number, size);
    let message = Message::new(StreamId(stream), payload).with_ppid(Ppid(number));
    association.send(message).expect("it is accepted");
}

/// The lengths of the next two messages.
fn next_two(association: &Association) -> [usize; 2] {
    [(); 2].map(|()| {
        let message = association.receive_whole(4 << 20).expect("it is open");
        message.expect("another comes").payload.len()
    })
}

#[test]
fn a_short_message_of_ours_reaches_the_kernel_before_the_long_one_ahead_of_it() {
    scenario(|kernel| {
        set(kernel, "intl_enable", 1);
        serve(kernel, "wide", "echo", 1700, "interleave");
        let endpoint = Over::Ip.bind(&OURS[..1]);
        let ours = interleaving(StreamScheduler::Priority);
        let association = Over::Ip.call_with(ours, &endpoint, &THEIRS[..1], 1700);
        let association = association.expect("the kernel answers");
        association
            .set_stream_priority(StreamId(0), 9)
            .expect("it is there");
        send(&association, 0, 1 << 20, LONG);
        send(&association, 1, (1 << 20) + 1, SHORT);
        assert_eq!(next_two(&association), [SHORT, LONG]);
        assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
    });
}

#[test]
fn a_short_message_of_the_kernel_reaches_us_before_the_long_one_ahead_of_it() {
    scenario(|kernel| {
        set(kernel, "intl_enable", 1);
        let endpoint = Over::Ip.bind(&OURS[..1]);
        let ours = interleaving(StreamScheduler::FirstCome);
        let listener = endpoint.listen(9, ours).expect("the port is free");
        let words = format!("streams=2 interleave scheduler=1 priorities=9,0 first={LONG}");
        kernel.start("send", &format!("peer send 10.99.1.1 9 {SHORT} 2 {words}"));
        let association = listener.accept_timeout(PATIENCE).expect("the kernel calls");
        let order = thread::scope(|scope| {
            let reader = scope.spawn(|| next_two(&association));
            reader.join().expect("two messages come")
        });
        assert_eq!(order, [SHORT, LONG]);
        let text = kernel.wait_for_line("send", "send ", PATIENCE);
        assert!(text.contains("end shutdown"), "{text}");
    });
}

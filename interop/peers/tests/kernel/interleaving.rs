//! User data in I-DATA (RFC 8260), as far as Linux has it: see the last test.

use sheave::error::ReceiveError;
use sheave::options::{Interleaving, PartialReliability};
use sheave::streams::StreamScheduler;
use sheave::{CloseReason, Options};
use sheave_interop::session::{self, Load, PATIENCE};
use sheave_interop::{Capture, matching, skip};

use crate::{OURS, Over, THEIRS, be_pinged, options, scenario, serve, set};

/// Messages that need no fragmentation.
const LOAD: Load = Load::new(1200, 500, 20);

fn interleaving(scheduler: StreamScheduler) -> Options {
    Options {
        interleaving: Interleaving::On,
        partial_reliability: PartialReliability::On,
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
            assert!(interleaved >= 1000, "only {interleaved}");
            assert_eq!(plain, 0);
        }
        _ => skip("no tshark: its opinion is missing"),
    }
    std::fs::remove_file(file).expect("the file was ours");
}

#[test]
fn the_kernel_and_we_send_i_data_and_we_call() {
    scenario(|kernel| {
        set(kernel, "intl_enable", 1);
        serve(kernel, "wide", "echo", 1700, "interleave");
        let capture = Capture::start("sheave1");
        let endpoint = Over::Udp.bind(&OURS[..1]);
        let ours = interleaving(StreamScheduler::RoundRobin);
        let association = Over::Udp.call_with(ours, &endpoint, &THEIRS[..1], 1700);
        let association = association.expect("the kernel answers");
        session::ping(&association, &LOAD);
        session::ping(&association, &Load { size: 1000, ..LOAD }.unordered());
        assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
        let text = kernel.wait_for_line("wide", "echo ", PATIENCE);
        assert!(text.contains("messages 1000 "), "{text}");
        assert!(text.contains("end shutdown"), "{text}");
        check(capture);
    });
}

#[test]
fn the_kernel_and_we_send_i_data_and_it_calls() {
    scenario(|kernel| {
        set(kernel, "intl_enable", 1);
        let endpoint = Over::Ip.bind(&OURS[..1]);
        let ours = interleaving(StreamScheduler::RoundRobin);
        let listener = endpoint.listen(7, ours).expect("the port is free");
        // First come, by priority, in turns: the three that Linux 6.1 has.
        for scheduler in 0..3 {
            let words = format!(
                "peer ping 10.99.1.1 7 1200 200 streams=20 interleave scheduler={scheduler}"
            );
            let log = format!("ping{scheduler}");
            be_pinged(kernel, &listener, &log, &words);
        }
    });
}

/// The second fragment of a message has FSN 0 there, and 1 by RFC 8260 §2.1, where the first one
/// counts: so nothing that is fragmented passes between Linux and who keeps to the RFC.
#[test]
fn fragments_that_linux_numbers_otherwise_than_the_rfc_are_refused() {
    scenario(|kernel| {
        set(kernel, "intl_enable", 1);
        let endpoint = Over::Ip.bind(&OURS[..1]);
        let ours = interleaving(StreamScheduler::RoundRobin);
        let listener = endpoint.listen(9, ours).expect("the port is free");
        kernel.start("send", "peer send 10.99.1.1 9 5000 1 interleave");
        let association = listener.accept_timeout(PATIENCE).expect("the kernel calls");
        let end = association.receive_timeout(PATIENCE);
        let Err(ReceiveError::Closed(CloseReason::PeerFault { rule, .. })) = end else {
            panic!("Linux may number fragments rightly now: use large messages above; {end:?}");
        };
        assert!(rule.contains("FSN"), "{rule}");
    });
}

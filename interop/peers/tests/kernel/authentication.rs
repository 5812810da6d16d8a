//! Chunks that prove who sent them (RFC 4895).

use std::thread;
use std::time::Duration;

use sheave::authentication::{HmacAlgorithm, KeyId, SharedKey};
use sheave::events::AuthenticationChange;
use sheave::{Association, Event, Options};
use sheave_interop::session::{self, Load, PATIENCE};
use sheave_interop::{Capture, KernelPeer, Told, matching, skip};

use crate::{OURS, Over, THEIRS, be_pinged, options, scenario, serve, set};

const LOAD: Load = Load::new(3000, 200, 20);

/// The kernel asks for authenticated DATA, SACK and HEARTBEAT ACK.
const KEYED: &str = "auth=0,3,5 keys=1:sesame active=1";

/// And so do we, under the key of id 1 and with the algorithm that we like best.
fn authenticating(secret: &str, best: HmacAlgorithm) -> Options {
    Options {
        authentication: session::authentication(secret, best),
        ..options()
    }
}

/// Both algorithms, and their numbers on the wire.
const ALGORITHMS: [(HmacAlgorithm, u16); 2] =
    [(HmacAlgorithm::Sha1, 1), (HmacAlgorithm::Sha256, 3)];

fn assert_nothing_was_refused(association: &Association) {
    let stats = association.stats().expect("it is open");
    let refused = (stats.unauthenticated, stats.failed_authentications);
    assert_eq!(refused, (0, 0));
}

/// Asks tshark whether everything that ought to be authenticated is, by that algorithm.
fn check(capture: Option<Capture>, algorithm: u16) {
    let Some(file) = capture.map(Capture::finish) else {
        skip("no dumpcap: nothing was captured");
        return;
    };
    let count = |filter: &str| matching(&file, filter);
    let data = "sctp.chunk_type == 0";
    match (
        count(data),
        count(&format!("{data} && sctp.hmac_id == {algorithm}")),
    ) {
        (Some(all), Some(authenticated)) => {
            assert!(all > 400, "only {all} packets with DATA");
            assert_eq!(authenticated, all);
        }
        _ => skip("no tshark: its opinion is missing"),
    }
    std::fs::remove_file(file).expect("the file was ours");
}

#[test]
fn the_kernel_and_we_authenticate_and_we_call() {
    scenario(|kernel| {
        set(kernel, "auth_enable", 1);
        for (best, number) in ALGORITHMS {
            let (log, port) = (format!("keyed{number}"), 1700 + number);
            serve(
                kernel,
                &log,
                "echo",
                port,
                &format!("{KEYED} hmac={number}"),
            );
            let capture = Capture::start("sheave1");
            let endpoint = Over::Ip.bind(&OURS[..1]);
            let ours = authenticating("sesame", best);
            let association = Over::Ip.call_with(ours, &endpoint, &THEIRS[..1], port);
            let association = association.expect("the kernel answers");
            session::ping(&association, &LOAD);
            assert_nothing_was_refused(&association);
            assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
            let text = kernel.wait_for_line(&log, "echo ", PATIENCE);
            assert!(text.contains("messages 200 wrong 0 end shutdown"), "{text}");
            check(capture, number);
        }
    });
}

#[test]
fn the_kernel_and_we_authenticate_and_it_calls() {
    scenario(|kernel| {
        set(kernel, "auth_enable", 1);
        Over::Udp.prepare(kernel);
        for (best, number) in ALGORITHMS {
            let endpoint = Over::Udp.bind(&OURS[..1]);
            let listener = endpoint.listen(7, authenticating("sesame", best));
            let listener = listener.expect("the port is free");
            let log = format!("ping{number}");
            let words = format!("peer ping 10.99.1.1 7 3000 200 streams=20 {KEYED} hmac={number}");
            be_pinged(kernel, &listener, &log, &words);
        }
    });
}

#[test]
fn a_wrong_key_lets_nothing_through_to_the_kernel_or_to_us() {
    scenario(|kernel| {
        set(kernel, "auth_enable", 1);
        let endpoint = Over::Ip.bind(&OURS[..1]);
        let guessing = || authenticating("guess", HmacAlgorithm::Sha256);

        serve(kernel, "keyed", "sink", 1700, KEYED);
        let association = Over::Ip.call_with(guessing(), &endpoint, &THEIRS[..1], 1700);
        let association = association.expect("the handshake is not authenticated");
        session::send(&association, &Load::new(100, 3, 1));
        thread::sleep(Duration::from_secs(1));
        association.abort("nothing is acknowledged");
        let text = kernel.wait_for_line("keyed", "sink ", PATIENCE);
        assert!(
            text.contains("sink bytes 0 messages 0 wrong 0 end"),
            "{text}"
        );

        let listener = endpoint.listen(9, guessing()).expect("the port is free");
        kernel.start("send", &format!("peer send 10.99.1.1 9 100 3 {KEYED}"));
        let association = listener.accept_timeout(PATIENCE).expect("the kernel calls");
        thread::sleep(Duration::from_secs(1));
        assert!(association.try_receive().is_err());
        let stats = association.stats().expect("it is open");
        assert!(stats.failed_authentications > 0);
        association.abort("enough");
    });
}

/// Both ends change from key 1 to key 2, and let go of key 1.
fn change_keys(kernel: &KernelPeer, log: &str, association: &Association) {
    let mut told = Told::of(association);
    kernel.tell(log, "key 2 open");
    association
        .insert_key(SharedKey::new(KeyId(2), "open"))
        .expect("it is new");
    association.activate_key(KeyId(2)).expect("it is there");
    association
        .deactivate_key(KeyId(1))
        .expect("it is not active");
    let _ = kernel.wait_for_line(log, "key 2 new", PATIENCE);
    kernel.tell(log, "active 2");
    let changed = |change| Event::Authentication(change);
    told.wait_for(&changed(AuthenticationChange::NewKey(KeyId(2))));
    told.wait_for(&changed(AuthenticationChange::FreeKey(KeyId(1))));
}

#[test]
fn the_key_changes_at_the_kernel_and_here_while_data_flows() {
    scenario(|kernel| {
        set(kernel, "auth_enable", 1);
        serve(kernel, "keyed", "echo", 1700, KEYED);
        let endpoint = Over::Udp.bind(&OURS[..1]);
        let ours = authenticating("sesame", HmacAlgorithm::Sha256);
        let association = Over::Udp.call_with(ours, &endpoint, &THEIRS[..1], 1700);
        let association = association.expect("the kernel answers");
        session::while_pinging(&association, || change_keys(kernel, "keyed", &association));
        assert_nothing_was_refused(&association);
        assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
    });
}

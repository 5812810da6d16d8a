//! Addresses that come and go while data flows (RFC 5061).

use std::net::IpAddr;
use std::thread;
use std::time::{Duration, Instant};

use sheave::events::{AddressChange, PathChange};
use sheave::options::{AddressChanges, Authentication};
use sheave::{Association, Endpoint, Event, Options};
use sheave_interop::session::{self, PATIENCE};
use sheave_interop::{KernelPeer, Told};

use crate::{OURS, Over, THEIRS, options, scenario, serve, set};

fn moving() -> Options {
    Options {
        authentication: Authentication::on(),
        address_changes: AddressChanges::On,
        adaptation_indication: Some(1914),
        ..options()
    }
}

/// Lets the kernel change addresses: Linux wants the authentication, too.
fn prepare(kernel: &KernelPeer) {
    set(kernel, "auth_enable", 1);
    set(kernel, "addip_enable", 1);
}

/// Waits until the kernel says that so are our addresses, the primary one last.
fn wait_for_our_addresses(kernel: &KernelPeer, log: &str, known: &[IpAddr], primary: IpAddr) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let answer = kernel.ask(log, "addresses");
        let all = answer.trim_start_matches("addresses ");
        let (listed, first) = all.split_once(" primary ").expect("one is primary");
        let mut listed: Vec<&str> = listed.split(' ').collect();
        listed.sort_unstable();
        let mut wanted: Vec<String> = known.iter().map(ToString::to_string).collect();
        wanted.sort_unstable();
        if listed == wanted && first == primary.to_string() {
            return;
        }
        assert!(
            Instant::now() < deadline,
            "not {wanted:?}, {primary}: {answer}"
        );
        thread::sleep(Duration::from_millis(50));
    }
}

/// We get another address, want data there, and lose the first one.
fn move_us(kernel: &KernelPeer, log: &str, endpoint: &Endpoint, association: &Association) {
    let mut told = Told::of(association);
    let [old, new] = OURS;
    let mut await_change = |change| told.wait_for(&Event::AddressChanged { change });
    endpoint.add_address(new).expect("it is there");
    association
        .add_address(new)
        .expect("the kernel changes addresses");
    await_change(AddressChange::Add(new));
    wait_for_our_addresses(kernel, log, &[old, new], old);
    association.set_peer_primary(new).expect("it is ours");
    await_change(AddressChange::SetPrimary(new));
    wait_for_our_addresses(kernel, log, &[old, new], new);
    association.delete_address(old).expect("there is another");
    await_change(AddressChange::Delete(old));
    wait_for_our_addresses(kernel, log, &[new], new);
    endpoint.unplug(old);
}

/// The kernel gets another address, wants data there, and loses the first one.
fn move_the_kernel(kernel: &KernelPeer, log: &str, association: &Association) {
    let mut told = Told::of(association);
    let [old, new] = THEIRS;
    kernel.tell(log, &format!("bind {new}"));
    told.wait_for_path(new, PathChange::Added);
    told.wait_for_path(new, PathChange::Confirmed);
    kernel.tell(log, &format!("peer-primary {new}"));
    told.wait_for_path(new, PathChange::Primary);
    kernel.tell(log, &format!("unbind {old}"));
    told.wait_for_path(old, PathChange::Removed);
    let paths = association.path_stats();
    let remotes: Vec<IpAddr> = paths.iter().map(|path| path.remote).collect();
    assert_eq!(remotes, [new], "{paths:?}");
}

#[test]
fn the_kernel_and_we_change_addresses_while_data_flows_and_we_called() {
    scenario(|kernel| {
        prepare(kernel);
        let words = format!("bind={} adaptation=7", THEIRS[0]);
        serve(kernel, "moving", "echo", 1700, &words);
        let endpoint = Over::Ip.bind(&OURS[..1]);
        let association = Over::Ip.call_with(moving(), &endpoint, &THEIRS[..1], 1700);
        let association = association.expect("the kernel answers");
        Told::of(&association).wait_for(&Event::PeerAdaptation { indication: 7 });
        session::while_pinging(&association, || {
            move_us(kernel, "moving", &endpoint, &association);
            move_the_kernel(kernel, "moving", &association);
        });
        assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
        let text = kernel.wait_for_line("moving", "echo ", PATIENCE);
        assert!(text.contains("end shutdown"), "{text}");
        assert!(text.contains("adaptation 1914"), "{text}");
    });
}

#[test]
fn the_kernel_and_we_change_addresses_while_data_flows_and_it_called() {
    scenario(|kernel| {
        prepare(kernel);
        Over::Udp.prepare(kernel);
        let endpoint = Over::Udp.bind(&OURS[..1]);
        let listener = endpoint.listen(7, moving()).expect("the port is free");
        let words = format!("bind={} adaptation=7 control=moving gap=8", THEIRS[0]);
        let command = format!("peer ping {} 7 2000 100000 streams=5 {words}", OURS[0]);
        kernel.start("moving", &command);
        let association = listener.accept_timeout(PATIENCE).expect("the kernel calls");
        let tally = thread::scope(|scope| {
            let echo = scope.spawn(|| session::echo(&association));
            move_the_kernel(kernel, "moving", &association);
            move_us(kernel, "moving", &endpoint, &association);
            kernel.tell("moving", "stop");
            echo.join().expect("it does not panic")
        });
        let tally = tally.expect("the kernel ends gracefully");
        assert_eq!(tally.wrong, 0);
        let text = kernel.wait_for_line("moving", "ping ", PATIENCE);
        let end = format!("messages {} wrong 0 end shutdown", tally.messages);
        assert!(text.contains(&end), "{text}");
    });
}

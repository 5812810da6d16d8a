//! Sheave and usrsctp on two links: addresses of both come and go while data flows (RFC 5061).

use std::net::IpAddr;
use std::thread;
use std::time::{Duration, Instant};

use sheave::events::{AddressChange, PathChange};
use sheave::options::{AddressChanges, Authentication, Heartbeats};
use sheave::{Event, Options};
use sheave_interop::session::{self, PATIENCE};
use sheave_interop::{Caller, Cut, Linked, Links, Part, Program, Told, on_two_links};

fn moving() -> Options {
    Options {
        authentication: Authentication::on(),
        address_changes: AddressChanges::On,
        heartbeats: Heartbeats::Every(Duration::from_millis(500)),
        ..session::options()
    }
}

/// Waits until the peer knows those addresses of ours, and has proved all of them.
fn wait_for_our_addresses(linked: &mut Linked<'_>, known: &[IpAddr]) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let answer = linked.paths();
        let is_known = |ip: &&IpAddr| answer.contains(&format!("{ip} active"));
        if known.iter().filter(is_known).count() == answer.matches("10.").count() {
            return;
        }
        assert!(Instant::now() < deadline, "not {known:?}: {answer}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Waits for data of the peer: the association is up at both ends then.
fn wait_for_data(linked: &Linked<'_>) {
    let deadline = Instant::now() + PATIENCE;
    let has_come = || {
        let stats = linked.association.stats();
        stats.is_some_and(|stats| stats.messages_received > 0)
    };
    while !has_come() {
        assert!(Instant::now() < deadline, "no data from the peer");
        thread::sleep(Duration::from_millis(5));
    }
}

/// We get another address, want data there, and lose the first one.
fn move_us(linked: &mut Linked<'_>) {
    let mut told = Told::of(&linked.association);
    let [old, new] = Links::OURS;
    let mut await_change = |change| told.wait_for(&Event::AddressChanged { change });
    linked.endpoint.add_address(new).expect("it is there");
    linked
        .association
        .add_address(new)
        .expect("the peer changes addresses");
    await_change(AddressChange::Add(new));
    wait_for_our_addresses(linked, &[old, new]);
    linked
        .association
        .set_peer_primary(new)
        .expect("it is ours");
    await_change(AddressChange::SetPrimary(new));
    linked
        .association
        .delete_address(old)
        .expect("there is another");
    await_change(AddressChange::Delete(old));
    wait_for_our_addresses(linked, &[new]);
    linked.endpoint.unplug(old);
}

/// The peer gets another address, wants data there, and loses the first one.
///
/// Before that it is to send on the other link, and the one of the first address loses what we send: usrsctp
/// deletes an address at once, asks us from there, and aborts if anything more comes there (`interop/README.md`).
fn move_the_peer(linked: &mut Linked<'_>) {
    let mut told = Told::of(&linked.association);
    let [old, new] = Links::THEIRS;
    wait_for_data(linked);
    linked.tell(&format!("bind {new}"));
    told.wait_for_path(new, PathChange::Added);
    told.wait_for_path(new, PathChange::Confirmed);
    linked.tell(&format!("peer-primary {new}"));
    told.wait_for_path(new, PathChange::Primary);
    wait_for_our_addresses(linked, &Links::OURS);
    let beside_new = Links::OURS[1];
    let asked = linked.association.set_peer_primary(beside_new);
    asked.expect("it is ours");
    let change = AddressChange::SetPrimary(beside_new);
    told.wait_for(&Event::AddressChanged { change });
    thread::sleep(Duration::from_millis(300));
    linked.links.cut(0, Cut::There);
    // Time in which the peer reads what had come before.
    thread::sleep(Duration::from_millis(500));
    linked.tell(&format!("unbind {old}"));
    told.wait_for_path(old, PathChange::Removed);
    let paths = linked.association.path_stats();
    let remotes: Vec<IpAddr> = paths.iter().map(|path| path.remote).collect();
    assert_eq!(remotes, [new], "{paths:?}");
    linked.links.mend(0);
    // Heartbeats of the peer still come from there.
    thread::sleep(Duration::from_secs(1));
}

/// Makes changes while messages go to the peer and back.
fn change(
    links: &Links,
    caller: Caller,
    ours: &[IpAddr],
    theirs: &[IpAddr],
    changes: fn(&mut Linked<'_>),
) {
    let words: Vec<String> = theirs.iter().map(|ip| format!("local={ip}")).collect();
    let words = words.join(" ") + " quick-failover";
    let mut linked =
        Linked::with_addresses(links, caller, Part::Echo, moving(), &words, (ours, theirs));
    let association = linked.association.clone();
    session::while_pinging(&association, || changes(&mut linked));
    let end = linked.shut_down();
    assert!(end.ends_with("wrong 0 end shutdown"), "{end}");
}

#[test]
fn we_move_to_the_other_link_of_a_peer_on_both() {
    on_two_links(Program::usrsctp, |links| {
        for caller in Caller::BOTH {
            change(links, caller, &Links::OURS[..1], &Links::THEIRS, move_us);
        }
    });
}

#[test]
fn the_peer_moves_to_the_other_link() {
    on_two_links(Program::usrsctp, |links| {
        for caller in Caller::BOTH {
            change(
                links,
                caller,
                &Links::OURS,
                &Links::THEIRS[..1],
                move_the_peer,
            );
        }
    });
}

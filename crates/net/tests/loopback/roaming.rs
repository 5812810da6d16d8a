//! A machine that changes networks while it sends: its interface comes back with another address again and
//! again, and nothing is lost.

use std::thread;
use std::time::Duration;

use sheave::options::{AddressChanges, Authentication};
use sheave::{Config, Endpoint, Options, Target};

use crate::namespaces::{Namespaces, Part, UDP_PORT, task, wait_until_sent};
use crate::pair::{LONG, PORT, next, number_of, numbered};

const SERVER: &str = "10.8.0.1";
/// A message leaves in each of these times.
const PAUSE: Duration = Duration::from_millis(5);

/// Two network namespaces with a link between them.
fn join(link: &Namespaces) -> bool {
    link.veth(["va", "a"], ["vb", "b"])
        && link.ip("b", &["addr", "add", &format!("{SERVER}/24"), "dev", "vb"])
        && link.ip("b", &["link", "set", "vb", "up"])
        && link.ip("a", &["link", "set", "va", "up"])
        && move_to(link, 2)
}

/// The client's interface loses its address, and gets that one.
fn move_to(link: &Namespaces, host: u8) -> bool {
    let address = format!("10.8.0.{host}/24");
    link.ip("a", &["addr", "flush", "dev", "va"])
        && link.ip("a", &["addr", "add", &address, "dev", "va"])
}

#[test]
#[ignore = "a part of the tests below, in a process of its own"]
fn part() {
    let Some(words) = task() else { return };
    let [role, told, count] = &words[..] else {
        panic!("{words:?}");
    };
    let count: u32 = count.parse().expect("a number of messages");
    let mut options = Options::default();
    if told == "told" {
        options.authentication = Authentication::On(Box::default());
        options.address_changes = AddressChanges::On;
    }
    if role == "receive" {
        let server = SERVER.parse().expect("an address");
        let endpoint = Endpoint::bind(Config::udp([server], UDP_PORT)).expect("an endpoint");
        let listener = endpoint.listen(PORT, options).expect("a listener");
        println!("ready");
        let association = listener.accept_timeout(LONG).expect("a client");
        for number in 0..count {
            assert_eq!(number_of(&next(&association).message.payload), number);
        }
        assert_eq!(association.receive_timeout(LONG), Ok(None));
        return;
    }
    let endpoint = Endpoint::bind(Config::udp([], 0).follow_addresses()).expect("an endpoint");
    let server = SERVER.parse().expect("an address");
    let target = Target::over_udp([server], UDP_PORT, PORT).with_options(options);
    let association = endpoint.connect_timeout(target, LONG).expect("a server");
    for number in 0..count {
        association.send(numbered(0, number, 200)).expect("room");
        thread::sleep(PAUSE);
    }
    wait_until_sent(&association);
    association.shutdown_timeout(LONG).expect("a graceful end");
}

/// Sends for as long as `changes` of the address take, `rest` apart.
fn roam(name: &str, told: &str, changes: u8, rest: Duration) {
    let Some(link) = Namespaces::new(name, &["a", "b"], join) else {
        return;
    };
    let count = (rest * u32::from(changes + 2)).as_millis() / PAUSE.as_millis();
    let part = |end, role| {
        let task = format!("{role} {told} {count}");
        Part::spawn(link.part(end, "roaming::part", &task))
    };
    let mut receiver = part("b", "receive");
    let lines = receiver.ready();
    // It prints more, which must not fill the pipe.
    thread::spawn(move || lines.for_each(drop));
    let mut sender = part("a", "send");
    for change in 0..changes {
        thread::sleep(rest);
        assert!(move_to(&link, 3 + change), "the address cannot be changed");
    }
    assert!(sender.succeeds() && receiver.succeeds());
}

#[test]
fn a_machine_that_changes_networks_over_udp_loses_nothing() {
    roam("u", "untold", 4, Duration::from_millis(1500));
}

#[test]
fn a_machine_that_tells_its_peer_of_new_addresses_loses_nothing() {
    roam("t", "told", 4, Duration::from_millis(1500));
}

#[test]
#[ignore = "takes two minutes"]
fn twenty_changes_in_a_minute_lose_nothing() {
    for told in ["untold", "told"] {
        roam("m", told, 20, Duration::from_secs(3));
    }
}

//! A machine that changes networks while it sends: its interface comes back with another address again and
//! again, and nothing is lost.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, process, thread};

use sheave::options::{AddressChanges, Authentication};
use sheave::{Config, Endpoint, Options, Target};

use crate::pair::{LONG, PORT, next, number_of, numbered};
use crate::routed::{Receiver, ip};

/// The task of a process, in its environment.
const PART: &str = "SHEAVE_TEST_ROAMING";
const UDP_PORT: u16 = 9899;
const SERVER: &str = "10.8.0.1";
/// A message leaves in each of these times.
const PAUSE: Duration = Duration::from_millis(5);

/// Two network namespaces with a link between them.
struct Link(String);

impl Link {
    /// `None` where namespaces cannot be made.
    fn new(name: &str) -> Option<Self> {
        let link = Self(format!("sr{}{name}", process::id()));
        let [a, b] = ["a", "b"].map(|end| link.name(end));
        let veth = [
            "link", "add", "va", "netns", &a, "type", "veth", "peer", "name", "vb",
        ];
        let made = ip(&["netns", "add", &a])
            && ip(&["netns", "add", &b])
            && ip(&[&veth[..], &["netns", &b]].concat())
            && ip(&[
                "-n",
                &b,
                "addr",
                "add",
                &format!("{SERVER}/24"),
                "dev",
                "vb",
            ])
            && ip(&["-n", &b, "link", "set", "vb", "up"])
            && ip(&["-n", &a, "link", "set", "va", "up"])
            && link.move_to(2);
        if !made {
            eprintln!("skipped: no right to make network namespaces and veth devices");
        }
        made.then_some(link)
    }

    fn name(&self, end: &str) -> String {
        format!("{}{end}", self.0)
    }

    /// The client's interface loses its address, and gets that one.
    fn move_to(&self, host: u8) -> bool {
        let a = self.name("a");
        ip(&["-n", &a, "addr", "flush", "dev", "va"])
            && ip(&[
                "-n",
                &a,
                "addr",
                "add",
                &format!("10.8.0.{host}/24"),
                "dev",
                "va",
            ])
    }

    /// This program's [`part`], at one end.
    fn part(&self, end: &str, task: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name(end)]);
        command.arg(env::current_exe().expect("a test has a file"));
        command.args(["--exact", "roaming::part", "--ignored", "--nocapture"]);
        command.env(PART, task);
        command.stdout(Stdio::piped());
        command
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        for end in ["a", "b"] {
            ip(&["netns", "del", &self.name(end)]);
        }
    }
}

#[test]
#[ignore = "a part of the tests below, in a process of its own"]
fn part() {
    let Ok(words) = env::var(PART) else { return };
    let words: Vec<&str> = words.split(' ').collect();
    let [role, told, count] = words[..] else {
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
    let deadline = Instant::now() + LONG;
    while association
        .stats()
        .is_some_and(|stats| stats.send_buffered > 0)
    {
        assert!(Instant::now() < deadline, "something stays unsent");
        thread::sleep(Duration::from_millis(10));
    }
    association.shutdown_timeout(LONG).expect("a graceful end");
}

/// Sends for as long as `changes` of the address take, `rest` apart.
fn roam(name: &str, told: &str, changes: u8, rest: Duration) {
    let Some(link) = Link::new(name) else {
        return;
    };
    let count = (rest * u32::from(changes + 2)).as_millis() / PAUSE.as_millis();
    let receiver = link.part("b", &format!("receive {told} {count}")).spawn();
    let mut receiver = Receiver(receiver.expect("a receiver"));
    let mut lines = BufReader::new(receiver.0.stdout.take().expect("a pipe")).lines();
    assert!(lines.any(|line| line.is_ok_and(|line| line.ends_with("ready"))));
    // It prints more, which must not fill the pipe.
    thread::spawn(move || lines.for_each(drop));
    let sender = link.part("a", &format!("send {told} {count}")).spawn();
    let mut sender = Receiver(sender.expect("a sender"));
    for change in 0..changes {
        thread::sleep(rest);
        assert!(link.move_to(3 + change), "the address cannot be changed");
    }
    assert!(sender.0.wait().expect("a sender").success());
    assert!(receiver.0.wait().expect("a receiver").success());
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

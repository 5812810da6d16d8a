//! Two paths, of which one dies half-way: `cargo run -p sheave --example multihomed`.

use std::error::Error;
use std::net::{IpAddr, Ipv4Addr};
use std::thread;

use sheave::{Config, Endpoint, Event, Events, Listener, Message, Profile, StreamId, Target};

const MESSAGES: usize = 2000;
const SIZE: usize = 10_000;

fn main() -> Result<(), Box<dyn Error>> {
    let [one, two, three, four] = [1, 2, 3, 4].map(|n| IpAddr::V4(Ipv4Addr::new(127, 0, 0, n)));
    let options = Profile::Telecom.options();
    let server = Endpoint::bind(Config::udp([three, four], 0))?;
    let udp_port = server.udp_port().ok_or("not over UDP")?;
    let listener = server.listen(5001, options.clone())?;
    let counting = thread::spawn(move || count(&listener));

    let client = Endpoint::bind(Config::udp([one, two], 0))?;
    let target = Target::over_udp([three, four], udp_port, 5001).with_options(options);
    let association = client.connect(target)?;
    let events = association.events();
    let watching = thread::spawn(move || watch(&events));

    for number in 0..MESSAGES {
        if number == MESSAGES / 2 {
            println!("-- half of it is sent; {three} goes dark --");
            server.unplug(three);
        }
        association.send(Message::new(StreamId(0), vec![0; SIZE]))?;
    }
    for path in association.path_stats() {
        println!(
            "path to {}: {:?}, {} packets sent, {} chunks retransmitted",
            path.remote, path.state, path.packets_sent, path.retransmissions
        );
    }
    association
        .shutdown()
        .map_err(|reason| format!("{reason:?}"))?;
    watching.join().map_err(|_| "the watcher panicked")?;
    let bytes = counting.join().map_err(|_| "the server panicked")??;
    println!("{bytes} of {} bytes arrived", MESSAGES * SIZE);
    Ok(())
}

/// Receives until the end and counts the bytes.
fn count(listener: &Listener) -> Result<usize, sheave::error::ReceiveError> {
    let mut bytes = 0;
    if let Some(association) = listener.accept() {
        while let Some(message) = association.receive_whole(SIZE)? {
            bytes += message.payload.len();
        }
    }
    Ok(bytes)
}

/// Prints what happens to the paths.
fn watch(events: &Events) {
    while let Some(event) = events.next() {
        if let Event::Path { remote, change } = event {
            println!("path to {remote}: {change:?}");
        }
    }
}

//! An echo server and its client in one program: `cargo run -p sheave --example echo`.

use std::error::Error;
use std::net::{IpAddr, Ipv4Addr};
use std::thread;
use std::time::Instant;

use sheave::error::ReceiveError;
use sheave::{Config, Endpoint, Listener, Message, Options, StreamId, Target};

const LOCALHOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// Bytes of the longest message that is taken.
const LIMIT: usize = 1 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    // UDP port 0: the system chooses one. A real server would take the usual 9899.
    let server = Endpoint::bind(Config::udp([LOCALHOST], 0))?;
    let udp_port = server.udp_port().ok_or("not over UDP")?;
    let listener = server.listen(7, Options::default())?;
    let serving = thread::spawn(move || serve(&listener));

    let client = Endpoint::bind(Config::udp([LOCALHOST], 0))?;
    let association = client.connect(Target::over_udp([LOCALHOST], udp_port, 7))?;
    println!(
        "connected: {} streams out, {} in",
        association.outbound_streams(),
        association.inbound_streams()
    );
    for word in ["messages", "keep", "their", "boundaries"] {
        let sent = Instant::now();
        association.send(Message::new(StreamId(0), word))?;
        let echo = association
            .receive_whole(LIMIT)?
            .ok_or("the server closed early")?;
        println!(
            "{:>12} came back after {:?}",
            echo.payload.escape_ascii(),
            sent.elapsed()
        );
    }
    association
        .shutdown()
        .map_err(|reason| format!("{reason:?}"))?;
    serving.join().map_err(|_| "the server panicked")??;
    println!("closed gracefully");
    Ok(())
}

/// Echoes what the first association sends, until its end.
fn serve(listener: &Listener) -> Result<(), ReceiveError> {
    let Some(association) = listener.accept() else {
        return Ok(());
    };
    while let Some(message) = association.receive_whole(LIMIT)? {
        if association.send(message).is_err() {
            break;
        }
    }
    Ok(())
}

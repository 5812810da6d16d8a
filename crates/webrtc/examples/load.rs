//! Measures data channels between us and a program that is the other end, as interop/webrtc.md says:
//!
//!     cargo run --release -p sheave-webrtc --example load -- \
//!         node interop/webrtc/chromium.js /usr/bin/chromium "$(mktemp -d)" peer

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::net::{IpAddr, Ipv4Addr};
use std::process::{ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sheave_datachannel::{ChannelConfig, ChannelEvent};
use sheave_webrtc::{ConnectionConfig, ConnectionEvent, Description, PeerConnection, UdpDriver};

/// Bytes of a message.
const SIZE: usize = 16 << 10;

/// Messages.
const COUNT: usize = 8192;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let mut command = Command::new(words.next().ok_or("name the program that is the peer")?);
    command
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn()?;
    let mut peer = child.stdin.take().ok_or("no pipe to the peer")?;
    let mut lines = BufReader::new(child.stdout.take().ok_or("no pipe from the peer")?).lines();
    let mut answer = |begins: &str| -> Result<String, Box<dyn Error>> {
        loop {
            let line = lines.next().ok_or("the peer has ended")??;
            if let Some(rest) = line.strip_prefix(begins) {
                return Ok(rest.to_owned());
            }
        }
    };
    answer("ready")?;
    let here =
        std::env::var("LOCAL").map_or(Ok(IpAddr::V4(Ipv4Addr::LOCALHOST)), |ip| ip.parse())?;
    let mut driver = UdpDriver::bind(&[here], 0)?;
    let config = ConnectionConfig::new(driver.addresses());
    let mut connection = PeerConnection::new(Instant::now(), config)?;
    let offer = json!({ "type": "offer", "sdp": connection.offer()?.to_string() });
    writeln!(peer, "offered {offer}")?;
    let described: Value = serde_json::from_str(&answer("answer ")?)?;
    let description: Description = described["sdp"].as_str().ok_or("no SDP")?.parse()?;
    connection.accept(Instant::now(), &description)?;
    connection.open(Instant::now(), ChannelConfig::new("load"))?;
    receive(&mut driver, &mut connection, &mut peer)?;
    child.kill()?;
    Ok(())
}

/// Has the peer send, and counts.
fn receive(
    driver: &mut UdpDriver,
    connection: &mut PeerConnection,
    peer: &mut ChildStdin,
) -> Result<(), Box<dyn Error>> {
    let (mut messages, mut began) = (0, Instant::now());
    while messages < COUNT {
        driver.turn(connection, Duration::from_millis(100))?;
        while let Some(event) = connection.poll_event(Instant::now()) {
            match event {
                ConnectionEvent::Channel(ChannelEvent::Opened { .. }) => {
                    writeln!(peer, "send load binary {SIZE} {COUNT}")?;
                }
                ConnectionEvent::Channel(ChannelEvent::Message { .. }) => {
                    began = if messages == 0 { Instant::now() } else { began };
                    messages += 1;
                }
                ConnectionEvent::Ended(reason) => return Err(format!("{reason:?}").into()),
                _ => {}
            }
        }
    }
    let rate = (messages * SIZE * 8) as f64 / began.elapsed().as_secs_f64();
    println!("{:.0} Mb/s to us", rate / 1e6);
    println!("{:#?}", connection.association_stats());
    Ok(())
}

//! A thousand streams in one association, on tokio: a message lost on one stream does not hold up
//! the others. `cargo run -p sheave --example many_streams`.

use std::collections::BTreeMap;
use std::error::Error;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Instant;

use sheave::error::ReceiveError;
use sheave::tokio::{Endpoint, Listener};
use sheave::{Config, Message, Options, Ppid, StreamId, Target};

const LOCALHOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const STREAMS: u16 = 1000;
const ROUNDS: u32 = 20;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options {
        outbound_streams: STREAMS,
        ..Options::default()
    };
    let server = Endpoint::bind(Config::udp([LOCALHOST], 0))?;
    let udp_port = server.udp_port().ok_or("not over UDP")?;
    let listener = server.listen(5001, options.clone())?;
    let collecting = tokio::spawn(async move { collect(&listener).await });

    let client = Endpoint::bind(Config::udp([LOCALHOST], 0))?;
    let target = Target::over_udp([LOCALHOST], udp_port, 5001).with_options(options);
    let association = client.connect(target).await?;
    let begin = Instant::now();
    for round in 0..ROUNDS {
        for stream in 0..association.outbound_streams() {
            let text = format!("message {round} of stream {stream}");
            let message = Message::new(StreamId(stream), text).with_ppid(Ppid(round));
            association.send(message).await?;
        }
    }
    association
        .shutdown()
        .await
        .map_err(|reason| format!("{reason:?}"))?;
    let streams = collecting.await??;
    println!(
        "{} messages on {} streams in {:?}, each stream in order",
        streams.values().sum::<u32>(),
        streams.len(),
        begin.elapsed()
    );
    Ok(())
}

/// Counts the messages of each stream and checks their order.
async fn collect(listener: &Listener) -> Result<BTreeMap<u16, u32>, ReceiveError> {
    let mut streams = BTreeMap::new();
    if let Some(association) = listener.accept().await {
        while let Some(message) = association.receive_whole(1 << 20).await? {
            let count = streams.entry(message.stream.0).or_insert(0);
            assert_eq!(message.ppid, Ppid(*count), "out of order");
            *count += 1;
        }
    }
    Ok(streams)
}

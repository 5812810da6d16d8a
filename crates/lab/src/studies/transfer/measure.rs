use sheave_engine::{AssocStats, Time};
use sheave_sim::scenario::Run;
use sheave_sim::tcp::Stack;
use sheave_sim::{FileSender, FtpClient, FtpServer, Program, Sctp, VantagePoint};

use crate::Measured;

/// The cost of a transfer's connections.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    connections: u64,
    retransmissions: u64,
    timeouts: u64,
}

/// Measures when the files arrived, and the cost.
pub(super) fn measured(mut run: Run) -> Result<Measured, String> {
    let receipts = run.files("main").ok_or("no files")?.clone();
    let start = Time::ZERO;
    let seconds = receipts.receipts().iter();
    let seconds: Vec<f64> = seconds
        .map(|receipt| receipt.whole.since(start).as_secs_f64())
        .collect();
    let cost = cost(&mut run).ok_or("no transport")?;
    let stats = run.world.links().map(|(id, _)| run.world.link_stats(id));
    let (packets, bytes) = stats.fold((0, 0), |(packets, bytes), stats| {
        (packets + stats.offered, bytes + stats.bytes_sent)
    });
    let mut measured = Measured::new()
        .with("delivered", seconds.len() as f64)
        .with("connections", cost.connections as f64)
        .with("retransmissions", cost.retransmissions as f64)
        .with("timeouts", cost.timeouts as f64)
        .with("packets", packets as f64)
        .with("network_bytes", bytes as f64);
    measured.fingerprint = Some(run.world.fingerprint().to_string());
    let (Some(first), Some(all)) = (receipts.first(start), receipts.all(start)) else {
        return Ok(measured);
    };
    Ok(measured
        .with("first_s", first.as_secs_f64())
        .with("all_s", all.as_secs_f64())
        .with("mean_s", seconds.iter().sum::<f64>() / seconds.len() as f64))
}

fn cost(run: &mut Run) -> Option<Cost> {
    if let Some(stacks) = ftp(run).or_else(|| http(run)) {
        let [client, server] = stacks.map(|stack| (stack.stats().opened, stack.sent()));
        let sent = client.1.plus(server.1);
        return Some(Cost {
            connections: client.0,
            retransmissions: sent.retransmissions,
            timeouts: sent.timeouts,
        });
    }
    let client = run.flow("main")?.client;
    let client = run.world.agent_mut::<Program<Sctp, FileSender>>(client)?;
    let assoc = client.transport_mut().assoc();
    let stats = assoc.map(|assoc| assoc.stats());
    let count = |of: fn(&AssocStats) -> u64| stats.as_ref().map_or(0, of);
    Some(Cost {
        connections: u64::from(stats.is_some()),
        retransmissions: count(|stats| stats.retransmissions),
        timeouts: count(|stats| stats.timeouts),
    })
}

/// The stacks of both ends of an FTP transfer.
fn ftp(run: &Run) -> Option<[&Stack; 2]> {
    let flow = run.flow("main")?;
    let client = run.world.agent::<FtpClient>(flow.client)?.stack();
    let server = run.world.agent::<FtpServer>(flow.server)?.stack();
    Some([client, server])
}

/// The stacks of both ends of an HTTP transfer.
fn http(run: &Run) -> Option<[&Stack; 2]> {
    let client = run.tcp("main", VantagePoint::Client)?.stack();
    let server = run.tcp("main", VantagePoint::Server)?.stack();
    Some([client, server])
}

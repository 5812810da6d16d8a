use sheave_engine::AssocStats;
use sheave_sim::scenario::Run;
use sheave_sim::tcp::{Stack, Tcp};
use sheave_sim::{
    FileSender, FtpClient, FtpServer, HttpClient, HttpServer, Program, Sctp, Time, World,
};

use crate::Measured;

/// What connections have cost.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    connections: u64,
    retransmissions: u64,
    timeouts: u64,
}

/// When the files were there, and what it took.
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
    let flow = run.flow("main")?;
    let world = &mut run.world;
    if let Some(stacks) =
        ftp(world, flow.client, flow.server).or_else(|| http(world, flow.client, flow.server))
    {
        let [client, server] = stacks.map(|stack| (stack.stats().opened, stack.sent()));
        let sent = client.1.plus(server.1);
        return Some(Cost {
            connections: client.0,
            retransmissions: sent.retransmissions,
            timeouts: sent.timeouts,
        });
    }
    let client = world.agent_mut::<Program<Sctp, FileSender>>(flow.client)?;
    let assoc = client.transport_mut().assoc();
    let stats = assoc.map(|assoc| assoc.stats());
    let count = |of: fn(&AssocStats) -> u64| stats.as_ref().map_or(0, of);
    Some(Cost {
        connections: u64::from(stats.is_some()),
        retransmissions: count(|stats| stats.retransmissions),
        timeouts: count(|stats| stats.timeouts),
    })
}

type Agent = sheave_sim::AgentId;

fn ftp(world: &World, client: Agent, server: Agent) -> Option<[&Stack; 2]> {
    let client = world.agent::<FtpClient>(client)?.stack();
    let server = world.agent::<FtpServer>(server)?.stack();
    Some([client, server])
}

fn http(world: &World, client: Agent, server: Agent) -> Option<[&Stack; 2]> {
    let client = world.agent::<Program<Tcp, HttpClient>>(client)?;
    let server = world.agent::<Program<Tcp, HttpServer>>(server)?;
    Some([client.transport().stack(), server.transport().stack()])
}

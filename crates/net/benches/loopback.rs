//! Throughput over real sockets on the loopback interface, and what it costs:
//! `cargo bench -p sheave`, with seconds per figure and message sizes as arguments.
//!
//! CPU seconds count both ends, all threads, user and system time: they say more than the wall
//! clock on a machine that does other things too.

use std::env;
use std::net::{IpAddr, Ipv4Addr};
use std::thread;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use sheave::config::Offload;
use sheave::{Association, Config, Endpoint, Message, Options, Profile, StreamId, Target};

fn main() {
    let mut numbers = env::args().filter_map(|argument| argument.parse().ok());
    let seconds = numbers.next().unwrap_or(2);
    let mut sizes: Vec<usize> = numbers.collect();
    if sizes.is_empty() {
        sizes = vec![65_536, 12_288, 8192, 1024, 64];
    }
    println!("message     offload      Gb/s   CPU-s/GB   bytes/send   bytes/receive");
    for size in sizes {
        for offload in [Offload::Automatic, Offload::Off] {
            measure(size, offload, Duration::from_secs(seconds as u64));
        }
    }
    ping_pong();
}

fn localhost(last: u8) -> IpAddr {
    Ipv4Addr::new(127, 0, 0, last).into()
}

fn options() -> Options {
    Profile::Datacenter.options()
}

fn endpoint(last: u8, offload: Offload) -> Endpoint {
    let mut config = Config::udp([localhost(last)], 0);
    config.offload = offload;
    Endpoint::bind(config).expect("bind")
}

fn associate(client: &Endpoint, server: &Endpoint) -> (Association, Association) {
    let listener = server.listen(5001, options()).expect("listen");
    let port = server.udp_port().expect("a port");
    let target = Target::over_udp([localhost(2)], port, 5001).with_options(options());
    let near = client.connect(target).expect("connect");
    (near, listener.accept().expect("accept"))
}

fn measure(size: usize, offload: Offload, span: Duration) {
    let (client, server) = (endpoint(1, offload), endpoint(2, offload));
    let (near, far) = associate(&client, &server);
    let (begin, cpu) = (Instant::now(), cpu_time());
    let receiving = thread::spawn(move || {
        let mut bytes = 0;
        while let Ok(Some(received)) = far.receive() {
            bytes += received.message.payload.len();
        }
        bytes
    });
    let mut byte = 0_u8;
    while begin.elapsed() < span {
        // Written before it is sent, as programs do.
        byte = byte.wrapping_add(1);
        near.send(Message::new(StreamId(0), vec![byte; size]))
            .expect("send");
    }
    let path = near.path_stats().pop();
    near.shutdown().expect("shutdown");
    let bytes = receiving.join().expect("receiver") as f64;
    let (elapsed, cpu) = (begin.elapsed().as_secs_f64(), cpu_time() - cpu);
    let (out, into) = (client.carrier_stats(), server.carrier_stats());
    println!(
        "{size:>7}   {:>9}   {:>7.2}   {:>8.3}   {:>10.0}   {:>13.0}",
        format!("{offload:?}"),
        bytes * 8.0 / elapsed / 1e9,
        cpu / (bytes / 1e9),
        bytes / out.send_calls as f64,
        bytes / into.receive_calls as f64,
    );
    let dropped = into.dropped + out.dropped;
    if let Some(path) = path.filter(|path| path.retransmissions + dropped > 0) {
        println!(
            "          {} retransmissions, {} of them fast, {} timeouts; sockets dropped {dropped}",
            path.retransmissions, path.fast_retransmissions, path.timeouts,
        );
    }
}

fn ping_pong() {
    const ROUNDS: u32 = 20_000;
    let (client, server) = (
        endpoint(1, Offload::Automatic),
        endpoint(2, Offload::Automatic),
    );
    let (near, far) = associate(&client, &server);
    let echoing = thread::spawn(move || {
        while let Ok(Some(received)) = far.receive() {
            if far.send(received.message).is_err() {
                break;
            }
        }
    });
    let (begin, cpu) = (Instant::now(), cpu_time());
    for _ in 0..ROUNDS {
        near.send(Message::new(StreamId(0), &b"ping"[..]))
            .expect("send");
        near.receive().expect("receive");
    }
    let (elapsed, cpu) = (begin.elapsed(), cpu_time() - cpu);
    println!(
        "ping-pong of 4 bytes: {:?} a round, {:.1} us of CPU",
        elapsed / ROUNDS,
        cpu * 1e6 / f64::from(ROUNDS)
    );
    near.shutdown().expect("shutdown");
    echoing.join().expect("echo");
}

fn cpu_time() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

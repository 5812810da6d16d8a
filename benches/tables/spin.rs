//! Work without tables, for profiling.

use crate::pair::UserData;
use crate::{Args, cpu_time};

use crate::throughput::SIZES;

/// Transfers messages with each stack for `seconds` of CPU time.
pub(crate) fn run(args: &Args, seconds: f64) {
    let Some(size) = SIZES.iter().find(|size| args.wants(size.name)) else {
        return;
    };
    let mut data = UserData::fresh(size.bytes);
    let count = ((1 << 22) / size.bytes) as u64;
    for stack in args.stacks() {
        let mut pair = stack.connect(1);
        let start = cpu_time();
        let (mut messages, mut packets) = (0, 0);
        while (cpu_time() - start).as_secs_f64() < seconds {
            packets += pair.transfer(&mut data, count);
            messages += count;
        }
        let spent = (cpu_time() - start).as_secs_f64();
        println!(
            "{stack}: {messages} messages of {}, {packets} packets, {:.1} MB/s, {:.0} ns/packet",
            size.name,
            (messages * size.bytes as u64) as f64 / spent / 1e6,
            spent * 1e9 / packets as f64,
        );
    }
}

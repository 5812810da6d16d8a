use std::hint::black_box;
use std::thread;
use std::time::Duration;

use super::Meter;

#[test]
fn work_costs_processor_time_and_sleep_does_not() {
    let mut meter = Meter::of_this();
    meter.start();
    thread::sleep(Duration::from_millis(30));
    let idle = meter.stop();
    assert!(idle.seconds >= 0.03);
    meter.start();
    let worker = thread::spawn(|| {
        let mut sum = 0_u64;
        for n in 0..30_000_000_u64 {
            sum = black_box(sum.wrapping_mul(31).wrapping_add(n));
        }
        sum
    });
    black_box(worker.join().expect("a sum"));
    let busy = meter.stop();
    // Other tests run in the same process, so only a lower bound is certain.
    assert!(busy.cpu_seconds > 0.005, "{busy:?}");
    match meter.missing_counters() {
        None => assert!(
            busy.counted
                .is_some_and(|counted| counted.instructions > 30_000_000)
        ),
        Some(_) => assert_eq!(busy.counted, None),
    }
}

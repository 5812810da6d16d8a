use core::convert::Infallible;
use core::time::Duration;
use std::thread;

use super::in_order;

#[test]
fn results_come_in_the_order_of_the_items() {
    let mut taken = Vec::new();
    let work = |item: u64| {
        // The first items take longest.
        thread::sleep(Duration::from_micros(2000_u64.saturating_sub(100 * item)));
        item * item
    };
    let all = in_order(0..50, work, |result| {
        taken.push(result);
        Ok::<(), Infallible>(())
    });
    assert_eq!(all, Ok(()));
    assert!(taken.into_iter().eq((0..50).map(|item| item * item)));
}

#[test]
fn work_ends_with_the_first_result_that_cannot_be_taken() {
    let mut items = 0..1_000_000;
    let broken = in_order(
        items.by_ref(),
        |item| item,
        |item| if item < 10 { Ok(()) } else { Err(item) },
    );
    assert_eq!(broken, Err(10));
    assert!(items.start < 10_000, "{items:?}");
}

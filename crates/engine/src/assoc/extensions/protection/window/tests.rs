use std::vec::Vec;

use super::*;

#[test]
fn each_number_is_taken_once_in_whatever_order() {
    let mut window = ReplayWindow::new(128);
    for number in [0, 5, 3, 200, 100, 199, 73] {
        assert!(window.admits(number), "{number}");
        window.mark(number);
        assert!(!window.admits(number), "{number} again");
    }
}

#[test]
fn what_fell_out_of_the_window_is_not_taken() {
    let mut window = ReplayWindow::new(64);
    window.mark(1000);
    assert!(window.admits(1001 - 64));
    assert!(!window.admits(1000 - 64));
}

#[test]
fn numbers_that_were_passed_over_may_still_come() {
    let mut window = ReplayWindow::new(64);
    (0..64).for_each(|number| window.mark(number));
    window.mark(100);
    let open: Vec<u64> = (0..=100).filter(|number| window.admits(*number)).collect();
    assert_eq!(open, (64..100).collect::<Vec<_>>());
}

#[test]
fn sixteen_bits_mean_the_number_closest_to_the_next() {
    let mut window = ReplayWindow::new(64);
    assert_eq!(window.whole(0xffff), 0xffff);
    assert_eq!(window.whole(0x0001), 0x0001);
    window.mark(0x1_fff0);
    assert_eq!(window.whole(0xffff), 0x1_ffff);
    assert_eq!(window.whole(0x0002), 0x2_0002);
    assert_eq!(window.whole(0x8000), 0x1_8000);
    window.mark(0x2_0010);
    assert_eq!(window.whole(0xfffe), 0x1_fffe);
    assert_eq!(window.whole(0x0011), 0x2_0011);
}

#[test]
fn a_window_at_rest_takes_what_it_would_take_else() {
    let all = [0, 1, 2, 5, 70, 3, 4, 71, 300];
    for lost in 0..=all.len() {
        let mut windows = [(); 2].map(|()| ReplayWindow::new(64));
        for (at, number) in all.into_iter().enumerate() {
            for (place, window) in windows.iter_mut().enumerate() {
                if at != lost && window.admits(number) {
                    window.mark(number);
                }
                if place == 0 {
                    window.rest();
                }
            }
            let [rested, other] = &windows;
            assert!((0..400).all(|number| rested.admits(number) == other.admits(number)));
        }
    }
    let mut window = ReplayWindow::new(2048);
    assert_eq!(window.footprint(), 0);
    (0..3000).for_each(|number| window.mark(number));
    assert_eq!(window.footprint(), 256);
    window.rest();
    assert_eq!(window.footprint(), 0);
}

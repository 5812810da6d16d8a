use super::*;

/// A window that stored so many messages of `payload` bytes.
fn filled(size: usize, messages: usize, payload: usize) -> Window {
    let mut window = Window::new(size);
    for _ in 0..messages {
        window.on_arrival(payload);
        window.charge(payload, MESSAGE_OVERHEAD);
    }
    window
}

#[test]
fn large_messages_narrow_the_window_by_their_payload() {
    let window = filled(1 << 20, 100, 1452);
    assert_eq!(window.advertisement(), (1 << 20) - 145_200);
}

#[test]
fn an_empty_window_is_the_whole_buffer() {
    assert_eq!(Window::new(1 << 20).advertisement(), 1 << 20);
}

#[test]
fn a_peer_that_fills_the_window_with_small_messages_finds_room_for_all() {
    for payload in [1, 8, 64, 200, 1000, 1452] {
        let size = 1 << 20;
        let mut window = filled(size, 1000, payload);
        // The mean is that of a running average, right to a hundredth.
        let messages = window.advertisement() as usize / payload * 99 / 100;
        for _ in 0..messages {
            assert!(window.room() > 0, "{payload}");
            window.on_arrival(payload);
            window.charge(payload, MESSAGE_OVERHEAD);
        }
    }
}

#[test]
fn a_closed_window_opens_by_a_segment_at_least() {
    let mut window = filled(100_000, 69, 1452);
    window.on_advertised(0);
    window.release(1000, 0);
    assert_eq!(window.advertisement(), 0);
    window.release(1000, 0);
    assert!(window.advertisement() >= 1452);
}

#[test]
fn the_reader_of_a_closed_window_updates_it_after_a_quarter() {
    let mut window = filled(100_000, 69, 1452);
    window.on_advertised(0);
    let mut read = 0;
    while !window.update_is_due(Drained::No) {
        window.release(1452, MESSAGE_OVERHEAD);
        read += 1452;
    }
    assert!((25_000..28_000).contains(&read));
    window.on_advertised(window.advertisement());
    assert!(!window.update_is_due(Drained::No));
}

#[test]
fn the_reader_of_the_last_message_updates_a_closed_window_sooner() {
    let mut window = filled(100_000, 69, 1452);
    window.on_advertised(0);
    window.release(3000, 0);
    assert!(!window.update_is_due(Drained::No));
    assert!(window.update_is_due(Drained::Yes));
}

#[test]
fn a_wide_window_is_never_updated() {
    let mut window = filled(100_000, 20, 1452);
    window.on_advertised(window.advertisement());
    window.release(20 * 1452, 20 * MESSAGE_OVERHEAD);
    assert!(!window.update_is_due(Drained::Yes));
}

#[test]
fn an_empty_buffer_of_tiny_messages_is_advertised_whole() {
    let mut window = Window::new(4096);
    for _ in 0..500 {
        window.on_arrival(4);
        window.charge(4, MESSAGE_OVERHEAD);
        window.release(4, MESSAGE_OVERHEAD);
    }
    assert_eq!(window.promised, 4096 - 4 * 500);
    window.on_advertised(10);
    assert!(window.update_is_due(Drained::Yes));
    assert!(!window.is_narrow());
    assert!(window.advertisement() > 200, "{}", window.advertisement());
}

#[test]
fn exactly_the_available_window_can_be_granted() {
    for size in [1, 3, 600, 65_536, 1 << 20, u32::MAX as usize] {
        for (messages, payload) in [(0, 1), (1, 1), (7, 33), (40, 1452), (500, 64)] {
            let window = filled(size, messages, payload);
            let available = window.available();
            assert!(window.can_grant(available), "{window:?}");
            assert!(!window.can_grant(available + 1), "{window:?}");
        }
    }
}

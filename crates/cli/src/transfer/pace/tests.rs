use super::*;

#[test]
fn a_pace_lets_as_much_pass_as_its_rate_says() {
    let mut pace = Pace::new(1000);
    let mut now = Instant::now();
    let began = now;
    let mut sent = 0;
    while sent < 10_000 {
        match pace.wait_at(sent, now) {
            Some(wait) => now += wait,
            None => sent += 100,
        }
    }
    let took = (now - began).as_secs_f64();
    assert!((9.5..10.5).contains(&took), "{took}");
}

#[test]
fn a_pause_earns_next_to_no_burst() {
    let mut pace = Pace::new(1000);
    let now = Instant::now();
    assert_eq!(pace.wait_at(0, now), None);
    let later = now + Duration::from_secs(100);
    assert_eq!(pace.wait_at(0, later), None);
    assert_eq!(pace.wait_at(500, later), Some(Duration::from_millis(400)));
}

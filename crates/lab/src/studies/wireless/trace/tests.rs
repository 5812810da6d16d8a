use super::{AGAIN, Event, REPORTED, SENT, Said, around_the_first};

fn event(time: f64, tsn: u32, said: Said) -> Event {
    Event { time, tsn, said }
}

#[test]
fn the_trace_begins_before_the_chunk_that_is_sent_twice() {
    let mut events: Vec<Event> = (0..20)
        .map(|at| event(f64::from(at), 100 + at, Said::Sent))
        .collect();
    events.insert(12, event(11.2, 110, Said::Damaged));
    events.insert(13, event(11.4, 110, Said::Sent));
    events.insert(14, event(11.6, 110, Said::Damaged));
    let series = around_the_first(&events);
    let names: Vec<&str> = series.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, [SENT, AGAIN, REPORTED]);
    assert_eq!(series[0].points[0], (-6000.0, -6.0));
    assert_eq!(series[1].points.len(), 1);
    assert!((series[1].points[0].0 - 1400.0).abs() < 1e-6);
    assert_eq!(series[2].points.len(), 1, "a repeated report is no news");
}

#[test]
fn without_a_retransmission_there_is_no_trace() {
    let events = [event(0.0, 1, Said::Sent), event(0.1, 2, Said::Sent)];
    assert!(around_the_first(&events).is_empty());
}

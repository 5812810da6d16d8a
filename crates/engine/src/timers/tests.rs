use super::*;

const T3: Timer = Timer::Retransmission(PathIndex(0));

#[test]
fn expired_timers_come_out_earliest_first_and_once() {
    let mut timers = Timers::default();
    timers.set(T3, Time::from_millis(20));
    timers.set(Timer::Init, Time::from_millis(10));
    timers.set(Timer::Shutdown, Time::from_millis(30));
    assert_eq!(timers.next(), Some(Time::from_millis(10)));
    assert_eq!(timers.pop_expired(Time::from_millis(9)), None);
    assert_eq!(timers.pop_expired(Time::from_millis(20)), Some(Timer::Init));
    assert_eq!(timers.pop_expired(Time::from_millis(20)), Some(T3));
    assert_eq!(timers.pop_expired(Time::from_millis(20)), None);
    assert_eq!(timers.next(), Some(Time::from_millis(30)));
}

#[test]
fn setting_a_running_timer_moves_it() {
    let mut timers = Timers::default();
    timers.set(T3, Time::from_millis(20));
    timers.set(T3, Time::from_millis(40));
    timers.set_if_stopped(T3, Time::from_millis(1));
    assert_eq!(timers.next(), Some(Time::from_millis(40)));
    timers.stop(T3);
    assert_eq!(timers.next(), None);
}

//! A driver that was held up.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};
use std::thread;
use std::time::Duration;

use sheave::options::Heartbeats;
use sheave::tokio::Endpoint;
use sheave::{Config, Options, Profile, Target};

use crate::pair::{PORT, localhost, numbered};
use crate::tasks::run;

const RTO: Duration = Duration::from_millis(250);
/// SACKs come in time for the timer.
const SACK_DELAY: Duration = Duration::from_millis(100);
/// Time for which the driver is held up: until after the timer.
const HELD_UP: Duration = Duration::from_millis(500);

/// Holds up the thread that wakes it.
struct Obstacle;

impl Wake for Obstacle {
    fn wake(self: Arc<Self>) {
        thread::sleep(HELD_UP);
    }
}

fn options() -> Options {
    Options {
        rto_initial: RTO,
        rto_min: RTO,
        rto_max: RTO,
        sack_delay: SACK_DELAY,
        heartbeats: Heartbeats::Off,
        ..Profile::Rfc9260.options()
    }
}

fn bind(last: u8) -> Endpoint {
    Endpoint::bind(Config::udp([localhost(last)], 0)).unwrap()
}

fn target(last: u8, endpoint: &Endpoint) -> Target {
    let port = endpoint.udp_port().unwrap();
    Target::over_udp([localhost(last)], port, PORT).with_options(options())
}

/// A driver that lost its processor for a while reads what has come before it runs timers.
#[test]
fn a_sack_that_came_in_time_counts_however_late_the_driver_is() {
    run(async {
        let (near, far, third) = (bind(1), bind(2), bind(3));
        let near_listener = near.listen(PORT, options()).unwrap();
        let far_listener = far.listen(PORT, options()).unwrap();
        let (sending, _receiving) =
            tokio::join!(near.connect(target(2, &far)), far_listener.accept());
        let (disturbing, disturbed) =
            tokio::join!(third.connect(target(1, &near)), near_listener.accept());
        let (sending, disturbed) = (sending.unwrap(), disturbed.unwrap());
        let waker = Waker::from(Arc::new(Obstacle));
        {
            let mut receiving = pin!(disturbed.receive());
            let poll = receiving.as_mut().poll(&mut Context::from_waker(&waker));
            assert!(poll.is_pending());
        }
        sending.send(numbered(0, 1, 100)).await.unwrap();
        let disturbance = numbered(0, 2, 100);
        disturbing.unwrap().send(disturbance).await.unwrap();
        tokio::time::sleep(2 * HELD_UP).await;
        assert!(disturbed.try_receive().is_ok(), "nothing held it up");
        assert_eq!(sending.stats().unwrap().timeouts, 0);
    });
}

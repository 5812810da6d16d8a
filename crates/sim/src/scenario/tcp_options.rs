use super::section::Section;
use super::{ScenarioError, quantity};
use crate::tcp::{
    Acknowledgement, Congestion, Counting, InitialWindow, LossDetection, Nagle, Options, Selective,
    SlowStartExit, Timestamps, WindowScaling,
};

/// Parameters of a TCP: a profile and overrides, with their Rust names.
pub(super) fn options(section: &mut Section<'_>) -> Result<Options, ScenarioError> {
    let profiles: [(_, fn() -> Options); 3] = [
        ("rfc", Options::default),
        ("linux-2006", Options::linux_2006),
        ("linux-like", Options::linux_like),
    ];
    let usual = section.choice("profile", &profiles, Options::default)?();
    let acknowledgement = section.table("acknowledgement", acknowledgement)?;
    let (bytes, count, time) = (
        quantity::bytes::<usize>,
        quantity::count::<u32>,
        quantity::duration,
    );
    let congestion = [
        ("new-reno", Congestion::NewReno),
        ("cubic", Congestion::Cubic),
    ];
    let counting = [
        ("bytes", Counting::Bytes),
        ("acknowledgements", Counting::Acknowledgements),
    ];
    let selective = [("on", Selective::On), ("off", Selective::Off)];
    let loss_detection = [("sack", LossDetection::Sack), ("rack", LossDetection::Rack)];
    let window_scaling = [("on", WindowScaling::On), ("off", WindowScaling::Off)];
    let timestamps = [("on", Timestamps::On), ("off", Timestamps::Off)];
    let nagle = [("on", Nagle::On), ("off", Nagle::Off)];
    let initial_window = [
        ("rfc5681", InitialWindow::Rfc5681),
        ("rfc6928", InitialWindow::Rfc6928),
    ];
    let slow_start_exit = [
        ("loss", SlowStartExit::Loss),
        ("hystart", SlowStartExit::HyStart),
    ];
    Ok(Options {
        mss: section.or("mss", quantity::bytes, usual.mss)?,
        send_buffer: section.or("send_buffer", bytes, usual.send_buffer)?,
        receive_buffer: section.or("receive_buffer", bytes, usual.receive_buffer)?,
        rto_initial: section.or("rto_initial", time, usual.rto_initial)?,
        rto_min: section.or("rto_min", time, usual.rto_min)?,
        rto_max: section.or("rto_max", time, usual.rto_max)?,
        time_wait: section.or("time_wait", time, usual.time_wait)?,
        slow_start_limit: section.or("slow_start_limit", count, usual.slow_start_limit)?,
        syn_retries: section.or("syn_retries", count, usual.syn_retries)?,
        retries: section.or("retries", count, usual.retries)?,
        congestion: section.choice("congestion", &congestion, usual.congestion)?,
        counting: section.choice("counting", &counting, usual.counting)?,
        selective: section.choice("selective", &selective, usual.selective)?,
        loss_detection: section.choice("loss_detection", &loss_detection, usual.loss_detection)?,
        window_scaling: section.choice("window_scaling", &window_scaling, usual.window_scaling)?,
        timestamps: section.choice("timestamps", &timestamps, usual.timestamps)?,
        nagle: section.choice("nagle", &nagle, usual.nagle)?,
        initial_window: section.choice("initial_window", &initial_window, usual.initial_window)?,
        slow_start_exit: section.choice(
            "slow_start_exit",
            &slow_start_exit,
            usual.slow_start_exit,
        )?,
        acknowledgement: acknowledgement.unwrap_or(usual.acknowledgement),
    })
}

/// Reads the acknowledgement policy: after a number of segments, and at the latest after a timeout.
fn acknowledgement(section: &mut Section<'_>) -> Result<Acknowledgement, ScenarioError> {
    Ok(match section.required("segments", quantity::count)? {
        1 => Acknowledgement::Immediate,
        segments => Acknowledgement::Delayed {
            segments,
            timeout: section.required("timeout", quantity::duration)?,
        },
    })
}

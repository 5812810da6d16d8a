use super::section::Section;
use super::{ScenarioError, quantity, set};
use crate::tcp::{
    Acknowledgement, Congestion, Counting, InitialWindow, LossDetection, Nagle, Options, Selective,
    SlowStartExit, Timestamps, WindowScaling,
};

#[derive(Clone, Copy)]
enum Profile {
    Rfc,
    LinuxLike,
}

/// Parameters of a TCP: a profile and overrides, with their Rust names.
pub(super) fn options(mut section: Section<'_>) -> Result<Options, ScenarioError> {
    let profiles = [("rfc", Profile::Rfc), ("linux-like", Profile::LinuxLike)];
    let profile = section.word("profile", &profiles)?;
    let mut options = match profile.unwrap_or(Profile::Rfc) {
        Profile::Rfc => Options::default(),
        Profile::LinuxLike => Options::linux_like(),
    };
    set(&mut section, "mss", &mut options.mss, quantity::bytes)?;
    let sizes = [
        ("send_buffer", &mut options.send_buffer),
        ("receive_buffer", &mut options.receive_buffer),
    ];
    for (key, option) in sizes {
        set(&mut section, key, option, quantity::bytes)?;
    }
    let durations = [
        ("rto_initial", &mut options.rto_initial),
        ("rto_min", &mut options.rto_min),
        ("rto_max", &mut options.rto_max),
        ("time_wait", &mut options.time_wait),
    ];
    for (key, option) in durations {
        set(&mut section, key, option, quantity::duration)?;
    }
    let counts = [
        ("slow_start_limit", &mut options.slow_start_limit),
        ("syn_retries", &mut options.syn_retries),
        ("retries", &mut options.retries),
    ];
    for (key, option) in counts {
        set(&mut section, key, option, quantity::count)?;
    }
    variants(&mut section, &mut options)?;
    section.finish()?;
    Ok(options)
}

fn variants(section: &mut Section<'_>, options: &mut Options) -> Result<(), ScenarioError> {
    fn choose<T: Copy>(
        section: &mut Section<'_>,
        key: &'static str,
        option: &mut T,
        words: &[(&'static str, T)],
    ) -> Result<(), ScenarioError> {
        if let Some(chosen) = section.word(key, words)? {
            *option = chosen;
        }
        Ok(())
    }
    let congestion = [
        ("new-reno", Congestion::NewReno),
        ("cubic", Congestion::Cubic),
    ];
    choose(section, "congestion", &mut options.congestion, &congestion)?;
    let counting = [
        ("bytes", Counting::Bytes),
        ("acknowledgements", Counting::Acknowledgements),
    ];
    choose(section, "counting", &mut options.counting, &counting)?;
    let selective = [("on", Selective::On), ("off", Selective::Off)];
    choose(section, "selective", &mut options.selective, &selective)?;
    let detection = [("sack", LossDetection::Sack), ("rack", LossDetection::Rack)];
    choose(
        section,
        "loss_detection",
        &mut options.loss_detection,
        &detection,
    )?;
    let scaling = [("on", WindowScaling::On), ("off", WindowScaling::Off)];
    choose(
        section,
        "window_scaling",
        &mut options.window_scaling,
        &scaling,
    )?;
    let timestamps = [("on", Timestamps::On), ("off", Timestamps::Off)];
    choose(section, "timestamps", &mut options.timestamps, &timestamps)?;
    let nagle = [("on", Nagle::On), ("off", Nagle::Off)];
    choose(section, "nagle", &mut options.nagle, &nagle)?;
    let initial_window = [
        ("rfc5681", InitialWindow::Rfc5681),
        ("rfc6928", InitialWindow::Rfc6928),
    ];
    choose(
        section,
        "initial_window",
        &mut options.initial_window,
        &initial_window,
    )?;
    let exits = [
        ("loss", SlowStartExit::Loss),
        ("hystart", SlowStartExit::HyStart),
    ];
    choose(
        section,
        "slow_start_exit",
        &mut options.slow_start_exit,
        &exits,
    )?;
    let acknowledgement = section.table("acknowledgement", acknowledgement)?;
    if let Some(acknowledgement) = acknowledgement {
        options.acknowledgement = acknowledgement;
    }
    Ok(())
}

/// Reads the acknowledgement policy: after a number of segments, and at the latest after a timeout.
fn acknowledgement(mut section: Section<'_>) -> Result<Acknowledgement, ScenarioError> {
    let segments = section.required("segments", quantity::count)?;
    let acknowledgement = if segments == 1 {
        Acknowledgement::Immediate
    } else {
        Acknowledgement::Delayed {
            segments,
            timeout: section.required("timeout", quantity::duration)?,
        }
    };
    section.finish()?;
    Ok(acknowledgement)
}

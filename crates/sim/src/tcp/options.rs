use core::time::Duration;

/// The congestion control of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Congestion {
    /// Slow start and additive increase, RFC 5681.
    #[default]
    NewReno,
    /// CUBIC, RFC 9438.
    Cubic,
}

/// NewReno's method of counting in congestion avoidance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Counting {
    /// A segment per window of acknowledged bytes, as RFC 5681 §3.1 recommends: delayed
    /// acknowledgements do not slow the growth.
    #[default]
    Bytes,
    /// 1/cwnd per acknowledgement, as older stacks and ns-2 do: acknowledging every second segment
    /// halves the growth.
    Acknowledgements,
}

/// Whether selective acknowledgements are offered (RFC 2018) and lead the recovery (RFC 6675).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Selective {
    /// SACK is offered.
    #[default]
    On,
    /// SACK is not offered: one loss per round trip is repaired (RFC 6582).
    Off,
}

/// The method of loss detection, if SACK was agreed on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LossDetection {
    /// By SACKed data above a hole (RFC 6675).
    #[default]
    Sack,
    /// By time since transmission, with tail loss probes (RACK-TLP, RFC 8985).
    Rack,
}

/// Whether a window scale is offered (RFC 7323 §2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WindowScaling {
    /// The shift is as large as the receive buffer needs.
    #[default]
    On,
    /// No window above 65535 bytes.
    Off,
}

/// Whether timestamps are offered (RFC 7323 §3), which take 12 bytes of each segment.
///
/// Only their size matters here: round trips are measured from transmission times, and sequence
/// numbers do not wrap within a segment's lifetime.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Timestamps {
    /// Timestamps are not offered.
    #[default]
    Off,
    /// Each segment carries timestamps, if the peer offers these, too.
    On,
}

/// Whether a small segment waits while anything is unacknowledged (RFC 9293 §3.7.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Nagle {
    /// Small segments wait.
    #[default]
    On,
    /// Small segments leave at once (TCP_NODELAY).
    Off,
}

/// When received data is acknowledged; out-of-order data always at once (RFC 5681 §4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Acknowledgement {
    /// Every segment.
    Immediate,
    /// Every `segments` full-sized segments, and at the latest `timeout` after the first.
    Delayed {
        /// Full-sized segments to one acknowledgement. 1 up; RFC 5681 allows 2.
        segments: u32,
        /// At most 500 ms (RFC 5681 §4.2).
        timeout: Duration,
    },
}

/// The first congestion window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum InitialWindow {
    /// Two to four segments by their size (RFC 5681 §3.1).
    #[default]
    Rfc5681,
    /// Ten segments (RFC 6928).
    Rfc6928,
}

/// The event that ends CUBIC's slow start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SlowStartExit {
    /// A loss ends it.
    #[default]
    Loss,
    /// A loss or HyStart, as in Linux: long acknowledgement trains, or growing round trips.
    HyStart,
}

/// Options of a connection. The default is the letter of the RFCs; see also
/// [`linux_like`](Self::linux_like).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The MSS that is offered, bytes of payload and options. 88 up; default 1460, which is an MTU
    /// of 1500 less two headers of 20.
    pub mss: u16,
    /// Send buffer size, bytes. At least 1; default 1 MiB.
    pub send_buffer: usize,
    /// Receive buffer size, which limits the window, bytes. At least 1; default 1 MiB.
    pub receive_buffer: usize,
    /// The congestion control.
    pub congestion: Congestion,
    /// NewReno's method of counting in congestion avoidance.
    pub counting: Counting,
    /// SACK.
    pub selective: Selective,
    /// The method of loss detection; without SACK, always duplicate acknowledgements (RFC 6582).
    pub loss_detection: LossDetection,
    /// Whether a window scale is offered.
    pub window_scaling: WindowScaling,
    /// Timestamps.
    pub timestamps: Timestamps,
    /// Nagle's algorithm.
    pub nagle: Nagle,
    /// When data is acknowledged. Default: every second segment, 200 ms.
    pub acknowledgement: Acknowledgement,
    /// The initial window.
    pub initial_window: InitialWindow,
    /// Largest growth of the window per acknowledgement in slow start, segments: 1 as in
    /// RFC 5681 §3.1 (default), 2 as in RFC 3465 §2.2.
    pub slow_start_limit: u32,
    /// The event that ends slow start; NewReno always uses losses alone.
    pub slow_start_exit: SlowStartExit,
    /// Timeout before the first round-trip measurement; default 1 s (RFC 6298 §2.1).
    pub rto_initial: Duration,
    /// The smallest timeout: 1 s in RFC 6298 §2.4 (default), 200 ms in Linux.
    pub rto_min: Duration,
    /// The largest timeout; default 60 s (RFC 6298 §2.5).
    pub rto_max: Duration,
    /// Unanswered retransmissions of a SYN after which the connection fails; default 6.
    pub syn_retries: u32,
    /// Unanswered retransmissions of data after which the connection fails (R2 of RFC 9293 §3.8.3);
    /// default 15.
    pub retries: u32,
    /// Duration of TIME-WAIT, twice the maximum segment lifetime; default 60 s.
    pub time_wait: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            mss: 1460,
            send_buffer: 1 << 20,
            receive_buffer: 1 << 20,
            congestion: Congestion::default(),
            counting: Counting::default(),
            selective: Selective::default(),
            loss_detection: LossDetection::default(),
            window_scaling: WindowScaling::default(),
            timestamps: Timestamps::default(),
            nagle: Nagle::default(),
            acknowledgement: Acknowledgement::Delayed {
                segments: 2,
                timeout: Duration::from_millis(200),
            },
            initial_window: InitialWindow::default(),
            slow_start_limit: 1,
            slow_start_exit: SlowStartExit::default(),
            rto_initial: Duration::from_secs(1),
            rto_min: Duration::from_secs(1),
            rto_max: Duration::from_secs(60),
            syn_retries: 6,
            retries: 15,
            time_wait: Duration::from_secs(60),
        }
    }
}

impl Options {
    /// Options as close as possible to a Linux kernel's defaults: CUBIC, an initial window of ten
    /// segments, growth of at most two segments per acknowledgement, HyStart, RACK-TLP, timestamps,
    /// minimum RTO 200 ms, acknowledgements delayed by at most 40 ms.
    ///
    /// DSACK and F-RTO are missing.
    #[must_use]
    pub fn linux_like() -> Self {
        Self {
            congestion: Congestion::Cubic,
            loss_detection: LossDetection::Rack,
            timestamps: Timestamps::On,
            initial_window: InitialWindow::Rfc6928,
            slow_start_limit: 2,
            slow_start_exit: SlowStartExit::HyStart,
            rto_min: Duration::from_millis(200),
            rto_max: Duration::from_secs(120),
            acknowledgement: Acknowledgement::Delayed {
                segments: 2,
                timeout: Duration::from_millis(40),
            },
            ..Self::default()
        }
    }

    /// Linux around version 2.6.16. Its default, BIC, grows like `NewReno` below windows of 14
    /// packets, so `NewReno` replaces it.
    #[must_use]
    pub fn linux_2006() -> Self {
        Self {
            counting: Counting::Acknowledgements,
            initial_window: InitialWindow::Rfc5681,
            rto_initial: Duration::from_secs(3),
            rto_min: Duration::from_millis(200),
            rto_max: Duration::from_secs(120),
            acknowledgement: Acknowledgement::Delayed {
                segments: 2,
                timeout: Duration::from_millis(40),
            },
            ..Self::default()
        }
    }

    /// The shift with which a header can express the whole receive buffer (RFC 7323 §2.2).
    pub(crate) const fn scale(&self) -> u8 {
        let mut shift = 0;
        while shift < 14 && (self.receive_buffer >> shift) > 65535 {
            shift += 1;
        }
        shift
    }
}

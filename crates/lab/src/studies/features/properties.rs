use super::{NAME, checksums, runs};
use crate::estimate::shown;
use crate::{Cell, Measured, Settings, Summary};

/// A row of the table: a property, its measurement, and the paper's answers.
pub(super) struct Property {
    /// Id of the corresponding claim.
    pub(super) id: &'static str,
    /// The paper's name for the property.
    pub(super) name: &'static str,
    /// The experiment that measures the property.
    pub(super) experiment: &'static str,
    /// The paper's answers for TCP, UDP and SCTP.
    pub(super) paper: [&'static str; 3],
    /// Description of the evidence.
    pub(super) shown_as: &'static str,
    /// The metrics used as evidence.
    metrics: &'static [&'static str],
    /// Derivation of our answer from the metrics.
    content: Content,
    /// The reason why the transports differ.
    pub(super) why: &'static str,
    /// Measures the property for a transport and a seed.
    pub(super) run: fn(&str, u64) -> Result<Measured, String>,
}

/// Returns a run's metric by name.
type Metric<'a> = &'a dyn Fn(&str) -> f64;

/// Derivation of an answer from the metrics of the runs.
enum Content {
    /// Y if the condition holds in all runs, N if it holds in none.
    Has(fn(Metric<'_>) -> bool),
    /// A number of bits, taken from the metric with this name.
    Bits(&'static str),
}

pub(super) const PROPERTIES: [Property; 10] = [
    Property {
        id: "FE-1",
        name: "connection-oriented",
        experiment: "connection",
        paper: ["Y", "N", "Y"],
        shown_as: "messages delivered with the way back open, and cut",
        metrics: &["delivered_both_ways", "delivered_one_way"],
        content: Content::Has(|metric| {
            metric("delivered_both_ways") == metric("sent") && metric("delivered_one_way") == 0.0
        }),
        why: "A connection begins with a handshake, which needs the way back; UDP sends to whom it \
              may concern.",
        run: runs::connection,
    },
    Property {
        id: "FE-2",
        name: "reliable transport",
        experiment: "reliable",
        paper: ["Y", "N", "Y"],
        shown_as: "messages delivered of 1000",
        metrics: &["delivered"],
        content: Content::Has(|metric| metric("delivered") == metric("sent")),
        why: "What is not acknowledged is sent again; UDP acknowledges nothing.",
        run: runs::reliable,
    },
    Property {
        id: "FE-3",
        name: "preserves message boundaries",
        experiment: "boundaries",
        paper: ["N", "Y", "Y"],
        shown_as: "reads of 40 writes, and those with the size of the write",
        metrics: &["read", "same_size"],
        content: Content::Has(|metric| {
            metric("read") == metric("sent")
                && metric("same_size") == metric("sent")
                && metric("bytes_missing") == 0.0
        }),
        why: "TCP carries a stream of bytes: what is read depends on how segments were cut and on \
              when one reads.",
        run: runs::boundaries,
    },
    Property {
        id: "FE-4",
        name: "in-order delivery",
        experiment: "ordered",
        paper: ["Y", "N", "Y"],
        shown_as: "messages delivered while an earlier one was missing",
        metrics: &["ahead"],
        content: Content::Has(|metric| metric("ahead") == 0.0 && metric("delivered") > 0.0),
        why: "A receiver that numbers what it gets can hold back what is early; UDP has no numbers.",
        run: runs::ordered,
    },
    Property {
        id: "FE-5",
        name: "unordered delivery",
        experiment: "unordered",
        paper: ["N", "Y", "Y"],
        shown_as: "messages delivered while an earlier one was missing",
        metrics: &["ahead"],
        content: Content::Has(|metric| metric("ahead") > 0.0),
        why: "SCTP's sender marks a message as unordered, and it overtakes a lost one; TCP has but \
              one order.",
        run: runs::unordered,
    },
    Property {
        id: "FE-6",
        name: "data checksum",
        experiment: "checksum",
        paper: ["16 bit", "16 bit", "32 bit"],
        shown_as: "bits of checksum; messages delivered wrong",
        metrics: &["width_bits", "delivered_wrong"],
        content: Content::Bits("width_bits"),
        why: "Two wrong bits in the same column of 16, one up and one down, leave the sum of TCP \
              and UDP as it was; CRC32c finds every pair at these lengths.",
        run: checksums::run,
    },
    Property {
        id: "FE-7",
        name: "flow control",
        experiment: "flow-control",
        paper: ["Y", "N", "Y"],
        shown_as: "bytes on the link while the reader stopped; messages delivered of 9000",
        metrics: &["bytes_while_stopped", "delivered"],
        content: Content::Has(|metric| {
            metric("bytes_while_stopped") < 0.01 * 5.0 * 10e6 / 8.0
                && metric("delivered") == metric("written")
        }),
        why: "The window that a receiver offers closes, and only probes are sent until it opens; a \
              UDP socket drops what finds its buffer full.",
        run: runs::flow_control,
    },
    Property {
        id: "FE-8",
        name: "congestion control",
        experiment: "congestion-control",
        paper: ["Y", "N", "Y"],
        shown_as: "share of the bottleneck for itself, for the other TCP; share of packets dropped",
        metrics: &["own_share", "rival_share", "dropped_share"],
        content: Content::Has(|metric| metric("rival_share") >= 0.25),
        why: "A sender that halves its window for a loss leaves room; UDP goes on as before, and \
              the other gives way.",
        run: runs::congestion_control,
    },
    Property {
        id: "FE-9",
        name: "multiple streams within a session",
        experiment: "streams",
        paper: ["N", "N", "Y"],
        shown_as: "streams seen; messages ahead of others, and of their own stream",
        metrics: &["streams", "ahead", "ahead_within"],
        content: Content::Has(|metric| {
            metric("streams") > 1.0 && metric("ahead_within") == 0.0 && metric("ahead") > 0.0
        }),
        why: "Order is kept stream by stream: a lost message holds back only its own.",
        run: runs::streams,
    },
    Property {
        id: "FE-10",
        name: "multi-homing",
        experiment: "multi-homing",
        paper: ["N", "N", "Y"],
        shown_as: "messages delivered of 1000",
        metrics: &["delivered"],
        content: Content::Has(|metric| metric("delivered") == metric("sent")),
        why: "An association knows all addresses of both ends and sends again on the other path; a \
              connection or socket is bound to one pair of addresses.",
        run: runs::multi_homing,
    },
];

impl Property {
    /// Our answer for a transport if all runs agree, else `mixed`; `None` if it was not run.
    pub(super) fn cell(&self, summary: &Summary, transport: &str) -> Option<String> {
        let cell = self.records(summary, transport)?;
        Some(match self.content {
            Content::Bits(metric) => {
                let estimate = cell.estimate(metric)?;
                format!("{estimate} bit").replace(".00 bit", " bit")
            }
            Content::Has(has) => {
                let runs = cell.values(self.metrics.first()?).len();
                let metric = |run: usize| {
                    move |name: &str| cell.values(name).get(run).copied().unwrap_or(f64::NAN)
                };
                let with = (0..runs).filter(|run| has(&metric(*run))).count();
                let word = match with {
                    0 => "N",
                    all if all == runs => "Y",
                    _ => "mixed",
                };
                word.to_owned()
            }
        })
    }

    /// The evidence for a transport.
    pub(super) fn evidence(&self, summary: &Summary, transport: &str) -> String {
        let Some(cell) = self.records(summary, transport) else {
            return "not run".to_owned();
        };
        let means = self.metrics.iter().filter_map(|metric| cell.mean(metric));
        let shown: Vec<String> = means.map(plain).collect();
        shown.join("; ")
    }

    fn records<'a>(&self, summary: &'a Summary, transport: &str) -> Option<&'a Cell> {
        let some = Settings::new().with("transport", transport);
        summary.cell(NAME, self.experiment, &some)
    }
}

/// Formats an integer without decimals, and any other number as usual.
fn plain(mean: f64) -> String {
    if mean.fract() == 0.0 {
        format!("{mean:.0}")
    } else {
        shown(mean)
    }
}

use sheave_engine::CustomPolicies;

use crate::{CustomKeys, CustomQueue, CustomTransport};

/// User-defined algorithms that a scenario may name. A user-defined name takes precedence over an
/// equal built-in one.
///
/// ```
/// use sheave_sim::scenario::{CustomAlgorithms, read_with};
/// use sheave_sim::{CustomQueue, NewQueue, PacketQueue, QueuedPacket, Time};
///
/// /// The shortest packet goes first; of equal ones the one that came first.
/// #[derive(Debug, Default)]
/// struct ShortestFirst(Vec<QueuedPacket>);
///
/// impl PacketQueue for ShortestFirst {
///     fn push(&mut self, _: Time, packet: QueuedPacket) -> Option<QueuedPacket> {
///         self.0.push(packet);
///         None
///     }
///
///     fn pop(&mut self, _: Time, _: &mut Vec<QueuedPacket>) -> Option<QueuedPacket> {
///         let shortest = (0..self.0.len()).min_by_key(|at| self.0[*at].len())?;
///         Some(self.0.remove(shortest))
///     }
///
///     fn len(&self) -> usize {
///         self.0.len()
///     }
/// }
///
/// let make = |_: NewQueue| -> Box<dyn PacketQueue> { Box::<ShortestFirst>::default() };
/// let own = CustomAlgorithms::default().with_queue(CustomQueue { name: "shortest-first", make });
/// let cases = read_with(
///     r#"
///     duration = "1 s"
///     hosts = ["A", "B"]
///     link.wire = { ends = ["A", "B"], rate = "1 Mbit/s", queue = { kind = "shortest-first" } }
///     flow.main = { from = "A", to = "B", workload = { kind = "bulk", message = 1000 } }
///     "#,
///     own,
/// )?;
/// let mut run = cases[0].scenario.build(1)?;
/// run.world.run_until(run.end);
/// assert!(run.sink("main").is_some_and(|sink| sink.bytes() > 50_000));
/// # Ok::<(), sheave_sim::scenario::ScenarioError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct CustomAlgorithms {
    /// Congestion controls, acknowledgement policies and schedulers, named by options.
    pub policies: CustomPolicies,
    /// Queues, named by the `kind` of a link's queue.
    pub queues: Vec<CustomQueue>,
    /// Transports, named by the `transport` of a flow.
    pub transports: Vec<CustomTransport>,
    /// Keys of associations with the option `protection`.
    pub keys: Option<CustomKeys>,
}

impl CustomAlgorithms {
    /// Adds a queue.
    #[must_use]
    pub fn with_queue(mut self, queue: CustomQueue) -> Self {
        self.queues.push(queue);
        self
    }

    /// Adds transports.
    #[must_use]
    pub fn with_transports(mut self, transports: &[CustomTransport]) -> Self {
        self.transports.extend(transports);
        self
    }

    /// Sets the keys of protected associations.
    #[must_use]
    pub const fn with_keys(mut self, keys: CustomKeys) -> Self {
        self.keys = Some(keys);
        self
    }
}

impl From<CustomPolicies> for CustomAlgorithms {
    fn from(policies: CustomPolicies) -> Self {
        Self {
            policies,
            ..Self::default()
        }
    }
}

impl From<&CustomPolicies> for CustomAlgorithms {
    fn from(policies: &CustomPolicies) -> Self {
        policies.clone().into()
    }
}

impl From<&Self> for CustomAlgorithms {
    fn from(own: &Self) -> Self {
        own.clone()
    }
}

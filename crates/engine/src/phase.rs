use crate::Phase;

/// An event that can move an association from one phase to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trigger {
    /// A valid INIT ACK came (RFC 9260 §5.1 C).
    InitAckAccepted,
    /// COOKIE ACK came (§5.1 E).
    CookieAckReceived,
    /// A valid COOKIE ECHO came for this very association: actions B and D of §5.2.4.
    CookieEchoAccepted,
    /// ERROR with the cause Stale Cookie came, and another INIT is to follow (§5.2.6).
    StaleCookieReported,
    /// A valid COOKIE ECHO told of a peer that lost its state: action A of §5.2.4.
    PeerRestarted,
    /// Our user wants to close gracefully (§9.2).
    UserShutdown,
    /// Nothing that our user sent is unsent or unacknowledged any more.
    AllDataAcknowledged,
    /// SHUTDOWN came.
    ShutdownReceived,
    /// SHUTDOWN ACK came.
    ShutdownAckReceived,
    /// SHUTDOWN COMPLETE came.
    ShutdownCompleteReceived,
    /// ABORT came, with a tag that §8.5.1 B accepts.
    AbortReceived,
    /// Our user wants to close at once (§9.1).
    UserAbort,
    /// The peer broke a rule for which it is aborted.
    PeerFault,
    /// Max.Init.Retransmits or Association.Max.Retrans was exceeded (§8.1).
    RetransmissionsExceeded,
    /// T5-shutdown-guard expired (§9.2).
    ShutdownGuardExpired,
}

/// The effect of a trigger in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transition {
    /// The association enters that phase, even where it is the one that it was in: a restart.
    To(Phase),
    /// The association ceases to exist.
    Close,
    /// The trigger is in order and is answered; the phase remains.
    Stay,
    /// The trigger is remembered and applied again on entering ESTABLISHED.
    Later,
    /// The trigger has no place here and is dropped.
    Ignore,
}

impl Phase {
    /// The phase of a new association that our user wanted (ASSOCIATE): INIT is sent.
    pub(crate) const BY_ASSOCIATE: Self = Self::CookieWait;
    /// The phase of a new association made from a COOKIE ECHO.
    pub(crate) const BY_COOKIE: Self = Self::Established;

    /// The effect of `trigger` in this phase: the figure of RFC 9260 §4, and what the text says of
    /// the crossings that the figure leaves out.
    ///
    /// ```text
    ///    ASSOCIATE / INIT                                COOKIE ECHO / COOKIE ACK
    ///           |                                                  |
    ///           v       INIT ACK                     COOKIE ACK    v
    ///     COOKIE-WAIT ------------> COOKIE-ECHOED -----------> ESTABLISHED
    ///        ^  |    / COOKIE ECHO     |    |   or COOKIE ECHO  ^ |    |
    ///        |  |                      |    |      (B, D)       | |    |
    ///        |  '----------------------|----|-------------------' |    |
    ///        |      COOKIE ECHO (B)    |    |                     |    |
    ///        '-------------------------'    '-- restart (A) ------+    |
    ///              stale cookie / INIT                            |    |
    ///                                                             |    |
    ///                      SHUTDOWN by our user                   |    | SHUTDOWN came
    ///            .------------------------------------------------'    |
    ///            v                                                     v
    ///     SHUTDOWN-PENDING -------------- SHUTDOWN came -----> SHUTDOWN-RECEIVED
    ///            | all data acknowledged                               | all data acknowledged
    ///            | / SHUTDOWN                                          | / SHUTDOWN ACK
    ///            v                                                     v
    ///      SHUTDOWN-SENT ---- SHUTDOWN came / SHUTDOWN ACK --> SHUTDOWN-ACK-SENT
    ///            |                                                     |
    ///            | SHUTDOWN ACK came            SHUTDOWN COMPLETE came,|
    ///            | / SHUTDOWN COMPLETE          or SHUTDOWN ACK came   |
    ///            v                              / SHUTDOWN COMPLETE    v
    ///         (closed)                                             (closed)
    /// ```
    ///
    /// Restart (A) leads to ESTABLISHED from every phase in which a cookie can carry our tie-tags;
    /// ABORT, either way, and exceeded retransmissions lead from everywhere to (closed).
    pub(crate) const fn next(self, trigger: Trigger) -> Transition {
        use Phase::*;
        use Transition::*;
        match (trigger, self) {
            // §5.1 C; elsewhere §5.2.3.
            (Trigger::InitAckAccepted, CookieWait) => To(CookieEchoed),
            (Trigger::InitAckAccepted, _) => Ignore,

            // §5.1 E; elsewhere §5.2.5.
            (Trigger::CookieAckReceived, CookieEchoed) => To(Established),
            (Trigger::CookieAckReceived, _) => Ignore,

            // §5.2.4 B and D: COOKIE ACK goes out in any case.
            (Trigger::CookieEchoAccepted, CookieWait | CookieEchoed) => To(Established),
            (
                Trigger::CookieEchoAccepted,
                Established | ShutdownPending | ShutdownSent | ShutdownReceived | ShutdownAckSent,
            ) => Stay,

            // §5.2.6, alternatives 1 and 3.
            (Trigger::StaleCookieReported, CookieEchoed) => To(CookieWait),
            (Trigger::StaleCookieReported, _) => Ignore,

            // §5.2.4 A. COOKIE-WAIT has no tie-tags (§5.2.2).
            (Trigger::PeerRestarted, CookieWait) => Ignore,
            (
                Trigger::PeerRestarted,
                CookieEchoed | Established | ShutdownPending | ShutdownSent | ShutdownReceived,
            ) => To(Established),
            // SHUTDOWN ACK and ERROR go out instead.
            (Trigger::PeerRestarted, ShutdownAckSent) => Stay,

            // §9.2. What was sent before the association is up shall still be delivered.
            (Trigger::UserShutdown, CookieWait | CookieEchoed) => Later,
            (Trigger::UserShutdown, Established) => To(ShutdownPending),
            (
                Trigger::UserShutdown,
                ShutdownPending | ShutdownSent | ShutdownReceived | ShutdownAckSent,
            ) => Ignore,

            (Trigger::AllDataAcknowledged, ShutdownPending) => To(ShutdownSent),
            (Trigger::AllDataAcknowledged, ShutdownReceived) => To(ShutdownAckSent),
            (Trigger::AllDataAcknowledged, Established) => Stay,
            (
                Trigger::AllDataAcknowledged,
                CookieWait | CookieEchoed | ShutdownSent | ShutdownAckSent,
            ) => Ignore,

            (Trigger::ShutdownReceived, CookieWait | CookieEchoed) => Ignore,
            (Trigger::ShutdownReceived, Established | ShutdownPending) => To(ShutdownReceived),
            // Both sides sent SHUTDOWN at the same time.
            (Trigger::ShutdownReceived, ShutdownSent) => To(ShutdownAckSent),
            // It acknowledges data, or our SHUTDOWN ACK was lost.
            (Trigger::ShutdownReceived, ShutdownReceived | ShutdownAckSent) => Stay,

            (Trigger::ShutdownAckReceived, ShutdownSent | ShutdownAckSent) => Close,
            // While setting up it is out of the blue (§8.5.1 E) and the TCB does not see it; in
            // the others no SHUTDOWN of ours can have asked for it.
            (
                Trigger::ShutdownAckReceived,
                CookieWait | CookieEchoed | Established | ShutdownPending | ShutdownReceived,
            ) => Ignore,

            // §8.5.1 C.
            (Trigger::ShutdownCompleteReceived, ShutdownAckSent) => Close,
            (Trigger::ShutdownCompleteReceived, _) => Ignore,

            (Trigger::AbortReceived, _)
            | (Trigger::UserAbort, _)
            | (Trigger::PeerFault, _)
            | (Trigger::RetransmissionsExceeded, _) => Close,

            (Trigger::ShutdownGuardExpired, ShutdownSent | ShutdownAckSent) => Close,
            (Trigger::ShutdownGuardExpired, _) => Ignore,
        }
    }

    /// Whether our user may still send (RFC 9260 §9.2).
    pub(crate) const fn takes_messages(self) -> bool {
        matches!(
            self,
            Self::CookieWait | Self::CookieEchoed | Self::Established
        )
    }

    /// Whether DATA may go out on its own (RFC 9260 §6). With a COOKIE ECHO it may, too.
    pub(crate) const fn sends_data(self) -> bool {
        matches!(
            self,
            Self::Established | Self::ShutdownPending | Self::ShutdownReceived
        )
    }

    /// Whether DATA that arrives is taken (RFC 9260 §6).
    pub(crate) const fn receives_data(self) -> bool {
        matches!(
            self,
            Self::Established | Self::ShutdownPending | Self::ShutdownSent
        )
    }

    /// Whether a SACK that arrives is taken (RFC 9260 §6): where DATA of ours can be in flight.
    pub(crate) const fn takes_sack(self) -> bool {
        matches!(
            self,
            Self::CookieEchoed | Self::Established | Self::ShutdownPending | Self::ShutdownReceived
        )
    }
}

#[cfg(test)]
mod tests;

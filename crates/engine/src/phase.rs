use crate::Phase;

/// An event that can move an association from one phase to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trigger {
    /// A valid INIT ACK came (RFC 9260 §5.1 C).
    InitAckAccepted,
    /// COOKIE ACK came (§5.1 E).
    CookieAckReceived,
    /// A valid COOKIE ECHO of this association came: actions B and D of §5.2.4.
    CookieEchoAccepted,
    /// ERROR with the cause Stale Cookie came, and another INIT follows (§5.2.6).
    StaleCookieReported,
    /// A valid COOKIE ECHO showed that the peer lost its state: action A of §5.2.4.
    PeerRestarted,
    /// Our user requested a graceful shutdown (§9.2).
    UserShutdown,
    /// Our user's data is sent and acknowledged.
    AllDataAcknowledged,
    /// SHUTDOWN came.
    ShutdownReceived,
    /// SHUTDOWN ACK came.
    ShutdownAckReceived,
    /// SHUTDOWN COMPLETE came.
    ShutdownCompleteReceived,
    /// ABORT came with a tag acceptable under §8.5.1 B.
    AbortReceived,
    /// Our user requested an abort (§9.1).
    UserAbort,
    /// The peer violated a rule in a manner that requires an abort.
    PeerFault,
    /// Max.Init.Retransmits or Association.Max.Retrans was exceeded (§8.1).
    RetransmissionsExceeded,
    /// T5-shutdown-guard expired (§9.2).
    ShutdownGuardExpired,
}

/// The effect of a trigger in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transition {
    /// The association enters this phase; for a restart, possibly the phase it is already in.
    To(Phase),
    /// The association ends.
    Close,
    /// The trigger is valid and answered; the phase is unchanged.
    Stay,
    /// The trigger is stored and applied on entering ESTABLISHED.
    Later,
    /// The trigger is not valid in this phase and is dropped.
    Ignore,
}

impl Phase {
    /// The initial phase of an association requested by our user (ASSOCIATE); INIT is sent.
    pub(crate) const BY_ASSOCIATE: Self = Self::CookieWait;
    /// The initial phase of an association created from a COOKIE ECHO.
    pub(crate) const BY_COOKIE: Self = Self::Established;

    /// The effect of `trigger` in this phase: the figure of RFC 9260 §4, plus the simultaneous
    /// cases that only the text describes.
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
    /// Restart (A) leads to ESTABLISHED from every phase in which a cookie can carry our tie-tags.
    /// ABORT, sent or received, and exceeded retransmissions lead from every phase to (closed).
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

            // §5.2.4 B and D: COOKIE ACK is sent in any case.
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
            // SHUTDOWN ACK and ERROR are sent instead.
            (Trigger::PeerRestarted, ShutdownAckSent) => Stay,

            // §9.2. Data sent before the association is established must still be delivered.
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
            // The SHUTDOWN acknowledges data, or our SHUTDOWN ACK was lost.
            (Trigger::ShutdownReceived, ShutdownReceived | ShutdownAckSent) => Stay,

            (Trigger::ShutdownAckReceived, ShutdownSent | ShutdownAckSent) => Close,
            // During setup, the packet is out of the blue (§8.5.1 E) and never reaches the TCB; in
            // the other phases we sent no SHUTDOWN that it could answer.
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

    /// Whether the user may send messages (RFC 9260 §9.2).
    pub(crate) const fn takes_messages(self) -> bool {
        matches!(
            self,
            Self::CookieWait | Self::CookieEchoed | Self::Established
        )
    }

    /// Whether DATA may be sent on its own (RFC 9260 §6). It may also be bundled with COOKIE ECHO.
    pub(crate) const fn sends_data(self) -> bool {
        matches!(
            self,
            Self::Established | Self::ShutdownPending | Self::ShutdownReceived
        )
    }

    /// Whether received DATA is accepted (RFC 9260 §6).
    pub(crate) const fn receives_data(self) -> bool {
        matches!(
            self,
            Self::Established | Self::ShutdownPending | Self::ShutdownSent
        )
    }

    /// Whether a received SACK is accepted (RFC 9260 §6): in phases in which our DATA can be in
    /// flight.
    pub(crate) const fn takes_sack(self) -> bool {
        matches!(
            self,
            Self::CookieEchoed | Self::Established | Self::ShutdownPending | Self::ShutdownReceived
        )
    }
}

#[cfg(test)]
pub(crate) mod tests;

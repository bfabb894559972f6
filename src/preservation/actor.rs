//! The actor: follows what comes and goes, counts by the minute, and answers when it is asked for a permit.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use actix::{Actor, AsyncContext, Context, Handler, Message, MessageResult};

use super::expected::Expected;
use super::heard::HeardClock;
use super::history::{History, Sample, TakeHistory};
use super::permit::{Judgement, Permit, Reason, permit};
use super::renewals::PerMinute;
use crate::clock::{Clock, Millis};
use crate::config::{PreservationConfig, Protection};
use crate::metrics::PreservationMetrics;
use crate::registry::{Published, RegistryEvent, What};

/// Asks whether leases that have ended may go.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "Verdict")]
pub struct AskPermit(pub Judgement);

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether they may.
    pub permit: Permit,
    /// How long ago a permit was last withheld because of silence.
    pub since_withheld: Option<Millis>,
    /// How long this node has heard from others so far; what a hold is measured by.
    pub heard: Millis,
    /// How much of that a hold may last; `None` for ever.
    pub hold_max: Option<Millis>,
}

/// The reference's figures, computed in every mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Renewals of the last full minute.
    pub renewals: u64,
    /// Clients expected.
    pub expected: u64,
    /// Renewals that a minute must exceed.
    pub threshold: u64,
}

impl Figures {
    /// The reference's isLeaseExpirationEnabled (server.md §9.3).
    pub(super) fn allow_expiry(&self, enabled: bool) -> bool {
        !enabled || (self.threshold > 0 && self.renewals > self.threshold)
    }
}

/// Other settings from now on; the pause between two comparisons of the expected clients stays.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Reconfigure(pub PreservationConfig);

/// Asks how things stand.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "Standing")]
pub struct Describe;

/// How things stand, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The figures.
    pub figures: Figures,
    /// Whether self-preservation is switched on.
    pub enabled: bool,
    /// Which variant judges: `adaptive`, `threshold` or `off`.
    pub protection: &'static str,
    /// Why ended leases are kept at present; `None` if they are not.
    pub withheld: Option<String>,
    /// Whether that should worry somebody. The formula keeps everything while a node fills up, so it
    /// worries nobody for the first minutes (server.md §9.3).
    pub alarming: bool,
}

impl Standing {
    /// The state of self-preservation in one line.
    pub fn in_words(&self) -> String {
        match (&self.withheld, self.enabled) {
            (Some(reason), _) => format!("active ({}): {reason}", self.protection),
            (None, true) => format!("on ({}), nothing is kept", self.protection),
            (None, false) => "switched off: leases end without protection".to_string(),
        }
    }
}

/// Judges whether ended leases may go.
pub struct Preservation {
    config: PreservationConfig,
    clock: Clock,
    metrics: PreservationMetrics,
    published: Arc<Published>,
    renewals: PerMinute,
    expected: Expected,
    heard: HeardClock,
    history: History,
    last: Permit,
    last_withheld: Option<Millis>,
    opened: Millis,
    /// Whether the node serves lists; it is open for traffic then.
    is_open: Arc<AtomicBool>,
}

impl Preservation {
    /// Nobody is there, and the node opens when `is_open` says so.
    pub fn new(
        config: PreservationConfig,
        clock: Clock,
        metrics: PreservationMetrics,
        published: Arc<Published>,
        is_open: Arc<AtomicBool>,
    ) -> Self {
        let now = clock.now().mono;
        let preservation = Self {
            config,
            clock,
            metrics,
            published,
            renewals: PerMinute::default(),
            expected: Expected::new(config),
            heard: HeardClock::default(),
            history: History::default(),
            last: Permit::Granted,
            last_withheld: None,
            opened: now,
            is_open,
        };
        preservation.show();
        preservation
    }

    /// Notes whether the node has opened meanwhile.
    fn follow_gate(&mut self) {
        if self.is_open.load(Ordering::Acquire) {
            self.expected.open();
        }
    }

    fn figures(&self) -> Figures {
        Figures {
            renewals: self.renewals.last(),
            expected: self.expected.clients(),
            threshold: self.expected.threshold(),
        }
    }

    /// Shows the figures to metrics, and to those who ask whether an ended lease counts as gone.
    fn show(&self) {
        let figures = self.figures();
        self.metrics.last_minute.set(figures.renewals as f64);
        self.metrics.expected.set(figures.expected as f64);
        self.metrics.threshold.set(figures.threshold as f64);
        self.metrics
            .enabled
            .set(f64::from(u8::from(self.config.enabled)));
        let expiry = match self.config.protection {
            Protection::Threshold => figures.allow_expiry(self.config.enabled),
            Protection::Adaptive | Protection::Off => true,
        };
        self.published.enable_expiry(expiry);
        let active = !expiry || matches!(self.last, Permit::Withheld(_));
        self.metrics.active.set(f64::from(u8::from(active)));
    }

    fn minute(&mut self) {
        self.follow_gate();
        self.renewals.tick(self.published.renewals());
        self.history.note(self.clock.now().wall, self.figures());
        self.show();
    }

    fn update_threshold(&mut self) {
        self.expected.update();
        self.show();
    }

    fn judge(&mut self, judgement: Judgement) -> Verdict {
        self.follow_gate();
        let permit = permit(&self.config, self.figures(), judgement);
        let withheld = |permit: &Permit| matches!(permit, Permit::Withheld(_));
        // Once per change, not once per sweep.
        match permit {
            Permit::Withheld(reason) if !withheld(&self.last) => {
                tracing::warn!(due = judgement.due, "self-preservation: {reason}");
            }
            Permit::Granted | Permit::Limited(_) if withheld(&self.last) => {
                tracing::info!("self-preservation: over, ended leases go again");
            }
            _ => {}
        }
        self.last = permit;
        self.show();
        let now = self.clock.now().mono;
        if let Permit::Withheld(Reason::Silence { .. }) = permit {
            self.last_withheld = Some(now);
        }
        let adaptive = self.config.protection == Protection::Adaptive;
        Verdict {
            permit,
            since_withheld: self.last_withheld.map(|at| now.saturating_sub(at)),
            heard: self.heard.advance(now, self.published.last_heard()),
            hold_max: adaptive.then_some(self.config.hold_max.as_millis() as Millis),
        }
    }
}

impl Actor for Preservation {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(crate::mailbox::LIMIT);
        ctx.run_interval(Duration::from_secs(60), |preservation, _| {
            preservation.minute()
        });
        ctx.run_interval(self.config.threshold_update, |preservation, _| {
            preservation.update_threshold();
        });
    }
}

impl Handler<RegistryEvent> for Preservation {
    type Result = ();

    fn handle(&mut self, event: RegistryEvent, _ctx: &mut Context<Self>) {
        self.follow_gate();
        match event.what {
            What::Registered { is_new: true } => self.expected.appeared(),
            What::Cancelled | What::Evicted => self.expected.disappeared(),
            _ => return,
        }
        self.show();
    }
}

impl Handler<Reconfigure> for Preservation {
    type Result = ();

    fn handle(&mut self, Reconfigure(config): Reconfigure, _: &mut Context<Self>) {
        self.config = config;
        self.expected.reconfigure(config);
        self.show();
    }
}

impl Handler<AskPermit> for Preservation {
    type Result = MessageResult<AskPermit>;

    fn handle(&mut self, AskPermit(judgement): AskPermit, _: &mut Context<Self>) -> Self::Result {
        MessageResult(self.judge(judgement))
    }
}

impl Handler<Describe> for Preservation {
    type Result = MessageResult<Describe>;

    fn handle(&mut self, _: Describe, _ctx: &mut Context<Self>) -> Self::Result {
        self.follow_gate();
        MessageResult(self.standing())
    }
}

impl Handler<TakeHistory> for Preservation {
    type Result = Vec<Sample>;

    fn handle(&mut self, _: TakeHistory, _ctx: &mut Context<Self>) -> Self::Result {
        self.history.samples()
    }
}

/// How long the formula's verdict worries nobody after the start, as the reference's
/// waitTimeInMsWhenSyncEmpty.
const WARM_UP: Millis = 300_000;

impl Preservation {
    fn standing(&self) -> Standing {
        Standing {
            figures: self.figures(),
            enabled: self.config.enabled,
            protection: match self.config.protection {
                Protection::Threshold => "threshold",
                Protection::Adaptive => "adaptive",
                Protection::Off => "off",
            },
            withheld: self.withheld(),
            alarming: self.is_alarming(),
        }
    }

    fn is_alarming(&self) -> bool {
        let warm = self.clock.now().mono > self.opened + WARM_UP;
        let by_formula = self.config.protection == Protection::Threshold;
        self.withheld().is_some() && (warm || !by_formula)
    }

    /// Why ended leases would not go at present.
    fn withheld(&self) -> Option<String> {
        let reason = match (self.config.protection, self.last) {
            // The formula decides by the minute, whether a sweep asks or not.
            (Protection::Threshold, _) => {
                let nothing_due = Judgement {
                    due: 0,
                    silent: 0,
                    total: 0,
                };
                match permit(&self.config, self.figures(), nothing_due) {
                    Permit::Withheld(reason) => reason,
                    Permit::Granted | Permit::Limited(_) => return None,
                }
            }
            (_, Permit::Withheld(reason)) => reason,
            _ => return None,
        };
        Some(reason.to_string())
    }
}

//! The published studies of SCTP as repeatable experiments.
//!
//! Four steps, all pure except the second:
//!
//! 1. [`Study::plan`] lists the [`Run`]s of a study;
//! 2. [`execute`] carries out the runs and produces a [`Record`] for each;
//! 3. [`Summary::of`] groups records with equal settings: means and confidence intervals;
//! 4. [`Report::render`] judges every [`Claim`] of the papers by the summary, with a
//!    [`Verdict`] computed by the claim's own rule.
//!
//! A [`UserScenario`] is a text that describes an experiment of the user; it takes the same steps.
//! Runs are either simulated or live: over real sockets, in processes started by [`live`].
//!
//! [`further_runs`] lists runs that might decide undecided claims; a [`Ruling`] is a verdict with
//! its error, corrected for the number of claims.
//!
//! A [`Store`] keeps the records of finished runs, so an interrupted execution can continue.

mod agreement;
mod captures;
mod chart;
mod claim;
mod columns;
mod conclusion;
mod contrast;
mod digest;
mod drawing;
mod effort;
mod escape;
mod estimate;
mod evidence;
mod execution;
mod exhibit;
mod experiment;
mod forecast;
mod formula;
mod html;
mod keys;
pub mod live;
mod machine;
mod manifest;
mod markdown;
mod named;
mod palette;
mod papers;
mod parallel;
mod place;
mod plan;
mod prediction;
mod quic;
mod record;
mod report;
mod results;
mod ruling;
mod run;
mod sampling;
mod settings;
mod sheet;
mod store;
mod studies;
mod study;
mod summary;
mod table;
mod tls;
mod today;
mod unit;
mod user_scenario;
mod verdict;
mod words;

pub use agreement::Agreement;
pub use captures::{Wanted, capture_first_runs, capture_run};
pub use chart::{Chart, Curve, Lines, Point, Scale};
pub use claim::{Claim, Finding, Judge, Rule, Source, Today};
pub use columns::{Column, Columns, Values};
pub use conclusion::Conclusion;
pub use contrast::{Contrast, Printed};
pub use digest::Digest;
pub use drawing::Drawing;
pub use effort::{Effort, Extent};
pub use estimate::{Estimate, Paired, Spread, student_t};
pub use evidence::{Condition, Evidence, SEEDS_MIN, TIE};
pub use execution::{Execution, Progress, Shard, execute};
pub use exhibit::Exhibit;
pub use html::Page;
pub use machine::Machine;
pub use manifest::Manifest;
pub use record::{Measured, Record, Series};
pub use report::Report;
pub use results::{Gathered, Results};
pub use ruling::{ERROR, LOOKS, Ruling};
pub use run::{Run, RunKey};
pub use sampling::{execute_in_looks, further_runs};
pub use settings::{Setting, Settings};
pub use store::{Selected, Store, code};
pub use studies::{find, studies};
pub use study::{Parameter, Study};
pub use summary::{Cell, Summary};
pub use table::Table;
pub use unit::Unit;
pub use user_scenario::{UserScenario, UserScenarioError};
pub use verdict::{Judgement, Verdict};
pub use words::{Origin, Quantity, Words};

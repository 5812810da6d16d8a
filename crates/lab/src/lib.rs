//! The published studies of SCTP as experiments that anyone can run again.
//!
//! Four steps, all pure but the second:
//!
//! 1. [`Study::plan`] says which [`Run`]s are wanted;
//! 2. [`execute`] carries them out and gives a [`Record`] each;
//! 3. [`Summary::of`] puts the records of equal settings together: means and confidence intervals;
//! 4. [`Report::render`] holds every [`Claim`] of the papers against the summary, with a
//!    [`Verdict`] that the claim's own rule computes.
//!
//! What a user wants to know beside that is a [`UserScenario`], a text; it takes the same steps.
//! Runs are simulated, or live: over real sockets, by processes that [`live`] starts.
//!
//! [`further_runs`] says which runs might decide what is undecided; a [`Ruling`] is what many claims
//! leave of a verdict.
//!
//! A [`Store`] keeps finished runs, so that what was interrupted goes on where it stopped.

mod agreement;
mod captures;
mod chart;
mod claim;
mod columns;
mod contrast;
mod digest;
mod drawing;
mod estimate;
mod evidence;
mod execution;
mod exhibit;
mod forecast;
mod html;
pub mod live;
mod machine;
mod manifest;
mod markdown;
mod of_cells;
mod palette;
mod papers;
mod parallel;
mod prediction;
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
pub use contrast::{Contrast, Printed};
pub use digest::Digest;
pub use drawing::Drawing;
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
pub use study::{Effort, Extent, Parameter, Study};
pub use summary::{Cell, Summary};
pub use table::Table;
pub use today::Conclusion;
pub use unit::Unit;
pub use user_scenario::{UserScenario, UserScenarioError};
pub use verdict::{Judgement, Verdict};
pub use words::{Origin, Quantity, Words};

//! Whole runs of the simulated network, held against theory, against themselves and against
//! tshark.

mod buffers;
mod capture;
mod defaults;
mod ecn;
mod engine;
mod fairness;
mod repeatability;
mod theory;
mod town;
mod visitors;
mod warning;

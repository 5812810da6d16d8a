//! Whole runs of the simulated network, held against theory, against themselves and against
//! tshark.

mod capture;
mod ecn;
mod engine;
mod fairness;
mod gateway;
mod repeatability;
mod theory;
mod town;
mod warning;

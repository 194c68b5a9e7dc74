//! Protocols, records, statistics and reports, as callers use them.

mod away;
mod claims;
mod common;
mod coverage;
mod play;
mod protocols;
mod published;
mod records;
mod report;
mod runner;
mod scales;
mod seam;
mod training;
mod verdicts;

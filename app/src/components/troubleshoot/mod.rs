//! The parts of the troubleshooter (`product 17`).

pub mod known;
pub mod problems;
pub mod report;
pub mod step;
pub mod waiting;
pub mod way;

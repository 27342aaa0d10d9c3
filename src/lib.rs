//! x
pub mod clock;
pub mod diff;
pub mod fetch;
pub mod model;
pub mod publish;
pub mod render;
pub mod schedule;
pub mod store;

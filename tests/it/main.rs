//! One test binary: each module one side of the program.

mod architecture;
mod harness;
mod identity;
mod refresh;

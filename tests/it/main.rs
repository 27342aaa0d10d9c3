//! One test binary: a module for each part of pagewire, seen from outside.

mod extract;

//! The program: hands its arguments to [`pagewire`] and exits with its code.

fn main() {}

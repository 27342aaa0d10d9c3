//! The program: hands its arguments to the library and exits with its code.

fn main() -> std::process::ExitCode {
    pagewire::cli::run(std::env::args_os())
}

//! The binary `bipe`; everything stands in the library, so that tests run the same code.

fn main() -> std::process::ExitCode {
    bipe_http::cli::run()
}

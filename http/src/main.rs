//! The binary `bipe`; everything stands in the library, so that tests run the same code.

/// Gives back what a password hash took; glibc keeps 19 MiB for every few hashes, hundreds after a busy morning.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    bipe_http::cli::run()
}

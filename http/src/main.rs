//! The binary `bipe`; everything stands in the library, so that tests run the same code.

/// Returns the memory of password hashes to the system. glibc kept 19 MiB for every few hashes, hundreds of MiB after a
/// busy morning.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    bipe_http::cli::run()
}

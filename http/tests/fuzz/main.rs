//! Fuzz targets of what a client sends before any of it is believed: the bytes and the frames of a live socket, the
//! page of a list. Each asserts a property of every file in its corpus (`__fuzz__/NAME/corpus`) and of random texts.
//! `make fuzz` runs them longer, led by the code that they reach; docs/reliability.md has its rules.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "clippy exempts test functions only; their closures fail the same way"
)]

mod frames;
mod paging;
mod wire;

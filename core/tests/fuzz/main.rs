//! Fuzz targets of what is read from outside and written for others: webhooks, BR Codes and boletos, the queries of
//! lists, CSV files, settings. Each asserts a property of every file in its corpus (`__fuzz__/NAME/corpus`) and of
//! random texts. `make fuzz` runs them longer, led by the code that they reach; docs/reliability.md has its rules.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "clippy exempts test functions only; their closures fail the same way"
)]

mod brazil;
mod csv_files;
mod lists;
mod settings;
mod webhooks;

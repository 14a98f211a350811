//! What calls say that they did, and whether it is enough. Pure.

use std::collections::BTreeMap;

const MARK: &str = "figures: ";

/// Counts by name. The same name twice adds up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures(pub BTreeMap<String, u64>);

impl Figures {
    /// Takes what one line says; other lines say nothing.
    pub fn read(&mut self, line: &str) {
        // A test program puts a test's name before what the test prints first.
        if let Some((_, said)) = line.split_once(MARK) {
            for (name, count) in said.split_whitespace().filter_map(|word| word.split_once('=')) {
                self.add(name, count.parse().unwrap_or_default());
            }
        }
        if let Some((_, said)) = line.split_once("test result: ok. ") {
            let passed = said.split_once(" passed").and_then(|(count, _)| count.parse().ok());
            self.add("tests", passed.unwrap_or_default());
        }
    }

    pub fn add(&mut self, name: &str, count: u64) {
        *self.0.entry(name.to_owned()).or_default() += count;
    }

    /// Each floor that is not reached, in words.
    pub fn below(&self, floors: &[(&str, u64)]) -> Vec<String> {
        let count = |name: &str| self.0.get(name).copied().unwrap_or_default();
        let low = floors.iter().filter(|(name, least)| count(name) < *least);
        low.map(|(name, least)| format!("{name} {} of at least {least}", count(name))).collect()
    }

    pub fn line(&self) -> String {
        let words: Vec<String> =
            self.0.iter().map(|(name, count)| format!("{name} {count}")).collect();
        words.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lines: &[&str]) -> Figures {
        let mut figures = Figures::default();
        lines.iter().for_each(|line| figures.read(line));
        figures
    }

    #[test]
    fn counts_are_read_wherever_a_test_program_puts_them_and_add_up() {
        let figures = of(&[
            "running 2 tests",
            "test payments::one ... figures: orders=12 kills=1",
            "figures: orders=3",
            "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 7 filtered out",
        ]);
        assert_eq!(figures.line(), "kills 1, orders 15, tests 2");
    }

    #[test]
    fn a_count_below_its_floor_and_one_that_is_missing_are_told() {
        let figures = of(&["figures: orders=11"]);
        assert!(figures.below(&[("orders", 11)]).is_empty());
        let low = figures.below(&[("orders", 12), ("kills", 1)]);
        assert_eq!(low, ["orders 11 of at least 12", "kills 0 of at least 1"]);
    }

    #[test]
    fn a_failed_run_counts_no_tests() {
        assert_eq!(of(&["test result: FAILED. 3 passed; 1 failed"]), Figures::default());
    }
}

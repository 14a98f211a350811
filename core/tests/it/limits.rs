//! The table of limits in docs/security.md, "Limits": comments name rows that are there, and rows have the numbers of
//! the code.

use bipe_core::rate_limit::*;

use crate::documents::{code, documents};
use crate::tree::{Source, none};

/// The lines below the heading, each a row with its number first.
fn table() -> Vec<String> {
    let all = documents();
    let page = all.into_iter().find(|document| document.path == "docs/security.md").unwrap();
    let below = page.lines.into_iter().skip_while(|line| line != "## Limits").skip(1);
    below.take_while(|line| !line.starts_with('#')).collect()
}

fn row_of(table: &[String], number: usize) -> Option<&String> {
    table.iter().find(|line| line.starts_with(&format!("| {number} |")))
}

/// The numbers behind "row" and "rows" in a comment: of "rows 12 to 14" both.
fn rows(line: &str) -> Vec<usize> {
    let Some((_, comment)) = line.split_once("//") else { return Vec::new() };
    let words: Vec<&str> = comment.split_whitespace().collect();
    let number = |at: usize| -> Option<usize> {
        let word: &&str = words.get(at)?;
        word.trim_matches(|char: char| !char.is_ascii_digit()).parse().ok()
    };
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if !["row", "rows"].contains(&word.trim_start_matches('(').to_lowercase().as_str()) {
            continue;
        }
        found.extend(number(at + 1));
        if words.get(at + 2).is_some_and(|word| ["and", "to"].contains(word)) {
            found.extend(number(at + 3));
        }
    }
    found
}

#[test]
fn every_row_that_code_names_is_in_the_table() {
    const LIMITS: &str = "docs/security.md, \"Limits\"";
    let table = table();
    let named = |source: &Source| source.text.lines().flat_map(rows).collect::<Vec<usize>>();
    let limits = code().into_iter().filter(|source| source.text.contains(LIMITS));
    let limits = limits.filter(|source| source.path != "core/tests/it/limits.rs");
    let (mut count, mut wrong) = (0, Vec::new());
    for source in limits {
        let rows = named(&source);
        count += rows.len();
        let missing = rows.iter().filter(|row| row_of(&table, **row).is_none());
        wrong.extend(missing.map(|row| format!("{}: row {row}", source.path)));
    }
    assert!(count > 20, "code names {count} rows");
    none(&wrong, "a row has its number in the table of limits");
}

/// The ways in which the table may write a rule: `20; 60/h` is the same as `20; 1/min`.
fn written(rule: Rule) -> Vec<String> {
    const UNITS: [(&str, f64); 5] =
        [("/s", 1.0), ("/min", 60.0), ("/h", 3_600.0), ("/d", 86_400.0), (" in 30 d", 2_592_000.0)];
    if rule.per_second == 0.0 {
        return vec![format!(" {} in a row,", rule.burst)];
    }
    let refills = UNITS.map(|(unit, seconds)| (unit, rule.per_second * seconds));
    let whole = refills.into_iter().filter(|(_, refill)| (refill - refill.round()).abs() < 1e-9);
    whole.map(|(unit, refill)| format!(" {}; {}{unit} ", rule.burst, refill.round())).collect()
}

#[test]
fn a_row_has_the_numbers_of_its_rules() {
    let known: &[(usize, &[Rule])] = &[
        (1, &[SIGN_IN]),
        (3, &[SIGN_IN_UNKNOWN, SIGN_IN_ROW]),
        (4, &[SIGN_IN_KNOWN]),
        (5, &[REGISTER]),
        (6, &EXISTENCE),
        (7, &[CODE_MAIL_PAUSE, CODE_MAIL_PAUSE_KNOWN, CODE_MAIL_IP]),
        (7, &CODE_MAIL_ADDRESS),
        (7, &CODE_MAIL_ADDRESS_KNOWN),
        (9, &WRONG_CODE_UNKNOWN),
        (9, &[WRONG_CODE_KNOWN, WRONG_CODE_IP]),
        (9, &WRONG_FACTOR_UNKNOWN),
        (9, &[WRONG_FACTOR_KNOWN, WRONG_FACTOR_IP]),
        (10, &[WRONG_CODE_SYSTEM]),
        (15, &[INVITE_COMPANY, INVITER, INVITE_ADDRESS]),
        (16, &[PAYMENT_BEGUN]),
        (17, &CARD_DECLINED),
        (17, &[CARD_DECLINED_IP]),
        (20, &[EXPORT, ERASURE, COMPANY_CREATED, INVITE_GUESSED]),
        (21, &[CARD_SAVED_COMPANY, CARD_SAVED_PERSON, CARD_SAVED_IP]),
        (22, &[PASSKEY_ASKED, FACTOR_CHANGE]),
        (23, &[EXISTS_NOTICE]),
        (24, &[INVOICE_SENT]),
        (26, &[INVOICES_PACKED]),
        (27, &[AUDIT_EXPORTED]),
        (29, &[CANCELLATION]),
    ];
    let table = table();
    let rules = known.iter().flat_map(|(row, rules)| rules.iter().map(move |rule| (*row, *rule)));
    let is_wrong = |(row, rule): &(usize, Rule)| {
        let line = row_of(&table, *row);
        line.is_none_or(|line| !written(*rule).iter().any(|text| line.contains(text.as_str())))
    };
    let wrong = rules.filter(is_wrong);
    let wrong: Vec<String> = wrong.map(|(row, rule)| format!("row {row}: {rule:?}")).collect();
    none(&wrong, "docs/security.md has the numbers of core/src/rate_limit.rs");
    // Row 2 doubles a wait instead of refilling.
    let is_known = |line: &&String| {
        let has_row = |row: usize| line.starts_with(&format!("| {row} |"));
        has_row(2) || known.iter().any(|(row, _)| has_row(*row))
    };
    let stored = table.iter().filter(|line| line.ends_with("| P |"));
    let unknown: Vec<String> = stored.filter(|line| !is_known(line)).cloned().collect();
    none(&unknown, "a row marked P has a rule");
}

#[test]
fn a_rule_is_written_in_any_unit_that_is_whole() {
    assert_eq!(
        written(REGISTER),
        [" 20; 1/min ", " 20; 60/h ", " 20; 1440/d ", " 20; 43200 in 30 d "]
    );
    assert_eq!(rows("/// Rows 3 and 4, failures; (row 19 of it) over all rows."), [3, 4, 19]);
}

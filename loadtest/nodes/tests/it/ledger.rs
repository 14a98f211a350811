//! Histories against lists, and charges against rows.

use std::collections::BTreeMap;

use bipe_nodes::ledger::{Append, Charge, Ended, Finding, Payment};
use bipe_nodes::ledger::{are_matched, check_appends, check_charges};

fn append(value: &str, invoked: u64, ended: Ended) -> Append {
    Append { list: "a".into(), value: value.into(), invoked, ended }
}

fn stored(values: &[&str]) -> BTreeMap<String, Vec<String>> {
    BTreeMap::from([("a".into(), values.iter().map(|value| (*value).to_owned()).collect())])
}

fn named(value: &str) -> (String, String) {
    ("a".into(), value.into())
}

#[test]
fn a_history_that_is_stored_as_it_was_answered_has_no_finding() {
    let history = [
        append("1", 0, Ended::Ok(10)),
        append("2", 5, Ended::Ok(30)),
        append("3", 8, Ended::Ok(20)),
        append("4", 9, Ended::Unknown),
        append("5", 9, Ended::Unknown),
        append("6", 9, Ended::Failed),
    ];
    assert_eq!(check_appends(&history, &stored(&["1", "3", "2", "4"])), []);
    assert_eq!(check_appends(&history, &stored(&["5", "1", "2", "3"])), []);
}

#[test]
fn what_was_acknowledged_and_is_not_there_is_lost() {
    let history = [append("1", 0, Ended::Ok(10)), append("2", 20, Ended::Unknown)];
    let (list, value) = named("1");
    let lost = || Finding::Lost { list: list.clone(), value: value.clone() };
    assert_eq!(check_appends(&history, &stored(&["2"])), [lost()]);
    assert_eq!(check_appends(&history, &BTreeMap::new()), [lost()]);
}

#[test]
fn what_is_there_twice_or_was_refused_is_found() {
    let history = [append("1", 0, Ended::Ok(10)), append("2", 20, Ended::Failed)];
    let (list, value) = named("1");
    let doubled = Finding::Doubled { list, value };
    assert_eq!(check_appends(&history, &stored(&["1", "1"])), [doubled]);
    for value in ["2", "9"] {
        let (list, value) = named(value);
        let unasked = Finding::Unasked { list, value: value.clone() };
        assert_eq!(check_appends(&history, &stored(&["1", &value])), [unasked]);
    }
}

#[test]
fn the_order_of_two_commands_that_followed_each_other_is_kept() {
    let history = [append("1", 0, Ended::Ok(10)), append("2", 11, Ended::Ok(20))];
    let (list, value) = named("1");
    assert_eq!(check_appends(&history, &stored(&["2", "1"])), [Finding::Late { list, value }]);
    let at_once = [append("1", 0, Ended::Ok(12)), append("2", 11, Ended::Ok(20))];
    assert_eq!(check_appends(&at_once, &stored(&["2", "1"])), []);
}

fn charge(intent: &str, is_paid: bool) -> Charge {
    Charge { company: "c".into(), intent: intent.into(), is_paid }
}

fn payment(intent: Option<&str>, is_paid: bool) -> Payment {
    Payment { company: "c".into(), intent: intent.map(str::to_owned), is_paid }
}

#[test]
fn money_is_taken_once_and_known() {
    let unpaid = charge("old", false);
    let known = [payment(Some("new"), true), payment(None, false)];
    assert_eq!(check_charges(&[unpaid.clone(), charge("new", true)], &known), []);
    let company = || "c".to_owned();
    let twice = [charge("old", true), charge("new", true)];
    let intents = vec!["old".to_owned(), "new".to_owned()];
    let expected = [
        Finding::Unknown { company: company(), intent: "old".into() },
        Finding::TakenTwice { company: company(), intents },
    ];
    assert_eq!(check_charges(&twice, &known), expected);
    assert_eq!(check_charges(&[unpaid], &known), [Finding::Untaken { company: company() }]);
    let misbooked = || Finding::Misbooked { company: company(), intent: "new".into() };
    let paid = [charge("new", true)];
    assert_eq!(check_charges(&paid, &[payment(Some("new"), false)]), [misbooked()]);
    let anothers = Payment { company: "d".into(), ..payment(Some("new"), true) };
    let untaken = Finding::Untaken { company: "d".into() };
    assert_eq!(check_charges(&paid, &[anothers]), [misbooked(), untaken]);
}

#[test]
fn each_company_has_one_charge_that_its_row_knows() {
    let (one, row) = (charge("new", false), payment(Some("new"), false));
    let matched =
        |charges: &[Charge], rows: &[Payment]| are_matched(charges, rows, &["c".to_owned()]);
    assert!(matched(std::slice::from_ref(&one), std::slice::from_ref(&row)));
    assert!(!matched(&[], std::slice::from_ref(&row)));
    assert!(!matched(&[one.clone(), one.clone()], std::slice::from_ref(&row)));
    assert!(!matched(std::slice::from_ref(&one), &[payment(None, false)]));
    let anothers = Payment { company: "d".into(), ..row.clone() };
    assert!(!matched(std::slice::from_ref(&one), &[anothers]));
    assert!(!matched(&[Charge { company: "d".into(), ..one }], &[row]));
}

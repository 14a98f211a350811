//! The ledger: what clients were answered, against what is stored and what the provider took. Pure; called by the tests
//! of failover at their end.
//!
//! The history is list-append: each command appends a value of its own to one list. A value that was acknowledged
//! stands in its list once, and before every value whose command began after that acknowledgement.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// How a command ended for its client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Answered as done, at this moment of the run.
    Ok(u64),
    /// Answered as refused: nothing may be there.
    Failed,
    /// No answer, or one that promises nothing (5xx): it may be there.
    Unknown,
}

/// One append. Moments are microseconds of the run.
#[derive(Clone, Debug)]
pub struct Append {
    pub list: String,
    pub value: String,
    pub invoked: u64,
    pub ended: Ended,
}

/// An object of the provider.
#[derive(Clone, Debug)]
pub struct Charge {
    pub company: String,
    pub intent: String,
    pub is_paid: bool,
}

/// A row of ours.
#[derive(Clone, Debug)]
pub struct Payment {
    pub company: String,
    pub intent: Option<String>,
    pub is_paid: bool,
}

/// What may not be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Finding {
    /// Answered as done, and not there.
    Lost { list: String, value: String },
    /// There more than once.
    Doubled { list: String, value: String },
    /// There, and refused or never asked for.
    Unasked { list: String, value: String },
    /// Acknowledged before the other one was asked for, and stored after it.
    Late { list: String, value: String },
    /// The provider took money from the company more than once.
    TakenTwice { company: String, intents: Vec<String> },
    /// The provider took money that no row of ours knows of.
    Unknown { company: String, intent: String },
    /// The provider took money, and the row that knows of it is not paid or is another company's.
    Misbooked { company: String, intent: String },
    /// Ours is paid, the provider's is not.
    Untaken { company: String },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost { list, value } => {
                write!(f, "{value} of {list} was acknowledged and is lost")
            }
            Self::Doubled { list, value } => write!(f, "{value} of {list} is there twice"),
            Self::Unasked { list, value } => {
                write!(f, "{value} of {list} is there and was refused")
            }
            Self::Late { list, value } => {
                write!(f, "{value} of {list} stands behind a later command's value")
            }
            Self::TakenTwice { company, intents } => {
                write!(f, "company {company} paid more than once: {}", intents.join(", "))
            }
            Self::Unknown { company, intent } => {
                write!(f, "company {company} paid {intent} and no row knows of it")
            }
            Self::Misbooked { company, intent } => {
                write!(f, "company {company} paid {intent} and its row is unpaid or another's")
            }
            Self::Untaken { company } => {
                write!(f, "company {company} is marked as paid and the provider took nothing")
            }
        }
    }
}

/// Compares the history with the lists as they are stored in the end, oldest first.
pub fn check_appends(history: &[Append], lists: &BTreeMap<String, Vec<String>>) -> Vec<Finding> {
    let mut findings = BTreeSet::new();
    let mut asked: BTreeMap<(&str, &str), &Append> = BTreeMap::new();
    for append in history {
        asked.insert((&append.list, &append.value), append);
    }
    for (list, values) in lists {
        let (mut seen, mut newest) = (BTreeSet::new(), 0);
        for value in values {
            let named = || (list.clone(), value.clone());
            let Some(append) = asked.get(&(list.as_str(), value.as_str())) else {
                let (list, value) = named();
                findings.insert(Finding::Unasked { list, value });
                continue;
            };
            if !seen.insert(value) {
                let (list, value) = named();
                findings.insert(Finding::Doubled { list, value });
            }
            match append.ended {
                Ended::Failed => {
                    let (list, value) = named();
                    findings.insert(Finding::Unasked { list, value });
                }
                Ended::Ok(at) if at < newest => {
                    let (list, value) = named();
                    findings.insert(Finding::Late { list, value });
                }
                Ended::Ok(_) | Ended::Unknown => {}
            }
            newest = newest.max(append.invoked);
        }
    }
    for append in history.iter().filter(|append| matches!(append.ended, Ended::Ok(_))) {
        let stored = lists.get(&append.list);
        if !stored.is_some_and(|values| values.contains(&append.value)) {
            let (list, value) = (append.list.clone(), append.value.clone());
            findings.insert(Finding::Lost { list, value });
        }
    }
    findings.into_iter().collect()
}

/// Compares what the provider took with our rows, where every company buys once.
pub fn check_charges(charges: &[Charge], payments: &[Payment]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut taken: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let known: BTreeMap<&str, &Payment> =
        payments.iter().filter_map(|row| Some((row.intent.as_deref()?, row))).collect();
    for charge in charges.iter().filter(|charge| charge.is_paid) {
        taken.entry(&charge.company).or_default().push(charge.intent.clone());
        let (company, intent) = (charge.company.clone(), charge.intent.clone());
        match known.get(charge.intent.as_str()) {
            None => findings.push(Finding::Unknown { company, intent }),
            Some(row) if !row.is_paid || row.company != company => {
                findings.push(Finding::Misbooked { company, intent });
            }
            Some(_) => {}
        }
    }
    for (company, intents) in &taken {
        if intents.len() > 1 {
            let (company, intents) = ((*company).to_owned(), intents.clone());
            findings.push(Finding::TakenTwice { company, intents });
        }
    }
    for payment in payments.iter().filter(|payment| payment.is_paid) {
        if !taken.contains_key(payment.company.as_str()) {
            findings.push(Finding::Untaken { company: payment.company.clone() });
        }
    }
    findings
}

/// Whether each company has exactly one charge at the provider, paid or not, and a row of its own knows it.
pub fn are_matched(charges: &[Charge], payments: &[Payment], companies: &[String]) -> bool {
    let mut taken: Vec<&str> = charges.iter().map(|charge| charge.company.as_str()).collect();
    let mut wanted: Vec<&str> = companies.iter().map(String::as_str).collect();
    taken.sort_unstable();
    wanted.sort_unstable();
    let known: BTreeSet<(&str, &str)> =
        payments.iter().filter_map(|row| Some((&*row.company, row.intent.as_deref()?))).collect();
    let is_known = |charge: &Charge| known.contains(&(&*charge.company, &*charge.intent));
    taken == wanted && charges.iter().all(is_known)
}

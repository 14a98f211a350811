//! The books of every company in the end, against what its people read: the balance is the sum of the ledger, each
//! entry tells the balance after it, and the paid times lie one behind the other without a gap.

use std::time::Duration;

use bipe_nodes::caller::Caller;
use bipe_swarm::Outcome;
use serde_json::Value;
use tokio_postgres::Client;

const TIMEOUT: Duration = Duration::from_secs(60);
/// What may be owed until the next charge, in centavos.
const CARRIED: i64 = -49;

/// The credit of a company, newest entry first: amount, and balance after it.
#[derive(Clone, Debug, Default)]
struct Ledger {
    stored: Vec<i64>,
    told: Vec<(i64, i64)>,
    balance: i64,
}

/// A paid time, in microseconds.
#[derive(Clone, Debug)]
struct Segment {
    subscription: String,
    from: i64,
    until: i64,
}

/// What was compared.
#[derive(Default)]
pub struct Compared {
    pub entries: u64,
    pub segments: u64,
}

/// # Errors
/// When something cannot be read.
pub async fn check(sql: &Client, caller: &Caller) -> Outcome<(Compared, Vec<String>)> {
    let (mut compared, mut wrong) = (Compared::default(), Vec::new());
    for row in sql.query("SELECT id::text FROM companies", &[]).await? {
        let company: String = row.try_get(0)?;
        let ledger = Ledger::read(sql, caller, &company).await?;
        compared.entries += u64::try_from(ledger.stored.len())?;
        wrong.extend(ledger.wrong().into_iter().map(|finding| format!("{company}: {finding}")));
    }
    let mut segments = Vec::new();
    for row in sql.query(SEGMENTS, &[]).await? {
        let (subscription, from, until) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        segments.push(Segment { subscription, from, until });
    }
    compared.segments = u64::try_from(segments.len())?;
    wrong.extend(untiled(&segments));
    Ok((compared, wrong))
}

const LEDGER: &str = "SELECT amount_cents FROM credit_entries WHERE company_id = $1::text::uuid \
     ORDER BY at DESC, id DESC";
const SEGMENTS: &str = "SELECT subscription_id::text, (extract(epoch FROM from_at) * 1000000)::bigint, \
     (extract(epoch FROM to_at) * 1000000)::bigint FROM debit_segments \
     ORDER BY subscription_id, from_at, to_at";

impl Ledger {
    async fn read(sql: &Client, caller: &Caller, company: &str) -> Outcome<Self> {
        let rows = sql.query(LEDGER, &[&company]).await?;
        let stored: Result<Vec<i64>, _> = rows.iter().map(|row| row.try_get(0)).collect();
        let path = format!("/api/companies/{company}/balance?limit=100");
        let data = caller.read(&path, "/data", TIMEOUT).await?;
        let number = |of: &Value, name: &str| of.get(name).and_then(Value::as_i64);
        let entries = data.get("entries").and_then(Value::as_array).into_iter().flatten();
        let told =
            entries.filter_map(|one| Some((number(one, "amount")?, number(one, "balance")?)));
        let balance = number(&data, "balance").ok_or("no balance")?;
        Ok(Self { stored: stored?, told: told.collect(), balance })
    }

    fn wrong(&self) -> Vec<String> {
        let Self { stored, told, balance } = self;
        let (sum, mut wrong): (i64, Vec<String>) = (stored.iter().sum(), Vec::new());
        if *balance != sum || sum < CARRIED {
            wrong.push(format!("the balance is {balance}, the ledger has {sum}"));
        }
        let mut after = sum;
        for (amount, balance) in told {
            if *balance != after {
                wrong.push(format!("{balance} is told after an entry, and is {after}"));
            }
            after -= amount;
        }
        let amounts = told.iter().map(|(amount, _)| amount);
        if !amounts.eq(stored.iter().take(told.len())) || told.len() < stored.len().min(100) {
            wrong.push(format!("told are {told:?}, stored {stored:?}"));
        }
        wrong
    }
}

/// In the order of their subscriptions and beginnings. A change ends a time where the next one begins; one that was
/// changed at once is empty.
fn untiled(segments: &[Segment]) -> Vec<String> {
    let pairs = segments.iter().zip(segments.iter().skip(1));
    let of_one = pairs.filter(|(one, next)| one.subscription == next.subscription);
    let wrong = of_one.filter(|(one, next)| one.until != next.from);
    wrong
        .map(|(one, next)| {
            let (what, Segment { subscription, until, .. }) =
                (if next.from > one.until { "a gap" } else { "paid twice" }, one);
            format!("{subscription}: {what} between {until} and {}", next.from)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger(stored: &[i64], told: &[(i64, i64)], balance: i64) -> Vec<String> {
        Ledger { stored: stored.to_vec(), told: told.to_vec(), balance }.wrong()
    }

    #[test]
    fn a_ledger_that_is_told_as_it_is_stored_is_right() {
        assert!(ledger(&[], &[], 0).is_empty());
        assert!(ledger(&[-30, 100], &[(-30, 70), (100, 100)], 70).is_empty());
    }

    #[test]
    fn another_sum_another_step_a_missing_entry_and_a_debt_are_found() {
        assert_eq!(ledger(&[100], &[(100, 100)], 90).len(), 1);
        assert_eq!(ledger(&[-30, 100], &[(-30, 60), (100, 100)], 70).len(), 1);
        assert_eq!(ledger(&[-30, 100], &[(-30, 70)], 70).len(), 1);
        assert_eq!(ledger(&[-50], &[(-50, -50)], -50).len(), 1);
    }

    fn times(times: &[(&str, i64, i64)]) -> Vec<String> {
        let segment = |(subscription, from, until): &(&str, i64, i64)| Segment {
            subscription: (*subscription).to_owned(),
            from: *from,
            until: *until,
        };
        untiled(&times.iter().map(segment).collect::<Vec<_>>())
    }

    #[test]
    fn times_that_lie_one_behind_the_other_are_right() {
        assert!(times(&[("a", 0, 5), ("a", 5, 9), ("b", 0, 9)]).is_empty());
        assert!(times(&[("a", 5, 5), ("a", 5, 9)]).is_empty());
    }

    #[test]
    fn a_gap_and_a_time_that_is_paid_twice_are_found() {
        assert_eq!(times(&[("a", 0, 5), ("a", 6, 9)]), ["a: a gap between 5 and 6"]);
        assert_eq!(times(&[("a", 0, 5), ("a", 4, 9)]), ["a: paid twice between 5 and 4"]);
    }
}

//! When nothing disturbs any more: everything that was answered is so, every charge has its row and its purchase, and
//! the server's own check of the payment invariants (docs/billing.md) finds nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bipe_nodes::caller::Caller;
use bipe_nodes::ledger::{Charge, Payment};
use bipe_nodes::payments;
use bipe_swarm::payments::PROCESS;
use bipe_swarm::{Outcome, account};
use reqwest::Method;
use serde_json::json;
use tokio::time::Instant;

use super::installation::Installation;
use super::payer::Life;

/// After the last disturbance, for everything that is under way.
const TIMEOUT: Duration = Duration::from_secs(60);
/// A lease that a dead process held, and a look of a timer, are over then.
const LEASE: u32 = 61;
/// The provider's list of events is followed each hour.
const SWEEP: u32 = 1_801;
/// Findings that an error tells.
const TOLD: usize = 8;

/// What was compared.
#[derive(Default)]
pub struct Judged {
    pub charges: u64,
    pub payments: u64,
    /// Commands that were sent again at the end and answered as before.
    pub replays: u64,
}

/// # Errors
/// Everything that is not as it was answered.
pub async fn judge(home: &Installation, lives: &[Life]) -> Outcome<Judged> {
    let wanted: usize = lives.iter().map(|life| life.paid).sum();
    let (charges, rows) = settled(home, i64::try_from(wanted)?).await?;
    let mut wrong = books(lives, &charges, &rows);
    wrong.extend(answers(home, lives).await?);
    // The session of the payers may be too old by now.
    let url = home.node.url();
    let person = account::again(&url, 0).await?;
    let caller = Caller::new(vec![url], person.token())?;
    let (replays, unequal) = replays(&caller, lives).await?;
    wrong.extend(unequal);
    let broken = payments::check(&home.sql, TIMEOUT).await?;
    if broken != "[]" {
        wrong.push(format!("broken invariants: {broken}"));
    }
    let dead = "SELECT count(*) FROM jobs WHERE dead_at IS NOT NULL";
    let dead: i64 = home.sql.query_one(dead, &[]).await?.try_get(0)?;
    if dead > 0 {
        wrong.push(format!("{dead} dead jobs"));
    }
    if wrong.is_empty() {
        let count = |length: usize| u64::try_from(length);
        return Ok(Judged {
            charges: count(charges.len())?,
            payments: count(rows.len())?,
            replays,
        });
    }
    let all = wrong.len();
    wrong.truncate(TOLD);
    Err(format!("{all} findings: {}", wrong.join("; ")).into())
}

/// Time passes until every payment that was paid for is a success here.
async fn settled(home: &Installation, wanted: i64) -> Outcome<(Vec<Charge>, Vec<Payment>)> {
    let late = Instant::now() + TIMEOUT;
    let known = "SELECT count(*) FROM payments WHERE effects_at IS NOT NULL";
    for seconds in [LEASE, LEASE, SWEEP] {
        home.pass(seconds).await?;
    }
    while home.sql.query_one(known, &[]).await?.try_get::<_, i64>(0)? < wanted {
        if Instant::now() > late {
            break;
        }
        home.pass(SWEEP).await?;
    }
    Ok((home.sandbox.charges().await?, payments::stored(&home.sql).await?))
}

/// Money at the provider against our rows and against what people paid for. Pure.
fn books(lives: &[Life], charges: &[Charge], rows: &[Payment]) -> Vec<String> {
    let mut wrong = Vec::new();
    let known: BTreeSet<&str> = rows.iter().filter_map(|row| row.intent.as_deref()).collect();
    let mut taken: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for charge in charges.iter().filter(|charge| charge.is_paid) {
        taken.entry(&charge.company).or_default()[0] += 1;
        if !known.contains(charge.intent.as_str()) {
            wrong.push(format!("{} was charged and no row knows it", charge.intent));
        }
    }
    for row in rows.iter().filter(|row| row.is_paid) {
        taken.entry(&row.company).or_default()[1] += 1;
    }
    for life in lives {
        let [charged, here] = taken.remove(life.company.as_str()).unwrap_or_default();
        if (charged, here) != (life.paid, life.paid) {
            let Life { company, paid, .. } = life;
            wrong.push(format!("{company} paid {paid}, was charged {charged}, has {here}"));
        }
    }
    // A company whose founding was answered to nobody has bought nothing.
    wrong.extend(taken.keys().map(|company| format!("{company} never bought and has payments")));
    wrong
}

/// Subscriptions, cancellations and invitations are as people were told.
async fn answers(home: &Installation, lives: &[Life]) -> Outcome<Vec<String>> {
    let subscription = "SELECT coalesce(string_agg(status || ' ' || (canceled_at IS NOT NULL), ','), '') \
         FROM subscriptions WHERE company_id = $1::text::uuid";
    let states = "SELECT string_agg(state, ',') FROM payments WHERE company_id = $1::text::uuid";
    let invited = "SELECT count(*) FROM invites WHERE company_id = $1::text::uuid AND email = $2";
    let mut wrong = Vec::new();
    for life in lives {
        let row = home.sql.query_one(subscription, &[&life.company]).await?;
        let (is, paid): (String, bool) = (row.try_get(0)?, life.paid > 0);
        let expected = match (paid, life.is_withdrawn, life.is_canceled) {
            (false, true, _) => "",
            // The payer went away.
            (false, false, _) => "pending false",
            (true, _, false) => "active false",
            (true, _, true) => "canceled true",
        };
        if is != expected {
            wrong.push(format!("{}: subscription `{is}`, told `{expected}`", life.company));
        }
        if life.is_withdrawn {
            let row = home.sql.query_one(states, &[&life.company]).await?;
            let is: String = row.try_get(0)?;
            if is != "canceled" {
                wrong.push(format!("{}: withdrawn, and the payment is `{is}`", life.company));
            }
        }
        if let Some(email) = &life.invited {
            let row = home.sql.query_one(invited, &[&life.company, email]).await?;
            let count: i64 = row.try_get(0)?;
            if count != 1 {
                wrong.push(format!("{email} was invited and has {count} invitations"));
            }
        }
    }
    Ok(wrong)
}

/// Every purchase once more with its key: the same payment.
async fn replays(caller: &Caller, lives: &[Life]) -> Outcome<(u64, Vec<String>)> {
    let (mut count, mut wrong) = (0, Vec::new());
    for purchase in lives.iter().flat_map(|life| &life.purchases) {
        let call = (Method::POST, PROCESS);
        let again =
            caller.until_answered(call, Some(&purchase.body), &purchase.key, TIMEOUT).await?;
        count += 1;
        if again.text("/data/payment/id") != purchase.payment {
            let (key, payment, body) = (&purchase.key, &purchase.payment, &again.body);
            wrong.push(format!("{key} was answered {payment}, then {}", json!(body)));
        }
    }
    Ok((count, wrong))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn life(paid: usize) -> Life {
        Life { company: "c".into(), paid, ..Life::default() }
    }

    fn charge(intent: &str) -> Charge {
        Charge { company: "c".into(), intent: intent.into(), is_paid: true }
    }

    fn row(intent: &str) -> Payment {
        Payment { company: "c".into(), intent: Some(intent.into()), is_paid: true }
    }

    #[test]
    fn one_charge_and_one_row_a_purchase_is_right() {
        assert!(books(&[life(1)], &[charge("a")], &[row("a")]).is_empty());
        assert!(books(&[life(0)], &[], &[]).is_empty());
    }

    #[test]
    fn double_lost_and_unknown_money_is_found() {
        let twice = books(&[life(1)], &[charge("a"), charge("b")], &[row("a"), row("b")]);
        assert_eq!(twice, ["c paid 1, was charged 2, has 2"]);
        assert_eq!(books(&[life(1)], &[charge("a")], &[]).len(), 2);
        assert_eq!(books(&[life(1)], &[], &[]), ["c paid 1, was charged 0, has 0"]);
        assert_eq!(books(&[], &[charge("a")], &[row("a")]), ["c never bought and has payments"]);
    }
}

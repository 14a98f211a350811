//! What a company has spent, by month of America/Sao_Paulo, plan and method, and which attempts failed. Called by the
//! handlers. Read only.
//!
//! Invariant: the months add up to the totals of `transactions` from the first day of the oldest one.

use jiff::Timestamp;
use serde::Serialize;
use tokio_postgres::Row;
use utoipa::ToSchema;

use crate::brazil;
use crate::db::CompanyTx;
use crate::error::{Error, Result};
use crate::money::Cents;
use crate::payment::FailureCode;
use crate::payment_method::Method;

/// One month; the running one is not over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SpendingMonth {
    /// `2026-11`
    pub month: String,
    /// Came in.
    #[schema(value_type = i64)]
    pub paid: Cents,
    /// Went back.
    #[schema(value_type = i64)]
    pub refunded: Cents,
    /// Payments that succeeded.
    pub payments: i64,
    /// Attempts that failed.
    pub failed: i64,
}

/// What was paid for a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanSpending {
    pub plan_name: String,
    #[schema(value_type = i64)]
    pub paid: Cents,
    /// As many as there are months, in their order.
    #[schema(value_type = Vec<i64>)]
    pub months: Vec<Cents>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct MethodSpending {
    pub method: Method,
    #[schema(value_type = i64)]
    pub paid: Cents,
    pub payments: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FailureCount {
    pub reason: FailureCode,
    pub attempts: i64,
}

/// The figures of some months, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Spending {
    pub months: Vec<SpendingMonth>,
    /// What was paid most for comes first, in both lists.
    pub plans: Vec<PlanSpending>,
    pub methods: Vec<MethodSpending>,
    /// The most frequent reason comes first.
    pub failures: Vec<FailureCount>,
}

/// What the last `count` months cost, the running one included.
///
/// # Errors
/// `Unavailable` without a database.
pub async fn read(tx: &CompanyTx, now: Timestamp, count: i32) -> Result<Spending> {
    let days = brazil::last_months(now, count);
    let starts: Vec<Timestamp> = days.iter().map(|day| brazil::day_start(*day)).collect();
    let company = tx.company_id();
    let charges: Vec<Charges> = tx.all(CHARGES, &[&company, &starts]).await?;
    let refunds: Vec<Sum> = tx.all(REFUNDS, &[&company, &starts]).await?;
    let failures: Vec<Failures> = tx.all(FAILURES, &[&company, &starts]).await?;
    let month = |(at, day): (usize, &jiff::civil::Date)| {
        let paid = charges.iter().filter(|row| row.month == at);
        SpendingMonth {
            month: day.strftime("%Y-%m").to_string(),
            paid: paid.clone().map(|row| row.paid).sum(),
            payments: paid.map(|row| row.payments).sum(),
            refunded: refunds.iter().filter(|row| row.month == at).map(|row| row.amount).sum(),
            failed: failures.iter().filter(|row| row.month == at).map(|row| row.attempts).sum(),
        }
    };
    Ok(Spending {
        months: days.iter().enumerate().map(month).collect(),
        plans: plans(&charges, days.len()),
        methods: methods(&charges),
        failures: reasons(&failures),
    })
}

fn plans(charges: &[Charges], months: usize) -> Vec<PlanSpending> {
    let mut plans: Vec<PlanSpending> = Vec::new();
    for row in charges {
        let known = plans.iter().position(|plan| plan.plan_name == row.plan_name);
        let at = known.unwrap_or(plans.len());
        if known.is_none() {
            let (plan_name, months) = (row.plan_name.clone(), vec![Cents::ZERO; months]);
            plans.push(PlanSpending { plan_name, paid: Cents::ZERO, months });
        }
        let Some(plan) = plans.get_mut(at) else { continue };
        plan.paid += row.paid;
        if let Some(month) = plan.months.get_mut(row.month) {
            *month += row.paid;
        }
    }
    plans.sort_by(|a, b| b.paid.cmp(&a.paid).then_with(|| a.plan_name.cmp(&b.plan_name)));
    plans
}

fn methods(charges: &[Charges]) -> Vec<MethodSpending> {
    let of = |method: Method| {
        let rows = charges.iter().filter(move |row| row.method == method);
        let payments = rows.clone().map(|row| row.payments).sum();
        MethodSpending { method, paid: rows.map(|row| row.paid).sum(), payments }
    };
    let mut methods: Vec<MethodSpending> =
        Method::ALL.map(of).into_iter().filter(|method| method.payments > 0).collect();
    methods.sort_by_key(|method| -method.paid);
    methods
}

fn reasons(failures: &[Failures]) -> Vec<FailureCount> {
    let of = |reason: FailureCode| {
        let rows = failures.iter().filter(|row| row.reason == reason);
        FailureCount { reason, attempts: rows.map(|row| row.attempts).sum() }
    };
    let mut reasons: Vec<FailureCount> =
        FailureCode::ALL.map(of).into_iter().filter(|count| count.attempts > 0).collect();
    reasons.sort_by_key(|count| -count.attempts);
    reasons
}

/// One month, plan and method.
struct Charges {
    month: usize,
    plan_name: String,
    method: Method,
    payments: i64,
    paid: Cents,
}

struct Sum {
    month: usize,
    amount: Cents,
}

/// One month and reason.
struct Failures {
    month: usize,
    reason: FailureCode,
    attempts: i64,
}

/// `width_bucket` counts the months from one.
fn month_of(row: &Row) -> Result<usize> {
    let bucket: i32 = row.try_get("month")?;
    usize::try_from(bucket - 1).map_err(Error::internal)
}

impl TryFrom<&Row> for Charges {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        Ok(Self {
            month: month_of(row)?,
            plan_name: row.try_get("plan_name")?,
            method: row.try_get("method")?,
            payments: row.try_get("payments")?,
            paid: row.try_get("paid")?,
        })
    }
}

impl TryFrom<&Row> for Sum {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        Ok(Self { month: month_of(row)?, amount: row.try_get("amount")? })
    }
}

impl TryFrom<&Row> for Failures {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        let reason: &str = row.try_get("reason")?;
        let reason = FailureCode::parse(reason).unwrap_or(FailureCode::Other);
        Ok(Self { month: month_of(row)?, reason, attempts: row.try_get("attempts")? })
    }
}

const CHARGES: &str = "SELECT width_bucket(p.at, $2::timestamptz[]) AS month, p.plan_name, p.method, \
       count(*) AS payments, sum(p.amount_cents)::bigint AS paid \
     FROM (SELECT coalesce(c.succeeded_at, c.updated_at) AS at, coalesce(i.plan_name, n.display_name) AS plan_name, \
         c.method, coalesce(c.received_cents, c.amount_cents) AS amount_cents \
       FROM payments c JOIN plans n ON n.id = c.plan_id \
       LEFT JOIN invoices i ON i.company_id = c.company_id AND i.id = c.id \
       WHERE c.company_id = $1 AND c.state = 'succeeded') AS p \
     WHERE p.at >= ($2::timestamptz[])[1] GROUP BY 1, 2, 3 ORDER BY 1, 2, 3";

const REFUNDS: &str = "SELECT width_bucket(at, $2::timestamptz[]) AS month, sum(total_cents)::bigint AS amount \
     FROM invoices WHERE company_id = $1 AND kind = 'refund' AND at >= ($2::timestamptz[])[1] GROUP BY 1";

const FAILURES: &str = "SELECT width_bucket(created_at, $2::timestamptz[]) AS month, \
       CASE state WHEN 'expired' THEN 'payment_expired' ELSE coalesce(failure_code, 'other') END AS reason, \
       count(*) AS attempts \
     FROM payments WHERE company_id = $1 AND state IN ('declined', 'failed', 'expired') \
       AND created_at >= ($2::timestamptz[])[1] GROUP BY 1, 2";

#[cfg(test)]
mod tests {
    use super::*;

    fn charge(month: usize, plan: &str, method: Method, cents: i64) -> Charges {
        Charges { month, plan_name: plan.into(), method, payments: 1, paid: Cents(cents) }
    }

    #[test]
    fn what_was_paid_most_for_comes_first_and_every_month_has_its_place() {
        let charges = [
            charge(0, "Essencial", Method::Pix, 4_990),
            charge(2, "Negócio", Method::CreditCard, 89_910),
            charge(2, "Essencial", Method::CreditCard, 4_990),
        ];
        let plans = plans(&charges, 3);
        let names: Vec<&str> = plans.iter().map(|plan| plan.plan_name.as_str()).collect();
        assert_eq!(names, ["Negócio", "Essencial"]);
        assert_eq!(plans[1].months, [Cents(4_990), Cents::ZERO, Cents(4_990)]);
        assert_eq!(plans[1].paid, Cents(9_980));
        let methods = methods(&charges);
        let paid: Vec<(Method, i64, i64)> =
            methods.iter().map(|of| (of.method, of.paid.0, of.payments)).collect();
        assert_eq!(paid, [(Method::CreditCard, 94_900, 2), (Method::Pix, 4_990, 1)]);
    }
}

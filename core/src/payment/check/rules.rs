//! The SQL of the check, one statement a rule; an invariant may have several rules. Each row of an answer is a finding.
//! The statements join whole tables and look nothing up row by row, because they run beside the work of all companies.
//! Called by `check`; `actors/src/payment_check.rs` asks for the customers.

use jiff::Timestamp;
use tokio_postgres::Row;
use uuid::Uuid;

use super::{Finding, Report};
use crate::alert::AlertKind;
use crate::db::{Db, PlatformTx};
use crate::error::{Error, Result};
use crate::id::CompanyId;
use crate::scope::JobScope;
use crate::subscription::Subscription;

/// Answers `company_id`, `subject`, `detail`.
struct Rule {
    invariant: &'static str,
    sql: &'static str,
    /// `$1` is the instant of the check.
    takes_now: bool,
    /// Holds only for what the provider could have told us.
    needs_provider: bool,
}

const fn rule(invariant: &'static str, sql: &'static str) -> Rule {
    Rule { invariant, sql, takes_now: false, needs_provider: false }
}

const fn timed(invariant: &'static str, sql: &'static str) -> Rule {
    Rule { takes_now: true, ..rule(invariant, sql) }
}

const RULES: &[Rule] = &[
    rule("P1", BOUGHT_TWICE),
    rule("P2", NOT_ONE_EFFECT),
    rule("P2", DEBIT_WITHOUT_PAYMENT),
    rule("P3", OTHER_AMOUNT),
    rule("P4", ANSWER_WITHOUT_PAYMENT),
    timed("P5", WEBHOOK_WITHOUT_JOB),
    rule("P6", TWO_OPEN),
    timed("P6", LEFT_ITS_END),
    timed("P7", GAP),
    timed("P7", EVENT_MISSING),
    timed("P7", AUDIT_MISSING),
    rule("P7", HISTORY_MISSING),
    rule("P8", NEGATIVE_BALANCE),
    rule("P8", OVERLAP),
    rule("P9", REVIEW_WITHOUT_ALERT),
    rule("P10", NO_TIMER),
    rule("P10", NOBODY_ENDS_IT),
    Rule { needs_provider: true, ..timed("P10", STILL_UNKNOWN) },
    rule("P10", DEAD_JOB),
    rule("P11", MOVEMENTS_DIFFER),
    timed("P12", NO_DOCUMENT),
    rule("P12", NUMBERS_DIFFER),
];

/// Findings of one rule; each statement has it as its limit.
const MAX_FOUND: usize = 50;

/// What the rules found.
pub struct RuleFindings {
    /// At most fifty of a rule. A rule that did not answer is a finding, too.
    pub findings: Vec<Finding>,
    /// Every rule was asked, answered, and found fewer than it may.
    pub is_complete: bool,
}

/// Asks each rule in a transaction of its own: one that fails stops no other.
///
/// # Errors
/// `Unavailable` without a database.
pub async fn ask_all(db: &Db, proof: &JobScope, provider_answers: bool) -> Result<RuleFindings> {
    let mut found = RuleFindings { findings: Vec::new(), is_complete: provider_answers };
    for rule in RULES.iter().filter(|rule| provider_answers || !rule.needs_provider) {
        let tx = db.survey_tx(proof).await?;
        found.add(rule.invariant, ask(&tx, rule).await);
    }
    let tx = db.survey_tx(proof).await?;
    found.add("P2", unpaid_access(&tx).await);
    Ok(found)
}

impl RuleFindings {
    fn add(&mut self, invariant: &str, answer: Result<Vec<Finding>>) {
        let found = answer.unwrap_or_else(|error| {
            self.is_complete = false;
            let (invariant, subject) = (invariant.to_owned(), "unchecked".to_owned());
            vec![Finding { invariant, company_id: None, subject, detail: error.to_string() }]
        });
        self.is_complete &= found.len() < MAX_FOUND;
        self.findings.extend(found);
    }
}

async fn ask(tx: &PlatformTx, rule: &Rule) -> Result<Vec<Finding>> {
    let rows = match rule.takes_now {
        true => tx.query(rule.sql, &[&tx.now()]).await?,
        false => tx.query(rule.sql, &[]).await?,
    };
    rows.iter().map(|row| finding(rule.invariant, row)).collect()
}

fn finding(invariant: &str, row: &Row) -> Result<Finding> {
    Ok(Finding {
        invariant: invariant.to_owned(),
        company_id: row.try_get("company_id")?,
        subject: row.try_get("subject")?,
        detail: row.try_get("detail")?,
    })
}

/// P2, P8: no access beyond the last debit. `P` is made from the anchor, so it is compared here.
async fn unpaid_access(tx: &PlatformTx) -> Result<Vec<Finding>> {
    let mut found = Vec::new();
    for row in &tx.query(RUNNING, &[]).await? {
        let covered_until: Option<Timestamp> = row.try_get("covered_until")?;
        let running = Subscription::try_from(row)?;
        let Some(term) = running.term else { continue };
        if covered_until.is_none_or(|until| until < term.paid_end()) {
            found.push(Finding {
                invariant: "P2".to_owned(),
                company_id: Some(running.company_id),
                subject: running.id.to_string(),
                detail: "runs longer than its debits reach".to_owned(),
            });
        }
    }
    Ok(found)
}

/// One statement sees a renewal with its debit, or neither.
const RUNNING: &str = "SELECT s.id, s.company_id, s.plan_id, s.billing_cycle, s.price_cents, s.status, \
     s.anchor_local, s.month, s.paid_until_month, s.end_at, s.canceled_at, s.cancel_reason, \
     s.pending_plan_id, s.pending_cycle, s.pending_price_cents, s.started_at, s.version, d.covered_until \
     FROM subscriptions s LEFT JOIN (SELECT company_id, subscription_id, max(to_at) AS covered_until \
       FROM debit_segments GROUP BY company_id, subscription_id) d \
       ON d.company_id = s.company_id AND d.subscription_id = s.id \
     WHERE s.status IN ('active', 'canceled', 'suspended') AND s.anchor_local IS NOT NULL \
       AND s.price_cents > 0";

const BOUGHT_TWICE: &str = "SELECT p.company_id, p.quote_id::text AS subject, \
     count(*) || ' payments bought the same thing' AS detail \
     FROM payments p JOIN debit_segments d ON d.company_id = p.company_id AND d.payment_id = p.id \
     WHERE p.state = 'succeeded' AND p.quote_id IS NOT NULL \
     GROUP BY p.company_id, p.quote_id HAVING count(DISTINCT p.id) > 1 LIMIT 50";

/// Money that came in opened one debit or became credit once.
const NOT_ONE_EFFECT: &str = "WITH debits AS (SELECT company_id, payment_id, count(*) AS n \
       FROM debit_segments WHERE payment_id IS NOT NULL GROUP BY company_id, payment_id), \
     credits AS (SELECT company_id, source, count(*) AS n FROM credit_entries \
       WHERE kind = 'unapplied_payment' GROUP BY company_id, source) \
     SELECT p.company_id, p.id::text AS subject, 'succeeded with ' || coalesce(d.n, 0) || ' debits, ' \
       || coalesce(c.n, 0) || ' credits' AS detail FROM payments p \
     LEFT JOIN debits d ON d.company_id = p.company_id AND d.payment_id = p.id \
     LEFT JOIN credits c ON c.company_id = p.company_id AND c.source = p.id::text \
     WHERE p.state = 'succeeded' \
       AND (p.effects_at IS NULL OR coalesce(d.n, 0) + coalesce(c.n, 0) <> 1) LIMIT 50";

const DEBIT_WITHOUT_PAYMENT: &str = "SELECT d.company_id, d.id::text AS subject, \
     'a debit names a payment that did not succeed' AS detail FROM debit_segments d \
     LEFT JOIN payments p ON p.company_id = d.company_id AND p.id = d.payment_id \
     WHERE d.payment_id IS NOT NULL AND p.state IS DISTINCT FROM 'succeeded' LIMIT 50";

const OTHER_AMOUNT: &str = "SELECT p.company_id, p.id::text AS subject, \
     'quoted ' || q.amount_due_cents || ', asked ' || p.amount_cents AS detail \
     FROM payments p JOIN quotes q ON q.company_id = p.company_id AND q.id = p.quote_id \
     WHERE q.amount_due_cents <> p.amount_cents LIMIT 50";

const ANSWER_WITHOUT_PAYMENT: &str = "SELECT k.company_id, k.key AS subject, \
     'answered with a payment that is not there' AS detail FROM idempotency_keys k \
     LEFT JOIN payments p ON p.company_id = k.company_id AND p.id = k.subject \
     WHERE k.operation = 'POST /payments/process' AND k.status BETWEEN 200 AND 299 \
       AND p.id IS NULL LIMIT 50";

const WEBHOOK_WITHOUT_JOB: &str = "SELECT NULL::uuid AS company_id, w.event_id AS subject, \
     'stored, and nobody will handle it' AS detail FROM webhook_inbox w \
     LEFT JOIN jobs j ON j.kind = 'webhook' AND j.key = w.event_id \
     WHERE w.handled_at IS NULL AND w.received_at < $1::timestamptz - interval '15 minutes' \
       AND j.id IS NULL LIMIT 50";

const TWO_OPEN: &str = "SELECT company_id, min(id::text) AS subject, \
     count(*) || ' payments hold one slot' AS detail FROM payments \
     WHERE NOT superseded AND payment_is_open(state) \
     GROUP BY company_id HAVING count(*) > 1 LIMIT 50";

/// What was shown of a payment, in order: an end is left only for success, success never, versions grow.
const LEFT_ITS_END: &str = "WITH shown AS (SELECT company_id, key, data::json->>'status' AS status, \
       (data::json->>'version')::bigint AS version, \
       lag(data::json->>'status') OVER steps AS before, \
       lag((data::json->>'version')::bigint) OVER steps AS version_before \
       FROM events WHERE name = 'payment.updated' AND at > $1::timestamptz - interval '23 hours' \
       WINDOW steps AS (PARTITION BY channel, key ORDER BY seq)) \
     SELECT DISTINCT company_id, key AS subject, before || ' became ' || status AS detail FROM shown \
     WHERE before = 'SUCCESS' AND status <> 'SUCCESS' OR version <= version_before \
       OR before = 'CANCELLED' AND status NOT IN ('CANCELLED', 'SUCCESS') LIMIT 50";

/// The purge takes what is older than a day, so only the last 23 hours must be whole.
const GAP: &str = "WITH first AS (SELECT channel, min(seq) AS seq FROM events \
       WHERE at > $1::timestamptz - interval '23 hours' GROUP BY channel) \
     SELECT max(e.company_id::text)::uuid AS company_id, e.channel AS subject, \
       count(*) || ' of ' || h.seq - f.seq + 1 || ' events are there' AS detail \
     FROM first f JOIN events e ON e.channel = f.channel AND e.seq >= f.seq \
     JOIN channel_heads h ON h.channel = f.channel \
     GROUP BY e.channel, f.seq, h.seq HAVING count(*) <> h.seq - f.seq + 1 LIMIT 50";

const EVENT_MISSING: &str = "WITH newest AS (SELECT DISTINCT ON (company_id, key) company_id, key, \
       data::json->>'status' AS status FROM events \
       WHERE name = 'payment.updated' AND at > $1::timestamptz - interval '23 hours' \
       ORDER BY company_id, key, seq DESC) \
     SELECT p.company_id, p.id::text AS subject, \
       p.state || ', but shown last as ' || coalesce(n.status, 'nothing') AS detail \
     FROM payments p LEFT JOIN newest n ON n.company_id = p.company_id AND n.key = p.id::text \
     WHERE p.updated_at > $1::timestamptz - interval '23 hours' AND n.status IS DISTINCT FROM CASE \
       WHEN p.state IN ('created', 'requires_action') THEN 'PENDING' \
       WHEN p.state IN ('submitting', 'processing', 'conflicted') THEN 'PROCESSING' \
       WHEN p.state = 'succeeded' THEN 'SUCCESS' WHEN p.state = 'canceled' THEN 'CANCELLED' \
       ELSE 'FAILED' END LIMIT 50";

/// The audit of what is older than five years is gone (`purge`).
const AUDIT_MISSING: &str = "WITH noted AS (SELECT company_id, target, \
       bool_or(action IN ('payment.start', 'payment.adopt')) AS started, \
       bool_or(action IN ('payment.succeed', 'payment.fail', 'payment.expire', 'payment.close', \
         'payment.cancel')) AS ended \
       FROM audit_entries WHERE action LIKE 'payment.%' GROUP BY company_id, target) \
     SELECT p.company_id, p.id::text AS subject, p.state || ' without an audit row' AS detail \
     FROM payments p LEFT JOIN noted n ON n.company_id = p.company_id AND n.target = p.id::text \
     WHERE p.created_at > $1::timestamptz - interval '1825 days' \
       AND (n.started IS NOT TRUE OR n.ended IS NOT TRUE \
       AND p.state IN ('succeeded', 'failed', 'expired', 'canceled')) LIMIT 50";

const HISTORY_MISSING: &str = "SELECT p.company_id, p.id::text AS subject, \
     'took effect without a line in the history' AS detail FROM payments p \
     LEFT JOIN subscription_history h ON h.company_id = p.company_id AND h.at = p.effects_at \
     WHERE p.effects_at IS NOT NULL AND h.id IS NULL LIMIT 50";

/// Up to 49 centavos are carried.
const NEGATIVE_BALANCE: &str = "SELECT company_id, company_id::text AS subject, \
     'the credit balance is ' || sum(amount_cents) AS detail FROM credit_entries \
     GROUP BY company_id HAVING sum(amount_cents) <= -50 LIMIT 50";

/// A debit that begins before an earlier one has ended.
const OVERLAP: &str = "SELECT DISTINCT company_id, subscription_id::text AS subject, \
     'two debits for the same time' AS detail FROM (SELECT company_id, subscription_id, from_at, \
       max(to_at) OVER (PARTITION BY company_id, subscription_id ORDER BY from_at, id \
         ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS ended_at \
       FROM debit_segments WHERE from_at < to_at) debits WHERE from_at < ended_at LIMIT 50";

const REVIEW_WITHOUT_ALERT: &str = "SELECT p.company_id, p.id::text AS subject, \
     'under review, and nobody was told' AS detail FROM payments p \
     LEFT JOIN alerts a ON a.kind = 'payment.under_review' AND a.subject = p.id::text \
       AND a.closed_at IS NULL \
     WHERE p.state = 'conflicted' AND a.id IS NULL LIMIT 50";

const NO_TIMER: &str = "SELECT p.company_id, p.id::text AS subject, \
     p.state || ' without a timer' AS detail FROM payments p \
     LEFT JOIN jobs j ON j.kind = 'reconcile' AND j.key = p.id::text AND j.dead_at IS NULL \
     WHERE payment_is_open(p.state) AND j.id IS NULL LIMIT 50";

/// A period that no timer ends or renews, or a price without a period. An open payment wakes the timer
/// when it closes.
const NOBODY_ENDS_IT: &str = "SELECT s.company_id, s.id::text AS subject, \
     s.status || ' at a price, and nothing will end or renew it' AS detail FROM subscriptions s \
     LEFT JOIN jobs j ON j.kind = 'renewal' AND j.key = s.company_id::text AND j.dead_at IS NULL \
     LEFT JOIN payments p ON p.company_id = s.company_id AND NOT p.superseded AND payment_is_open(p.state) \
     WHERE s.status IN ('active', 'canceled', 'suspended') \
       AND (s.anchor_local IS NULL AND s.price_cents > 0 \
         OR s.anchor_local IS NOT NULL AND j.id IS NULL AND p.id IS NULL) LIMIT 50";

/// A timer that is due has not had its turn yet.
const STILL_UNKNOWN: &str = "SELECT p.company_id, p.id::text AS subject, \
     p.state || ', and unknown for too long' AS detail FROM payments p \
     JOIN jobs j ON j.kind = 'reconcile' AND j.key = p.id::text AND j.run_at > $1 \
     WHERE (p.unknown OR p.state = 'submitting') \
       AND p.state NOT IN ('succeeded', 'failed', 'expired', 'canceled') \
       AND p.unknown_at < $1::timestamptz - interval '15 minutes' LIMIT 50";

/// Given up, or failing for over two hours. A mail that no server takes is no broken payment. The five kinds that come
/// again for ever count good runs, too, and are tried often enough for the alert BipeJobsFailing.
const DEAD_JOB: &str = "SELECT NULL::uuid AS company_id, kind || ' ' || key AS subject, \
     coalesce(left(last_error, 200), 'given up') AS detail FROM jobs \
     WHERE (dead_at IS NOT NULL OR attempts >= 12 AND last_error <> '') AND kind NOT IN ('mail', 'code_mail', \
       'purge', 'payment_check', 'missing_documents', 'metrics_check', 'event_sweep') LIMIT 50";

/// What the movements add up to is what the companies pay a year now.
const MOVEMENTS_DIFFER: &str = "WITH moved AS (SELECT company_id, sum(CASE \
       WHEN kind IN ('new', 'reactivation', 'expansion') THEN arr_cents ELSE -arr_cents END) AS arr \
       FROM movements GROUP BY company_id), \
     paying AS (SELECT company_id, price_cents * CASE billing_cycle WHEN 'monthly' THEN 12 \
       WHEN 'quarterly' THEN 4 ELSE 1 END AS arr FROM subscriptions \
       WHERE status IN ('active', 'canceled') AND anchor_local IS NOT NULL) \
     SELECT coalesce(m.company_id, s.company_id) AS company_id, \
       coalesce(m.company_id, s.company_id)::text AS subject, 'movements say ' || coalesce(m.arr, 0) \
       || ', the subscription ' || coalesce(s.arr, 0) AS detail \
     FROM moved m FULL JOIN paying s ON s.company_id = m.company_id \
     WHERE coalesce(m.arr, 0) <> coalesce(s.arr, 0) LIMIT 50";

/// Money that came in or went back is documented to the centavo. For an hour `invoice::backfill` may make up for a
/// document that an older node did not issue.
const NO_DOCUMENT: &str = "WITH refunds AS (SELECT company_id, payment_id, sum(total_cents) AS total FROM invoices \
       WHERE kind = 'refund' GROUP BY company_id, payment_id) \
     SELECT p.company_id, p.id::text AS subject, 'received ' || coalesce(p.received_cents, p.amount_cents) \
       || ' and gave back ' || p.refunded_cents || ', documented ' || coalesce(i.total_cents, 0) || ' and ' \
       || coalesce(r.total, 0) AS detail FROM payments p \
     LEFT JOIN invoices i ON i.company_id = p.company_id AND i.id = p.id \
     LEFT JOIN refunds r ON r.company_id = p.company_id AND r.payment_id = p.id \
     WHERE p.state = 'succeeded' AND p.effects_at IS NOT NULL \
       AND (i.id IS NULL AND p.effects_at < $1::timestamptz - interval '1 hour' \
         OR i.total_cents <> p.amount_cents \
           AND i.total_cents <> coalesce(p.received_cents, p.amount_cents) \
         OR p.refunded_cents <> coalesce(r.total, 0)) LIMIT 50";

const NUMBERS_DIFFER: &str = "SELECT NULL::uuid AS company_id, s.tax_id AS subject, \
       count(i.company_id) || ' documents up to ' || coalesce(max(i.number), 0) || ', the last number is ' || s.last \
       AS detail FROM invoice_issuers s LEFT JOIN invoices i ON i.issuer_tax_id = s.tax_id \
     GROUP BY s.tax_id, s.last HAVING count(i.company_id) <> s.last OR coalesce(max(i.number), 0) <> s.last LIMIT 50";

/// The companies to compare with the provider, with their customer there: first those with a finding that is open, then
/// those whose payments changed within 25 hours, the newest first.
pub async fn customers(tx: &PlatformTx) -> Result<Vec<(CompanyId, String)>> {
    let rows = tx.query(CUSTOMERS, &[&tx.now(), &AlertKind::PaymentInvariant]).await?;
    rows.iter().map(|row| Ok((row.try_get("company_id")?, row.try_get("customer_id")?))).collect()
}

const CUSTOMERS: &str = "SELECT c.company_id, c.customer_id FROM provider_customers c \
     JOIN (SELECT company_id, max(at) AS at FROM (\
         SELECT company_id, 'infinity'::timestamptz AS at FROM alerts WHERE kind = $2 AND closed_at IS NULL \
         UNION ALL SELECT company_id, updated_at FROM payments \
         WHERE updated_at > $1::timestamptz - interval '25 hours') named GROUP BY company_id) p \
       ON p.company_id = c.company_id ORDER BY p.at DESC LIMIT 200";

/// The payments that the provider processes for more than a day, with their companies.
pub async fn long_processing(tx: &PlatformTx) -> Result<Vec<(CompanyId, String)>> {
    let rows = tx.query(LONG_PROCESSING, &[&tx.now()]).await?;
    rows.iter().map(|row| Ok((row.try_get("company_id")?, row.try_get("subject")?))).collect()
}

const LONG_PROCESSING: &str = "SELECT company_id, id::text AS subject FROM payments \
     WHERE state = 'processing' AND updated_at < $1::timestamptz - interval '24 hours' \
     ORDER BY updated_at LIMIT 50";

/// Open alerts that somebody, or time, has settled. By their ids: one that is raised after this look stays.
pub async fn settled(tx: &PlatformTx) -> Result<Vec<Uuid>> {
    let mut ids = Vec::new();
    let looks = [
        (DECIDED, AlertKind::PaymentUnderReview),
        (PROCESSED, AlertKind::PaymentProcessing),
        (GONE_ON, AlertKind::RenewalStopped),
    ];
    for (sql, kind) in looks {
        for row in tx.query(sql, &[&kind]).await? {
            ids.push(row.try_get("id")?);
        }
    }
    Ok(ids)
}

/// Payments that are not under review any more.
const DECIDED: &str = "SELECT a.id FROM alerts a \
     LEFT JOIN payments p ON p.company_id = a.company_id AND p.id::text = a.subject \
     WHERE a.kind = $1 AND a.closed_at IS NULL \
     AND (p.state <> 'succeeded' AND p.review_reason IS NULL) IS NOT TRUE";

/// Payments that are not processing any more.
const PROCESSED: &str = "SELECT a.id FROM alerts a \
     LEFT JOIN payments p ON p.company_id = a.company_id AND p.id::text = a.subject \
     WHERE a.kind = $1 AND a.closed_at IS NULL AND p.state IS DISTINCT FROM 'processing'";

/// Subscriptions whose charges were stopped, and that were paid for since, by whatever choice, or have nothing to renew.
const GONE_ON: &str = "SELECT a.id FROM alerts a \
     LEFT JOIN subscriptions s ON s.company_id = a.company_id AND s.id::text = a.subject \
     WHERE a.kind = $1 AND a.closed_at IS NULL \
     AND ((s.status <> 'expired' AND s.anchor_local IS NOT NULL) IS NOT TRUE \
       OR EXISTS (SELECT FROM renewal_steps r WHERE r.company_id = s.company_id AND r.subscription_id = s.id \
         AND r.kind = 'paid' AND r.at > a.at))";

pub async fn keep(tx: &PlatformTx, report: &Report) -> Result<()> {
    let findings = serde_json::to_string(&report.findings).map_err(Error::internal)?;
    tx.execute(KEEP, &[&report.id, &report.at, &report.provider_asked, &findings]).await?;
    Ok(())
}

const KEEP: &str =
    "INSERT INTO payment_checks (id, at, provider_asked, findings) VALUES ($1, $2, $3, $4)";

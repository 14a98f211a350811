//! What a company reads about its money: the credit ledger with its balance (`ledger`), everything that moved or tried
//! to (`transactions`), and figures by month (`spending`). Called by the handlers. Read only.
//!
//! Invariants: nothing is counted that is not a payment, the document of a refund or an entry of the credit ledger, and
//! each is counted once.

use serde::Serialize;
use utoipa::ToSchema;

use crate::id::{InvoiceId, PaymentId};
use crate::payment_method::Method;
use crate::plan::BillingCycle;
use crate::row::from_row;
use crate::subscription::ChangeType;

/// Of an entry `e` of the credit ledger: when its cause took effect, and the payment that it names, if it is one.
/// Its source is a payment, a command, or `subscription:step:second` of what time did.
macro_rules! entry_cause {
    () => {
        "CASE WHEN e.source LIKE '%:%:%' THEN to_timestamp(split_part(e.source, ':', 3)::double precision) \
           ELSE e.at END AS caused_at, \
         CASE WHEN e.source ~ '^[0-9a-f-]{36}$' THEN e.source::uuid END AS payment_id"
    };
}

/// The columns of a [`Subject`], of the joins below.
macro_rules! subject_columns {
    () => {
        "y.id AS payment_id, y.method, coalesce(i.plan_name, l.display_name, h.plan_name) AS plan_name, \
         coalesce(i.billing_cycle, y.billing_cycle, h.billing_cycle) AS billing_cycle, \
         i.id AS invoice_id, i.number AS invoice_number, \
         CASE WHEN y.id IS NOT NULL THEN y.change_type \
           WHEN split_part(m.source, ':', 2) = 'renewed' THEN 'renewal' \
           ELSE CASE h.type WHEN 'upgraded' THEN 'upgrade' WHEN 'downgraded' THEN 'downgrade' \
             WHEN 'activated' THEN 'creation' WHEN 'renewed' THEN 'renewal' WHEN 'changed' THEN 'other' END \
         END AS change"
    };
}

/// Of a row `m`: its payment, its document, and, for what nobody paid, the line of the history that its cause wrote.
/// A change without a payment has the instant of its document and of its line.
///
/// A document is looked up by `CASE`, not by `coalesce`: under row-level security PostgreSQL uses an index only for what
/// it knows to leak nothing, and it does not know that of `coalesce`.
macro_rules! subject_joins {
    () => {
        " LEFT JOIN payments y ON y.company_id = $1 AND y.id = m.payment_id \
         LEFT JOIN plans l ON l.id = y.plan_id \
         LEFT JOIN LATERAL (SELECT s.type, s.plan_name, s.billing_cycle FROM subscription_history s \
           WHERE s.company_id = $1 AND y.id IS NULL AND m.source IS NOT NULL AND s.at IN (m.at, m.caused_at) \
             AND (split_part(m.source, ':', 2) IN ('', 'renewed') OR s.type = split_part(m.source, ':', 2)) \
           ORDER BY s.at = m.caused_at DESC, s.line_number DESC LIMIT 1) h ON true \
         LEFT JOIN LATERAL (SELECT d.id FROM invoices d \
           WHERE d.company_id = $1 AND m.source IS NOT NULL AND d.kind = 'change' AND d.at IN (m.at, m.caused_at) \
           ORDER BY d.at = m.caused_at DESC, d.number DESC LIMIT 1) d ON true \
         LEFT JOIN invoices i ON i.company_id = $1 AND i.id = CASE WHEN m.document_id IS NOT NULL THEN m.document_id \
           WHEN y.id IS NOT NULL THEN y.id ELSE d.id END"
    };
}

pub mod ledger;
pub mod spending;
pub mod transactions;

/// What money moved for; what is not known is null.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MoneySubject)]
pub struct Subject {
    /// What was done with the subscription.
    pub change: Option<ChangeType>,
    pub plan_name: Option<String>,
    pub billing_cycle: Option<BillingCycle>,
    pub payment_id: Option<PaymentId>,
    pub method: Option<Method>,
    /// The document that says more.
    pub invoice_id: Option<InvoiceId>,
    pub invoice_number: Option<i64>,
}

from_row!(Subject {
    change,
    plan_name,
    billing_cycle,
    payment_id,
    method,
    invoice_id,
    invoice_number,
});

//! An invoice: the numbered document of a payment, of a change that cost nothing, or of a refund
//! (docs/billing.md, "Documents"). It is a receipt and statement of charges, no nota fiscal.
//!
//! Pure; `store` issues and reads, `issuer` says who issues, `backfill` makes up for what has none, `archive` packs a
//! year, which `export` reads. Called by subscriptions, whose changes it documents, and by the billing workflow.
//! Invariant: the lines add up to the total, and nothing in an issued document ever changes.

pub mod archive;
mod archive_pt_br;
pub mod backfill;
pub mod export;
pub mod issuer;
mod search_pt_br;
pub mod send;
mod sheet_pt_br;
pub mod store;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::id::{CompanyId, InvoiceId, PaymentId, UserId};
use crate::money::Cents;
use crate::payment_method::{CardName, Method};
use crate::plan::BillingCycle;
use crate::words::words;

pub use sheet_pt_br::NOT_FISCAL;

words! {
    /// What a document is about.
    pub enum InvoiceKind {
        /// Money came in.
        Payment = "payment",
        /// A choice or a renewal for which nothing was charged.
        Change = "change",
        /// Money went back to the payer.
        Refund = "refund",
    }
}

words! {
    #[schema(as = PriceLineKind)]
    pub enum LineKind {
        /// A whole period of the plan.
        Plan = "plan",
        /// The rest of the running period at the new price.
        Prorated = "prorated",
        /// What was paid for the time that is not used any more.
        ProratedCredit = "proratedCredit",
        /// Of the company's credit.
        CreditUsed = "creditUsed",
        /// Too small to be charged when it arose.
        CarriedOver = "carriedOver",
        /// Too small to be charged now: part of the next amount due.
        Carried = "carried",
        /// What is left over; it stays as the company's credit.
        CreditKept = "creditKept",
        /// Due and never charged.
        Forgiven = "forgiven",
        /// Given back to the payer; negative where the provider took that back.
        Refunded = "refunded",
        /// Of a payment whose parts were not kept.
        Received = "received",
    }
}

/// One line of a price, in a preview and in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = InvoiceLine)]
pub struct Line {
    pub kind: LineKind,
    /// Negative where it lowers the total.
    #[schema(value_type = i64)]
    pub amount: Cents,
}

/// What was paid for: `[start, end)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InvoicePeriod {
    pub start: Timestamp,
    pub end: Timestamp,
}

/// Who issues documents; empty until `BIPE_LEGAL_NAME` and `BIPE_LEGAL_TAX_ID` are set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = InvoiceIssuer)]
pub struct Issuer {
    pub name: String,
    /// CNPJ or CPF, its letters and digits alone.
    pub tax_id: String,
    pub address: String,
    pub email: String,
}

/// What is told live of a new document: no frame carries a tax id.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct IssuedInvoice {
    pub id: InvoiceId,
    pub kind: InvoiceKind,
    pub number: i64,
}

/// To whom it is made out: the company's billing profile as it stood then, or its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvoicePayer {
    pub name: String,
    /// CNPJ or CPF, its letters and digits alone.
    pub tax_id: Option<String>,
    /// Several lines.
    pub address: Option<String>,
}

/// How the money came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = InvoicePayment)]
pub struct PaymentMeans {
    pub id: PaymentId,
    pub method: Method,
    /// Where it was one, and the provider named it.
    pub card: Option<CardName>,
    pub provider: String,
    /// The provider's id.
    pub reference: Option<String>,
}

/// A document that is about to be issued: everything but its number, its issuer and its payer.
#[must_use = "what is paid for needs its document"]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    pub id: InvoiceId,
    pub kind: InvoiceKind,
    pub at: Timestamp,
    pub by: Option<UserId>,
    pub plan_name: String,
    pub cycle: BillingCycle,
    pub period: Option<InvoicePeriod>,
    pub lines: Vec<Line>,
    pub became_credit: bool,
    pub payment: Option<PaymentMeans>,
}

impl Draft {
    pub fn total(&self) -> Cents {
        self.lines.iter().map(|line| line.amount).sum()
    }

    /// What gives a part of its payment back, or, below zero, takes that back.
    pub fn refund(self, id: InvoiceId, at: Timestamp, amount: Cents) -> Self {
        Self {
            id,
            kind: InvoiceKind::Refund,
            at,
            by: None,
            lines: vec![Line { kind: LineKind::Refunded, amount }],
            became_credit: false,
            ..self
        }
    }
}

/// Without the person, whose name alone it keeps.
impl From<Invoice> for Draft {
    fn from(issued: Invoice) -> Self {
        Self {
            id: issued.id,
            kind: issued.kind,
            at: issued.at,
            by: None,
            plan_name: issued.plan_name,
            cycle: issued.billing_cycle,
            period: issued.period,
            lines: issued.lines,
            became_credit: issued.became_credit,
            payment: issued.payment,
        }
    }
}

/// An issued document. Amounts are integer minor units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Invoice {
    pub id: InvoiceId,
    pub company_id: CompanyId,
    pub kind: InvoiceKind,
    /// Of its issuer, from 1 without a gap.
    pub number: i64,
    pub issuer: Issuer,
    /// When the money moved or the change took effect.
    pub at: Timestamp,
    pub issued_at: Timestamp,
    pub payer: InvoicePayer,
    /// The person who paid or chose; null for a job.
    pub paid_by: Option<String>,
    pub plan_name: String,
    pub billing_cycle: BillingCycle,
    /// Null where nothing was bought, and of old payments that do not tell it.
    pub period: Option<InvoicePeriod>,
    pub lines: Vec<Line>,
    /// The sum of the lines.
    #[schema(value_type = i64)]
    pub total: Cents,
    /// Contained in the total; 0 today.
    #[schema(value_type = i64)]
    pub taxes: Cents,
    pub currency: String,
    /// Nothing was bought: the money is the company's credit.
    pub became_credit: bool,
    /// Null for a change without a payment.
    pub payment: Option<PaymentMeans>,
}

/// The page of a document, for mails and links.
pub fn path(company: CompanyId, id: InvoiceId) -> String {
    format!("/invoices/{id}?companyId={company}")
}

impl Invoice {
    /// As people write it: `000123`.
    pub fn number_text(&self) -> String {
        format!("{:06}", self.number)
    }
}

//! Checks the payment invariants P1 to P12 over all companies. Each finding raises an alert, which is closed when a
//! whole check finds it no more. So does a payment that the provider processes for too long, which breaks nothing. Run
//! every hour, and by tests after whole years.
//!
//! Changes no payment: it writes its result and its alerts. The caller (`actors/src/payment_check.rs`) asks the
//! provider outside any transaction and hands its answers in.

pub mod rules;

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use uuid::Uuid;

use crate::alert::{self, Alert, AlertKind};
use crate::db::Db;
use crate::error::Result;
use crate::id::CompanyId;
use crate::scope::JobScope;
use rules::RuleFindings;

/// How often it runs.
pub const INTERVAL: SignedDuration = SignedDuration::from_hours(1);

/// Something that may not be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// `P1` to `P12`.
    pub invariant: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub company_id: Option<CompanyId>,
    /// The id of what breaks it.
    pub subject: String,
    pub detail: String,
}

/// What the provider said about the newest payments.
#[derive(Clone, Debug, Default)]
pub struct ProviderFindings {
    /// It answered whatever it was asked: what is still unknown here could have been learnt.
    pub answers: bool,
    pub findings: Vec<Finding>,
}

/// The result of one run.
#[derive(Clone, Debug)]
pub struct Report {
    pub id: Uuid,
    pub at: Timestamp,
    pub provider_asked: bool,
    pub findings: Vec<Finding>,
}

/// Checks everything and keeps the result.
///
/// # Errors
/// `Unavailable` without a database.
pub async fn run(db: &Db, proof: &JobScope, provider: ProviderFindings) -> Result<Report> {
    let RuleFindings { mut findings, is_complete } =
        rules::ask_all(db, proof, provider.answers).await?;
    findings.extend(provider.findings);
    let tx = db.survey_tx(proof).await?;
    let report =
        Report { id: tx.clock().uuid(), at: tx.now(), provider_asked: provider.answers, findings };
    rules::keep(&tx, &report).await?;
    let mut subjects = Vec::new();
    for finding in &report.findings {
        let subject = format!("{} {}", finding.invariant, finding.subject);
        let (kind, company) = (AlertKind::PaymentInvariant, finding.company_id);
        let detail = finding.detail.as_str();
        alert::raise(&tx, Alert { kind, company, subject: &subject, detail }).await?;
        subjects.push(subject);
    }
    // What was not looked at may still be broken.
    if is_complete {
        alert::close_others(&tx, AlertKind::PaymentInvariant, &subjects).await?;
    }
    for (company, subject) in rules::long_processing(&tx).await? {
        let (kind, detail) = (AlertKind::PaymentProcessing, "processing for more than a day");
        let company = Some(company);
        alert::raise(&tx, Alert { kind, company, subject: &subject, detail }).await?;
    }
    alert::close_each(&tx, &rules::settled(&tx).await?).await?;
    tx.commit().await?;
    let count = report.findings.len();
    tracing::info!(findings = count, provider_asked = report.provider_asked, "payments checked");
    Ok(report)
}

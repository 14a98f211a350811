//! Disputes: the payer's bank asks or takes the money, and keeps it or gives it back. The charge stays `disputed`.
//!
//! The text of the evidence decides how one ends (https://docs.stripe.com/testing#evidence).

use serde_json::Value;

use crate::cards::DisputeKind;
use crate::expand::{self, PAGING};
use crate::fault::Fault;
use crate::objects::{Charge, Dispute, DisputeStatus};
use crate::pipeline::Call;
use crate::store::{State, Tx};

pub fn open(tx: &mut Tx<'_>, charge: &Charge, kind: DisputeKind) {
    let (reason, status) = match kind {
        DisputeKind::Fraudulent => ("fraudulent", DisputeStatus::NeedsResponse),
        DisputeKind::ProductNotReceived => ("product_not_received", DisputeStatus::NeedsResponse),
        DisputeKind::Inquiry => ("general", DisputeStatus::WarningNeedsResponse),
    };
    let row = Dispute {
        id: tx.id("dp"),
        created: tx.now,
        amount: charge.amount,
        charge: charge.id.clone(),
        currency: charge.currency.clone(),
        intent: charge.intent.clone(),
        reason: reason.to_owned(),
        status,
    };
    tx.save(row.clone(), "charge.dispute.created");
    if status.holds_money() {
        tx.save(row, "charge.dispute.funds_withdrawn");
    }
}

pub fn list(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    call.params.only(&[&PAGING[..], &["charge", "created", "payment_intent"]].concat())?;
    let (charge, intent) = (call.params.text("charge"), call.params.text("payment_intent"));
    let keep = |row: &Dispute| {
        charge.is_none_or(|id| id == row.charge) && intent.is_none_or(|id| id == row.intent)
    };
    expand::list(tx, &call.params, "/v1/disputes", keep)
}

/// Hands in the evidence, at which the bank decides.
pub fn update(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    let text = "evidence[uncategorized_text]";
    call.params.only(&["evidence"])?;
    let known = ["winning_evidence", "losing_evidence", "escalate_inquiry_evidence"];
    let evidence = call.params.one_of(text, &known)?.ok_or_else(|| Fault::missing(text))?;
    let row = waiting(tx, call)?;
    let is_inquiry = row.status == DisputeStatus::WarningNeedsResponse;
    match evidence {
        "escalate_inquiry_evidence" if is_inquiry => {
            let row = Dispute { status: DisputeStatus::NeedsResponse, ..row };
            tx.save(row.clone(), "charge.dispute.updated");
            Ok(tx.save(row, "charge.dispute.funds_withdrawn"))
        }
        _ if is_inquiry => Ok(end(tx, row, DisputeStatus::WarningClosed)),
        "winning_evidence" => {
            let value = end(tx, row, DisputeStatus::Won);
            tx.emit("charge.dispute.funds_reinstated", &value);
            Ok(value)
        }
        _ => Ok(end(tx, row, DisputeStatus::Lost)),
    }
}

/// Gives it up.
pub fn close(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    call.params.only(&[])?;
    let row = waiting(tx, call)?;
    Ok(end(tx, row, DisputeStatus::Lost))
}

/// The bank has money of the charge.
pub fn holds_money_of(state: &State, charge: &Charge) -> bool {
    let holds = |row: &Dispute| row.charge == charge.id && row.status.holds_money();
    state.disputes.values().any(holds)
}

fn waiting(tx: &Tx<'_>, call: &Call) -> Result<Dispute, Fault> {
    let row = tx.state.find::<Dispute>(&call.id)?;
    if matches!(row.status, DisputeStatus::NeedsResponse | DisputeStatus::WarningNeedsResponse) {
        return Ok(row.clone());
    }
    Err(Fault::invalid("This dispute is already closed.").begun())
}

fn end(tx: &mut Tx<'_>, row: Dispute, status: DisputeStatus) -> Value {
    tx.save(Dispute { status, ..row }, "charge.dispute.closed")
}

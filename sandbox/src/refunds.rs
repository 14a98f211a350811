//! Refunds: never more than what the charge holds, and none for a boleto. That of one test card fails later.

use bipe_core::money::Cents;
use serde_json::Value;

use crate::cards::Behaviour;
use crate::disputes;
use crate::expand::{self, PAGING};
use crate::fault::Fault;
use crate::form::Metadata;
use crate::objects::{Card, Charge, Intent, MethodKind, Refund};
use crate::pipeline::Call;
use crate::store::{Record, State, Tx};

/// A PIX can be given back for ninety days.
const PIX_REFUND_SECONDS: i64 = 90 * 24 * 3600;
/// After how many seconds a refund fails whose card says so.
const FAILS_AFTER: i64 = 180;

pub fn create(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    let params = &call.params;
    params.only(&["amount", "charge", "metadata", "payment_intent", "reason"])?;
    let reason = params.one_of("reason", &["duplicate", "fraudulent", "requested_by_customer"])?;
    let mut metadata = Metadata::new();
    params.merge_metadata(&mut metadata)?;
    let mut charge = paid_charge(tx.state, call)?;
    let left = charge.amount - charge.amount_refunded;
    let amount = params.cents("amount")?.unwrap_or(left);
    check(tx.state, &charge, amount, tx.now)?;
    charge.amount_refunded += amount;
    let row = Refund {
        id: tx.id("re"),
        created: tx.now,
        amount,
        charge: charge.id.clone(),
        currency: charge.currency.clone(),
        fails_at: fails_later(&charge).then_some(tx.now + FAILS_AFTER),
        has_failed: false,
        intent: charge.intent.clone(),
        metadata,
        method_type: charge.kind.name().to_owned(),
        reason: reason.map(str::to_owned),
    };
    let value = tx.save(row, "refund.created");
    tx.save(charge, "charge.refunded");
    Ok(value)
}

fn fails_later(charge: &Charge) -> bool {
    let MethodKind::Card(Card { behaviour, .. }) = &charge.kind else { return false };
    *behaviour == Behaviour::PaysThenRefundFails
}

/// Lets each refund fail whose time for it has come: the charge holds its money again. Returns how many failed.
pub fn fail_due(tx: &mut Tx<'_>) -> usize {
    let waiting = tx.state.due.iter().filter_map(|id| tx.state.refunds.get(id));
    let is_due = |row: &&Refund| row.fails_at.is_some_and(|at| at <= tx.now);
    let due: Vec<Refund> = waiting.filter(is_due).cloned().collect();
    let count = due.len();
    for row in due {
        if let Some(mut charge) = tx.state.charges.get(&row.charge).cloned() {
            charge.amount_refunded -= row.amount;
            tx.put(Record::Charge(charge));
        }
        tx.save(Refund { fails_at: None, has_failed: true, ..row }, "refund.failed");
    }
    count
}

/// Only its notes may change.
pub fn update(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    call.params.only(&["metadata"])?;
    let mut row = tx.state.find::<Refund>(&call.id)?.clone();
    call.params.merge_metadata(&mut row.metadata)?;
    Ok(tx.save(row, "refund.updated"))
}

pub fn list(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    call.params.only(&[&PAGING[..], &["charge", "payment_intent"]].concat())?;
    let (charge, intent) = (call.params.text("charge"), call.params.text("payment_intent"));
    let keep = |row: &Refund| {
        charge.is_none_or(|id| id == row.charge) && intent.is_none_or(|id| id == row.intent)
    };
    expand::list(tx, &call.params, "/v1/refunds", keep)
}

/// The charge that `charge` or `payment_intent` names, which must have succeeded.
fn paid_charge(state: &State, call: &Call) -> Result<Charge, Fault> {
    let params = &call.params;
    let id = match (params.owned("charge"), params.text("payment_intent")) {
        (Some(_), Some(_)) | (None, None) => {
            return Err(Fault::invalid("Provide either a charge or a payment_intent."));
        }
        (Some(id), None) => id,
        (None, Some(id)) => {
            let intent = state.find::<Intent>(id);
            let intent = intent.map_err(|fault| fault.named_by("payment_intent"))?;
            let message =
                format!("This PaymentIntent ({id}) does not have a successful charge to refund.");
            intent.latest_charge.clone().ok_or_else(|| Fault::param("payment_intent", message))?
        }
    };
    let charge: &Charge = state.find(&id).map_err(|fault| fault.named_by("charge"))?;
    if charge.failure.is_some() {
        return Err(Fault::param("charge", "This charge failed: there is nothing to refund."));
    }
    Ok(charge.clone())
}

fn check(state: &State, charge: &Charge, amount: Cents, now: i64) -> Result<(), Fault> {
    let left = charge.amount - charge.amount_refunded;
    if left == Cents::ZERO {
        let message = format!("Charge {} has already been refunded.", charge.id);
        return Err(Fault::state("charge_already_refunded", message));
    }
    if !(Cents(1)..=left).contains(&amount) {
        let message = format!(
            "Refund amount ({}) is greater than unrefunded amount on charge ({}).",
            amount.0, left.0
        );
        return Err(Fault::param("amount", message));
    }
    let late = charge.kind.name() == "pix" && now - charge.created > PIX_REFUND_SECONDS;
    if charge.kind.name() == "boleto" || late || disputes::holds_money_of(state, charge) {
        let message = "This charge can not be refunded.";
        return Err(Fault::state("charge_not_refundable", message));
    }
    Ok(())
}

//! The renewal of a subscription by what the company has saved.
//!
//! One transaction looks at the subscription and, when a charge is due, stores its payment, so that two nodes cannot
//! charge the same period. From there it is a payment like any other, except that the provider confirms it at once.

use bipe_core::gateway::Payer;
use bipe_core::id::PaymentId;
use bipe_core::payment::command::StartPayment;
use bipe_core::payment::{PaymentView, saved_cards, store};
use bipe_core::payment_method::MethodDetails;
use bipe_core::scope::CompanyScope;
use bipe_core::subscription::renewal::{self, RenewalCharge, RenewalStep};
use bipe_core::{Error, Result};

use super::Steps;
use super::open::Order;
use super::task::{PaymentDraft, Task};

/// The `source` of a payment that a job opened.
const SOURCE: &str = "renewal";

impl Steps {
    /// Does what is due for the company's subscription. Returns the payment that was stored for it and not sent yet.
    pub(crate) async fn renew(&self, scope: CompanyScope) -> Result<Option<Task>> {
        let (mut tx, lock, customer) = saved_cards::begin_locked(&self.db, &scope).await?;
        let mut locked = lock.held_by(&mut tx);
        let charge = match renewal::step(&mut locked).await? {
            RenewalStep::Settled => {
                tx.commit().await?;
                return Ok(None);
            }
            RenewalStep::Charge(charge) => charge,
        };
        let customer = customer.ok_or_else(|| {
            Error::internal("a saved instrument without a customer at the provider")
        })?;
        let draft = PaymentDraft::new(start(scope, &charge), PaymentId::new(locked.clock()));
        let subscription = charge.period.subscription;
        let order = Order { quote: &charge.quote, subscription, customer: &customer };
        let payment = self.insert(&mut locked, &draft, &order).await?;
        renewal::charged(&locked, &charge, draft.payment).await?;
        store::show_payment(&mut locked, &PaymentView::from(&payment))?;
        tx.commit().await?;
        Ok(Some(Task::of(scope, draft.payment)))
    }
}

fn start(scope: CompanyScope, charge: &RenewalCharge) -> StartPayment {
    let quote = &charge.quote;
    StartPayment {
        scope,
        request_id: None,
        key: None,
        amount: quote.amount_due,
        plan_id: quote.plan_id,
        cycle: quote.cycle,
        quote_id: Some(quote.id),
        // the provider knows the holder
        payer: Payer { name: String::new(), email: String::new() },
        details: MethodDetails::Saved(charge.instrument.clone()),
        replace: false,
        source: Some(SOURCE.to_owned()),
        renewal_consent: None,
    }
}

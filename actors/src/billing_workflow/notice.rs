//! The mails and notifications about a payment: a boleto or PIX to pay, an approval, an end without payment. A decline
//! that the payer sees on the screen has none. All of it is written in the transaction that writes the state.

use bipe_core::company::Locked;
use bipe_core::db::CompanyTx;
use bipe_core::invoice::Draft;
use bipe_core::invoice::store::ReceiptMail;
use bipe_core::mailer::{self, Message, PaymentNotice, SubscriptionNotice};
use bipe_core::notification::preference::addressee;
use bipe_core::notification::store::notify;
use bipe_core::notification::{NewNotification, NotificationTopic};
use bipe_core::payment::{Action, Failure, FailureCode, Payment, PaymentState, PaymentView, store};
use bipe_core::subscription::steps;
use bipe_core::{Result, company, invoice, user};

type Kind = fn(PaymentNotice) -> Message;

/// The mail about a state that was just reached. A success is mailed with its document.
fn kind(state: &PaymentState) -> Option<Kind> {
    match state {
        PaymentState::RequiresAction(Action::Pix(_) | Action::Boleto(_)) => {
            Some(Message::PaymentPending)
        }
        PaymentState::Failed(_) | PaymentState::Expired => Some(Message::PaymentDeclined),
        _ => None,
    }
}

/// The notification of the state that was just reached, for everybody who may see the company's money. The renewal
/// itself notifies of a charge by a job that failed.
fn topic(payment: &Payment) -> Option<NotificationTopic> {
    let is_charge = payment.created_by.is_none();
    Some(match &payment.situation.state {
        PaymentState::Succeeded { .. } if payment.credited => NotificationTopic::PaymentCredited,
        PaymentState::Succeeded { .. } if is_charge => NotificationTopic::SubscriptionRenewed,
        PaymentState::Succeeded { .. } => NotificationTopic::PaymentApproved,
        PaymentState::Failed(_) | PaymentState::Expired if is_charge => return None,
        PaymentState::Failed(Failure { code: FailureCode::PaymentExpired, .. })
        | PaymentState::Expired => NotificationTopic::PaymentExpired,
        PaymentState::Failed(_) => NotificationTopic::PaymentRefused,
        _ => return None,
    })
}

/// Notifies of the payment's state, where it needs one.
pub fn notify_of_payment(tx: &mut CompanyTx, payment: &Payment) {
    let Some(topic) = topic(payment) else { return };
    let notification = NewNotification {
        plan_id: Some(payment.metadata.plan_id),
        amount: Some(payment.received()),
        payment_id: Some(payment.id),
        ..NewNotification::of_money(topic, format!("payment {} {}", payment.id, topic.as_str()))
    };
    notify(tx, notification);
}

/// Enqueues the mail about the payment's state, if there is one.
pub async fn enqueue(tx: &mut CompanyTx, payment: &Payment, view: &PaymentView) -> Result<()> {
    let Some(kind) = kind(&payment.situation.state) else { return Ok(()) };
    let Some((name, email)) = recipient(tx, payment).await? else { return Ok(()) };
    let notice = notice(tx, payment, view, name).await?;
    mailer::enqueue(tx, &email, &kind(notice)).await
}

/// Issues the document of money that came in, and mails the payer what became of it.
pub async fn issue(
    tx: &mut Locked<'_>,
    payment: &Payment,
    view: &PaymentView,
    draft: Draft,
) -> Result<()> {
    let Some((name, to)) = recipient(tx, payment).await? else {
        return invoice::store::issue(tx, draft, None).await;
    };
    let notice = notice(tx, payment, view, name).await?;
    if !draft.became_credit {
        return invoice::store::issue(tx, draft, Some(ReceiptMail { to, notice })).await;
    }
    let credited = SubscriptionNotice {
        name: notice.name,
        company: notice.company,
        plan: notice.plan,
        cycle: view.metadata.billing_cycle,
        amount: payment.received(),
        due_at: Some(tx.now()),
        link: Some(invoice::path(payment.company_id, draft.id)),
        state: None,
    };
    invoice::store::issue(tx, draft, None).await?;
    mailer::enqueue(tx, &to, &Message::LatePaymentCredited(credited)).await
}

async fn notice(
    tx: &CompanyTx,
    payment: &Payment,
    view: &PaymentView,
    name: String,
) -> Result<PaymentNotice> {
    let company = company::view::company_view(tx).await?;
    Ok(PaymentNotice {
        name,
        company: company.map(|company| company.company_name).unwrap_or_default(),
        plan: store::plan_name(tx, payment).await?,
        amount: payment.situation.amount,
        method: view.payment_method.mail_name().to_owned(),
        expires_at: view.expires_at,
        pix_code: view.pix_code.clone(),
        bank_slip_line: view.bank_slip_line.clone(),
        link: view.bank_slip_url.clone(),
        payment: Some(payment.id),
        receipt: None,
    })
}

/// Name and address of the payer; none for a failure that the payer wants no mails about. For a charge that a job
/// opened, the person who pays for the company; the renewal itself mails that such a charge failed.
async fn recipient(tx: &CompanyTx, payment: &Payment) -> Result<Option<(String, String)>> {
    let failed = matches!(payment.situation.state, PaymentState::Failed(_) | PaymentState::Expired);
    if let (Some(person), true) = (payment.created_by, failed) {
        return addressee(tx, person, NotificationTopic::PaymentRefused.kind()).await;
    }
    if let Some(person) = payment.created_by {
        let person = user::store::find(tx, person).await?;
        return Ok(person.map(|p| (p.name.as_str().to_owned(), p.email.as_str().to_owned())));
    }
    if !matches!(payment.situation.state, PaymentState::Succeeded { .. }) {
        return Ok(None);
    }
    Ok(steps::billing_contact(tx, None).await?.map(|payer| (payer.name, payer.email)))
}

//! The mails and notifications about a payment: a boleto or PIX to pay, an approval, an end without payment. A decline
//! that the payer sees on the screen has none. All of it is written in the transaction that writes the state.

use bipe_core::company::{Locked, billing_profile};
use bipe_core::db::CompanyTx;
use bipe_core::gateway::Action;
use bipe_core::invoice::Draft;
use bipe_core::invoice::store::ReceiptMail;
use bipe_core::mailer::{self, Message, PaymentNotice, SubscriptionNotice};
use bipe_core::money::Cents;
use bipe_core::notification::preference::addressee;
use bipe_core::notification::store::notify;
use bipe_core::notification::{NewNotification, NotificationTopic};
use bipe_core::payment::store::{self, PaymentNames};
use bipe_core::payment::{FailureCode, Payment, PaymentState, PaymentView};
use bipe_core::subscription::billing_contact;
use bipe_core::{Result, invoice};
use futures_util::future::try_join;

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

/// Nobody paid in time.
fn has_expired(state: &PaymentState) -> bool {
    match state {
        PaymentState::Expired => true,
        PaymentState::Failed(failure) => failure.code == FailureCode::PaymentExpired,
        _ => false,
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
        state if has_expired(state) => NotificationTopic::PaymentExpired,
        PaymentState::Failed(_) => NotificationTopic::PaymentRefused,
        _ => return None,
    })
}

/// Notifies of the payment's state, where it needs one.
pub fn notify_of_payment(tx: &mut CompanyTx, payment: &Payment) {
    let Some(topic) = topic(payment) else { return };
    let notification = NewNotification {
        plan_id: Some(payment.metadata.plan_id),
        amount: Some(payment.situation.came_in()),
        payment_id: Some(payment.id),
        ..NewNotification::of_money(topic, format!("payment {} {}", payment.id, topic.as_str()))
    };
    notify(tx, notification);
}

/// Enqueues the mail about the payment's state, if there is one.
pub async fn enqueue(tx: &mut CompanyTx, payment: &Payment, view: &PaymentView) -> Result<()> {
    let Some(kind) = kind(&payment.situation.state) else { return Ok(()) };
    match letter(tx, payment, view).await? {
        Some((to, notice)) => mailer::enqueue(tx, &to, kind(notice)),
        None => Ok(()),
    }
}

/// Issues the document of money that came in and of what was refunded of it, and mails the payer what it paid for.
pub async fn issue(
    tx: &mut Locked<'_>,
    payment: &Payment,
    view: &PaymentView,
    draft: Draft,
    given_back: Cents,
) -> Result<()> {
    let reading = try_join(letter(tx, payment, view), billing_profile::current(tx));
    let (letter, profile) = reading.await?;
    let Some((to, notice)) = letter else {
        return invoice::store::issue_to(tx, profile, draft, None, given_back);
    };
    if !draft.became_credit {
        let mail = ReceiptMail { to, name: notice.name.clone(), notice: Some(notice) };
        return invoice::store::issue_to(tx, profile, draft, Some(mail), given_back);
    }
    let credited = SubscriptionNotice {
        name: notice.name,
        company: notice.company,
        plan: notice.plan,
        cycle: view.metadata.billing_cycle,
        amount: payment.situation.came_in(),
        due_at: Some(draft.at),
        link: Some(invoice::path(payment.company_id, draft.id)),
        state: None,
        company_is_closed: false,
        card_expires: false,
        credit: None,
        unpaid: None,
    };
    invoice::store::issue_to(tx, profile, draft, None, given_back)?;
    mailer::enqueue(tx, &to, Message::LatePaymentCredited(credited))
}

/// Issues the document of what went back after the payment had its own, and mails it to the billing addresses.
pub async fn issue_refund(tx: &mut Locked<'_>, payment: &Payment, given_back: Cents) -> Result<()> {
    let profile = billing_profile::current(tx).await?;
    invoice::store::issue_refund(tx, payment.id, given_back, profile.as_ref()).await
}

/// The address that is told about the payment, and what; none where nobody is.
async fn letter(
    tx: &CompanyTx,
    payment: &Payment,
    view: &PaymentView,
) -> Result<Option<(String, PaymentNotice)>> {
    let has_succeeded = matches!(payment.situation.state, PaymentState::Succeeded { .. });
    if payment.created_by.is_none() && !has_succeeded {
        // The renewal itself mails that such a charge failed.
        return Ok(None);
    }
    let PaymentNames { company, plan, payer, payer_may_pay } = store::names(tx, payment).await?;
    let recipient = recipient(tx, payment, payer, payer_may_pay).await?;
    let Some((name, to)) = recipient else { return Ok(None) };
    let notice = PaymentNotice {
        name,
        company,
        plan,
        amount: payment.situation.amount,
        method: view.payment_method.mail_name().to_owned(),
        expires_at: view.expires_at,
        pix_code: view.pix_code.clone(),
        bank_slip_line: view.bank_slip_line.clone(),
        link: view.bank_slip_url.clone(),
        payment: Some(payment.id),
        receipt: None,
        has_expired: has_expired(&payment.situation.state),
        received: payment.situation.received,
    };
    Ok(Some((to, notice)))
}

/// Name and address of the payer; none for a failure that the payer wants no mails about. For a charge that a job
/// opened, and for a payer who may not pay any more, the person who pays for the company. Where there is none, the payer
/// gets the receipt all the same; what came to nothing is told to nobody outside of the company.
async fn recipient(
    tx: &CompanyTx,
    payment: &Payment,
    payer: Option<(String, String)>,
    payer_may_pay: bool,
) -> Result<Option<(String, String)>> {
    let failed = matches!(payment.situation.state, PaymentState::Failed(_) | PaymentState::Expired);
    let optional = failed.then(|| NotificationTopic::PaymentRefused.kind());
    match (payment.created_by, optional) {
        (Some(person), Some(kind)) if payer_may_pay => addressee(tx, person, kind).await,
        (Some(_), None) if payer_may_pay => Ok(payer),
        _ => {
            let contact = billing_contact::find(tx, optional).await?;
            let contact = contact.map(|contact| (contact.name, contact.email));
            Ok(contact.or(payer.filter(|_| !failed)))
        }
    }
}

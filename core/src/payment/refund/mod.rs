//! Money that a platform admin gives back (docs/billing.md, "Refunds"): what a payment can give back, and what the
//! provider's answers make of an intention.
//!
//! Pure; `store` remembers, `actors/src/refunds.rs` asks the provider. Invariant: what was given back, what is about to
//! be and what is asked for are never more than what came in. What the provider really gave back is noted at the payment
//! by a read of it, as for a refund that was made elsewhere.

pub mod store;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::timer::{KEY_LIFE, RESENT_FOR};
use super::{Payment, PaymentState};
use crate::caller::Caller;
use crate::error::{Code, Detail, Error, FieldCode, FieldErrors, Result};
use crate::gateway::{ProviderAnswer, Refund as AtProvider, RefundStatus};
use crate::id::{CompanyId, PaymentId, RefundId};
use crate::idempotency::KeyedRequest;
use crate::money::{Cents, MAX_PRICE};
use crate::payment_method::RefundRule;
use crate::scope::AdminScope;
use crate::user::required_note;
use crate::words::words;

words! {
    /// Where a refund stands.
    pub enum RefundState {
        /// The provider has not answered for certain.
        Pending = "pending",
        /// The provider gives the money back.
        Accepted = "accepted",
        /// Nothing was given back, or what was given back has failed and is here again.
        Refused = "refused",
    }
}

words! {
    /// Why nothing can be given back.
    pub enum RefundBlock {
        /// It has not succeeded.
        NotPaid = "NOT_PAID",
        /// The provider gives nothing back that came by this method.
        Method = "METHOD",
        /// The provider's time for it is over.
        TooLate = "TOO_LATE",
        /// The payer's bank has the money: it decides, or has decided for the payer.
        Disputed = "DISPUTED",
        /// All of it was given back, or is about to be.
        NothingLeft = "NOTHING_LEFT",
    }
}

/// What of a payment can still be given back; `outstanding` is what is about to be.
pub fn refundable(
    payment: &Payment,
    outstanding: Cents,
    now: Timestamp,
) -> std::result::Result<Cents, RefundBlock> {
    let situation = &payment.situation;
    let PaymentState::Succeeded { at } = situation.state else { return Err(RefundBlock::NotPaid) };
    if situation.intent.is_none() {
        return Err(RefundBlock::NotPaid);
    }
    match situation.method.rules().refund {
        RefundRule::Never => return Err(RefundBlock::Method),
        RefundRule::Within(time) if now.duration_since(at) > time => {
            return Err(RefundBlock::TooLate);
        }
        RefundRule::Within(_) | RefundRule::Always => {}
    }
    if situation.disputed {
        return Err(RefundBlock::Disputed);
    }
    // One that the payment shows a moment before we note so counts twice until then: never too much.
    let left = situation.came_in() - situation.refunded - outstanding;
    if left > Cents::ZERO { Ok(left) } else { Err(RefundBlock::NothingLeft) }
}

/// Whether this much can be given back now.
///
/// # Errors
/// `Conflict`: `PAYMENT_NOT_REFUNDABLE`, or `REFUND_EXCEEDS_PAYMENT` with what is left.
pub fn check(payment: &Payment, outstanding: Cents, amount: Cents, now: Timestamp) -> Result<()> {
    let left = match refundable(payment, outstanding, now) {
        Ok(left) => left,
        Err(RefundBlock::NothingLeft) => Cents::ZERO,
        Err(_) => return Err(Error::conflict(Code::PaymentNotRefundable)),
    };
    if amount > left {
        return Err(Error::Conflict(Code::RefundExceedsPayment, Detail::Expected(left)));
    }
    Ok(())
}

/// The body of a refund.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RefundRequest {
    /// Minor units.
    #[schema(minimum = 1, maximum = 99_999_999)]
    amount: i64,
    /// For the audit; the company does not see it.
    #[schema(min_length = 1, max_length = 500)]
    reason: String,
}

/// A refund whose fields are proven, and who asks for it.
#[derive(Clone, Debug)]
pub struct RefundCommand {
    pub amount: Cents,
    pub reason: String,
    pub admin: AdminScope,
    pub caller: Caller,
    pub key: Option<KeyedRequest>,
}

impl RefundRequest {
    /// `key` is the `Idempotency-Key` of the call.
    ///
    /// # Errors
    /// `Invalid` for an amount out of bounds, and for a reason that is empty, too long or deceptive.
    pub fn parse(
        &self,
        payment: PaymentId,
        key: Option<String>,
        admin: AdminScope,
        caller: &Caller,
    ) -> Result<RefundCommand> {
        let mut errors = FieldErrors::default();
        let amount = Some(Cents(self.amount)).filter(|it| (Cents(1)..=MAX_PRICE).contains(it));
        let amount = errors.take("amount", amount.ok_or(FieldCode::Invalid));
        let reason = errors.take("reason", required_note(Some(&self.reason)));
        let (amount, reason) = errors.into_result(amount.zip(reason))?;
        let operation = format!("POST /admin/payments/{payment}/refunds");
        let keyed = |key| KeyedRequest::new(key, admin.user_id(), operation, self);
        let key = key.map(keyed).transpose()?;
        Ok(RefundCommand { amount, reason, admin, caller: caller.clone(), key })
    }
}

/// A stored intention.
#[derive(Clone, Debug)]
pub struct Refund {
    pub id: RefundId,
    pub company_id: CompanyId,
    pub payment_id: PaymentId,
    pub state: RefundState,
    pub idempotency_key: Option<String>,
    /// The key and the very text of the request, stored before it was sent.
    pub provider_key: String,
    pub provider_request: String,
    /// Of the payment.
    pub intent: String,
    pub tries: i32,
    pub created_at: Timestamp,
}

impl Refund {
    /// It is looked for before it is sent again.
    pub fn is_looked_for(&self, now: Timestamp) -> bool {
        now.duration_since(self.created_at) >= RESENT_FOR
    }

    /// The provider may have forgotten the key: it is not sent again.
    fn is_old(&self, now: Timestamp) -> bool {
        now.duration_since(self.created_at) > KEY_LIFE
    }
}

/// A refund as platform admins see it. Amounts are integer minor units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Refund)]
pub struct RefundView {
    pub id: RefundId,
    pub payment_id: PaymentId,
    pub state: RefundState,
    #[schema(value_type = i64)]
    pub amount: Cents,
    pub reason: String,
    /// Who asked for it; null after the account was erased.
    pub requested_by: Option<String>,
    /// The provider's id.
    pub provider_refund: Option<String>,
    /// The provider's code of its refusal.
    pub refusal: Option<String>,
    pub created_at: Timestamp,
    pub settled_at: Option<Timestamp>,
}

impl RefundView {
    /// The code with which an accepted one has failed at the provider, which has these refunds of the payment.
    pub fn failure_among<'a>(&self, refunds: &'a [AtProvider]) -> Option<&'a str> {
        let own = |refund: &&AtProvider| Some(&refund.id) == self.provider_refund.as_ref();
        match &refunds.iter().find(own)?.status {
            RefundStatus::Failed(code) => Some(code),
            RefundStatus::Given => None,
        }
    }
}

/// What the provider's answer makes of an intention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    Accepted {
        provider_refund: String,
    },
    Refused {
        code: String,
    },
    /// It was certainly never sent: the command may be repeated.
    Unsent,
    /// Ask again.
    Pending,
}

/// The code of what was never sent.
pub const UNSENT: &str = "unsent";
/// The code of what the provider forgot the key of and never made.
pub const LOST: &str = "lost";

impl Resolution {
    /// `tries`: how often the request was given to the network, this time included.
    pub fn of_sent(answer: ProviderAnswer<AtProvider>, tries: i32) -> Self {
        match answer {
            ProviderAnswer::Done(refund) => Self::of_object(refund),
            ProviderAnswer::Refused(refusal) => {
                let code = refusal.code.unwrap_or(refusal.kind);
                Self::Refused { code }
            }
            ProviderAnswer::Unreachable if tries == 1 => Self::Unsent,
            ProviderAnswer::Unreachable | ProviderAnswer::Unknown => Self::Pending,
        }
    }

    /// Among all refunds of the payment that the provider has; none when it is to be sent again.
    pub fn of_found(
        refund: &Refund,
        answer: ProviderAnswer<Vec<AtProvider>>,
        now: Timestamp,
    ) -> Option<Self> {
        let ProviderAnswer::Done(refunds) = answer else { return Some(Self::Pending) };
        let name = refund.id.to_string();
        let ours = |refund: &AtProvider| refund.named.as_deref() == Some(name.as_str());
        let lost = refund.is_old(now).then(|| Self::Refused { code: LOST.to_owned() });
        refunds.into_iter().find(ours).map(Self::of_object).or(lost)
    }

    /// One that still waits at the provider counts as given back there, too; it may fail later.
    fn of_object(refund: AtProvider) -> Self {
        match refund.status {
            RefundStatus::Failed(code) => Self::Refused { code },
            RefundStatus::Given => Self::Accepted { provider_refund: refund.id },
        }
    }
}

/// When a refund without an answer is asked for again, if the request's own try does not end it.
pub const RETRY_AFTER: SignedDuration = SignedDuration::from_secs(30);

/// The payload of the job that goes on with a refund.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RefundJob {
    pub company_id: CompanyId,
    pub refund_id: RefundId,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::gateway::Refusal;

    fn id() -> RefundId {
        RefundId::new(&Clock::fixed("2026-11-21T12:00:00Z".parse().unwrap(), 7))
    }

    fn given(named: Option<String>) -> AtProvider {
        AtProvider { id: "re_1".into(), status: RefundStatus::Given, named }
    }

    #[test]
    fn only_a_certain_answer_ends_a_refund() {
        let accepted = Resolution::Accepted { provider_refund: "re_1".into() };
        assert_eq!(Resolution::of_sent(ProviderAnswer::Done(given(None)), 1), accepted);
        let failed =
            AtProvider { status: RefundStatus::Failed("expired_card".into()), ..given(None) };
        let refused = Resolution::Refused { code: "expired_card".into() };
        assert_eq!(Resolution::of_sent(ProviderAnswer::Done(failed), 1), refused);
        let refusal = Refusal { kind: "invalid_request_error".into(), ..Refusal::default() };
        let refused = Resolution::Refused { code: "invalid_request_error".into() };
        assert_eq!(Resolution::of_sent(ProviderAnswer::Refused(refusal), 3), refused);
        assert_eq!(Resolution::of_sent(ProviderAnswer::Unknown, 1), Resolution::Pending);
        assert_eq!(Resolution::of_sent(ProviderAnswer::Unreachable, 1), Resolution::Unsent);
        assert_eq!(Resolution::of_sent(ProviderAnswer::Unreachable, 2), Resolution::Pending);
    }

    #[test]
    fn only_its_own_failure_takes_an_accepted_one_back() {
        let view = RefundView {
            id: id(),
            payment_id: PaymentId(id().0),
            state: RefundState::Accepted,
            amount: Cents(990),
            reason: String::new(),
            requested_by: None,
            provider_refund: Some("re_1".into()),
            refusal: None,
            created_at: Timestamp::UNIX_EPOCH,
            settled_at: None,
        };
        let failed = |id: &str| AtProvider {
            id: id.into(),
            status: RefundStatus::Failed("declined".into()),
            named: None,
        };
        assert_eq!(view.failure_among(&[failed("re_2"), failed("re_1")]), Some("declined"));
        assert_eq!(view.failure_among(&[failed("re_2"), given(None)]), None);
        assert_eq!(view.failure_among(&[failed("re_2")]), None, "a page may not have it any more");
    }

    #[test]
    fn one_without_an_answer_is_found_by_its_name_and_lost_once_its_key_is_forgotten() {
        let start: Timestamp = "2026-11-21T12:00:00Z".parse().unwrap();
        let at = |passed: SignedDuration| start + passed;
        let hours = SignedDuration::from_hours;
        let refund = Refund {
            id: id(),
            company_id: CompanyId(id().0),
            payment_id: PaymentId(id().0),
            state: RefundState::Pending,
            idempotency_key: None,
            provider_key: String::new(),
            provider_request: String::new(),
            intent: String::new(),
            tries: 2,
            created_at: start,
        };
        let found = |answer, after| Resolution::of_found(&refund, answer, at(after));
        let ours = given(Some(id().to_string()));
        let all = ProviderAnswer::Done(vec![given(None), AtProvider { id: "re_2".into(), ..ours }]);
        let accepted = Resolution::Accepted { provider_refund: "re_2".into() };
        assert_eq!(found(all, hours(24)), Some(accepted));
        let none = || ProviderAnswer::Done(vec![given(None)]);
        let lost = Resolution::Refused { code: LOST.into() };
        assert_eq!(found(none(), hours(24)), Some(lost));
        assert_eq!(found(none(), hours(23)), None, "its key lives: it is sent again");
        assert_eq!(found(ProviderAnswer::Unknown, hours(24)), Some(Resolution::Pending));
        for (minutes, is_looked_for) in [(9, false), (10, true)] {
            let now = at(SignedDuration::from_mins(minutes));
            assert_eq!(refund.is_looked_for(now), is_looked_for);
        }
    }
}

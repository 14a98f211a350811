//! The one place where a payment changes state (docs/billing.md, "Payment states"): `decide(situation, input, now)`
//! gives the next situation and the effects to carry out. No clock, no database, no provider.
//!
//! The newest read of the provider's object wins. Only success and cancellation are final. A payment is closed here
//! only after the provider has closed it.

use jiff::Timestamp;

use super::reading::{ProviderState, provider_state};
use super::timer::{FOUND_WITHIN, RESENT_FOR, close_at};
use super::{Action, CloseReason, Failure, FailureCode, PaymentState, Situation};
use crate::alert::AlertKind;
use crate::error::Code;
use crate::gateway::{Intent, IntentStatus, Refusal};
use crate::money::{BRL, Cents};
use crate::words::words;

/// What happened.
#[derive(Clone, Debug)]
pub enum Input {
    /// The provider showed us the object; the read began at that instant.
    Read { intent: Box<Intent>, started_at: Timestamp },
    /// The provider refused to create the intent.
    CreateRefused(Refusal),
    /// Creation was never sent: the provider could not be reached.
    CreateUnsent,
    /// A write has no clear answer.
    Unclear,
    /// The creation is not sent any more and the provider shows no such intent.
    NeverCreated,
    /// The payer asks to cancel, or a new payment asks for the slot.
    CancelAsked(CloseReason),
    /// The provider will not cancel it now.
    CancelRefused,
    /// Cards were declined too often: no other one may be tried.
    CardsStopped,
    /// The timer rang.
    Due,
    /// A platform admin decided on money that is under review.
    Reviewed(ReviewDecision),
}

words! {
    /// What a platform admin decided.
    #[schema(as = Verdict)]
    pub enum ReviewDecision {
        /// What came in counts: more than the amount becomes credit, less is forgiven.
        Accept = "accept",
        /// Nothing is applied; what came in is given back at the provider.
        Refuse = "refuse",
    }
}

/// What has to be done: the first four happen at the provider after the commit, one at most; the others in
/// the very transaction that writes the next situation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Send the stored creation under its stored key.
    Create,
    /// Look among the customer's intents for the one whose creation was never answered.
    Find,
    Read,
    Cancel,
    /// Carry out what was paid for.
    Apply,
    /// Paid although another payment had taken its place: becomes credit.
    ApplyAsCredit,
    /// It ends and buys nothing: take back what its opening did, unless that is a successor's now.
    CloseUnpaid,
    /// A person has to look.
    Alert(AlertReason),
}

/// What a person has to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlertReason {
    OtherAmount,
    OtherStatus,
    Late,
    Refunded,
    RefundFailed,
    Disputed,
}

impl AlertReason {
    /// The kind of its alert.
    pub fn kind(self) -> AlertKind {
        match self {
            AlertReason::OtherAmount => AlertKind::PaymentUnderReview,
            AlertReason::OtherStatus => AlertKind::PaymentUnknownStatus,
            AlertReason::Late => AlertKind::PaymentLateMoney,
            AlertReason::Refunded => AlertKind::PaymentRefunded,
            AlertReason::RefundFailed => AlertKind::PaymentRefundFailed,
            AlertReason::Disputed => AlertKind::PaymentDisputed,
        }
    }

    pub fn detail(self) -> &'static str {
        match self {
            AlertReason::OtherAmount => {
                "the provider's amount or currency differs from the payment"
            }
            AlertReason::OtherStatus => "the provider shows a status that is unknown here",
            AlertReason::Late => "paid after it had ended here: the amount became credit",
            AlertReason::Refunded => "money went back to the payer; what it paid for goes on",
            AlertReason::RefundFailed => "a refund failed: the payer does not have the money",
            AlertReason::Disputed => "the payer's bank disputes it; what it paid for goes on",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    pub next: Situation,
    /// Something that the wire shows has changed: `payment.updated`.
    pub changed: bool,
    pub effects: Vec<Effect>,
}

/// # Errors
/// The code of a command that the state does not allow; nothing has changed then.
pub fn decide(situation: &Situation, input: Input, now: Timestamp) -> Result<Decision, Code> {
    let mut next = situation.clone();
    let effects = match input {
        Input::Read { intent, started_at } => read(&mut next, &intent, started_at),
        Input::CreateRefused(refusal) => refused(&mut next, refusal),
        // A request may still be under way.
        Input::NeverCreated if now.duration_since(next.created_at) < FOUND_WITHIN => Vec::new(),
        Input::CreateUnsent | Input::NeverCreated => never_created(&mut next),
        Input::Unclear => {
            next.unknown = !next.state.is_final();
            Vec::new()
        }
        Input::CancelAsked(closing) => cancel_asked(&mut next, closing, now)?,
        Input::CancelRefused => cancel_refused(&mut next),
        Input::CardsStopped => cards_stopped(&mut next),
        Input::Due => due(&mut next, now),
        Input::Reviewed(verdict) => reviewed(&mut next, verdict, now)?,
    };
    let changed = next.state != situation.state || next.superseded != situation.superseded;
    if changed {
        next.changed_at = now;
    }
    // A read that leads to the next write ends nothing: what gets no answer again and again is asked less often.
    next.unknown_since = next.unknown.then(|| situation.unknown_since.unwrap_or(now));
    Ok(Decision { next, changed, effects })
}

fn read(next: &mut Situation, intent: &Intent, started_at: Timestamp) -> Vec<Effect> {
    let has_succeeded = matches!(next.state, PaymentState::Succeeded { .. });
    // Nothing leaves success or cancellation there: an older read of them is true, too, and a clock may be ahead.
    let is_end = matches!(intent.status, IntentStatus::Succeeded | IntentStatus::Canceled);
    let stale = next.read_started_at.is_some_and(|newest| started_at < newest)
        && (has_succeeded || !is_end);
    let foreign = next.intent.as_ref().is_some_and(|known| *known != intent.id);
    if foreign || stale && !has_succeeded {
        return Vec::new();
    }
    if has_succeeded {
        return reversals(next, intent, started_at, stale);
    }
    let provider_state = provider_state(next, intent);
    if provider_state == ProviderState::Nothing {
        return vec![Effect::Alert(AlertReason::OtherStatus)];
    }
    next.intent = Some(intent.id.clone());
    // A closed payment read once more has nothing to write: only its success would count.
    if next.state.is_closed() && provider_state != ProviderState::Succeeded {
        let money = provider_state == ProviderState::Conflicted && !next.is_reviewed;
        return money.then_some(Effect::Alert(AlertReason::OtherAmount)).into_iter().collect();
    }
    next.read_started_at = next.read_started_at.max(Some(started_at));
    next.unknown = false;
    if provider_state == ProviderState::Succeeded {
        let (is_late, was_open) = (is_late(next, intent), !next.state.is_closed());
        (next.closing, next.received) = (None, None);
        next.state = PaymentState::Succeeded { at: intent.charged_at.unwrap_or(started_at) };
        let mut effects = match (next.superseded, is_late) {
            (false, false) => vec![Effect::Apply],
            // It buys nothing, so what its opening did is taken back, once.
            _ => {
                let taken_back = was_open.then_some(Effect::CloseUnpaid);
                let credit = [Effect::ApplyAsCredit, Effect::Alert(AlertReason::Late)];
                taken_back.into_iter().chain(credit).collect()
            }
        };
        effects.extend(reversals(next, intent, started_at, false));
        return effects;
    }
    if provider_state == ProviderState::Conflicted {
        let ours = intent.currency == BRL && intent.amount_received > Cents::ZERO;
        next.received = ours.then_some(intent.amount_received);
    }
    follow(next, provider_state)
}

/// The payer was told that it had ended: paid all the same, nothing is bought behind anybody's back.
fn is_late(situation: &Situation, intent: &Intent) -> bool {
    match &situation.state {
        PaymentState::Declined(failure) => failure.code == FailureCode::PaymentExpired,
        PaymentState::RequiresAction(Action::Pix(_)) => {
            close_at(situation).zip(intent.charged_at).is_some_and(|(end, paid)| paid > end)
        }
        state => state.is_closed(),
    }
}

/// Refunds and disputes are noted beside the state: success stays. A stale read that shows others is made again: the
/// clock of the newest one may have been ahead, and no later event has to tell of them.
fn reversals(next: &mut Situation, intent: &Intent, at: Timestamp, stale: bool) -> Vec<Effect> {
    let refunded = intent.refunded.clamp(Cents::ZERO, next.came_in());
    let is_news = (refunded, intent.disputed) != (next.refunded, next.disputed);
    if stale || !is_news {
        return is_news.then_some(Effect::Read).into_iter().collect();
    }
    let mut effects = Vec::new();
    if refunded > next.refunded {
        effects.push(Effect::Alert(AlertReason::Refunded));
    }
    if refunded < next.refunded {
        effects.push(Effect::Alert(AlertReason::RefundFailed));
    }
    if intent.disputed && !next.disputed {
        effects.push(Effect::Alert(AlertReason::Disputed));
    }
    (next.refunded, next.disputed) = (refunded, intent.disputed);
    next.read_started_at = next.read_started_at.max(Some(at));
    effects
}

/// The states that a read can show of a payment that is still open here.
fn follow(next: &mut Situation, provider_state: ProviderState) -> Vec<Effect> {
    match provider_state {
        ProviderState::Created => next.state = PaymentState::Created,
        ProviderState::RequiresAction(action) => next.state = PaymentState::RequiresAction(action),
        ProviderState::Processing => next.state = PaymentState::Processing,
        ProviderState::Declined(failure) => {
            next.state = PaymentState::Declined(failure);
            if next.off_session {
                next.closing = Some(next.closing.unwrap_or(CloseReason::Fail));
            }
        }
        ProviderState::TimedOut => {
            next.state = PaymentState::Declined(Failure::of(FailureCode::PaymentExpired));
            next.closing = Some(next.closing.unwrap_or(CloseReason::Expire));
        }
        ProviderState::Canceled => {
            let failure = match &next.state {
                PaymentState::Declined(failure) => failure.clone(),
                _ => Failure::of(FailureCode::Other),
            };
            let was_declined = matches!(next.state, PaymentState::Declined(_));
            next.state = match next.closing.take() {
                // It was refused before another one took its place, and goes on saying why.
                Some(CloseReason::Replace) if was_declined => PaymentState::Failed(failure),
                None | Some(CloseReason::Cancel | CloseReason::Replace) => PaymentState::Canceled,
                Some(CloseReason::Expire) => PaymentState::Expired,
                Some(CloseReason::Fail) => PaymentState::Failed(failure),
            };
            return vec![Effect::CloseUnpaid];
        }
        ProviderState::Conflicted => {
            let first = next.state != PaymentState::Conflicted;
            next.state = PaymentState::Conflicted;
            return first.then_some(Effect::Alert(AlertReason::OtherAmount)).into_iter().collect();
        }
        ProviderState::Succeeded | ProviderState::Nothing => {}
    }
    cancel_if_closing(next)
}

/// A closing that was decided is carried on after every read, also after a crash.
fn cancel_if_closing(next: &mut Situation) -> Vec<Effect> {
    if next.state.is_boleto() && next.closing == Some(CloseReason::Replace) {
        (next.closing, next.superseded) = (None, true);
    }
    if next.closing.is_none() || !next.state.can_be_canceled() {
        return Vec::new();
    }
    next.unknown = true;
    vec![Effect::Cancel]
}

fn refused(next: &mut Situation, refusal: Refusal) -> Vec<Effect> {
    if next.state != PaymentState::Submitting {
        return Vec::new();
    }
    if let Some(intent) = refusal.intent {
        // It was made, and only its confirmation was refused: the object tells the rest.
        next.intent = Some(intent);
        return vec![Effect::Read];
    }
    (next.unknown, next.closing) = (false, None);
    let (code, decline) = (refusal.code.as_deref(), refusal.decline_code.as_deref());
    next.state = PaymentState::Failed(Failure::of_provider(code, decline));
    vec![Effect::CloseUnpaid]
}

fn never_created(next: &mut Situation) -> Vec<Effect> {
    if next.state != PaymentState::Submitting {
        return Vec::new();
    }
    next.unknown = false;
    next.state = match next.closing.take() {
        Some(CloseReason::Cancel | CloseReason::Replace) => PaymentState::Canceled,
        _ => PaymentState::Failed(Failure::of(FailureCode::ProcessingError)),
    };
    vec![Effect::CloseUnpaid]
}

/// What was never answered may exist. Its key brings a kept failure again and again, and a second intent once the
/// provider has forgotten it. A charge of a saved card takes money once it is sent: one that is to close is not.
fn submit_again(next: &Situation, now: Timestamp) -> Vec<Effect> {
    let young = now.duration_since(next.created_at) < RESENT_FOR;
    let would_charge = next.off_session && next.closing.is_some();
    vec![if young && !would_charge { Effect::Create } else { Effect::Find }]
}

fn cancel_asked(
    next: &mut Situation,
    closing: CloseReason,
    now: Timestamp,
) -> Result<Vec<Effect>, Code> {
    let replacing = closing == CloseReason::Replace;
    match &next.state {
        PaymentState::Submitting => {
            // Learn it first, the closing is carried on from there.
            next.closing = Some(closing);
            Ok(submit_again(next, now))
        }
        state if state.can_be_canceled() || replacing && state.is_boleto() => {
            next.closing = Some(closing);
            Ok(cancel_if_closing(next))
        }
        _ => Err(Code::PaymentNotCancellable),
    }
}

/// Just paid, or in the bank's hands: read what it is now. The closing is given up; the timer may try again.
fn cancel_refused(next: &mut Situation) -> Vec<Effect> {
    if next.state.is_final() {
        return Vec::new();
    }
    next.closing = None;
    vec![Effect::Read]
}

/// What its payer confirms or the bank decides at this moment goes on: its own decline would stop it.
fn cards_stopped(next: &mut Situation) -> Vec<Effect> {
    if !matches!(next.state, PaymentState::Declined(_)) {
        return Vec::new();
    }
    next.closing = Some(next.closing.unwrap_or(CloseReason::Fail));
    cancel_if_closing(next)
}

fn reviewed(
    next: &mut Situation,
    verdict: ReviewDecision,
    now: Timestamp,
) -> Result<Vec<Effect>, Code> {
    if next.state != PaymentState::Conflicted {
        return Err(Code::Conflict);
    }
    next.is_reviewed = true;
    match verdict {
        // Without money in our currency there is nothing to accept.
        ReviewDecision::Accept if next.received.is_none() => Err(Code::ChangeNotAllowed),
        ReviewDecision::Accept => {
            next.state = PaymentState::Succeeded { at: now };
            let credit = vec![Effect::CloseUnpaid, Effect::ApplyAsCredit];
            Ok(if next.superseded { credit } else { vec![Effect::Apply] })
        }
        ReviewDecision::Refuse => {
            next.state = PaymentState::Failed(Failure::of(FailureCode::Other));
            Ok(vec![Effect::CloseUnpaid])
        }
    }
}

fn due(next: &mut Situation, now: Timestamp) -> Vec<Effect> {
    if next.state.is_final() {
        return Vec::new();
    }
    if next.intent.is_none() {
        return submit_again(next, now);
    }
    if close_at(next).is_some_and(|close| now >= close) {
        let reason = match &next.state {
            PaymentState::Declined(failure) if failure.code != FailureCode::PaymentExpired => {
                CloseReason::Fail
            }
            _ => CloseReason::Expire,
        };
        next.closing = Some(next.closing.unwrap_or(reason));
        next.unknown = true;
        return vec![Effect::Cancel];
    }
    vec![Effect::Read]
}

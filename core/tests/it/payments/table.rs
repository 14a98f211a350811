//! Every state against every input, printed; a change of the rules is a change of the checked-in table.

use std::collections::BTreeSet;
use std::fmt::Write;

use bipe_core::gateway::{Action, Boleto, Intent, IntentStatus, Pix, Refusal};
use bipe_core::money::Cents;
use bipe_core::payment::timer::next_check;
use bipe_core::payment::{
    AlertReason, CloseReason, Decision, Effect, Failure, FailureCode, Input, PaymentState,
    ReviewDecision, Situation, decide,
};
use bipe_core::payment_method::Method;

use super::{at, boleto, intent, opened, pix, three_d_secure};

const EXPECTED: &str = include_str!("../../vectors/payment_decisions.txt");
/// When everything happens: no closing time has come.
const NOW: i64 = 100;

fn with(method: Method, state: PaymentState) -> Situation {
    let known = !matches!(state, PaymentState::Submitting);
    let mut situation = opened(method);
    situation.unknown = !known;
    situation.unknown_since = situation.unknown_since.filter(|_| !known);
    situation.intent = known.then(|| "pi_1".into());
    situation.state = state;
    situation
}

fn situations() -> Vec<(&'static str, Situation)> {
    let declined = || Failure::of(FailureCode::Declined);
    let action = |action| PaymentState::RequiresAction(action);
    let pix = Action::Pix(Pix { expires_at: Some(at(86_400)), ..Pix::default() });
    let boleto = Action::Boleto(Boleto::default());
    let (card, slip) = (Method::CreditCard, Method::BankSlip);
    let mut closing = with(card, PaymentState::Created);
    closing.closing = Some(CloseReason::Expire);
    let mut replaced = with(card, PaymentState::Declined(declined()));
    replaced.closing = Some(CloseReason::Replace);
    let timed_out = Failure::of(FailureCode::PaymentExpired);
    let mut superseded = with(slip, action(boleto.clone()));
    superseded.superseded = true;
    let mut off_session = with(card, PaymentState::Submitting);
    off_session.off_session = true;
    let mut refused = with(card, PaymentState::Failed(Failure::of(FailureCode::Other)));
    refused.is_reviewed = true;
    let mut received = with(card, PaymentState::Conflicted);
    received.received = Some(Cents(1));
    vec![
        ("submitting", with(card, PaymentState::Submitting)),
        ("submitting, off session", off_session),
        ("created", with(card, PaymentState::Created)),
        ("3ds", with(card, action(Action::ThreeDSecure))),
        ("pix", with(Method::Pix, action(pix))),
        ("boleto", with(slip, action(boleto))),
        ("processing", with(card, PaymentState::Processing)),
        ("declined", with(card, PaymentState::Declined(declined()))),
        ("succeeded", with(card, PaymentState::Succeeded { at: at(9) })),
        ("failed", with(card, PaymentState::Failed(declined()))),
        ("failed, its money refused", refused),
        ("expired", with(Method::Pix, PaymentState::Expired)),
        ("canceled", with(card, PaymentState::Canceled)),
        ("conflicted", with(card, PaymentState::Conflicted)),
        ("conflicted, money received", received),
        ("created, closing: expire", closing),
        ("declined, closing: replace", replaced),
        ("boleto, superseded", superseded),
        ("pix, attempt expired", with(Method::Pix, PaymentState::Declined(timed_out))),
    ]
}

fn read(intent: Intent) -> Input {
    Input::Read { intent: Box::new(intent), started_at: at(50) }
}

fn inputs() -> Vec<(&'static str, Input)> {
    use IntentStatus::*;
    let mut other_amount = intent(Succeeded, None);
    other_amount.amount_received = Cents(1);
    let mut refunded = intent(Succeeded, None);
    refunded.refunded = Cents(1000);
    let mut disputed = intent(Succeeded, None);
    disputed.disputed = true;
    let made = Refusal { intent: Some("pi_1".into()), ..Refusal::default() };
    let code = |code: &str| Refusal { code: Some(code.into()), ..Refusal::default() };
    let expired = "payment_intent_payment_attempt_expired";
    vec![
        ("read requires_payment_method", read(intent(RequiresPaymentMethod, None))),
        ("read declined", read(intent(RequiresPaymentMethod, Some("card_declined")))),
        ("read attempt expired", read(intent(RequiresPaymentMethod, Some(expired)))),
        ("read requires_confirmation", read(intent(RequiresConfirmation, None))),
        ("read 3ds", read(intent(three_d_secure(), None))),
        ("read pix", read(intent(pix(), None))),
        ("read boleto", read(intent(boleto(), None))),
        ("read processing", read(intent(Processing, None))),
        ("read requires_capture", read(intent(RequiresCapture, None))),
        ("read canceled", read(intent(Canceled, None))),
        ("read succeeded", read(intent(Succeeded, None))),
        ("read succeeded, other amount", read(other_amount)),
        ("read unknown status", read(intent(Unrecognised, None))),
        ("create refused", Input::CreateRefused(code("card_declined"))),
        ("create refused, intent made", Input::CreateRefused(made)),
        ("create unsent", Input::CreateUnsent),
        ("unclear", Input::Unclear),
        ("never created", Input::NeverCreated),
        ("cancel asked", Input::CancelAsked(CloseReason::Cancel)),
        ("replace asked", Input::CancelAsked(CloseReason::Replace)),
        ("cancel refused", Input::CancelRefused),
        ("cards stopped", Input::CardsStopped),
        ("due", Input::Due),
        ("read succeeded, refunded", read(refunded)),
        ("read succeeded, disputed", read(disputed)),
        ("review: accept", Input::Reviewed(ReviewDecision::Accept)),
        ("review: refuse", Input::Reviewed(ReviewDecision::Refuse)),
    ]
}

fn describe(before: &Situation, decision: &Decision) -> String {
    let next = &decision.next;
    let mut text = match &next.state {
        state if *state == before.state => "=".to_owned(),
        PaymentState::Declined(failure) => format!("declined({})", failure.code.as_str()),
        PaymentState::Failed(failure) => format!("failed({})", failure.code.as_str()),
        PaymentState::RequiresAction(Action::ThreeDSecure) => "3ds".into(),
        PaymentState::RequiresAction(Action::Pix(_)) => "pix".into(),
        PaymentState::RequiresAction(Action::Boleto(_)) => "boleto".into(),
        state => state.name().to_owned(),
    };
    for (mark, set) in [("unknown", next.unknown), ("superseded", next.superseded)] {
        if set {
            write!(text, " +{mark}").unwrap();
        }
    }
    if next.refunded > Cents::ZERO {
        write!(text, " +refunded {}", next.refunded.0).unwrap();
    }
    if next.disputed {
        write!(text, " +disputed").unwrap();
    }
    if let Some(closing) = next.closing {
        write!(text, " +{}", closing.as_str()).unwrap();
    }
    for effect in &decision.effects {
        write!(text, " !{effect:?}").unwrap();
    }
    text
}

#[test]
fn every_state_meets_every_input() {
    let mut table = String::new();
    for (state, situation) in situations() {
        writeln!(table, "{state}").unwrap();
        for (name, input) in inputs() {
            let outcome = match decide(&situation, input, at(NOW)) {
                Ok(decision) => describe(&situation, &decision),
                Err(code) => code.as_str().to_owned(),
            };
            writeln!(table, "  {name:<30} {outcome}").unwrap();
        }
    }
    assert_eq!(table, EXPECTED, "the new table:\n{table}");
}

fn alert_free(situation: &Situation, input: Input, now: i64) -> Decision {
    decide(situation, input, at(now)).unwrap()
}

#[test]
fn three_d_secure_is_not_a_decline() {
    let decision =
        alert_free(&opened(Method::CreditCard), read(intent(three_d_secure(), None)), NOW);
    assert_eq!(decision.next.state, PaymentState::RequiresAction(Action::ThreeDSecure));
}

#[test]
fn a_stale_failure_does_not_reopen_a_confirmed_payment() {
    let confirmed = alert_free(
        &with(Method::CreditCard, PaymentState::Created),
        read(intent(IntentStatus::Processing, None)),
        NOW,
    )
    .next;
    let failure = intent(IntentStatus::RequiresPaymentMethod, Some("card_declined"));
    let stale = Input::Read { intent: Box::new(failure), started_at: at(49) };
    assert_eq!(alert_free(&confirmed, stale, NOW).next, confirmed);
}

#[test]
fn an_abandoned_card_closes_after_an_hour_and_keeps_the_reason_of_its_decline() {
    let declined =
        with(Method::CreditCard, PaymentState::Declined(Failure::of(FailureCode::ExpiredCard)));
    let closing = alert_free(&declined, Input::Due, 3600).next;
    assert_eq!(closing.closing, Some(CloseReason::Fail));
    let mut canceled = intent(IntentStatus::Canceled, None);
    canceled.id = "pi_1".into();
    let closed = alert_free(&closing, read(canceled), 3601).next;
    assert_eq!(closed.state, PaymentState::Failed(Failure::of(FailureCode::ExpiredCard)));
}

#[test]
fn a_pix_that_timed_out_ends_as_expired_and_a_refused_card_as_failed() {
    let declined = |code| PaymentState::Declined(Failure::of(code));
    for (method, code, reason) in [
        (Method::Pix, FailureCode::PaymentExpired, CloseReason::Expire),
        (Method::CreditCard, FailureCode::Declined, CloseReason::Fail),
    ] {
        let next = alert_free(&with(method, declined(code)), Input::Due, 3600).next;
        assert_eq!(next.closing, Some(reason));
    }
}

#[test]
fn what_may_be_there_without_its_key_is_looked_for_whoever_asks() {
    let unanswered = with(Method::CreditCard, PaymentState::Submitting);
    let asked = || [Input::Due, Input::CancelAsked(CloseReason::Replace)];
    for (age, effect) in [(10 * 60 - 1, Effect::Create), (10 * 60, Effect::Find)] {
        for input in asked() {
            assert_eq!(alert_free(&unanswered, input, age).effects, [effect]);
        }
    }
    let early = alert_free(&unanswered, Input::NeverCreated, 15 * 60 - 1);
    assert_eq!((early.next.state, early.next.unknown), (PaymentState::Submitting, true));
    let ended = alert_free(&unanswered, Input::NeverCreated, 15 * 60);
    assert_eq!(ended.effects, [Effect::CloseUnpaid]);
    assert_eq!(ended.next.state, PaymentState::Failed(Failure::of(FailureCode::ProcessingError)));
}

/// It charges the saved card as soon as it is sent, and nobody knows whether it was.
#[test]
fn a_charge_by_a_job_that_is_to_close_is_looked_for_and_never_sent_again() {
    let mut charge = with(Method::CreditCard, PaymentState::Submitting);
    charge.off_session = true;
    for reason in [CloseReason::Cancel, CloseReason::Replace] {
        let asked = alert_free(&charge, Input::CancelAsked(reason), NOW);
        assert_eq!(asked.effects, [Effect::Find]);
        let early = alert_free(&asked.next, Input::NeverCreated, NOW);
        assert_eq!((&early.next, early.effects.len()), (&asked.next, 0), "it may be on its way");
        assert_eq!(alert_free(&early.next, Input::Due, NOW).effects, [Effect::Find]);
        let ended = alert_free(&early.next, Input::NeverCreated, 15 * 60);
        assert_eq!((ended.next.state, ended.next.closing), (PaymentState::Canceled, None));
        assert_eq!(ended.effects, [Effect::CloseUnpaid]);
    }
}

/// The code is hours old, and so is its state: what counts is when its closing was asked for.
#[test]
fn a_closing_without_an_answer_is_asked_for_again_within_seconds_and_then_less_often() {
    let IntentStatus::RequiresAction(code) = pix() else { panic!("a code waits for its payer") };
    let mut old = with(Method::Pix, PaymentState::RequiresAction(code));
    let asked = 7_200;
    for check in [9_000, 9_000 + 1_800] {
        assert_eq!(next_check(&old, at(check - 1)), Some(at(check)), "every half hour until then");
    }
    old = alert_free(&old, Input::CancelAsked(CloseReason::Cancel), asked).next;
    for (passed, check) in [(0, 5), (5, 15), (15, 60), (60, 300), (300, 900), (900, 3_600)] {
        let now = asked + passed;
        assert_eq!(next_check(&old, at(now)), Some(at(asked + check)), "before the call");
        old = alert_free(&old, Input::Unclear, now).next;
        // The next check reads it, which asks for the closing again.
        let open = Input::Read { intent: Box::new(intent(pix(), None)), started_at: at(now) };
        let decision = alert_free(&old, open, now);
        assert_eq!(decision.effects, [Effect::Cancel]);
        assert_eq!(next_check(&decision.next, at(now)), Some(at(asked + check)));
        old = decision.next;
    }
    let declined = intent(IntentStatus::RequiresPaymentMethod, Some("card_declined"));
    let declined = Input::Read { intent: Box::new(declined), started_at: at(14_000) };
    let news = alert_free(&old, declined, 14_000).next;
    assert_eq!(next_check(&news, at(14_000)), Some(at(14_005)), "another state begins anew");
}

#[test]
fn a_closed_payment_that_is_read_again_has_nothing_to_write() {
    let declined = Failure::of(FailureCode::Declined);
    for state in [PaymentState::Failed(declined), PaymentState::Expired, PaymentState::Canceled] {
        let closed = with(Method::CreditCard, state);
        let decision = alert_free(&closed, read(intent(IntentStatus::Canceled, None)), NOW);
        assert_eq!(decision.next, closed);
    }
}

#[test]
fn of_two_reads_that_began_at_once_the_second_is_followed() {
    let mut created = with(Method::CreditCard, PaymentState::Created);
    created.read_started_at = Some(at(50));
    let next = alert_free(&created, read(intent(IntentStatus::Processing, None)), NOW).next;
    assert_eq!(next.state, PaymentState::Processing);
}

#[test]
fn what_the_wire_shows_is_told_and_dated_and_nothing_else_is() {
    let slip = PaymentState::RequiresAction(Action::Boleto(Boleto::default()));
    let cases = [
        (with(Method::CreditCard, PaymentState::Created), PaymentState::Processing, true),
        (with(Method::CreditCard, PaymentState::Processing), PaymentState::Processing, false),
    ];
    for (before, after, is_told) in cases {
        let decision = alert_free(&before, read(intent(IntentStatus::Processing, None)), NOW);
        assert_eq!((decision.next.state, decision.changed), (after, is_told));
        assert_eq!(decision.next.changed_at == at(NOW), is_told);
    }
    let replaced = Input::CancelAsked(CloseReason::Replace);
    let decision = alert_free(&with(Method::BankSlip, slip.clone()), replaced, NOW);
    assert_eq!((decision.next.state, decision.changed), (slip, true), "it gives its slot away");
}

#[test]
fn only_money_in_our_currency_can_be_accepted_in_a_review() {
    for (status, currency, received, kept) in [
        (IntentStatus::Succeeded, "brl", 1, Some(Cents(1))),
        (IntentStatus::Succeeded, "brl", 20_000, Some(Cents(20_000))),
        (IntentStatus::Succeeded, "usd", 9_990, None),
        (IntentStatus::RequiresCapture, "brl", 0, None),
    ] {
        let mut shown = intent(status, None);
        shown.currency = currency.into();
        shown.amount_received = Cents(received);
        let card = with(Method::CreditCard, PaymentState::Created);
        let next = alert_free(&card, read(shown), NOW).next;
        assert_eq!((next.state, next.received), (PaymentState::Conflicted, kept), "{received}");
    }
}

#[test]
fn money_accepted_for_a_superseded_boleto_becomes_credit() {
    let mut slip = with(Method::BankSlip, PaymentState::Conflicted);
    (slip.superseded, slip.received) = (true, Some(Cents(1)));
    let accepted = alert_free(&slip, Input::Reviewed(ReviewDecision::Accept), NOW);
    assert_eq!(accepted.effects, [Effect::CloseUnpaid, Effect::ApplyAsCredit]);
}

#[test]
fn a_pix_buys_until_it_closes_two_minutes_after_its_end() {
    let end = 86_400;
    let waiting = Action::Pix(Pix { expires_at: Some(at(end)), ..Pix::default() });
    let waiting = with(Method::Pix, PaymentState::RequiresAction(waiting));
    let late = [Effect::CloseUnpaid, Effect::ApplyAsCredit, Effect::Alert(AlertReason::Late)];
    for (charged_at, effects) in [(end + 120, &[Effect::Apply][..]), (end + 121, &late[..])] {
        let mut paid = intent(IntentStatus::Succeeded, None);
        paid.charged_at = Some(at(charged_at));
        assert_eq!(alert_free(&waiting, read(paid), end + 300).effects, effects, "{charged_at}");
    }
}

#[test]
fn a_replaced_payment_says_why_it_failed_only_if_it_was_refused() {
    let declined = Failure::of(FailureCode::Declined);
    for (state, closed) in [
        (PaymentState::Created, PaymentState::Canceled),
        (PaymentState::Declined(declined.clone()), PaymentState::Failed(declined)),
    ] {
        let mut replaced = with(Method::CreditCard, state);
        replaced.closing = Some(CloseReason::Replace);
        let next = alert_free(&replaced, read(intent(IntentStatus::Canceled, None)), NOW).next;
        assert_eq!(next.state, closed);
    }
}

#[test]
fn a_refund_that_fails_later_asks_for_a_person() {
    let mut paid = with(Method::CreditCard, PaymentState::Succeeded { at: at(9) });
    paid.refunded = Cents(1000);
    let failed = alert_free(&paid, read(intent(IntentStatus::Succeeded, None)), NOW);
    assert_eq!(failed.next.refunded, Cents::ZERO);
    assert_eq!(failed.effects, [Effect::Alert(AlertReason::RefundFailed)]);
}

#[test]
fn each_alert_has_a_kind_and_words_of_its_own() {
    let reasons = [
        (AlertReason::OtherAmount, "payment.under_review"),
        (AlertReason::OtherStatus, "payment.unknown_status"),
        (AlertReason::Late, "payment.late_money"),
        (AlertReason::Refunded, "payment.refunded"),
        (AlertReason::RefundFailed, "payment.refund_failed"),
        (AlertReason::Disputed, "payment.disputed"),
    ];
    for (reason, kind) in reasons {
        assert_eq!(reason.kind().as_str(), kind);
    }
    let words: BTreeSet<&str> = reasons.iter().map(|(reason, _)| reason.detail()).collect();
    assert_eq!(words.len(), reasons.len(), "{words:?}");
}

/// An event that the payer has something to do is news in every state but these.
#[test]
fn only_a_payment_that_waits_or_was_paid_learns_nothing_of_an_action() {
    let known = |intent: &str| -> Vec<&str> {
        let of = situations().into_iter().filter(|(_, of)| !of.may_learn_of_action(intent));
        of.map(|(name, _)| name).collect()
    };
    assert!(known("pi_other").is_empty());
    let mut unclear = with(Method::Pix, PaymentState::RequiresAction(Action::ThreeDSecure));
    assert!(!unclear.may_learn_of_action("pi_1"));
    unclear.unknown = true;
    assert!(unclear.may_learn_of_action("pi_1"));
    assert_eq!(known("pi_1"), ["3ds", "pix", "boleto", "succeeded", "boleto, superseded"]);
}

//! When an open payment is looked at again: the table of docs/billing.md, "Reconciliation".

use std::iter::successors;

use bipe_core::gateway::{Action, Boleto, Pix};
use bipe_core::payment::timer::next_check;
use bipe_core::payment::{Failure, FailureCode, PaymentState, Situation};
use bipe_core::payment_method::Method;

use super::{at, opened};

/// Since the first second, with an answer to every write.
fn answered(method: Method, state: PaymentState) -> Situation {
    Situation { state, unknown: false, unknown_since: None, ..opened(method) }
}

fn waiting_pix(code: Pix) -> Situation {
    answered(Method::Pix, PaymentState::RequiresAction(Action::Pix(code)))
}

/// The seconds of the first checks, where each is made at its time.
fn first_checks(situation: &Situation, count: usize) -> Vec<i64> {
    let times = successors(Some(at(0)), |now| next_check(situation, *now)).skip(1);
    times.map(|time| time.as_second() - at(0).as_second()).take(count).collect()
}

#[test]
fn an_open_payment_is_looked_at_soon_and_then_less_often() {
    const ABANDONED: &[i64] = &[300, 900, 3_600, 7_200];
    const PROCESSING: &[i64] = &[60, 300, 1_800, 3_600, 7_200];
    let card = |state| answered(Method::CreditCard, state);
    let boleto = PaymentState::RequiresAction(Action::Boleto(Boleto::default()));
    let cases: [(Situation, &[i64]); 8] = [
        (opened(Method::CreditCard), &[5, 15, 60, 300, 900, 3_600, 7_200]),
        (card(PaymentState::Created), ABANDONED),
        (card(PaymentState::Declined(Failure::of(FailureCode::Declined))), ABANDONED),
        (card(PaymentState::RequiresAction(Action::ThreeDSecure)), ABANDONED),
        (card(PaymentState::Processing), PROCESSING),
        (card(PaymentState::Conflicted), PROCESSING),
        (waiting_pix(Pix::default()), &[60, 300, 1_800, 3_600, 5_400]),
        (answered(Method::BankSlip, boleto), &[21_600, 43_200, 64_800]),
    ];
    for (situation, expected) in cases {
        assert_eq!(first_checks(&situation, expected.len()), expected, "{:?}", situation.state);
    }
}

#[test]
fn a_pix_is_also_looked_at_when_it_closes() {
    for expires_at in [Some(at(86_400)), None] {
        let waiting = waiting_pix(Pix { expires_at, ..Pix::default() });
        assert_eq!(next_check(&waiting, at(86_400)), Some(at(86_520)), "{expires_at:?}");
        assert_eq!(next_check(&waiting, at(86_520)), Some(at(88_200)), "{expires_at:?}");
    }
}

//! Payments: the table of `decide`, the convergence of any order of reads, the timer, webhook signatures.

mod checks;
mod convergence;
mod signature;
mod table;
mod timer;

use bipe_core::gateway::{Action, Boleto, Intent, IntentError, IntentStatus, Pix};
use bipe_core::money::Cents;
use bipe_core::payment::{PaymentState, Situation};
use bipe_core::payment_method::Method;
use jiff::Timestamp;

pub const AMOUNT: Cents = Cents(9990);

pub fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_795_000_000 + seconds).unwrap()
}

pub fn opened(method: Method) -> Situation {
    Situation {
        method,
        off_session: false,
        amount: AMOUNT,
        state: PaymentState::Submitting,
        intent: None,
        unknown: true,
        unknown_since: Some(at(0)),
        closing: None,
        superseded: false,
        received: None,
        refunded: Cents::ZERO,
        disputed: false,
        is_reviewed: false,
        read_started_at: None,
        created_at: at(0),
        changed_at: at(0),
    }
}

pub fn intent(status: IntentStatus, error: Option<&str>) -> Intent {
    let paid = status == IntentStatus::Succeeded;
    Intent {
        id: "pi_1".into(),
        status,
        amount: AMOUNT,
        amount_received: if paid { AMOUNT } else { Cents::ZERO },
        currency: "brl".into(),
        client_secret: None,
        last_error: error
            .map(|code| IntentError { code: Some(code.into()), ..IntentError::default() }),
        charged_at: None,
        refunded: Cents::ZERO,
        disputed: false,
        payment_method: None,
        card: None,
        metadata: Default::default(),
    }
}

pub fn pix() -> IntentStatus {
    let expires_at = Some(at(86_400));
    let pix = Pix { code: Some("000201".into()), hosted_url: None, expires_at };
    IntentStatus::RequiresAction(Action::Pix(pix))
}

pub fn boleto() -> IntentStatus {
    IntentStatus::RequiresAction(Action::Boleto(Boleto::default()))
}

pub fn three_d_secure() -> IntentStatus {
    IntentStatus::RequiresAction(Action::ThreeDSecure)
}

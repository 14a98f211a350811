//! How a test card behaves when it is attached, charged, set up or authenticated
//! (https://docs.stripe.com/testing; docs/billing.md, "The sandbox"). Which number behaves how stands in
//! `test_cards.rs`.

use serde::{Deserialize, Serialize};

use crate::fault::Fault;

/// The behaviour of a card when it is attached, charged or authenticated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Behaviour {
    Pays,
    /// Declined when attached and when charged.
    Declines(Decline),
    /// Attaches, and every charge fails.
    ChargeFails,
    /// Off session it needs authentication unless it was set up; on session always.
    AuthenticateUnlessSetUp,
    AuthenticateAlways,
    AuthenticateThenPays,
    /// Already set up for off-session use.
    AlreadySetUp,
    AuthenticateThenInsufficientFunds,
    AuthenticateThenDeclined,
    /// The look-up at the card's network fails.
    LookupError,
    /// Supports 3-D Secure without asking for it.
    AuthenticateOnRequest,
    PaysThenDisputed(DisputeKind),
    /// A refund of it is given and fails minutes later.
    PaysThenRefundFails,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decline {
    Generic,
    InsufficientFunds,
    Lost,
    Stolen,
    Velocity,
    Fraudulent,
    Expired,
    IncorrectCvc,
    ProcessingError,
    AuthenticationRequired,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DisputeKind {
    Fraudulent,
    ProductNotReceived,
    /// The bank asks first and takes nothing.
    Inquiry,
}

impl Decline {
    /// `(code, decline_code, message, advice_code)` as Stripe gives them.
    fn words(self) -> (&'static str, &'static str, &'static str, Option<&'static str>) {
        let declined = "Your card was declined.";
        match self {
            Self::Generic => {
                ("card_declined", "generic_decline", declined, Some("try_again_later"))
            }
            Self::InsufficientFunds => (
                "card_declined",
                "insufficient_funds",
                "Your card has insufficient funds.",
                Some("try_again_later"),
            ),
            Self::Lost => ("card_declined", "lost_card", declined, Some("do_not_try_again")),
            Self::Stolen => ("card_declined", "stolen_card", declined, Some("do_not_try_again")),
            Self::Velocity => (
                "card_declined",
                "card_velocity_exceeded",
                "Your card was declined for making repeated attempts too frequently or exceeding its amount limit.",
                Some("try_again_later"),
            ),
            Self::Fraudulent => ("card_declined", "fraudulent", declined, None),
            Self::Expired => {
                ("expired_card", "expired_card", "Your card has expired.", Some("do_not_try_again"))
            }
            Self::IncorrectCvc => (
                "incorrect_cvc",
                "incorrect_cvc",
                "Your card's security code is incorrect.",
                Some("confirm_card_data"),
            ),
            Self::ProcessingError => (
                "processing_error",
                "processing_error",
                "An error occurred while processing your card. Try again in a little bit.",
                Some("try_again_later"),
            ),
            Self::AuthenticationRequired => (
                "authentication_required",
                "authentication_required",
                "Your card was declined. This transaction requires authentication.",
                None,
            ),
        }
    }

    pub fn fault(self) -> Fault {
        let (code, decline_code, message, advice) = self.words();
        let fault = Fault::card(code, message).with("decline_code", decline_code.into());
        match advice {
            Some(advice) => fault.with("advice_code", advice.into()),
            None => fault,
        }
    }

    /// What the failed charge records: code, decline code, message.
    pub fn failure(self) -> (String, String, String) {
        let (code, decline_code, message, _) = self.words();
        (code.to_owned(), decline_code.to_owned(), message.to_owned())
    }
}

/// What the first answer to a confirmation depends on, beside the card.
#[derive(Clone, Copy, Debug)]
pub struct ChargeTerms {
    pub off_session: bool,
    /// The card was set up for charges off session.
    pub is_set_up: bool,
    /// The merchant asks for 3-D Secure.
    pub requests_three_d_secure: bool,
}

/// The result of a confirmation with a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Pays,
    Authenticate,
    Declines(Decline),
}

impl Behaviour {
    /// Whether attaching the card to a customer is refused.
    pub fn refuses_attach(self) -> Option<Decline> {
        match self {
            Self::Declines(decline) => Some(decline),
            _ => None,
        }
    }

    /// The first answer to a confirmation.
    pub fn on_charge(self, terms: ChargeTerms) -> Verdict {
        let ChargeTerms { off_session, is_set_up, requests_three_d_secure } = terms;
        match self {
            Self::Pays | Self::PaysThenDisputed(_) | Self::PaysThenRefundFails => Verdict::Pays,
            Self::Declines(decline) => Verdict::Declines(decline),
            Self::ChargeFails | Self::LookupError => Verdict::Declines(Decline::Generic),
            Self::AuthenticateOnRequest if requests_three_d_secure && !off_session => {
                Verdict::Authenticate
            }
            Self::AuthenticateOnRequest => Verdict::Pays,
            _ if !off_session => Verdict::Authenticate,
            Self::AuthenticateAlways => Verdict::Declines(Decline::AuthenticationRequired),
            Self::AlreadySetUp => Verdict::Pays,
            _ if is_set_up => self.after_authentication(),
            _ => Verdict::Declines(Decline::AuthenticationRequired),
        }
    }

    /// The answer once the payer has proved who they are.
    pub fn after_authentication(self) -> Verdict {
        match self {
            Self::AuthenticateThenInsufficientFunds => {
                Verdict::Declines(Decline::InsufficientFunds)
            }
            Self::AuthenticateThenDeclined => Verdict::Declines(Decline::Generic),
            _ => Verdict::Pays,
        }
    }

    /// The first answer when the card is only set up for later charges.
    pub fn on_setup(self) -> Verdict {
        match self {
            Self::Declines(decline) => Verdict::Declines(decline),
            Self::LookupError => Verdict::Declines(Decline::Generic),
            Self::AuthenticateUnlessSetUp
            | Self::AuthenticateAlways
            | Self::AuthenticateThenPays => Verdict::Authenticate,
            _ => Verdict::Pays,
        }
    }
}

//! The payment methods, one table of what differs between them, and what a payer gives for each.
//!
//! Called wherever a method matters after the request was read: nothing but this table, the request of
//! `POST /payments/process` and the provider's form tells one method from another. Portuguese names stand in
//! `names_pt_br.rs`.

mod instrument;
mod names_pt_br;

use std::ops::RangeInclusive;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::brazil::calendar::boleto_due;
use crate::money::{Cents, MAX_PRICE, MIN_CHARGE};
use crate::row::from_row;
use crate::words::words;

pub use instrument::Instrument;

words! {
    pub enum Method {
        CreditCard = "CREDIT_CARD",
        Pix = "PIX",
        BankSlip = "BANK_SLIP",
    }
}

/// Whether the provider gives money back that came by a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefundRule {
    Always,
    /// So long after the money came.
    Within(SignedDuration),
    Never,
}

/// A row of the table.
pub struct MethodRules {
    /// What one payment may ask for.
    pub amounts: RangeInclusive<Cents>,
    /// The payer types a card. It is looked up before the payment is stored, the payer's browser confirms it with a
    /// client secret, and each decline counts.
    pub takes_a_card: bool,
    /// The money arrives long after the payer decided, so the price is looked at again when it does.
    pub settles_later: bool,
    /// Fields below `billing` of the request.
    pub required_fields: &'static [&'static str],
    /// When the provider is asked again whether the payer has paid: seconds after the last change of state.
    pub checks: &'static [i64],
    /// After the last of these checks: every so many seconds.
    pub check_every: i64,
    /// Until when a payment that was opened at an instant is waited for, even if the provider keeps it open longer.
    pub closes_at: Option<fn(Timestamp) -> Timestamp>,
    pub refund: RefundRule,
}

pub(crate) static CARD: MethodRules = MethodRules {
    amounts: MIN_CHARGE..=MAX_PRICE,
    takes_a_card: true,
    settles_later: false,
    required_fields: &[],
    checks: &[300, 900],
    check_every: 3600,
    closes_at: None,
    refund: RefundRule::Always,
};

static PIX: MethodRules = MethodRules {
    amounts: MIN_CHARGE..=MAX_PRICE,
    takes_a_card: false,
    settles_later: true,
    required_fields: &[],
    checks: &[60, 300],
    check_every: 1800,
    closes_at: None,
    // Stripe's bound
    refund: RefundRule::Within(SignedDuration::from_hours(90 * 24)),
};

static BOLETO: MethodRules = MethodRules {
    // the bank's limits
    amounts: Cents(500)..=Cents(4_999_999),
    takes_a_card: false,
    settles_later: true,
    required_fields: &[
        "taxId",
        "address.line1",
        "address.city",
        "address.state",
        "address.postalCode",
    ],
    checks: &[],
    check_every: 6 * 3600,
    closes_at: Some(|opened_at| boleto_due(opened_at).close_at),
    refund: RefundRule::Never,
};

/// How long a PIX lives; sent to the provider, and assumed where it names no time.
pub const PIX_LIFE: SignedDuration = SignedDuration::from_hours(24);

impl Method {
    pub fn rules(self) -> &'static MethodRules {
        match self {
            Method::CreditCard => &CARD,
            Method::Pix => &PIX,
            Method::BankSlip => &BOLETO,
        }
    }
}

/// A card as people name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CardName {
    pub brand: String,
    pub last4: String,
}

from_row!(CardName { brand, last4 });

/// How the payer wants to pay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MethodDetails {
    /// A card by its id at the provider, which the payer's browser confirms.
    Card {
        payment_method: String,
        save: bool,
    },
    /// By a job, with nobody there.
    Saved(Instrument),
    Pix,
    Boleto {
        tax_id: String,
        address: Address,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    pub line1: String,
    pub city: String,
    /// Two letters.
    pub state: String,
    /// Eight digits.
    pub postal_code: String,
}

impl MethodDetails {
    pub fn method(&self) -> Method {
        match self {
            MethodDetails::Card { .. } => Method::CreditCard,
            MethodDetails::Saved(instrument) => instrument.method(),
            MethodDetails::Pix => Method::Pix,
            MethodDetails::Boleto { .. } => Method::BankSlip,
        }
    }
}

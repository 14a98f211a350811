//! What a renewal is charged to while its payer is away.
//!
//! Called by the renewal of a subscription, which chooses the instrument and when it is charged, and by the gateway,
//! which asks the provider for the charge. The saved cards themselves are kept by `saved_cards`.

use super::Method;

/// A saved means of payment, which can be charged without its payer.
///
/// A second one, such as a mandate of Pix Automático, adds its variant here, a column that tells the instruments of
/// `payment_methods` apart (today each row is a card, so `last4` is never null), and the arms that the compiler asks
/// for: how the provider is asked in `core/src/gateway/stripe_requests.rs`, and how it is shown in `saved_cards`.
/// Renewals, their calendar and their stored steps need nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instrument {
    /// A card, by its id at the provider.
    Card(String),
}

impl Instrument {
    /// The provider's id: `payment_methods.id`, and `renewal_steps.card` of a charge.
    pub fn id(&self) -> &str {
        match self {
            Instrument::Card(id) => id,
        }
    }

    /// The method of a payment that charges it.
    pub fn method(&self) -> Method {
        match self {
            Instrument::Card(_) => Method::CreditCard,
        }
    }
}

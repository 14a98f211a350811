//! The names of the payment methods, in Portuguese.

use super::{CardName, Method};

impl Method {
    /// Within a sentence, and in a mail to the payer.
    pub fn mail_name(self) -> &'static str {
        match self {
            Method::CreditCard => "cartão de crédito",
            Method::Pix => "PIX",
            Method::BankSlip => "boleto",
        }
    }

    /// On a document and in a table of documents, as the web app labels it (`web/src/api/payment-methods.ts`).
    pub fn title(self) -> &'static str {
        match self {
            Method::CreditCard => "Cartão de Crédito",
            Method::Pix => "PIX",
            Method::BankSlip => "Boleto",
        }
    }

    /// In the list of activities of platform admins.
    pub fn activity_name(self) -> &'static str {
        match self {
            Method::CreditCard => "cartão",
            Method::Pix | Method::BankSlip => self.mail_name(),
        }
    }
}

impl CardName {
    /// `Visa 4242`.
    pub fn label(&self) -> String {
        format!("{} {}", brand(&self.brand), self.last4)
    }
}

/// The provider's word as the brand writes itself; the web app has the same list (`web/src/lib/card.ts`).
fn brand(word: &str) -> &str {
    match word {
        "visa" => "Visa",
        "mastercard" => "Mastercard",
        "amex" => "American Express",
        "discover" => "Discover",
        "aura" => "Aura",
        "elo" => "Elo",
        "hipercard" => "Hipercard",
        unknown => unknown,
    }
}

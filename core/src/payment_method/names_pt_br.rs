//! The names of the payment methods, in Portuguese.

use super::Method;

impl Method {
    /// In a mail to the payer.
    pub fn mail_name(self) -> &'static str {
        match self {
            Method::CreditCard => "cartão de crédito",
            Method::Pix => "PIX",
            Method::BankSlip => "boleto",
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

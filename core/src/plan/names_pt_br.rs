//! The names of the billing cycles, in Portuguese (invariant I8). Pure; used by documents, their search and mails.

use super::BillingCycle;

impl BillingCycle {
    /// Within a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Self::Monthly => "mensal",
            Self::Quarterly => "trimestral",
            Self::Yearly => "anual",
        }
    }

    /// Where a line begins with it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Monthly => "Mensal",
            Self::Quarterly => "Trimestral",
            Self::Yearly => "Anual",
        }
    }
}

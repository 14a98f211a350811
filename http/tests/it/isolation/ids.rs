//! The ids that a call names, and how they may be written.

/// What a call names.
#[derive(Clone, Debug)]
pub struct Ids {
    pub company: String,
    pub invite: String,
    pub user: String,
    pub payment: String,
    pub invoice: String,
    pub method: String,
    /// A card that the browser has made and nobody has saved.
    pub card: String,
}

/// How an id may be written; the server reads all of them alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    Usual,
    Capitals,
    WithoutHyphens,
    InBraces,
}

impl Spelling {
    pub const ALL: [Self; 4] = [Self::Usual, Self::Capitals, Self::WithoutHyphens, Self::InBraces];

    fn of(self, id: &str) -> String {
        match self {
            Self::Usual => id.to_owned(),
            Self::Capitals => id.to_uppercase(),
            Self::WithoutHyphens => id.replace('-', ""),
            Self::InBraces => format!("{{{id}}}"),
        }
    }
}

impl Ids {
    /// The provider's ids have one spelling only.
    pub fn spelled(&self, spelling: Spelling) -> Self {
        let of = |id: &String| spelling.of(id);
        Self {
            company: of(&self.company),
            invite: of(&self.invite),
            user: of(&self.user),
            payment: of(&self.payment),
            invoice: of(&self.invoice),
            ..self.clone()
        }
    }
}

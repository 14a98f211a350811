//! The one sentence that says where a subscription stands. The web app's `web/src/live/subscription-state.ts` says the
//! same words, with the card's name where it knows it and without the zone; golden cases hold the two together.

use jiff::Timestamp;

use super::{day, moment};
use crate::money::Cents;
use crate::subscription::state::StateKind;

/// `deadline` and `amount` are those of `StateView`.
pub fn sentence(kind: StateKind, deadline: Option<Timestamp>, amount: Option<Cents>) -> String {
    let on = deadline.map(|at| format!(" em {}", day(at))).unwrap_or_default();
    let until = deadline.map(|at| format!(" até {}", moment(at))).unwrap_or_default();
    let owed = amount.filter(|amount| *amount > Cents::ZERO);
    match kind {
        StateKind::Pending => "Aguardando pagamento".to_owned(),
        StateKind::Free => "Grátis para sempre".to_owned(),
        StateKind::Renews => match owed {
            Some(amount) => format!("Renova{on} no cartão salvo, {amount}"),
            None => format!("Renova{on} com o crédito da empresa"),
        },
        StateKind::Runs => format!("Vence{on}; sem cartão salvo, avisaremos por email"),
        StateKind::Expiring => format!("Vence{on}: pague até lá para não perder o plano"),
        StateKind::Changing => format!("Muda de plano{on}"),
        StateKind::Due => format!("Vencida: pague{until} para não ser suspensa"),
        StateKind::Suspended => format!("Suspensa: pague{until} para ter o plano de volta"),
        StateKind::Canceled => format!("Cancelada: o plano vale{until}"),
        StateKind::Expired => format!("Expirada{on}: valem os limites do plano gratuito"),
    }
}

//! The one sentence of prose in a preview (docs/contract.md, "Subscriptions"), in Portuguese (invariant I8). Pure.
//! Called by `view`.

use super::ChangeType;

/// `current` and `new` are names of plans.
pub(super) fn describe(change: ChangeType, current: Option<&str>, new: &str) -> String {
    match (change, current) {
        (ChangeType::Creation, _) => format!("Nova assinatura do plano {new}"),
        (ChangeType::Renewal, _) => format!("Renovação do plano {new}"),
        (ChangeType::Upgrade, Some(current)) if current != new => {
            format!("Upgrade do plano {current} para o plano {new}")
        }
        (ChangeType::Downgrade, Some(current)) if current != new => {
            format!("Downgrade do plano {current} para o plano {new}")
        }
        (ChangeType::Upgrade, _) => format!("Upgrade do ciclo de cobrança do plano {new}"),
        (ChangeType::Downgrade, _) => format!("Mudança do ciclo de cobrança do plano {new}"),
        (ChangeType::Other, _) => format!("Mudança para o plano {new}"),
    }
}

//! The sentences of the activity list that platform admins read, in Portuguese. The only table of these sentences.

use crate::error::{Error, Result};
use crate::metrics::store::ActivityRow;
use crate::metrics::view::{Activity, ActivityStatus, ActivityType};
use crate::payment_method::Method;
use crate::subscription::HistoryType;

/// # Errors
/// `Internal` for a row of unknown kind.
pub fn of(row: &ActivityRow) -> Result<Activity> {
    let (kind, status, message) = match row.source.as_str() {
        "history" => history(row)?,
        "user" => {
            let message = format!("{} criou uma conta", row.subject);
            (ActivityType::User, ActivityStatus::Info, message)
        }
        _ => payment(row)?,
    };
    let id = row.id.to_string();
    Ok(Activity { id, kind, status, message, timestamp: row.at })
}

type ActivityText = (ActivityType, ActivityStatus, String);

fn history(row: &ActivityRow) -> Result<ActivityText> {
    use ActivityStatus::{Error as Failure, Info, Success, Warning};
    use ActivityType::{Cancellation, Subscription};
    use HistoryType as Type;
    let (company, plan) = (&row.subject, &row.detail);
    let unknown = || Error::internal("subscription_history.type is unknown");
    Ok(match Type::parse(&row.what).ok_or_else(unknown)? {
        Type::Created => (Subscription, Info, format!("{company} escolheu o plano {plan}")),
        Type::Activated => (Subscription, Success, format!("{company} assinou o plano {plan}")),
        Type::Upgraded => (Subscription, Success, format!("{company} subiu para o plano {plan}")),
        Type::DowngradeScheduled => {
            (Subscription, Warning, format!("{company} agendou a mudança para o plano {plan}"))
        }
        Type::Downgraded => {
            (Subscription, Warning, format!("{company} desceu para o plano {plan}"))
        }
        Type::Changed => (Subscription, Info, format!("{company} mudou para o plano {plan}")),
        Type::PendingChangeWithdrawn => {
            (Subscription, Info, format!("{company} desistiu da mudança de plano"))
        }
        Type::Canceled => (Cancellation, Warning, format!("{company} cancelou o plano {plan}")),
        Type::Reactivated => (Subscription, Success, format!("{company} reativou o plano {plan}")),
        Type::Renewed => (Subscription, Success, format!("{company} renovou o plano {plan}")),
        Type::RenewalFailed => {
            let message = format!("A renovação do plano {plan} de {company} foi recusada");
            (Subscription, Failure, message)
        }
        Type::Suspended => {
            let message = format!("A assinatura de {company} foi suspensa por falta de pagamento");
            (Cancellation, Failure, message)
        }
        Type::Expired => (Cancellation, Failure, format!("A assinatura de {company} expirou")),
        Type::Credited => (Subscription, Info, format!("{company} recebeu crédito")),
    })
}

fn payment(row: &ActivityRow) -> Result<ActivityText> {
    let method = Method::parse(&row.detail)
        .ok_or_else(|| Error::internal("payments.method is unknown"))?
        .activity_name();
    let (status, outcome) = match row.what.as_str() {
        "succeeded" => (ActivityStatus::Success, "aprovado"),
        "declined" | "failed" => (ActivityStatus::Error, "recusado"),
        "expired" => (ActivityStatus::Warning, "expirado"),
        "canceled" => (ActivityStatus::Info, "cancelado"),
        "conflicted" => (ActivityStatus::Warning, "em análise"),
        _ => return Err(Error::internal("payments.state is unknown")),
    };
    let amount = row.amount.unwrap_or_default();
    let company = &row.subject;
    let message = format!("Pagamento de {amount} de {company} por {method} {outcome}");
    Ok((ActivityType::Payment, status, message))
}

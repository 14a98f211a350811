//! What a search over documents finds them by, in the words that people see on them. Pure; read and written by `store`.

use super::{Draft, InvoiceKind};

/// What a row of a document is called, as in `web/src/features/invoices/words.ts`: in SQL, so that old rows have it too.
macro_rules! names_of_kinds {
    () => {
        "CASE kind WHEN 'payment' THEN 'recibo de pagamento' WHEN 'refund' THEN 'recibo de reembolso' \
         ELSE 'sem cobrança demonstrativo de cobrança' END"
    };
}
pub(super) use names_of_kinds;

/// Without the number, which is not known yet, and without people.
pub(super) fn words(draft: &Draft) -> String {
    let kind = match draft.kind {
        InvoiceKind::Payment if draft.became_credit => "pagamento crédito",
        InvoiceKind::Payment => "pagamento",
        InvoiceKind::Change => "mudança crédito",
        InvoiceKind::Refund => "reembolso devolução",
    };
    let total = draft.total().to_string();
    let (plan, cycle) = (draft.plan_name.clone(), draft.cycle.name());
    let mut words = vec![plan, cycle.into(), kind.into(), total.replace('.', ""), total];
    if let Some(means) = &draft.payment {
        words.push(means.method.mail_name().to_owned());
        words.extend(means.card.as_ref().map(|card| card.label()));
        words.extend(means.reference.clone());
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::InvoiceId;
    use crate::invoice::{Line, LineKind};
    use crate::money::Cents;
    use crate::plan::BillingCycle;

    #[test]
    fn an_amount_is_found_with_and_without_its_point() {
        let draft = Draft {
            id: InvoiceId(uuid::Uuid::nil()),
            kind: InvoiceKind::Change,
            at: jiff::Timestamp::UNIX_EPOCH,
            by: None,
            plan_name: "Negócio".into(),
            cycle: BillingCycle::Yearly,
            period: None,
            lines: vec![Line { kind: LineKind::Plan, amount: Cents(123_456) }],
            became_credit: false,
            payment: None,
        };
        let words = words(&draft);
        for part in ["Negócio", "anual", "1.234,56", "1234,56"] {
            assert!(words.contains(part), "{part}: {words}");
        }
    }
}

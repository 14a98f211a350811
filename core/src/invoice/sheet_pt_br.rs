//! A document as a sheet of paper, in Portuguese (invariant I8). Pure; called where a document becomes a file.
//!
//! It says what the page says (`web/src/features/invoices/invoice-sheet.tsx`).

use super::{Invoice, InvoiceKind, LineKind};
use crate::brazil::dates_pt_br::{day, moment};
use crate::brazil::tax_id::{TaxId, TaxIdKind};
use crate::money::Cents;
use crate::payment_method::CardName;
use crate::pdf::{Fact, Line, Party, Sheet};

/// Also in the mails and on the page.
pub const NOT_FISCAL: &str =
    "Este documento é um recibo e demonstrativo de cobrança. Ele não substitui a nota fiscal.";

impl InvoiceKind {
    /// What stands before the person behind the document: nobody paid for what credit paid.
    pub fn by(self) -> &'static str {
        if self == Self::Change { "Escolhido por" } else { "Pago por" }
    }
}

impl Invoice {
    /// The name of its file.
    pub fn file_name(&self) -> String {
        format!("fatura-{}.pdf", self.number_text())
    }

    pub fn sheet(&self) -> Sheet {
        Sheet {
            title: format!("{} {}", title(self.kind), self.number_text()),
            subtitle: Some(format!("Emitido em {}", moment(self.issued_at))),
            created_at: self.issued_at,
            issuer: self.issued_by(),
            payer: self.made_out_to(),
            facts: self.facts(),
            lines: self.lines.iter().map(|line| priced(words(line.kind), line.amount)).collect(),
            totals: vec![Line {
                description: "Tributos incluídos".into(),
                detail: None,
                amount: match self.taxes {
                    Cents::ZERO => "não informados".into(),
                    taxes => taxes.to_string(),
                },
            }],
            total: priced("Total", self.total),
            notices: self.notices(),
        }
    }

    fn issued_by(&self) -> Party {
        let issuer = &self.issuer;
        if issuer.name.is_empty() {
            let name = "Emissor ainda não configurado".into();
            return Party { heading: "Emitido por".into(), name, lines: Vec::new() };
        }
        let lines = [tax_id(&issuer.tax_id), issuer.address.clone(), issuer.email.clone()];
        let lines = lines.into_iter().filter(|line| !line.is_empty()).collect();
        Party { heading: "Emitido por".into(), name: issuer.name.clone(), lines }
    }

    fn made_out_to(&self) -> Party {
        let payer = &self.payer;
        let mut lines: Vec<String> = payer.tax_id.as_deref().map(tax_id).into_iter().collect();
        lines.extend(payer.address.iter().flat_map(|address| address.lines()).map(str::to_owned));
        Party { heading: "Para".into(), name: payer.name.clone(), lines }
    }

    fn facts(&self) -> Vec<Fact> {
        let mut facts = vec![
            fact("Data", moment(self.at)),
            fact("Plano", format!("{} · {}", self.plan_name, self.billing_cycle.title())),
        ];
        let period =
            self.period.map(|period| format!("{} a {}", day(period.start), day(period.end)));
        facts.extend(period.map(|period| fact("Período", period)));
        if let Some(means) = &self.payment {
            let card = means.card.as_ref().map(CardName::label);
            let method = card.unwrap_or_else(|| means.method.title().to_owned());
            facts.push(fact("Forma de pagamento", method));
        }
        facts.extend(self.paid_by.clone().map(|person| fact(self.kind.by(), person)));
        facts
    }

    fn notices(&self) -> Vec<String> {
        let mut notices = vec![NOT_FISCAL.to_owned()];
        notices.extend(self.note().map(str::to_owned));
        let reference = self.payment.as_ref().and_then(|means| means.reference.as_ref());
        notices.extend(reference.map(|id| format!("Referência do provedor: {id}")));
        notices
    }

    /// What became of the money, where the total alone does not say it.
    pub(crate) fn note(&self) -> Option<&'static str> {
        match self.kind {
            InvoiceKind::Change => Some(nothing_charged(&self.lines)),
            InvoiceKind::Refund if self.total < Cents::ZERO => {
                Some("O provedor de pagamento desfez uma devolução.")
            }
            InvoiceKind::Refund => Some("O valor foi devolvido pela mesma forma de pagamento."),
            InvoiceKind::Payment if self.became_credit => Some(
                "Este pagamento virou crédito da empresa e será abatido das próximas cobranças.",
            ),
            InvoiceKind::Payment => None,
        }
    }
}

/// Why: what is too small to be charged is owed still, also where credit paid the rest.
fn nothing_charged(lines: &[super::Line]) -> &'static str {
    let has = |kind: LineKind| lines.iter().any(|line| line.kind == kind);
    if has(LineKind::Carried) {
        "Nada foi cobrado agora: o que falta entra na próxima cobrança."
    } else if has(LineKind::CreditUsed) {
        "Pago com o crédito da empresa: nada foi cobrado."
    } else {
        "Nada foi cobrado nesta mudança."
    }
}

fn fact(label: &str, value: String) -> Fact {
    Fact { label: label.to_owned(), value }
}

fn priced(description: &str, amount: Cents) -> Line {
    Line { description: description.to_owned(), detail: None, amount: amount.to_string() }
}

fn title(kind: InvoiceKind) -> &'static str {
    match kind {
        InvoiceKind::Payment => "Recibo de pagamento",
        InvoiceKind::Change => "Demonstrativo de cobrança",
        InvoiceKind::Refund => "Recibo de reembolso",
    }
}

fn words(kind: LineKind) -> &'static str {
    match kind {
        LineKind::Plan => "Valor do plano",
        LineKind::Prorated => "Cobrança proporcional",
        LineKind::ProratedCredit => "Crédito proporcional",
        LineKind::CarriedOver => "Valor pendente de antes",
        LineKind::CreditUsed => "Crédito usado",
        LineKind::CreditKept => "Reembolso em crédito",
        LineKind::Carried => "Fica para a próxima cobrança",
        LineKind::Forgiven => "Abatimento",
        LineKind::Refunded => "Valor devolvido",
        LineKind::Received => "Valor recebido",
    }
}

/// `CNPJ 12.345.678/0001-95`; what is neither stands as it is.
fn tax_id(text: &str) -> String {
    match TaxId::parse(text) {
        Some(tax_id) => {
            let kind = match tax_id.kind() {
                TaxIdKind::Cpf => "CPF",
                TaxIdKind::Cnpj => "CNPJ",
            };
            format!("{kind} {}", tax_id.formatted())
        }
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(lines: &[(LineKind, i64)]) -> &'static str {
        let line = |&(kind, amount)| super::super::Line { kind, amount: Cents(amount) };
        nothing_charged(&lines.iter().map(line).collect::<Vec<_>>())
    }

    #[test]
    fn what_cost_nothing_names_credit_only_where_credit_paid_all_of_it() {
        use LineKind::{Carried, CreditKept, CreditUsed, Plan, Prorated, ProratedCredit};
        let paid = "Pago com o crédito da empresa: nada foi cobrado.";
        let owed = "Nada foi cobrado agora: o que falta entra na próxima cobrança.";
        assert_eq!(said(&[(Plan, 4_990), (CreditUsed, -4_990)]), paid);
        assert_eq!(said(&[(Prorated, 5), (ProratedCredit, -1), (Carried, -4)]), owed);
        assert_eq!(said(&[(Prorated, 40), (CreditUsed, -10), (Carried, -30)]), owed);
        let kept = [(Prorated, 1_490), (ProratedCredit, -5_734), (CreditKept, 4_244)];
        assert_eq!(said(&kept), "Nada foi cobrado nesta mudança.");
    }
}

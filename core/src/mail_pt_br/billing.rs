//! The mails about payments and subscriptions. Pure.
//!
//! A link to pay is a path of the web app, never an address that came from outside. The provider's page of a boleto is
//! linked only when it is https.

use jiff::Timestamp;

use super::Block::{Code, Facts, Link};
use super::{Block, Derived, Mail, account_link, day, hello, moment, say, state, unlinked};
use crate::invoice::{Invoice, InvoiceKind, InvoicePeriod, NOT_FISCAL, path};
use crate::mailer::message::{PaymentNotice, SubscriptionNotice};
use crate::payment_method::CardName;
use crate::subscription::state::StateKind;

fn payment_facts(notice: &PaymentNotice) -> Block {
    Facts(vec![
        ("Empresa", unlinked(&notice.company)),
        ("Plano", notice.plan.clone()),
        ("Valor", notice.amount.to_string()),
        ("Forma de pagamento", notice.method.clone()),
    ])
}

/// How to get no more mails of the kind.
pub(super) fn preferences(url: &str) -> [Block; 2] {
    [
        say(
            "Se não quiser mais receber este tipo de email, desligue-o em Notificações, na página Minha Conta:",
        ),
        account_link(url),
    ]
}

pub(super) fn approved(notice: &PaymentNotice, derived: &Derived, url: &str) -> Mail {
    let thanks = say("Recebemos o seu pagamento. Obrigado!");
    let Some(invoice) = &notice.receipt else {
        let link = Link("Ver a assinatura", format!("{url}/plans"));
        let blocks = vec![hello(&notice.name), thanks, payment_facts(notice), link];
        return (format!("Pagamento aprovado: plano {}", notice.plan), blocks);
    };
    let mut blocks = vec![hello(&notice.name), thanks];
    blocks.extend(document(invoice, derived, url));
    (format!("Pagamento aprovado: recibo {}", invoice.number_text()), blocks)
}

pub(super) fn copy(name: &str, invoice: &Invoice, derived: &Derived, url: &str) -> Mail {
    let mut blocks = vec![hello(name), say("Este é um documento da sua empresa no Bipe.")];
    blocks.extend(invoice.note().map(say));
    blocks.extend(document(invoice, derived, url));
    (format!("{} {} do Bipe", title(invoice.kind), invoice.number_text()), blocks)
}

fn title(kind: InvoiceKind) -> &'static str {
    match kind {
        InvoiceKind::Payment => "Recibo",
        InvoiceKind::Change => "Demonstrativo",
        InvoiceKind::Refund => "Recibo de reembolso",
    }
}

/// What a document says, where it is, and what it is not. A company sends it to any address.
fn document(invoice: &Invoice, derived: &Derived, url: &str) -> Vec<Block> {
    let mut facts = vec![
        ("Número", invoice.number_text()),
        ("Data", day(invoice.at)),
        ("Empresa", unlinked(&invoice.payer.name)),
        ("Plano", format!("{} ({})", invoice.plan_name, invoice.billing_cycle.name())),
    ];
    facts.extend(
        invoice.period.map(|InvoicePeriod { start, end }| {
            ("Período", format!("{} a {}", day(start), day(end)))
        }),
    );
    facts.push(("Total", invoice.total.to_string()));
    if let Some(means) = &invoice.payment {
        let card = means.card.as_ref().map(CardName::label);
        let method = card.unwrap_or_else(|| means.method.mail_name().to_owned());
        facts.push(("Forma de pagamento", method));
    }
    facts.extend(invoice.paid_by.as_deref().map(|person| (invoice.kind.by(), unlinked(person))));
    let page = format!("{url}{}", path(invoice.company_id, invoice.id));
    let mut blocks = vec![Facts(facts), Link("Ver o documento", page)];
    let attached = derived.attached.as_ref();
    blocks.extend(attached.map(|name| say(format!("O documento em PDF está em anexo: {name}"))));
    blocks.push(say(NOT_FISCAL));
    blocks
}

/// The page selects the payment's own company and offers the next step.
fn payment_page(notice: &PaymentNotice, url: &str) -> String {
    match notice.payment {
        Some(payment) => format!("{url}/payments/{payment}"),
        None => format!("{url}/plans"),
    }
}

pub(super) fn declined(notice: &PaymentNotice, url: &str) -> Mail {
    let (what, text, action) = match (notice.received, notice.has_expired) {
        (Some(received), _) => (
            "Pagamento não aplicado",
            format!(
                "Recebemos {received}, que não é o valor da cobrança. Nada foi aplicado à assinatura, e o valor \
                 recebido será devolvido."
            ),
            "Ver o pagamento",
        ),
        (None, true) => (
            "O prazo do pagamento terminou",
            "O prazo para pagar terminou e nada foi cobrado. Você pode começar outro pagamento quando quiser."
                .to_owned(),
            "Tentar novamente",
        ),
        (None, false) => (
            "Pagamento recusado",
            "O pagamento não foi aprovado e nada foi cobrado. Você pode tentar de novo com outra forma de pagamento."
                .to_owned(),
            "Tentar novamente",
        ),
    };
    let link = Link(action, payment_page(notice, url));
    let blocks = vec![hello(&notice.name), say(text), payment_facts(notice), link];
    (format!("{what}: plano {}", notice.plan), blocks)
}

pub(super) fn pending(notice: &PaymentNotice, url: &str) -> Mail {
    let mut blocks = vec![
        hello(&notice.name),
        say("Seu pagamento está aguardando confirmação."),
        payment_facts(notice),
    ];
    if let Some(expires_at) = notice.expires_at {
        blocks.push(say(format!("Pague até {}.", moment(expires_at))));
    }
    if let Some(code) = &notice.pix_code {
        blocks.extend([say("Código PIX (copia e cola):"), Code(code.clone())]);
    }
    if let Some(line) = &notice.bank_slip_line {
        blocks.extend([say("Linha digitável do boleto:"), Code(line.clone())]);
    }
    let boleto = notice.link.as_ref().filter(|link| link.starts_with("https:"));
    if let Some(link) = boleto {
        blocks.push(Link("Abrir o boleto", link.clone()));
    }
    blocks.push(Link("Acompanhar o pagamento", payment_page(notice, url)));
    (format!("Pagamento pendente: plano {}", notice.plan), blocks)
}

/// What every mail about a subscription lists; `due` names the instant that the mail is about.
fn facts(notice: &SubscriptionNotice, due: &'static str) -> Block {
    let mut facts = vec![
        ("Empresa", unlinked(&notice.company)),
        ("Plano", notice.plan.clone()),
        ("Cobrança", notice.cycle.name().to_owned()),
        ("Valor", notice.amount.to_string()),
    ];
    facts.extend(notice.due_at.map(|at| (due, day(at))));
    Facts(facts)
}

/// The page of the web app that the mail leads to.
fn link(notice: &SubscriptionNotice, label: &'static str, url: &str) -> Block {
    let path = notice.link.as_deref().filter(|path| path.starts_with('/'));
    Link(label, format!("{url}{}", path.unwrap_or("/plans")))
}

/// What stands in place of a call to pay, where nobody can.
const COMPANY_CLOSED: &str = "Enquanto a empresa estiver suspensa ou desativada no Bipe, nada é cobrado e nada \
     pode ser pago. Fale com o suporte: responda a esta mensagem.";

/// The sentence that the web app shows for the same state.
fn standing(notice: &SubscriptionNotice) -> Option<Block> {
    let state = notice.state?;
    if notice.company_is_closed && state.kind.asks_for_payment() {
        return Some(say(COMPANY_CLOSED));
    }
    let sentence = state::sentence(state.kind, state.deadline, Some(notice.amount));
    Some(say(format!("{sentence}.")))
}

/// ` em 21/11/2026`, or nothing.
fn on(at: Option<Timestamp>) -> String {
    at.map(|at| format!(" em {}", day(at))).unwrap_or_default()
}

/// The plan's limits ended with the suspension.
fn is_suspended(notice: &SubscriptionNotice) -> bool {
    notice.state.is_some_and(|state| state.kind == StateKind::Suspended)
}

/// What happened, its facts, and where to act on it.
fn notice_blocks(
    notice: &SubscriptionNotice,
    text: impl Into<String>,
    due: &'static str,
    (action, url): (&'static str, &str),
) -> Vec<Block> {
    let action = if notice.company_is_closed { "Ver a assinatura" } else { action };
    let mut blocks = vec![hello(&notice.name), say(text)];
    blocks.extend(standing(notice));
    blocks.extend([facts(notice, due), link(notice, action, url)]);
    blocks
}

pub(super) fn renewal_charge(notice: &SubscriptionNotice, url: &str) -> Mail {
    let date = on(notice.due_at);
    // Its bank may have told the provider of the next card, or may take the charge all the same.
    let card = if notice.card_expires {
        "Esse cartão vence antes disso e a cobrança pode ser recusada: se você já recebeu outro, salve-o no Bipe."
    } else {
        "Você não precisa fazer nada."
    };
    let mut blocks = vec![
        hello(&notice.name),
        say(format!(
            "A assinatura da sua empresa será renovada{date}, com cobrança no cartão salvo. {card}"
        )),
    ];
    blocks.extend(standing(notice));
    blocks.extend([
        facts(notice, "Data da cobrança"),
        say("Para trocar o cartão, mudar de plano ou cancelar antes disso:"),
        link(notice, "Ver a assinatura", url),
    ]);
    (format!("Renovação do plano {}{date}", notice.plan), blocks)
}

pub(super) fn renewal_reminder(notice: &SubscriptionNotice, url: &str) -> Mail {
    let date = on(notice.due_at);
    let text = format!(
        "A assinatura da sua empresa vence{date}. Pague até essa data para continuar sem interrupção."
    );
    let blocks = notice_blocks(notice, text, "Vencimento", ("Pagar agora", url));
    (format!("Sua assinatura do plano {} vence{date}", notice.plan), blocks)
}

pub(super) fn renewal_due(notice: &SubscriptionNotice, url: &str) -> Mail {
    let text = format!(
        "A assinatura da sua empresa venceu{} e ainda não recebemos o pagamento. Os recursos do plano continuam \
         disponíveis por 3 dias depois do vencimento; sem pagamento, a assinatura é suspensa.",
        on(notice.due_at)
    );
    let blocks = notice_blocks(notice, text, "Vencimento", ("Pagar agora", url));
    (format!("Pagamento em aberto: plano {}", notice.plan), blocks)
}

pub(super) fn renewal_failed(notice: &SubscriptionNotice, url: &str) -> Mail {
    let goal = if is_suspended(notice) {
        "ter o plano de volta"
    } else {
        "não perder os recursos do plano"
    };
    let mut text =
        "Não conseguimos cobrar a renovação da assinatura no cartão salvo. Nada foi cobrado."
            .to_owned();
    if !notice.company_is_closed {
        text.push_str(&format!(" Pague agora com outro cartão, PIX ou boleto para {goal}."));
    }
    let blocks = notice_blocks(notice, text, "Vencimento", ("Pagar agora", url));
    (format!("Não conseguimos renovar o plano {}", notice.plan), blocks)
}

pub(super) fn renewal_confirmation(notice: &SubscriptionNotice, url: &str) -> Mail {
    if notice.company_is_closed {
        // Nobody can confirm it: all there is to tell is that nothing was charged.
        return renewal_failed(notice, url);
    }
    let text = "O seu banco pede que você confirme a cobrança da renovação. Até lá, nada é cobrado. Confirme no Bipe.";
    let blocks = notice_blocks(notice, text, "Vencimento", ("Confirmar o pagamento", url));
    (format!("Confirme a renovação do plano {}", notice.plan), blocks)
}

/// What was left of the paid time, or nothing.
fn rest_credited(notice: &SubscriptionNotice) -> String {
    let credit = notice.credit.map(|credit| {
        format!(
            " O valor dos dias pagos que restavam, {credit}, virou crédito da sua empresa e será descontado da próxima \
             cobrança."
        )
    });
    credit.unwrap_or_default()
}

pub(super) fn cancelled(notice: &SubscriptionNotice, url: &str) -> Mail {
    let rest = match notice.due_at {
        Some(end) => {
            format!(
                "O plano continua disponível até {}. Até lá, você pode reativar a assinatura.",
                moment(end)
            )
        }
        None => "Você pode assinar de novo quando quiser.".to_owned(),
    };
    let credit = rest_credited(notice);
    let text = format!("A assinatura da sua empresa foi cancelada.{credit} {rest}");
    let blocks = notice_blocks(notice, text, "Disponível até", ("Ver a assinatura", url));
    (format!("Assinatura do plano {} cancelada", notice.plan), blocks)
}

pub(super) fn suspended(notice: &SubscriptionNotice, url: &str) -> Mail {
    let until = notice.due_at.map(|at| format!(" até {}", moment(at))).unwrap_or_default();
    let mut text = "A assinatura da sua empresa foi suspensa por falta de pagamento.".to_owned();
    if !notice.company_is_closed {
        text.push_str(&format!(" Pague{until} para reativar o plano."));
    }
    let blocks = notice_blocks(notice, text, "Expira em", ("Pagar agora", url));
    (format!("Assinatura do plano {} suspensa", notice.plan), blocks)
}

pub(super) fn expiring(notice: &SubscriptionNotice, url: &str) -> Mail {
    let date = on(notice.due_at);
    let (text, action) = match is_suspended(notice) {
        true => (
            format!(
                "A assinatura da sua empresa está suspensa, e já valem os limites do plano gratuito. Ela expira{date}."
            ),
            "Pagar agora",
        ),
        false => (
            format!(
                "A assinatura da sua empresa expira{date}. Depois disso, valem os limites do plano gratuito."
            ),
            "Manter a assinatura",
        ),
    };
    let blocks = notice_blocks(notice, text, "Expira em", (action, url));
    (format!("Assinatura do plano {} expira{date}", notice.plan), blocks)
}

pub(super) fn expired(notice: &SubscriptionNotice, url: &str) -> Mail {
    let text = format!(
        "A assinatura da sua empresa expirou, e agora valem os limites do plano gratuito.{} Os seus dados continuam \
         guardados.",
        rest_credited(notice)
    );
    let blocks = notice_blocks(notice, text, "Expirou em", ("Escolher um plano", url));
    (format!("Assinatura do plano {} expirada", notice.plan), blocks)
}

/// The plans of the company whose document the mail links.
fn plans_page(notice: &SubscriptionNotice, url: &str) -> String {
    let company = notice.link.as_deref().and_then(|link| link.split_once("?companyId="));
    let query = company.map(|(_, id)| format!("?companyId={id}")).unwrap_or_default();
    format!("{url}/plans{query}")
}

pub(super) fn late_payment_credited(notice: &SubscriptionNotice, url: &str) -> Mail {
    let text = "Recebemos um pagamento que já não podia ser aplicado à assinatura. Nada se perdeu: o valor virou \
         crédito da sua empresa e será descontado da próxima cobrança.";
    let mut blocks = notice_blocks(notice, text, "Recebido em", ("Ver o documento", url));
    // Nothing will be charged to a company without a plan: its credit waits for a choice.
    blocks.extend([
        say("Se a empresa está sem plano, escolha um; o crédito é usado primeiro:"),
        Link("Ver os planos", plans_page(notice, url)),
    ]);
    (format!("Pagamento convertido em crédito: {}", notice.amount), blocks)
}

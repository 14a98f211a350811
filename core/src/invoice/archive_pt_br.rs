//! The table that lies beside the documents of a year, in Portuguese (invariant I8), as spreadsheets in Brazil expect
//! it: semicolons, a decimal comma, CRLF. It has the columns of the web app's (`invoices-csv.ts`). Pure; used by
//! `archive`.

use jiff::Timestamp;

use super::{Invoice, InvoiceKind};
use crate::brazil::dates_pt_br::day;
use crate::brazil::local;
use crate::brazil::tax_id::TaxId;
use crate::csv::{BYTE_ORDER_MARK, escape};
use crate::money::Cents;
use crate::payment_method::CardName;

pub(super) const TABLE: &str = "faturas.csv";
const COLUMNS: [&str; 17] = [
    "Número",
    "Tipo",
    "Data",
    "Emitida em",
    "Empresa",
    "CPF ou CNPJ",
    "Emissor",
    "CPF ou CNPJ do emissor",
    "Plano",
    "Início do período",
    "Fim do período",
    "Forma de pagamento",
    "Total",
    "Moeda",
    "Virou crédito",
    "Pago por",
    "Referência",
];

/// The name of the archive of a year.
pub fn file_name(year: i16) -> String {
    format!("faturas-{year}.zip")
}

pub(super) fn table(invoices: &[Invoice]) -> String {
    let mut rows = vec![COLUMNS.join(";")];
    rows.extend(invoices.iter().map(row));
    format!("{BYTE_ORDER_MARK}{}", rows.join("\r\n"))
}

/// The total stays a number, also below zero, where a refund is: the totals add up to what stayed. Every other cell is a
/// text.
fn row(invoice: &Invoice) -> String {
    let means = invoice.payment.as_ref();
    let card = means.and_then(|means| means.card.as_ref()).map(CardName::label);
    let method = means.map(|means| means.method.title().to_owned());
    let (start, end) = invoice.period.map(|period| (day(period.start), day(period.end))).unzip();
    let total = match invoice.kind {
        InvoiceKind::Refund => -invoice.total,
        InvoiceKind::Payment | InvoiceKind::Change => invoice.total,
    };
    let before = [
        invoice.number_text(),
        kind(invoice.kind).to_owned(),
        moment(invoice.at),
        moment(invoice.issued_at),
        invoice.payer.name.clone(),
        invoice.payer.tax_id.as_deref().map(tax_id).unwrap_or_default(),
        invoice.issuer.name.clone(),
        tax_id(&invoice.issuer.tax_id),
        format!("{} · {}", invoice.plan_name, invoice.billing_cycle.title()),
        start.unwrap_or_default(),
        end.unwrap_or_default(),
        card.or(method).unwrap_or_else(|| "—".to_owned()),
    ];
    let after = [
        invoice.currency.to_uppercase(),
        if invoice.became_credit { "Sim" } else { "Não" }.to_owned(),
        invoice.paid_by.clone().unwrap_or_default(),
        means.and_then(|means| means.reference.clone()).unwrap_or_default(),
    ];
    let texts =
        |cells: &[String]| cells.iter().map(|cell| escape(cell)).collect::<Vec<_>>().join(";");
    [texts(&before), amount(total), texts(&after)].join(";")
}

fn kind(kind: InvoiceKind) -> &'static str {
    match kind {
        InvoiceKind::Payment => "Pagamento",
        InvoiceKind::Change => "Sem cobrança",
        InvoiceKind::Refund => "Reembolso",
    }
}

/// With its mask, which keeps it a text; what is none stands as it is.
fn tax_id(text: &str) -> String {
    TaxId::parse(text).map_or_else(|| text.to_owned(), |tax_id| tax_id.formatted())
}

/// `21/11/2026 12:00`, which a spreadsheet takes for a moment.
fn moment(at: Timestamp) -> String {
    local(at).strftime("%d/%m/%Y %H:%M").to_string()
}

/// `-1234,56`
fn amount(Cents(cents): Cents) -> String {
    let (sign, size) = (if cents < 0 { "-" } else { "" }, cents.unsigned_abs());
    format!("{sign}{},{:02}", size / 100, size % 100)
}

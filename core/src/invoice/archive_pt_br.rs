//! The table that lies beside the documents of a year, in Portuguese (invariant I8), as spreadsheets in Brazil expect
//! it: semicolons, a decimal comma, CRLF. It has the columns of the web app's (`invoices-csv.ts`). Pure; used by
//! `archive`.

use jiff::Timestamp;

use super::{Invoice, InvoiceKind};
use crate::brazil::dates_pt_br::day;
use crate::brazil::local;
use crate::money::Cents;
use crate::payment_method::CardName;

pub(super) const TABLE: &str = "faturas.csv";
/// It tells spreadsheets that this is UTF-8.
const BYTE_ORDER_MARK: &str = "\u{feff}";
const COLUMNS: [&str; 14] = [
    "Número",
    "Tipo",
    "Data",
    "Emitida em",
    "Empresa",
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

/// Of the archive.
pub fn file_name(year: i16) -> String {
    format!("faturas-{year}.zip")
}

pub(super) fn table(invoices: &[Invoice]) -> String {
    let mut rows = vec![COLUMNS.join(";")];
    rows.extend(invoices.iter().map(|invoice| row(invoice).map(|cell| quoted(&cell)).join(";")));
    format!("{BYTE_ORDER_MARK}{}", rows.join("\r\n"))
}

fn row(invoice: &Invoice) -> [String; 14] {
    let means = invoice.payment.as_ref();
    let card = means.and_then(|means| means.card.as_ref()).map(CardName::label);
    let method = means.map(|means| means.method.mail_name().to_owned());
    let (start, end) = invoice.period.map(|period| (day(period.start), day(period.end))).unzip();
    [
        invoice.number_text(),
        kind(invoice.kind).to_owned(),
        moment(invoice.at),
        moment(invoice.issued_at),
        invoice.payer.name.clone(),
        format!("{} · {}", invoice.plan_name, invoice.billing_cycle.title()),
        start.unwrap_or_default(),
        end.unwrap_or_default(),
        card.or(method).unwrap_or_else(|| "—".to_owned()),
        amount(invoice.total),
        invoice.currency.to_uppercase(),
        if invoice.became_credit { "Sim" } else { "Não" }.to_owned(),
        invoice.paid_by.clone().unwrap_or_default(),
        means.and_then(|means| means.reference.clone()).unwrap_or_default(),
    ]
}

fn kind(kind: InvoiceKind) -> &'static str {
    match kind {
        InvoiceKind::Payment => "Pagamento",
        InvoiceKind::Change => "Sem cobrança",
        InvoiceKind::Refund => "Reembolso",
    }
}

/// `21/11/2026, 12:00`, which a spreadsheet takes for a moment.
fn moment(at: Timestamp) -> String {
    local(at).strftime("%d/%m/%Y, %H:%M").to_string()
}

/// `-1234,56`
fn amount(Cents(cents): Cents) -> String {
    let (sign, size) = (if cents < 0 { "-" } else { "" }, cents.unsigned_abs());
    format!("{sign}{},{:02}", size / 100, size % 100)
}

/// A text that starts like a formula stays text, also for a spreadsheet; an amount stays a number.
fn quoted(cell: &str) -> String {
    let is_amount =
        cell.starts_with('-') && cell.bytes().skip(1).all(|b| b == b',' || b.is_ascii_digit());
    let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_amount;
    let safe = if is_formula { format!("'{cell}") } else { cell.to_owned() };
    match safe.contains(['"', ';', '\r', '\n']) {
        true => format!("\"{}\"", safe.replace('"', "\"\"")),
        false => safe,
    }
}

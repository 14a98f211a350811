//! The documents of a year as one ZIP file: the PDF of each, and a table of all. Pure; called where the file is asked
//! for.
//!
//! A PDF is compressed already, so the archive only stores. The same documents give the same bytes.

use std::collections::BTreeSet;
use std::io::{Cursor, Write};

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::{Invoice, InvoiceKind, archive_pt_br};
use crate::brazil;
use crate::error::{Error, Result};
use crate::pdf::render;
use crate::search::Filter;

pub use super::archive_pt_br::file_name;

/// Documents of one archive, at most: some 50 MB, and seconds of one core.
pub const MAX_DOCUMENTS: usize = 500;
pub const YEARS: std::ops::RangeInclusive<i16> = 2000..=9998;

/// The documents of money that moved in that year of America/Sao_Paulo. None for a year outside of `YEARS`.
pub fn of_year(year: i16) -> Option<Filter<InvoiceKind>> {
    let first = Date::new(year, 1, 1).ok().filter(|_| YEARS.contains(&year))?;
    let (from, until) = (brazil::day_start(first), brazil::day_start(first + 1.year()));
    Some(Filter { from: Some(from), until: Some(until), ..Filter::default() })
}

/// In the order in which they are given.
///
/// # Errors
/// `Internal` for a document that cannot be drawn.
pub fn pack(invoices: &[Invoice]) -> Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let mut names = BTreeSet::new();
    for invoice in invoices {
        let mut name = invoice.file_name();
        // Each issuer counts from 1.
        if !names.insert(name.clone()) {
            name = format!("{}-{name}", invoice.issuer.tax_id);
        }
        let file = render(&invoice.sheet()).map_err(Error::internal)?;
        put(&mut zip, &name, invoice.issued_at, &file)?;
    }
    let newest = invoices.iter().map(|invoice| invoice.issued_at).max().unwrap_or_default();
    put(&mut zip, archive_pt_br::TABLE, newest, archive_pt_br::table(invoices).as_bytes())?;
    Ok(zip.finish().map_err(Error::internal)?.into_inner())
}

type Zip = ZipWriter<Cursor<Vec<u8>>>;

fn put(zip: &mut Zip, name: &str, at: Timestamp, content: &[u8]) -> Result<()> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(wall_time(at).unwrap_or_default());
    zip.start_file(name, options).map_err(Error::internal)?;
    zip.write_all(content).map_err(Error::internal)
}

/// As the format keeps it; none outside of its years, 1980 to 2107.
fn wall_time(at: Timestamp) -> Option<DateTime> {
    let wall = brazil::local(at);
    let (year, part) = (u16::try_from(wall.year()).ok()?, |value: i8| u8::try_from(value).ok());
    let (month, day) = (part(wall.month())?, part(wall.day())?);
    let (hour, minute, second) = (part(wall.hour())?, part(wall.minute())?, part(wall.second())?);
    DateTime::from_date_and_time(year, month, day, hour, minute, second).ok()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use zip::ZipArchive;

    use super::*;
    use crate::id::{CompanyId, InvoiceId, PaymentId};
    use crate::invoice::{InvoiceKind, InvoicePayer, Issuer, Line, LineKind, PaymentMeans};
    use crate::money::Cents;
    use crate::payment_method::Method;
    use crate::plan::BillingCycle;

    fn invoice(tax_id: &str, payer: &str) -> Invoice {
        let at = "2026-03-01T02:30:00Z".parse().unwrap();
        Invoice {
            id: InvoiceId(uuid::Uuid::nil()),
            company_id: CompanyId(uuid::Uuid::nil()),
            kind: InvoiceKind::Change,
            number: 1,
            issuer: Issuer { tax_id: tax_id.into(), ..Issuer::default() },
            at,
            issued_at: at,
            payer: InvoicePayer { name: payer.into(), tax_id: None, address: None },
            paid_by: None,
            plan_name: "Negócio".into(),
            billing_cycle: BillingCycle::Yearly,
            period: None,
            lines: vec![Line { kind: LineKind::Plan, amount: Cents(-123_456) }],
            total: Cents(-123_456),
            taxes: Cents::ZERO,
            currency: "brl".into(),
            became_credit: false,
            payment: None,
        }
    }

    #[test]
    fn an_archive_has_the_file_of_each_document_and_a_table_that_is_no_formula() {
        let invoices = [invoice("", "=1+1"), invoice("11222333000181", "Ponto; \"Sul\"")];
        let bytes = pack(&invoices).unwrap();
        assert_eq!(bytes, pack(&invoices).unwrap(), "the same bytes");
        let mut archive = ZipArchive::new(Cursor::new(bytes)).unwrap();
        let names: Vec<String> =
            archive.file_names().map(|name| name.unwrap().into_owned()).collect();
        assert_eq!(names, ["fatura-000001.pdf", "11222333000181-fatura-000001.pdf", "faturas.csv"]);
        for (index, invoice) in invoices.iter().enumerate() {
            let mut file = Vec::new();
            archive.by_index(index).unwrap().read_to_end(&mut file).unwrap();
            assert_eq!(file, render(&invoice.sheet()).unwrap());
        }
        let mut table = String::new();
        archive.by_name("faturas.csv").unwrap().read_to_string(&mut table).unwrap();
        let lines: Vec<&str> = table.split("\r\n").collect();
        assert!(lines[0].starts_with("\u{feff}Número;Tipo;Data;"), "{}", lines[0]);
        assert_eq!(
            lines[1],
            "000001;Sem cobrança;28/02/2026 23:30;28/02/2026 23:30;'=1+1;;;;Negócio · Anual;;;—;-1234,56;BRL;Não;;"
        );
        assert!(lines[2].contains(";\"Ponto; \"\"Sul\"\"\";;;11.222.333/0001-81;"), "{}", lines[2]);
        assert_eq!(lines.len(), 3);
    }

    #[test]
    fn a_row_names_the_tax_ids_of_payer_and_issuer() {
        let payer = InvoicePayer {
            name: "Ponto".into(),
            tax_id: Some("11144477735".into()),
            address: None,
        };
        let issuer = Issuer {
            name: "Bipe Ltda.".into(),
            tax_id: "11222333000181".into(),
            ..Issuer::default()
        };
        let table = archive_pt_br::table(&[Invoice { payer, issuer, ..invoice("", "") }]);
        let cells = ";Ponto;111.444.777-35;Bipe Ltda.;11.222.333/0001-81;Negócio · Anual;";
        assert!(table.contains(cells), "{table}");
    }

    #[test]
    fn a_row_and_its_file_name_the_method_as_the_page_does() {
        let means = PaymentMeans {
            id: PaymentId(uuid::Uuid::nil()),
            method: Method::BankSlip,
            card: None,
            provider: "sandbox".into(),
            reference: None,
        };
        let paid = Invoice { payment: Some(means), ..invoice("", "Ponto") };
        assert!(paid.sheet().facts.iter().any(|fact| fact.value == "Boleto"));
        let table = archive_pt_br::table(&[paid]);
        assert!(table.contains(";Boleto;-1234,56;"), "{table}");
    }

    #[test]
    fn a_refund_is_below_zero_in_the_table_and_one_that_was_undone_above() {
        for (total, cell) in [(990, ";-9,90;BRL;"), (-990, ";9,90;BRL;")] {
            let kind = InvoiceKind::Refund;
            let refund = Invoice { kind, total: Cents(total), ..invoice("", "Ponto") };
            let table = archive_pt_br::table(&[refund]);
            assert!(table.contains(cell), "{table}");
        }
    }

    #[test]
    fn a_company_that_is_called_like_a_formula_starts_none_in_the_table() {
        for name in ["＝cmd|calc", "＋1", "\n=1", "@sum", "-1", "-1,5"] {
            let table = archive_pt_br::table(&[invoice("", name)]);
            assert!(table.contains(&format!("'{name}")), "{table}");
        }
    }

    #[test]
    fn a_year_is_one_of_sao_paulo() {
        let Filter { from, until, .. } = of_year(2026).unwrap();
        assert_eq!(from.unwrap().to_string(), "2026-01-01T03:00:00Z");
        assert_eq!(until.unwrap().to_string(), "2027-01-01T03:00:00Z");
        assert!(of_year(1999).is_none() && of_year(9999).is_none());
        assert!(of_year(9998).is_some());
    }
}

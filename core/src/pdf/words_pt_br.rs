//! The renderer's own words. Everything else that stands on a sheet comes from its caller.

/// The language of every sheet, as BCP 47 writes it.
pub const LANGUAGE: &str = "pt-BR";

/// The head of the column that says what is charged.
pub const DESCRIPTION: &str = "Descrição";

/// The head of the column of amounts.
pub const AMOUNT: &str = "Valor";

/// The foot of a page.
pub fn page(number: usize, of: usize) -> String {
    format!("Página {number} de {of}")
}

//! What a statement of a migration means for nodes that serve meanwhile: whose statements wait for it, and with which
//! table its duration grows. Called by `mod.rs`.
//!
//! The locks are those that PostgreSQL documents for each command ("Explicit Locking", "ALTER TABLE", "CREATE INDEX").
//! Invariant: a statement of an unknown kind is an error, never harmless; a test reads every migration.

use serde::Serialize;

/// Which statements of others wait until the migration ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Waits {
    /// None.
    Nothing,
    /// Writes to the rows that it changes.
    ChangedRows,
    /// Writes to the table.
    Writes,
    /// Reads and writes.
    Everything,
}

/// What a statement does with a table that is there already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    pub table: String,
    pub waits: Waits,
    /// It reads or writes the whole table.
    pub grows: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meaning {
    pub creates_table: Option<String>,
    pub needs_extension: Option<String>,
    /// The oldest schema whose builds may serve from here on.
    pub oldest: Option<i32>,
    /// Builds that were made before it fail at what it leaves.
    pub breaks: bool,
    pub effects: Vec<Effect>,
}

/// The statements of a file, without comments and without the bodies of functions.
pub fn split(sql: &str) -> Vec<String> {
    let (mut rest, mut all, mut one) = (sql, Vec::new(), String::new());
    while !rest.is_empty() {
        if let Some(comment) = rest.strip_prefix("--") {
            rest = comment.split_once('\n').map_or("", |(_, after)| after);
            one.push(' ');
        } else if let Some(text) = rest.strip_prefix('\'') {
            let (inside, after) = text.split_once('\'').unwrap_or((text, ""));
            one.extend(["'", inside, "'"]);
            rest = after;
        } else if let Some(body) = rest.strip_prefix("$$") {
            rest = body.split_once("$$").map_or("", |(_, after)| after);
        } else if let Some(after) = rest.strip_prefix(';') {
            all.push(std::mem::take(&mut one));
            rest = after;
        } else {
            let mut chars = rest.chars();
            one.extend(chars.next());
            rest = chars.as_str();
        }
    }
    all.push(one);
    all.retain(|statement| !statement.trim().is_empty());
    all
}

/// `table_of` knows the table of an index by its name.
///
/// # Errors
/// The statement's beginning, where its kind is unknown.
pub fn meaning(
    statement: &str,
    table_of: impl Fn(&str) -> Option<String>,
) -> Result<Meaning, String> {
    let spaced = statement.replace('(', " ( ").replace(')', " ) ").replace(',', " , ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let unknown = || words.iter().take(6).copied().collect::<Vec<_>>().join(" ");
    let mut meaning = Meaning { breaks: breaks(&words), ..Meaning::default() };
    match words.as_slice() {
        ["CREATE", "TABLE", table, rest @ ..] => {
            meaning.creates_table = Some((*table).to_owned());
            meaning.effects = references(rest);
        }
        ["CREATE", "INDEX", _, "ON", table, ..]
        | ["CREATE", "UNIQUE", "INDEX", _, "ON", table, ..] => {
            meaning.effects.push(effect(table, Waits::Writes, true));
        }
        ["CREATE", "TRIGGER", _, rest @ ..] => {
            let table = after(rest, "ON").next().ok_or_else(unknown)?;
            meaning.effects.push(effect(table, Waits::Writes, false));
        }
        ["CREATE" | "DROP", "POLICY", _, "ON", table, ..]
        | ["DROP", "TRIGGER", _, "ON", table]
        | ["DROP", "TABLE", table] => {
            meaning.effects.push(effect(table, Waits::Everything, false));
        }
        ["CALL", "isolate_by_company", "(", table, ..] => {
            meaning.effects.push(effect(table.trim_matches('\''), Waits::Everything, false));
        }
        // Storage parameters: others go on reading and writing.
        ["ALTER", "TABLE", _, "SET", "(", ..] => {}
        ["ALTER", "TABLE", table, rest @ ..] => {
            meaning.effects = references(rest);
            meaning.effects.push(effect(table, Waits::Everything, reads_all(rest)));
        }
        ["DROP", "INDEX", index] => {
            let table = table_of(index).ok_or_else(unknown)?;
            meaning.effects.push(effect(&table, Waits::Everything, false));
        }
        ["INSERT", "INTO", "schema_window", .., "VALUES", "(", oldest, ")"] => {
            meaning.oldest = Some(oldest.parse().map_err(|_not_a_number| unknown())?);
        }
        ["UPDATE", "schema_window", "SET", "oldest", "=", oldest] => {
            meaning.oldest = Some(oldest.parse().map_err(|_not_a_number| unknown())?);
        }
        // Another form would say nothing here that is true.
        [_, "schema_window", ..] | [_, "INTO" | "FROM", "schema_window", ..] => {
            return Err(unknown());
        }
        ["INSERT", "INTO", rest @ ..] => meaning.effects = sources(rest),
        ["UPDATE", table, rest @ ..] | ["DELETE", "FROM", table, rest @ ..] => {
            meaning.effects = sources(rest);
            meaning.effects.push(effect(table, Waits::ChangedRows, true));
        }
        ["CREATE", "EXTENSION", "IF", "NOT", "EXISTS", name] => {
            meaning.needs_extension = Some((*name).to_owned());
        }
        // No lock on a table that others wait for.
        ["CREATE" | "DROP", "FUNCTION" | "PROCEDURE", ..]
        | ["CREATE", "OR", "REPLACE", "FUNCTION" | "PROCEDURE", ..]
        | ["ALTER", "DEFAULT", "PRIVILEGES", ..]
        | ["COMMENT" | "GRANT" | "REVOKE" | "RESET" | "DO", ..]
        | ["SET", "LOCAL", ..] => {}
        _ => return Err(unknown()),
    }
    Ok(meaning)
}

/// They name what it drops or renames, or leave out a value that it asks for: also where the server filled it in.
fn breaks(words: &[&str]) -> bool {
    match words {
        ["DROP", "TABLE" | "FUNCTION" | "PROCEDURE", ..] => true,
        ["ALTER", "TABLE", _, rest @ ..] => {
            rest.contains(&"RENAME")
                || after(rest, "DROP").any(|what| !matches!(what, "CONSTRAINT" | "NOT"))
                || after(rest, "SET").any(|what| what == "NOT")
        }
        _ => false,
    }
}

fn effect(table: &str, waits: Waits, grows: bool) -> Effect {
    Effect { table: table.to_owned(), waits, grows }
}

/// The word behind each `word`.
fn after<'a>(words: &'a [&'a str], word: &'a str) -> impl Iterator<Item = &'a str> {
    let pairs = words.iter().zip(words.iter().skip(1));
    pairs.filter(move |(first, _)| **first == word).map(|(_, second)| *second)
}

/// A foreign key puts triggers on the table that it names.
fn references(words: &[&str]) -> Vec<Effect> {
    after(words, "REFERENCES").map(|table| effect(table, Waits::Writes, false)).collect()
}

/// The tables that a statement reads rows of; functions and catalogues are none that grow.
fn sources(words: &[&str]) -> Vec<Effect> {
    let tables = ["FROM", "JOIN"].into_iter().flat_map(|word| after(words, word));
    let tables = tables.filter(|table| !table.starts_with("pg_") && *table != "(");
    tables.map(|table| effect(table, Waits::Nothing, true)).collect()
}

/// Whether PostgreSQL compares every row with a new rule, or writes every row anew.
fn reads_all(words: &[&str]) -> bool {
    const OF_ALL_ROWS: [&str; 8] =
        ["CHECK", "FOREIGN", "REFERENCES", "UNIQUE", "PRIMARY", "STORED", "IDENTITY", "TYPE"];
    let has = |wanted: &[&str]| words.windows(wanted.len()).any(|found| found == wanted);
    // A default that is called is a value of its own in each row, unless the server knows better.
    let calls = words.windows(3).any(|found| matches!(found, ["DEFAULT", _, "("]));
    let compares = OF_ALL_ROWS.iter().any(|word| words.contains(word));
    (compares && !has(&["NOT", "VALID"])) || has(&["SET", "NOT", "NULL"]) || calls
}

#[cfg(test)]
mod tests {
    use super::Waits::{ChangedRows, Everything, Nothing, Writes};
    use super::*;

    fn effects(sql: &str) -> Vec<(String, Waits, bool)> {
        let meaning = meaning(sql, |_index| Some("payments".to_owned())).unwrap();
        meaning.effects.into_iter().map(|e| (e.table, e.waits, e.grows)).collect()
    }

    #[test]
    fn comments_texts_and_bodies_hold_no_end_of_a_statement() {
        let sql = "-- a; b\nCOMMENT ON COLUMN x.y IS 'it''s; so';\n\
             CREATE FUNCTION f() RETURNS trigger AS $$ BEGIN; END $$;SELECT 1";
        let found: Vec<String> = split(sql).iter().map(|s| s.trim().to_owned()).collect();
        let function = "CREATE FUNCTION f() RETURNS trigger AS";
        assert_eq!(found, ["COMMENT ON COLUMN x.y IS 'it''s; so'", function, "SELECT 1"]);
    }

    #[test]
    fn an_index_stops_writes_for_as_long_as_the_table_is_read() {
        let payments = |waits, grows| vec![("payments".to_owned(), waits, grows)];
        let index = "CREATE UNIQUE INDEX i ON payments (id) WHERE paid";
        assert_eq!(effects(index), payments(Writes, true));
        assert_eq!(effects("DROP INDEX i"), payments(Everything, false));
        for dropped in ["POLICY p ON payments", "TRIGGER t ON payments", "TABLE payments"] {
            assert_eq!(effects(&format!("DROP {dropped}")), payments(Everything, false));
        }
        let column = "ALTER TABLE payments ADD COLUMN a bigint NOT NULL DEFAULT 0";
        assert_eq!(effects(column), payments(Everything, false));
        for whole in [
            "CHECK (a > 0)",
            "DEFAULT gen_random_uuid()",
            "REFERENCES payments (id)",
            "GENERATED ALWAYS AS (b) STORED",
        ] {
            let sql = format!("ALTER TABLE payments ADD COLUMN a bigint {whole}");
            assert_eq!(effects(&sql).last(), payments(Everything, true).last(), "{whole}");
        }
        let unchecked = "ALTER TABLE payments ADD CONSTRAINT c CHECK (a > 0) NOT VALID";
        assert_eq!(effects(unchecked), payments(Everything, false));
        assert_eq!(effects("ALTER TABLE payments SET (fillfactor = 70)"), []);
        let update = "UPDATE payments SET a = 1 FROM users WHERE b";
        let read = ("users".to_owned(), Nothing, true);
        assert_eq!(effects(update), [vec![read], payments(ChangedRows, true)].concat());
        let new = "CREATE TABLE t (id uuid REFERENCES payments (id), b text)";
        assert_eq!(effects(new), payments(Writes, false));
    }

    #[test]
    fn the_window_is_read_from_the_statement_that_moves_it() {
        let oldest = |sql| meaning(sql, |_| None).unwrap().oldest;
        assert_eq!(oldest("INSERT INTO schema_window (oldest) VALUES (31)"), Some(31));
        assert_eq!(oldest("UPDATE schema_window SET oldest = 40"), Some(40));
    }

    #[test]
    fn an_unknown_statement_is_an_error() {
        for sql in [
            "TRUNCATE payments",
            "DROP INDEX i",
            "ALTER TYPE mood ADD VALUE 'x'",
            "UPDATE schema_window SET oldest = oldest + 1",
        ] {
            assert!(meaning(sql, |_| None).is_err(), "{sql}");
        }
    }
}

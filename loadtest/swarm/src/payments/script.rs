//! The SQL of one payment, read from PostgreSQL's log: whole transactions in the order of their commits, with
//! the values that belong to this payment marked, so that a replay can put those of another in their place.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Value, json};

use crate::Outcome;

/// In each statement that appends events.
const APPEND: &str = "INSERT INTO events";
/// How the text ends that cleans a connection.
const CLEANED: &str = "pg_advisory_unlock_all(); COMMIT";

/// One statement with its values as text; none for what runs without parameters.
#[derive(Clone, Debug)]
pub struct Statement {
    pub sql: String,
    pub values: Option<Vec<Option<String>>>,
}

impl Statement {
    /// The server keeps it for the end of its transaction: entries of the audit, jobs, events and what appends them.
    pub fn is_staged(&self) -> bool {
        let parts = ["INSERT INTO audit_entries", "DELETE FROM jobs WHERE kind", APPEND];
        parts.iter().any(|part| self.sql.contains(part))
    }
}

/// `[[sql, values], …]`; values are null for what runs without parameters.
pub fn json(statements: &[Statement]) -> Value {
    statements.iter().map(|statement| json!([statement.sql, statement.values])).collect()
}

pub struct Script {
    statements: Vec<Statement>,
    company: String,
    /// What the payment made: ids, keys, hashes.
    own: HashSet<String>,
}

impl Script {
    /// Every transaction that has to do with the company.
    pub fn of(log: &str, company: &str) -> Self {
        let mut blocks = blocks(log);
        let mut own = HashSet::from([company.to_owned()]);
        // What a transaction of the payment inserts belongs to it, and so does whoever speaks of that.
        let mut kept: Vec<bool> = vec![false; blocks.len()];
        loop {
            let before = (own.len(), kept.iter().filter(|keep| **keep).count());
            for (block, keep) in blocks.iter().zip(&mut kept) {
                *keep = *keep || block.iter().any(|statement| speaks_of(statement, &own));
                if *keep {
                    own.extend(block.iter().flat_map(inserted));
                }
            }
            if before == (own.len(), kept.iter().filter(|keep| **keep).count()) {
                break;
            }
        }
        let mut keep = kept.iter();
        blocks.retain(|_| *keep.next().unwrap_or(&false));
        let statements: Vec<Statement> = blocks.into_iter().flatten().collect();
        Self { statements, company: company.to_owned(), own }
    }

    /// # Errors
    /// When it holds no whole payment.
    pub fn of_payment(log: &str, company: &str) -> Outcome<Self> {
        let script = Self::of(log, company);
        let pays = |statement: &Statement| statement.sql.starts_with("INSERT INTO debit_segments");
        if script.statements.iter().any(pays) {
            return Ok(script);
        }
        Err("the log holds no whole payment".into())
    }

    /// The one transaction with a statement that begins so.
    pub fn of_one_change(mut self, change: &str) -> Outcome<Self> {
        let is_change = |statement: &Statement| statement.sql.starts_with(change);
        let begins = |statement: &Statement| statement.sql.starts_with("BEGIN");
        let at = self.statements.iter().position(is_change).ok_or("the log holds no change")?;
        let from = self.statements.iter().take(at).rposition(begins).ok_or("no beginning")?;
        self.statements.drain(..from);
        let ends = |statement: &Statement| statement.sql == "COMMIT";
        let end = self.statements.iter().position(ends).ok_or("the change was not committed")?;
        self.statements.truncate(end + 1);
        Ok(self)
    }

    /// What ran with values in the transactions that do such a thing.
    pub fn statements_beside(&self, part: &str) -> Vec<Statement> {
        let (mut found, mut block) = (Vec::new(), Vec::new());
        for statement in &self.statements {
            if statement.sql.starts_with("BEGIN") {
                block.clear();
            }
            block.push(statement.clone());
            if matches!(statement.sql.as_str(), "COMMIT" | "ROLLBACK")
                && block.iter().any(|statement| statement.sql.contains(part))
            {
                found.extend(block.drain(..).filter(|statement| statement.values.is_some()));
            }
        }
        found
    }

    /// The same without the statements that append events.
    pub fn without_events(&self) -> Self {
        let mut rest = self.statements.clone();
        rest.retain(|statement| !statement.sql.contains(APPEND));
        Self { statements: rest, company: self.company.clone(), own: self.own.clone() }
    }

    pub fn statement_count(&self) -> usize {
        self.statements.len()
    }

    /// The same for another company; `mark` makes everything else its own.
    pub fn for_company(&self, company: &str, mark: usize) -> Vec<Statement> {
        let mut other = HashMap::from([(self.company.clone(), company.to_owned())]);
        for token in &self.own {
            other.entry(token.clone()).or_insert_with(|| marked(token, mark));
        }
        let put = |text: &str| replace(text, &other);
        let each = |statement: &Statement| Statement {
            sql: if statement.values.is_none() {
                put(&statement.sql)
            } else {
                statement.sql.clone()
            },
            values: statement
                .values
                .as_ref()
                .map(|values| values.iter().map(|value| value.as_deref().map(put)).collect()),
        };
        self.statements.iter().map(each).collect()
    }
}

/// The transactions, by the session that ran them; lines of one session follow each other. What runs with values and
/// without a beginning is a transaction by itself.
fn blocks(log: &str) -> Vec<Vec<Statement>> {
    let mut open: BTreeMap<&str, Vec<Statement>> = BTreeMap::new();
    let mut done = Vec::new();
    let mut last: Option<&str> = None;
    let mut alone: Option<(&str, Statement)> = None;
    let lines = records(log);
    for line in &lines {
        let Some((pid, text)) = session(line) else { continue };
        if let Some(statement) = statement(text) {
            done.extend(alone.take().map(|(_, statement)| vec![statement]));
            last = Some(pid);
            if statement.sql.starts_with("BEGIN") {
                open.insert(pid, Vec::new());
            }
            let ends = matches!(statement.sql.as_str(), "COMMIT" | "ROLLBACK");
            let Some(block) = open.get_mut(pid) else {
                alone = statement.values.is_some().then_some((pid, statement));
                continue;
            };
            block.push(statement);
            if ends && let Some(block) = open.remove(pid) {
                done.push(block);
            }
        } else if let Some(values) = text.strip_prefix("DETAIL:  Parameters: ")
            && last == Some(pid)
        {
            let of_block = open.get_mut(pid).and_then(|block| block.last_mut());
            let of_alone = alone.as_mut().filter(|(by, _)| *by == pid);
            if let Some(statement) = of_block.or(of_alone.map(|(_, statement)| statement)) {
                statement.values = Some(parameters(values));
            }
        }
    }
    done.extend(alone.map(|(_, statement)| vec![statement]));
    done
}

/// The log's records: a line break inside one is followed by a tab.
fn records(log: &str) -> Vec<String> {
    let mut records: Vec<String> = Vec::new();
    for line in log.lines() {
        match (line.strip_prefix('\t'), records.last_mut()) {
            (Some(more), Some(record)) => {
                record.push('\n');
                record.push_str(more);
            }
            _ => records.push(line.to_owned()),
        }
    }
    records
}

/// `2026-11-21 12:00:00.000 UTC [123] LOG:  …`
fn session(line: &str) -> Option<(&str, &str)> {
    let (_, rest) = line.split_once(" [")?;
    rest.split_once("] ")
}

fn statement(text: &str) -> Option<Statement> {
    let text = text.strip_prefix("LOG:  ")?;
    if let Some(sql) = text.strip_prefix("statement: ") {
        // A transaction begins behind what cleans its connection.
        let begins = sql.split_once(CLEANED).map(|(_, text)| text.trim_start_matches("; "));
        let sql = begins.unwrap_or(sql);
        return Some(Statement { sql: sql.to_owned(), values: None });
    }
    let (_, sql) = text.strip_prefix("execute ")?.split_once(": ")?;
    Some(Statement { sql: sql.to_owned(), values: Some(Vec::new()) })
}

/// `$1 = 'a''b', $2 = NULL`
fn parameters(text: &str) -> Vec<Option<String>> {
    let (mut values, mut rest) = (Vec::new(), text);
    while let Some((_, after)) = rest.split_once(" = ") {
        if let Some(next) = after.strip_prefix("NULL") {
            values.push(None);
            rest = next;
            continue;
        }
        let mut value = String::new();
        let mut letters = after.char_indices().skip(1).peekable();
        let mut end = after.len();
        while let Some((at, letter)) = letters.next() {
            match (letter, letters.peek()) {
                ('\'', Some((_, '\''))) => {
                    value.push('\'');
                    letters.next();
                }
                ('\'', _) => {
                    end = at + 1;
                    break;
                }
                _ => value.push(letter),
            }
        }
        values.push(Some(value));
        rest = after.get(end..).unwrap_or_default();
    }
    values
}

/// Whether a run of letters and digits names one thing: a UUID, a long hash, an id of the provider.
fn is_token(run: &str) -> bool {
    let hex = |text: &str| text.bytes().all(|b| b.is_ascii_hexdigit());
    let uuid = run.len() == 36 && run.split('-').map(str::len).eq([8, 4, 4, 4, 12]);
    let provider = run.split_once('_').is_some_and(|(kind, id)| {
        (2..=4).contains(&kind.len())
            && id.len() >= 14
            && id.bytes().all(|b| b.is_ascii_alphanumeric())
    });
    (uuid && hex(&run.replace('-', ""))) || (run.len() >= 32 && hex(run)) || provider
}

fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))
}

fn texts(statement: &Statement) -> impl Iterator<Item = &str> {
    let values = statement.values.iter().flatten().filter_map(Option::as_deref);
    values.chain(statement.values.is_none().then_some(statement.sql.as_str()))
}

fn speaks_of(statement: &Statement, own: &HashSet<String>) -> bool {
    texts(statement).flat_map(runs).any(|run| own.contains(run))
}

/// The tokens that an insert brings into the world: in its first value, as ids of rows that are handed over as JSON, or
/// as keys of the provider.
fn inserted(statement: &Statement) -> Vec<String> {
    if !statement.sql.contains("INSERT INTO") && !statement.sql.starts_with("UPDATE payments") {
        return Vec::new();
    }
    let values = statement.values.iter().flatten().flatten();
    let first = values.clone().next().filter(|value| is_token(value)).cloned();
    let provider = values
        .clone()
        .flat_map(|value| runs(value))
        .filter(|run| is_token(run) && (run.contains('_') || run.len() > 36 || run.len() == 32));
    let of_rows = values
        .flat_map(|value| value.split("\"id\":\"").skip(1))
        .filter_map(|rest| rest.split('"').next())
        .filter(|id| is_token(id));
    first.into_iter().chain(provider.chain(of_rows).map(str::to_owned)).collect()
}

/// Its shape with other digits at the end.
fn marked(token: &str, mark: usize) -> String {
    let tail = format!("{mark:010x}");
    let head = token.len().saturating_sub(tail.len());
    token.get(..head).unwrap_or_default().to_owned() + &tail
}

fn replace(text: &str, other: &HashMap<String, String>) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let is_run = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let end = rest.find(|c| !is_run(c)).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        result += other.get(run).map_or(run, String::as_str);
        let gap = after.find(is_run).unwrap_or(after.len());
        let (between, next) = after.split_at(gap);
        result += between;
        rest = next;
    }
    result
}

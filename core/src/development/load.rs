//! Companies and people by the thousand for load tests and benchmarks: consistent rows, written in bulk, with a
//! history that follows from each company's number alone. Called by `bipe seed --load`, never in production.
//!
//! What it writes keeps the payment invariants and the books of the figures (P1 to P12), so that the checks of a
//! loaded server stay quiet. Nothing of it is known to the payment provider.

use crate::db::{Db, PlatformTx};
use crate::error::{Error, Result};
use crate::id::CompanyId;
use crate::row::from_row;
use crate::scope::JobScope;

/// Of everybody who is loaded.
pub const PASSWORD: &str = "Bipe#Carga2026";
/// Companies of one statement: a second of work with a history of years.
const CHUNK: u32 = 100;
/// The years of the longest history.
pub const MAX_YEARS: u16 = 3;

/// How much.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub companies: u32,
    /// Members of each, its admin included.
    pub people_each: u16,
    /// Years over which the companies began; without a history all pay since ten days.
    pub years: u16,
}

/// Who signs in for a company.
#[derive(Clone, Debug)]
pub struct Admin {
    pub email: String,
    pub company_id: CompanyId,
}

/// Whether anybody has opened a company in this database.
pub async fn has_companies(db: &Db, proof: &JobScope) -> Result<bool> {
    db.platform_tx(proof).await?.value(HAS_COMPANIES, &[]).await
}

const HAS_COMPANIES: &str = "SELECT EXISTS (SELECT FROM companies) AS found";

/// Adds the companies; answers their admins. `password_hash` is everybody's.
pub async fn fill(
    db: &Db,
    proof: &JobScope,
    load: Load,
    password_hash: &str,
) -> Result<Vec<Admin>> {
    // Loaded before: addresses and documents go on behind them.
    let loaded: i64 = db.platform_tx(proof).await?.value(LOADED, &[]).await?;
    let mut admins = Vec::new();
    let mut first = 1;
    while first <= load.companies {
        let last = load.companies.min(first.saturating_add(CHUNK - 1));
        let tx = db.platform_tx(proof).await?;
        admins.extend(chunk(&tx, load, (first, last), (loaded, password_hash)).await?);
        tx.commit().await?;
        first = last.saturating_add(1);
    }
    Ok(admins)
}

async fn chunk(
    tx: &PlatformTx,
    load: Load,
    (first, last): (u32, u32),
    (loaded, password_hash): (i64, &str),
) -> Result<Vec<Admin>> {
    let number = |n: u32| i32::try_from(n).map_err(Error::internal);
    let (first, last, all) = (number(first)?, number(last)?, number(load.companies)?);
    let (people, days) = (i32::from(load.people_each), i32::from(load.years) * 365);
    tx.all(CHUNK_OF, &[&first, &last, &all, &people, &days, &tx.now(), &password_hash, &loaded])
        .await
}

from_row! { Admin { email, company_id } }

const LOADED: &str =
    "SELECT count(*) AS loaded FROM users WHERE email LIKE 'carga%@bipe.localhost'";

/// A UUID v7 of an instant, like every id that the product makes.
macro_rules! v7 {
    ($at:literal) => {
        concat!(
            "encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) PLACING \
             substring(int8send((extract(epoch FROM ",
            $at,
            ") * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid"
        )
    };
}

/// $1, $2: the first and last company of $3; $4 people each; $5 days of history; $6 now; $7 the hash; $8 people of
/// earlier loads. With a history one company in ten never pays, two end half-way, a quarter grows half-way.
/// What was paid within a day has its event, as long as those are kept.
const CHUNK_OF: &str = concat!(
    "WITH dated AS MATERIALIZED (SELECT n, \
       date_trunc('second', $6::timestamptz - interval '10 days' - make_interval(secs => \
         ($5::int * 86400.0 * ($3::int - n) / $3::int + CASE WHEN $5::int > 0 THEN n * 7919 % 86400 ELSE 0 \
         END)::bigint)) AS at \
       FROM generate_series($1::int, $2::int) AS n), \
     founded AS MATERIALIZED (SELECT n, at, ",
    v7!("at"),
    " AS company, ",
    v7!("at"),
    " AS subscription, \
       ",
    v7!("at + interval '1 minute'"),
    " AS founder FROM dated), \
     lived AS MATERIALIZED (SELECT f.*, f.at AT TIME ZONE 'America/Sao_Paulo' AS anchor, CASE \
         WHEN $5::int = 0 THEN age.months + 1 WHEN f.n % 10 = 0 THEN 0 \
         WHEN f.n % 10 IN (1, 2) AND age.months > 1 THEN age.months / 2 ELSE age.months + 1 END AS paid, \
         age.months AS months FROM founded f, LATERAL (SELECT max(k) AS months FROM generate_series(0, 60) AS k \
         WHERE f.at AT TIME ZONE 'America/Sao_Paulo' + make_interval(months => k) \
           <= $6::timestamptz AT TIME ZONE 'America/Sao_Paulo') AS age), \
     made AS MATERIALIZED (SELECT l.*, l.paid > l.months AS runs, p.id AS plan, p.display_name, \
         p.monthly_cents AS price, p.max_users, p.max_beeping, first.id AS first_plan, \
         first.display_name AS first_name, first.monthly_cents AS first_price, grown.month AS grown, \
         (l.anchor + make_interval(months => l.paid)) AT TIME ZONE 'America/Sao_Paulo' AS paid_end, \
         (ARRAY['CREDIT_CARD', 'PIX', 'CREDIT_CARD', 'BANK_SLIP', 'PIX'])[1 + l.n % 5] AS method FROM lived l \
       CROSS JOIN LATERAL (SELECT CASE WHEN l.n % 4 = 1 AND l.paid > 3 THEN l.paid / 2 END AS month) AS grown \
       JOIN plans p ON p.name = CASE WHEN grown.month IS NOT NULL THEN 'profissional' \
         ELSE (ARRAY['essencial', 'profissional', 'negocio'])[1 + l.n % 3] END \
       JOIN plans first ON first.name = CASE WHEN grown.month IS NOT NULL THEN 'essencial' ELSE p.name END), \
     persons AS MATERIALIZED (SELECT m.n, m.company, place, m.at + place * interval '1 minute' AS at, \
         CASE place WHEN 1 THEN m.founder ELSE ",
    v7!("m.at + place * interval '1 minute'"),
    " END AS id, $8::bigint + (m.n - 1) * $4::int + place AS number, \
         greatest(m.at + place * interval '1 minute', least(CASE WHEN m.runs THEN $6::timestamptz ELSE m.paid_end END, \
           $6::timestamptz) - (m.n * 37 + place * 11) % 45 * interval '20 hours') AS seen FROM made m, \
           generate_series(1, $4::int) AS place), \
     periods AS MATERIALIZED (SELECT m.company, m.subscription, m.founder, m.method, k, \
         ",
    v7!("(m.anchor + make_interval(months => k)) AT TIME ZONE 'America/Sao_Paulo'"),
    " AS payment, \
         (m.anchor + make_interval(months => k)) AT TIME ZONE 'America/Sao_Paulo' AS from_at, \
         (m.anchor + make_interval(months => k + 1)) AT TIME ZONE 'America/Sao_Paulo' AS to_at, \
         CASE WHEN k < m.grown THEN m.first_price ELSE m.price END AS cents, \
         CASE WHEN k < m.grown THEN m.first_plan ELSE m.plan END AS plan, \
         CASE WHEN k < m.grown THEN m.first_name ELSE m.display_name END AS plan_name, \
         CASE WHEN k = 0 THEN 'activated' WHEN k = m.grown THEN 'upgraded' ELSE 'renewed' END AS history, \
         CASE WHEN k = 0 THEN 'creation' WHEN k = m.grown THEN 'upgrade' ELSE 'renewal' END AS change \
       FROM made m, generate_series(0, m.paid - 1) AS k), \
     users_in AS (INSERT INTO users (id, name, email, document, phone, birth_date, password_hash, status, \
         email_verified_at, last_login_at, created_at, updated_at) SELECT id, \
         (ARRAY['Ana', 'Bruno', 'Carla', 'Diego', 'Elisa', 'Fabio', 'Gabriela', 'Heitor', 'Iara', 'João', 'Karina', \
           'Leandro', 'Márcia', 'Nelson', 'Olívia', 'Paulo', 'Renata', 'Sérgio', 'Tânia', 'Vitor'])[1 + number % 20] \
           || ' ' || \
         (ARRAY['Souza', 'Almeida', 'Barbosa', 'Cardoso', 'Dias', 'Esteves', 'Ferreira', 'Gonçalves', 'Lima', \
         'Machado', \
           'Nogueira', 'Oliveira', 'Pereira', 'Queiroz', 'Ribeiro', 'Santos', 'Teixeira'])[1 + number % 17] || ' ' || \
         (ARRAY['Neto', 'Júnior', 'Filho', 'Prado', 'Rocha', 'Moura', 'Vieira'])[1 + number / 20 % 7], \
         'carga' || number || '@bipe.localhost', '9' || lpad(number::text, 10, '0'), '(11) 98765-4321', '1990-04-12', \
         $7, 'active', at, seen, at, at FROM persons), \
     spells_in AS (INSERT INTO activity_spells (user_id, from_at, to_at) SELECT id, at, seen FROM persons), \
     companies_in AS (INSERT INTO companies (id, name, description, created_by, max_users, max_beeping, created_at, \
     updated_at) \
       SELECT company, (ARRAY['Ponto', 'Depósito', 'Entregas', 'Encomendas', 'Galpão'])[1 + n % 5] || ' ' || \
         (ARRAY['Norte', 'Sul', 'Centro', 'Litoral', 'Serra', 'Vale', 'Aurora', 'Ipê', 'Jardim', 'Paraíso', \
         'Planalto'])[1 + n % 11] \
         || ' ' || $8::bigint + n, 'Ponto de distribuição', founder, CASE WHEN runs THEN max_users ELSE free.users \
         END, \
         CASE WHEN runs THEN max_beeping ELSE free.beeping END, at, at FROM made, \
         (SELECT max(max_users) AS users, max(max_beeping) AS beeping FROM plans WHERE is_free) AS free), \
     members_in AS (INSERT INTO members (id, company_id, user_id, role, created_at, updated_at) \
       SELECT gen_random_uuid(), company, id, CASE place WHEN 1 THEN 'admin' WHEN 2 THEN 'finance' ELSE 'operator' \
       END, \
         at, at FROM persons), \
     subscriptions_in AS (INSERT INTO subscriptions (id, company_id, plan_id, billing_cycle, price_cents, status, \
         anchor_local, month, paid_until_month, end_at, started_at, created_at, updated_at) SELECT subscription, \
         company, plan, \
         'monthly', price, CASE WHEN runs THEN 'active' ELSE 'expired' END, anchor, paid - 1, paid, \
         CASE WHEN NOT runs THEN paid_end END, at, at, CASE WHEN runs THEN at ELSE paid_end END FROM made WHERE paid > \
         0), \
     counts_in AS (INSERT INTO head_counts (noun, at, step) SELECT 'subscriptions', m.at, 1 FROM made m WHERE paid > 0 \
     AND NOT runs \
       UNION ALL SELECT 'subscriptions', paid_end, -1 FROM made WHERE paid > 0 AND NOT runs), \
     payments_in AS (INSERT INTO payments (id, company_id, subscription_id, created_by, state, method, amount_cents, \
         currency, change_type, plan_id, billing_cycle, quote_id, basis, frozen_at, provider, provider_key, \
         provider_request, \
         metadata, effects_at, succeeded_at, created_at, updated_at) SELECT payment, company, subscription, founder, \
         'succeeded', method, \
         cents, 'brl', change, plan, 'monthly', gen_random_uuid(), '', from_at, 'load', payment::text, '', \
         json_build_object('companyId', company, 'planId', plan, 'billingCycle', 'monthly', 'changeType', \
         change)::text, \
         from_at, from_at, from_at, from_at \
       FROM periods), \
     invoices_in AS (INSERT INTO invoices (id, company_id, kind, number, issuer_tax_id, issuer_name, issuer_address, \
         issuer_email, at, issued_at, payer_name, paid_by, plan_name, billing_cycle, period_start, period_end, lines, \
         total_cents, payment_id, method, provider, search_text) SELECT payment, company, 'payment', \
         s.last + row_number() OVER (ORDER BY from_at, payment), s.tax_id, s.name, s.address, s.email, from_at, \
         from_at, 'Ponto de distribuição', founder, plan_name, 'monthly', from_at, to_at, \
         json_build_array(json_build_object('kind', 'plan', 'amount', cents))::text, cents, payment, method, 'load', \
         searchable(plan_name) FROM periods, invoice_issuers s WHERE s.is_current), \
     issuer_in AS (UPDATE invoice_issuers SET last = last + (SELECT count(*) FROM periods) WHERE is_current), \
     segments_in AS (INSERT INTO debit_segments (id, company_id, subscription_id, from_at, to_at, paid_cents, \
     payment_id, \
         created_at) SELECT gen_random_uuid(), company, subscription, from_at, to_at, cents, payment, from_at FROM \
         periods), \
     history_in AS (INSERT INTO subscription_history (id, company_id, subscription_id, type, at, by_user_id, \
     plan_name, \
         billing_cycle, amount_cents) SELECT gen_random_uuid(), company, subscription, history, from_at, founder, \
         plan_name, \
         'monthly', cents FROM periods UNION ALL SELECT gen_random_uuid(), company, subscription, 'expired', paid_end, \
         NULL, \
         display_name, 'monthly', NULL FROM made WHERE paid > 0 AND NOT runs), \
     movements_in AS (INSERT INTO movements (id, company_id, kind, arr_cents, plan_id, at) \
       SELECT gen_random_uuid(), company, 'new', 12 * cents, plan, from_at FROM periods WHERE k = 0 UNION ALL \
       SELECT gen_random_uuid(), p.company, 'expansion', 12 * (m.price - m.first_price), p.plan, p.from_at FROM \
       periods p \
         JOIN made m ON m.company = p.company WHERE p.k = m.grown UNION ALL \
       SELECT gen_random_uuid(), company, 'churn', 12 * price, plan, paid_end FROM made WHERE paid > 0 AND NOT runs), \
     audits_in AS (INSERT INTO audit_entries (id, at, actor_id, company_id, action, target, outcome) \
       SELECT gen_random_uuid(), from_at, founder, company, action, payment::text, 'ok' FROM periods, \
         (VALUES ('payment.start'), ('payment.succeed')) AS acts (action)), \
     recent AS MATERIALIZED (SELECT 'company/' || company AS channel, company, payment, from_at FROM periods \
       WHERE from_at > $6::timestamptz - interval '1 day'), \
     heads_in AS (INSERT INTO channel_heads (channel, epoch, seq) SELECT channel, '00000000', 1 FROM recent), \
     events_in AS (INSERT INTO events (channel, seq, company_id, name, key, data, at) SELECT channel, 1, company, \
       'payment.updated', payment::text, json_build_object('id', payment, 'status', 'SUCCESS', 'version', 1)::text, \
       from_at \
       FROM recent), \
     timers_in AS (INSERT INTO jobs (id, kind, key, payload, run_at, created_at) SELECT gen_random_uuid(), 'renewal', \
         company::text, json_build_object('company_id', company)::text, paid_end, at FROM made WHERE runs) \
     SELECT p.company AS company_id, 'carga' || p.number || '@bipe.localhost' AS email FROM persons p \
     WHERE p.place = 1 ORDER BY p.n"
);

/// `$1` companies whose period ends at `$2`, with their timers, for benchmarks that run as the database's owner. Their
/// cards are the caller's.
pub const DUE_RENEWALS: &str = "WITH made AS (SELECT gen_random_uuid() AS company, gen_random_uuid() AS person, \
       gen_random_uuid() AS subscription, n FROM generate_series(1, $1) AS n), \
     people AS (INSERT INTO users (id, name, email, document, phone, birth_date, password_hash, status, \
       created_at, updated_at) SELECT person, 'Ana Souza', n || '@example.com', lpad(n::text, 11, '0'), \
       '11999990000', '1990-01-01', 'x', 'active', $2, $2 FROM made), \
     companies AS (INSERT INTO companies (id, name, created_by, max_users, max_beeping, created_at, updated_at) \
       SELECT company, 'Ponto ' || n, person, 10, 5000, $2, $2 FROM made), \
     members AS (INSERT INTO members (id, company_id, user_id, role, created_at, updated_at) \
       SELECT gen_random_uuid(), company, person, 'admin', $2, $2 FROM made), \
     subscriptions AS (INSERT INTO subscriptions (id, company_id, plan_id, billing_cycle, price_cents, status, \
       anchor_local, month, paid_until_month, started_at, created_at, updated_at) \
       SELECT subscription, company, p.id, 'monthly', 4990, 'active', \
       $2::timestamptz AT TIME ZONE 'America/Sao_Paulo' - interval '1 month', 0, 1, \
       $2::timestamptz - interval '1 month', $2, $2 FROM made, plans p WHERE p.display_name = 'Essencial'), \
     segments AS (INSERT INTO debit_segments (id, company_id, subscription_id, from_at, to_at, paid_cents, created_at) \
       SELECT gen_random_uuid(), company, subscription, $2::timestamptz - interval '1 month', $2, 4990, $2 FROM made), \
     movements AS (INSERT INTO movements (id, company_id, kind, arr_cents, plan_id, at) \
       SELECT gen_random_uuid(), company, 'new', 59880, p.id, $2::timestamptz - interval '1 month' \
       FROM made, plans p WHERE p.display_name = 'Essencial') \
     INSERT INTO jobs (id, kind, key, payload, run_at, created_at) SELECT gen_random_uuid(), 'renewal', \
       company::text, json_build_object('company_id', company)::text, $2, $2 FROM made";

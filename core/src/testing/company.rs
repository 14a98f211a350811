//! A company with one person, its admin, written by the database's owner past every rule, and how it pays.

use tokio_postgres::Client;

use super::must;
use crate::clock::Clock;
use crate::id::{CompanyId, PaymentId, UserId};
use crate::invoice::PaymentMeans;
use crate::payment_method::{CardName, Method};

/// A company and its only member.
#[derive(Clone, Copy, Debug)]
pub struct TestCompany {
    pub id: CompanyId,
    pub admin: UserId,
}

/// Adds a company for five people, and a verified person who is its admin.
pub async fn company(owner: &Client, clock: &Clock, name: &str) -> TestCompany {
    let (id, admin, member) = (CompanyId::new(clock), UserId::new(clock), clock.uuid());
    let (now, digits) = (clock.now(), admin.0.as_u128() % 100_000_000_000);
    let written = owner
        .batch_execute(&format!(
            "BEGIN; \
             INSERT INTO users (id, name, email, document, phone, birth_date, password_hash, status, created_at, \
                 updated_at) \
             VALUES ('{admin}', 'Ana Souza', '{admin}@example.com', '{digits:011}', '11999990000', '1990-01-01', 'x', \
                 'active', '{now}', '{now}'); \
             SET LOCAL ROLE bipe_platform; \
             INSERT INTO companies (id, name, created_by, max_users, max_beeping, created_at, updated_at) \
             VALUES ('{id}', '{name}', '{admin}', 5, 500, '{now}', '{now}'); \
             INSERT INTO members (id, company_id, user_id, role, created_at, updated_at) \
             VALUES ('{member}', '{id}', '{admin}', 'admin', '{now}', '{now}'); \
             COMMIT"
        ))
        .await;
    must("a company", written);
    TestCompany { id, admin }
}

/// A payment that succeeded: by card, or by PIX where it settles later.
pub fn means(clock: &Clock, settles_later: bool) -> PaymentMeans {
    let card = CardName { brand: "visa".into(), last4: "4242".into() };
    PaymentMeans {
        id: PaymentId::new(clock),
        method: if settles_later { Method::Pix } else { Method::CreditCard },
        card: (!settles_later).then_some(card),
        provider: "stripe".into(),
        reference: Some("pi_1".into()),
    }
}

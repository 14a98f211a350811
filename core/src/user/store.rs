//! Remembers people. Accounts belong to no company, so a plain `Tx` reads and writes them.

use jiff::Timestamp;
use jiff::civil::Date;
use tokio_postgres::Row;

use super::{Email, Phone, User, UserName, activity};
use crate::brazil::cpf::Cpf;
use crate::db::Tx;
use crate::error::{Error, Result};
use crate::id::UserId;

/// The columns of a [`User`].
macro_rules! columns {
    () => {
        "id, name, email, document, phone, birth_date, role, status, email_verified_at, created_at"
    };
}

/// Rows of [`Credentials`].
macro_rules! credentials_where {
    ($condition:literal) => {
        concat!(
            "SELECT ",
            columns!(),
            ", password_hash, has_second_factor FROM users WHERE ",
            $condition
        )
    };
}

/// Who signs up, every field proven.
#[derive(Clone, Debug)]
pub struct NewUser {
    pub name: UserName,
    pub email: Email,
    pub document: Cpf,
    pub phone: Phone,
    pub birth_date: Date,
}

/// What a sign-in needs to know.
pub struct Credentials {
    pub user: User,
    /// PHC string.
    pub password_hash: String,
    pub has_second_factor: bool,
}

impl Credentials {
    /// Whether these are still what somebody verified a moment ago.
    pub fn stand_as(&self, verified: &Self) -> bool {
        let (now, then) = (&self.user, &verified.user);
        self.password_hash == verified.password_hash
            && now.email == then.email
            && now.email_verified == then.email_verified
            && now.status == then.status
            && now.role == then.role
    }
}

impl TryFrom<&Row> for Credentials {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        Ok(Self {
            user: User::try_from(row)?,
            password_hash: row.try_get("password_hash")?,
            has_second_factor: row.try_get("has_second_factor")?,
        })
    }
}

impl TryFrom<&Row> for User {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        Ok(Self {
            id: row.try_get("id")?,
            name: row.try_get("name")?,
            email: row.try_get("email")?,
            document: row.try_get("document")?,
            phone: row.try_get("phone")?,
            birth_date: row.try_get("birth_date")?,
            role: row.try_get("role")?,
            status: row.try_get("status")?,
            email_verified: row.try_get::<_, Option<Timestamp>>("email_verified_at")?.is_some(),
            created_at: row.try_get("created_at")?,
        })
    }
}

/// None for an unknown and for an erased person.
pub async fn find(tx: &Tx, id: UserId) -> Result<Option<User>> {
    tx.find(BY_ID, &[&id]).await
}

const BY_ID: &str =
    concat!("SELECT ", columns!(), " FROM users WHERE id = $1 AND anonymised_at IS NULL");

pub async fn by_email(tx: &Tx, email: &Email) -> Result<Option<Credentials>> {
    tx.find(BY_EMAIL, &[&email]).await
}

const BY_EMAIL: &str = credentials_where!("email = $1 AND anonymised_at IS NULL");

pub async fn credentials(tx: &Tx, id: UserId) -> Result<Option<Credentials>> {
    tx.find(CREDENTIALS, &[&id]).await
}

const CREDENTIALS: &str = credentials_where!("id = $1 AND anonymised_at IS NULL");

/// As they stand now; nobody changes them until this transaction is over. Companies are locked before people,
/// people before sessions.
pub async fn lock_credentials(tx: &Tx, id: UserId) -> Result<Option<Credentials>> {
    tx.find(LOCK_CREDENTIALS, &[&id]).await
}

const LOCK_CREDENTIALS: &str =
    credentials_where!("id = $1 AND anonymised_at IS NULL FOR NO KEY UPDATE");

/// The account of the document while nobody has verified it.
pub async fn pending_with(tx: &Tx, document: &Cpf) -> Result<Option<Credentials>> {
    tx.find(PENDING_WITH, &[&document]).await
}

const PENDING_WITH: &str =
    credentials_where!("document = $1 AND email_verified_at IS NULL AND status = 'pending'");

/// Whether an account with another address has the document, `except` left out.
pub async fn has_cpf(
    tx: &Tx,
    document: &Cpf,
    email: &Email,
    except: Option<UserId>,
) -> Result<bool> {
    tx.value(HAS_DOCUMENT, &[&document, &email, &except]).await
}

const HAS_DOCUMENT: &str = "SELECT EXISTS (SELECT 1 FROM users WHERE document = $1 AND email <> $2 \
     AND id IS DISTINCT FROM $3) AS found";

/// Deletes an unverified account of the address, and this one, with their codes and consents.
pub async fn drop_pending(tx: &Tx, email: &Email, other: Option<UserId>) -> Result<()> {
    tx.execute(DROP_PENDING, &[&email, &other]).await.map(drop)
}

const DROP_PENDING: &str = "DELETE FROM users WHERE (email = $1 OR id = $2) \
     AND email_verified_at IS NULL AND status = 'pending'";

/// Adds a pending person; the unique constraints decide a race (EMAIL_EXISTS, DOCUMENT_EXISTS).
pub async fn insert(tx: &Tx, new: &NewUser, password_hash: &str) -> Result<User> {
    let id = UserId::new(tx.clock());
    let row = tx
        .query_one(
            INSERT,
            &[
                &id,
                &new.name,
                &new.email,
                &new.document,
                &new.phone,
                &new.birth_date,
                &password_hash,
                &tx.now(),
            ],
        )
        .await?;
    User::try_from(&row)
}

const INSERT: &str = concat!(
    "INSERT INTO users (id, name, email, document, phone, birth_date, password_hash, created_at, updated_at) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8) RETURNING ",
    columns!()
);

/// One consent as it was given.
#[derive(Clone, Debug)]
pub struct Consent {
    /// `legal`, `privacy` or `lgpd`.
    pub kind: &'static str,
    pub version: &'static str,
    /// Of the text shown, with the company that it names.
    pub text_sha256: [u8; 32],
}

pub async fn record_consent(tx: &Tx, user: UserId, consent: &Consent, ip: &str) -> Result<()> {
    tx.execute(
        CONSENT,
        &[
            &tx.clock().uuid(),
            &user,
            &consent.kind,
            &consent.version,
            &consent.text_sha256.as_slice(),
            &tx.now(),
            &ip,
        ],
    )
    .await?;
    Ok(())
}

const CONSENT: &str = "INSERT INTO consents \
     (id, user_id, kind, version, text_sha256, accepted_at, ip) VALUES ($1, $2, $3, $4, $5, $6, $7)";

/// The address is proven: a pending person becomes active. None when it was verified before.
pub async fn verify_email(tx: &Tx, id: UserId) -> Result<Option<User>> {
    tx.find(VERIFY, &[&id, &tx.now()]).await
}

const VERIFY: &str = concat!(
    "UPDATE users SET email_verified_at = $2, updated_at = $2, \
     status = CASE status WHEN 'pending' THEN 'active' ELSE status END \
     WHERE id = $1 AND email_verified_at IS NULL RETURNING ",
    columns!()
);

/// Remembers that the reader of the mailbox has chosen the password. False when that was known before.
pub async fn prove_mailbox(tx: &Tx, id: UserId) -> Result<bool> {
    Ok(tx.execute(PROVE_MAILBOX, &[&id, &tx.now()]).await? == 1)
}

const PROVE_MAILBOX: &str = "UPDATE users SET mailbox_proven_at = $2 \
     WHERE id = $1 AND mailbox_proven_at IS NULL";

/// `PUT /me`.
pub async fn edit(tx: &Tx, id: UserId, name: &UserName, phone: &Phone) -> Result<Option<User>> {
    tx.find(EDIT, &[&id, &name, &phone, &tx.now()]).await
}

const EDIT: &str = concat!(
    "UPDATE users SET name = $2, phone = $3, updated_at = $4 \
     WHERE id = $1 AND anonymised_at IS NULL RETURNING ",
    columns!()
);

pub async fn set_password(tx: &Tx, id: UserId, password_hash: &str) -> Result<()> {
    tx.execute(SET_PASSWORD, &[&id, &password_hash, &tx.now()]).await.map(drop)
}

const SET_PASSWORD: &str = "UPDATE users SET password_hash = $2, updated_at = $3 WHERE id = $1";

/// Stores the same password under today's parameters, unless another one has been set meanwhile.
pub async fn rehash(tx: &Tx, id: UserId, old: &str, new: &str) -> Result<()> {
    tx.execute(REHASH, &[&id, &old, &new, &tx.now()]).await.map(drop)
}

const REHASH: &str = "UPDATE users SET password_hash = $3, updated_at = $4 \
     WHERE id = $1 AND password_hash = $2";

/// Another address, whose mailbox has been proven. The person is no new one: when the first address was verified stays.
///
/// # Errors
/// `Conflict(EMAIL_EXISTS)` when somebody has it, or may get it back.
pub async fn set_email(tx: &Tx, id: UserId, email: &Email) -> Result<()> {
    tx.execute(SET_EMAIL, &[&id, &email, &tx.now()]).await.map(drop)
}

const SET_EMAIL: &str = "UPDATE users SET email = $2, email_verified_at = coalesce(email_verified_at, $3), \
     mailbox_proven_at = $3, updated_at = $3 WHERE id = $1";

pub async fn password_hash(tx: &Tx, id: UserId) -> Result<Option<String>> {
    tx.find_value(PASSWORD_HASH, &[&id]).await
}

const PASSWORD_HASH: &str =
    "SELECT password_hash FROM users WHERE id = $1 AND anonymised_at IS NULL";

/// What stands in an erased person's row: it obeys every rule of the columns and names nobody.
#[derive(Clone, Debug)]
pub struct Anonymous {
    pub name: String,
    pub email: String,
    document: Cpf,
}

impl Anonymous {
    /// `document` belongs to nobody.
    pub fn of(id: UserId, document: Cpf) -> Self {
        let name = "Conta excluída".to_owned();
        Self { name, email: format!("{id}@excluida.invalid"), document }
    }
}

/// Replaces everything that names the person. No password has the hash, nobody signs in as it.
pub async fn anonymise(tx: &Tx, id: UserId, anonymous: &Anonymous) -> Result<()> {
    let Anonymous { name, email, document } = anonymous;
    tx.execute(ANONYMISE, &[&id, &name, &email, &document, &tx.now()]).await.map(drop)
}

const ANONYMISE: &str = "UPDATE users SET name = $2, email = $3, document = $4, phone = '', \
     birth_date = '1900-01-01', password_hash = '', role = 'user', status = 'inactive', \
     has_second_factor = false, last_login_at = NULL, anonymised_at = $5, updated_at = $5 WHERE id = $1";

/// Notes the instant of a sign-in, which is also activity.
pub async fn note_sign_in(tx: &Tx, id: UserId) -> Result<()> {
    tx.execute(SIGNED_IN, &[&id, &tx.now()]).await?;
    activity::note(tx, id, tx.now()).await
}

const SIGNED_IN: &str = "UPDATE users SET last_login_at = $2 WHERE id = $1";

pub async fn has_platform_admin(tx: &Tx) -> Result<bool> {
    tx.value(HAS_ADMIN, &[]).await
}

const HAS_ADMIN: &str = "SELECT EXISTS (SELECT 1 FROM users WHERE role = 'admin') AS found";

/// Makes a verified person a platform administrator.
pub async fn make_platform_admin(tx: &Tx, id: UserId) -> Result<()> {
    tx.execute(MAKE_ADMIN, &[&id, &tx.now()]).await.map(drop)
}

const MAKE_ADMIN: &str = "UPDATE users SET role = 'admin', status = 'active', updated_at = $2, \
     email_verified_at = coalesce(email_verified_at, $2) WHERE id = $1";

/// Remembers that the person was seen on a network; HMACs, never addresses.
pub async fn know_network(tx: &Tx, id: UserId, network_mac: &[u8; 32]) -> Result<()> {
    tx.execute(KNOW_NETWORK, &[&id, &network_mac.as_slice(), &tx.now()]).await.map(drop)
}

const KNOW_NETWORK: &str = "INSERT INTO known_networks (user_id, network_mac, seen_at) \
     VALUES ($1, $2, $3) ON CONFLICT (user_id, network_mac) DO UPDATE SET seen_at = excluded.seen_at";

/// Whether the address' owner was seen since then on the network, whatever key its MAC was made with; false for an
/// unknown address too.
pub async fn is_known_network(
    tx: &Tx,
    email: &Email,
    network_macs: &[[u8; 32]],
    since: Timestamp,
) -> Result<bool> {
    let macs: Vec<&[u8]> = network_macs.iter().map(<[u8; 32]>::as_slice).collect();
    tx.value(IS_KNOWN, &[&email, &macs, &since]).await
}

const IS_KNOWN: &str = "SELECT EXISTS (SELECT 1 FROM known_networks n JOIN users u ON u.id = n.user_id \
     WHERE u.email = $1 AND n.network_mac = ANY ($2) AND n.seen_at >= $3) AS found";

//! Makes the roles of the database and checks the login: before the migrations, that it can take the role that does
//! all work; in production also that row-level security holds for it.

use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use super::APP_ROLE;
use super::access::Login;
use crate::error::{Error, Result};

/// Makes both roles and gives the login the right to take them, before the migrations, which would do the same only up
/// to PostgreSQL 15: since 16 whoever makes a role may hand it out but not take it. Roles belong to the whole server,
/// so another database's migration may make them at the same moment.
const PREPARE: &str = "DO $$
DECLARE
    newer boolean := current_setting('server_version_num')::integer >= 160000;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'bipe_platform') THEN
        BEGIN
            CREATE ROLE bipe_platform NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
        END;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'bipe_app') THEN
        BEGIN
            CREATE ROLE bipe_app LOGIN NOINHERIT NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
            GRANT bipe_platform TO bipe_app;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
        END;
    END IF;
    IF NOT pg_has_role(current_user, 'bipe_app', CASE WHEN newer THEN 'SET' ELSE 'MEMBER' END) THEN
        EXECUTE format('GRANT bipe_app TO %I', current_user)
            || CASE WHEN newer THEN ' WITH SET TRUE, INHERIT FALSE' ELSE '' END;
    END IF;
END
$$";

/// # Errors
/// `Internal` with the command for the database's administrator, when the login may not.
pub(super) async fn prepare(client: &Client) -> Result<()> {
    let Err(error) = client.batch_execute(PREPARE).await else { return Ok(()) };
    if error.code() != Some(&SqlState::INSUFFICIENT_PRIVILEGE) {
        return Err(error.into());
    }
    let said = error.as_db_error().map(|db| db.message().to_owned()).unwrap_or_default();
    Err(Error::internal(format!(
        "the login that migrates can neither make nor take the role bipe_app ({said}): let an administrator of the \
         server grant it (GRANT bipe_app TO the login), or give the login CREATEROLE for the first start"
    )))
}

/// Roles that row-level security does not hold for and that the login is or may become.
const UNBOUND: &str = "SELECT session_user::text AS login, rolname::text AS role, rolsuper AS superuser FROM pg_roles \
     WHERE (rolsuper OR rolbypassrls) \
     AND (rolname IN (session_user, current_user) OR pg_has_role(session_user, oid, 'MEMBER')) \
     ORDER BY rolname <> session_user, rolname LIMIT 1";

/// What production asks of the login that serves: that row-level security holds for it.
///
/// # Errors
/// `Unavailable` or `Internal` without a connection, `Internal` with what to change for a superuser, a login with
/// BYPASSRLS or one that may become either.
pub async fn refuse_unbound(login: &Login) -> Result<()> {
    let (client, driver) = login.open().await?;
    let unbound = client.query_opt(UNBOUND, &[]).await?;
    drop(client);
    driver.await.map_err(Error::internal)??;
    let Some(row) = unbound else { return Ok(()) };
    let (login, role): (&str, &str) = (row.try_get("login")?, row.try_get("role")?);
    let power = if row.try_get("superuser")? {
        "a superuser"
    } else {
        "allowed to bypass row-level security"
    };
    let who = if login == role { "is".to_owned() } else { format!("may become {role}, which is") };
    Err(Error::internal(format!(
        "the login {login} {who} {power}: no rule that keeps companies apart holds for it, so production refuses it; \
         docs/operations.md has the two commands that make one"
    )))
}

/// Whether the login is the role that does all work, or may take it; false without that role.
const MAY_SERVE: &str = "SELECT coalesce(\
     (SELECT pg_has_role(session_user, oid, 'MEMBER') FROM pg_roles WHERE rolname = $1), false) AS may";

/// What every installation asks of the login that serves: that it can take the role that does all work.
///
/// # Errors
/// `Unavailable` or `Internal` without a connection, `Internal` with the command for the database's owner, where the
/// login cannot serve.
pub async fn refuse_powerless(login: &Login) -> Result<()> {
    let (client, driver) = login.open().await?;
    let may = client.query_one(MAY_SERVE, &[&APP_ROLE]).await?.try_get("may")?;
    drop(client);
    driver.await.map_err(Error::internal)??;
    if may { Ok(()) } else { Err(powerless()) }
}

pub(super) fn powerless() -> Error {
    Error::internal(format!(
        "the login of DATABASE_URL cannot take the role {APP_ROLE}: grant it (GRANT {APP_ROLE} TO the login)"
    ))
}

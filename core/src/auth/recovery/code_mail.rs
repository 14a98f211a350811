//! The `CodeMail` job: finds out whether an address can use a code, and mails it one. The request that asked for the
//! code knows nothing of this, so that neither its answer nor its time tells whether the address has an account.

use crate::auth::code::{self, CodeRequest, Purpose};
use crate::auth::credentials::change_email;
use crate::db::{Db, Tx};
use crate::error::Result;
use crate::job::Job;
use crate::mailer::{self, Mailer, Message};
use crate::secret::KeyRing;
use crate::user::store;
use crate::user::{Email, User, UserStatus};

/// Runs a job of kind `CodeMail`. Safe to repeat.
pub async fn run_job(mailer: &Mailer, db: &Db, job: &Job) -> Result<()> {
    let request: CodeRequest = job.payload()?;
    let keys = &mailer.code_keys;
    match request.user_id {
        Some(user) => {
            change_email::run_code_mail(db, keys, &mailer.limits, user, &request.email).await
        }
        None => mail_to_account(db, keys, &request).await,
    }
}

/// Looks the address up and mails the code, if its account can use it.
async fn mail_to_account(db: &Db, keys: &KeyRing, request: &CodeRequest) -> Result<()> {
    let Ok(email) = Email::parse(&request.email) else { return Ok(()) };
    let mut tx = db.job_tx().await?;
    let Some(found) = store::by_email(&tx, &email).await? else { return Ok(()) };
    let user = found.user;
    let purpose = request.purpose;
    let is_wanted = match purpose {
        Purpose::Verification => !user.email_verified,
        Purpose::Reset => user.status != UserStatus::Inactive,
        // Has a job of its own, because it goes to another address.
        Purpose::Email => false,
    };
    if !is_wanted || code::is_fresh(&tx, user.id, purpose).await? {
        return Ok(());
    }
    mail_code(&mut tx, keys, &user, purpose).await?;
    tx.commit().await
}

/// Makes a code and the job that mails it, in one transaction.
pub(in crate::auth) async fn mail_code(
    tx: &mut Tx,
    keys: &KeyRing,
    user: &User,
    purpose: Purpose,
) -> Result<()> {
    let issue = code::issue(tx, keys, user.id, purpose).await?;
    mailer::enqueue_for(tx, user, |name, _| Message::Code { name, issue })
}

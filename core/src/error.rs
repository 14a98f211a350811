//! Errors sorted by what the caller can do about them, and the codes of docs/contract.md, "Error codes".
//!
//! `core` and `actors` speak codes; `http/src/error.rs` is the only table of statuses and
//! `core/src/error_pt_br.rs` the only table of sentences (invariant I8).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio_postgres::error::{DbError, Severity, SqlState};

use crate::money::Cents;
use crate::words::words;

pub type Result<T, E = Error> = std::result::Result<T, E>;

words! {
    /// Why a call was refused.
    pub enum Code {
        AccountInactive = "ACCOUNT_INACTIVE",
        AlreadyMember = "ALREADY_MEMBER",
        AmountMismatch = "AMOUNT_MISMATCH",
        CardLimitReached = "CARD_LIMIT_REACHED",
        CepNotFound = "CEP_NOT_FOUND",
        CepUnavailable = "CEP_UNAVAILABLE",
        ChangeNotAllowed = "CHANGE_NOT_ALLOWED",
        CompanyHasActiveSubscription = "COMPANY_HAS_ACTIVE_SUBSCRIPTION",
        Conflict = "CONFLICT",
        CreatorLocked = "CREATOR_LOCKED",
        DocumentExists = "DOCUMENT_EXISTS",
        EmailAlreadyVerified = "EMAIL_ALREADY_VERIFIED",
        EmailExists = "EMAIL_EXISTS",
        EmailNotVerified = "EMAIL_NOT_VERIFIED",
        EmailSendError = "EMAIL_SEND_ERROR",
        Forbidden = "FORBIDDEN",
        IdempotencyKeyReused = "IDEMPOTENCY_KEY_REUSED",
        InternalError = "INTERNAL_ERROR",
        InvalidChallenge = "INVALID_CHALLENGE",
        InvalidCredentials = "INVALID_CREDENTIALS",
        InvalidRefreshToken = "INVALID_REFRESH_TOKEN",
        InvalidResetToken = "INVALID_RESET_TOKEN",
        InvalidSecondFactor = "INVALID_SECOND_FACTOR",
        InvalidVerificationCode = "INVALID_VERIFICATION_CODE",
        InviteInvalid = "INVITE_INVALID",
        LastAdmin = "LAST_ADMIN",
        MemberOfOtherCompanies = "MEMBER_OF_OTHER_COMPANIES",
        SecondFactorOlderThanMembership = "SECOND_FACTOR_OLDER_THAN_MEMBERSHIP",
        MethodNotAllowed = "METHOD_NOT_ALLOWED",
        NotFound = "NOT_FOUND",
        PaymentInProgress = "PAYMENT_IN_PROGRESS",
        PaymentMethodUnavailable = "PAYMENT_METHOD_UNAVAILABLE",
        PaymentNotCancellable = "PAYMENT_NOT_CANCELLABLE",
        PaymentNotRefundable = "PAYMENT_NOT_REFUNDABLE",
        PaymentRequired = "PAYMENT_REQUIRED",
        PlanLimitReached = "PLAN_LIMIT_REACHED",
        PlanNameExists = "PLAN_NAME_EXISTS",
        PlanNotAvailable = "PLAN_NOT_AVAILABLE",
        ProviderUnavailable = "PROVIDER_UNAVAILABLE",
        RateLimited = "RATE_LIMITED",
        RefundExceedsPayment = "REFUND_EXCEEDS_PAYMENT",
        RequestInProgress = "REQUEST_IN_PROGRESS",
        SecondFactorRequired = "SECOND_FACTOR_REQUIRED",
        ServiceUnavailable = "SERVICE_UNAVAILABLE",
        StepUpRequired = "STEP_UP_REQUIRED",
        SubscriptionExists = "SUBSCRIPTION_EXISTS",
        SubscriptionNotActive = "SUBSCRIPTION_NOT_ACTIVE",
        Unauthorized = "UNAUTHORIZED",
        UndoInvalid = "UNDO_INVALID",
        ValidationError = "VALIDATION_ERROR",
        ViewLimitReached = "VIEW_LIMIT_REACHED",
        ViewNameExists = "VIEW_NAME_EXISTS",
    }
}

words! {
    /// What is wrong with one field of a request.
    pub enum FieldCode {
        Required = "REQUIRED",
        EmailInvalid = "EMAIL_INVALID",
        DocumentInvalid = "DOCUMENT_INVALID",
        PhoneInvalid = "PHONE_INVALID",
        PasswordWeak = "PASSWORD_WEAK",
        /// Among the 10,000 most common ones.
        PasswordCommon = "PASSWORD_COMMON",
        PasswordMismatch = "PASSWORD_MISMATCH",
        CodeInvalid = "CODE_INVALID",
        NameTooShort = "NAME_TOO_SHORT",
        TooLong = "TOO_LONG",
        TooYoung = "TOO_YOUNG",
        ConsentRequired = "CONSENT_REQUIRED",
        Invalid = "INVALID",
    }
}

/// The fields of a refused request, by their name on the wire. All of them are collected before the answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldErrors(pub BTreeMap<Cow<'static, str>, FieldCode>);

impl FieldErrors {
    pub fn one(field: impl Into<Cow<'static, str>>, code: FieldCode) -> Self {
        Self(BTreeMap::from([(field.into(), code)]))
    }

    pub fn add(&mut self, field: impl Into<Cow<'static, str>>, code: FieldCode) {
        self.0.entry(field.into()).or_insert(code);
    }

    /// Keeps the value or notes what is wrong with the field.
    pub fn take<T>(
        &mut self,
        field: impl Into<Cow<'static, str>>,
        parsed: Result<T, FieldCode>,
    ) -> Option<T> {
        parsed.map_err(|code| self.add(field, code)).ok()
    }

    /// The parsed values, if no field is wrong.
    ///
    /// # Errors
    /// `Invalid` with the fields.
    pub fn into_result<T>(self, values: Option<T>) -> Result<T> {
        values.filter(|_| self.0.is_empty()).ok_or(Error::Invalid(self))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Detail beside a refusal: `fields.paymentId` of PAYMENT_IN_PROGRESS, `fields.expected` of AMOUNT_MISMATCH and
/// REFUND_EXCEEDS_PAYMENT, `fields.companyId` and `fields.companyName` of LAST_ADMIN where the call names no company.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detail {
    None,
    PaymentId(crate::id::PaymentId),
    Expected(Cents),
    Company { id: crate::id::CompanyId, name: String },
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// 404: absent, or foreign, which must look the same.
    #[error("not found: {}", .0.as_str())]
    NotFound(Code),
    /// 422 with the fields.
    #[error("invalid: {0:?}")]
    Invalid(FieldErrors),
    /// 400: the request cannot be understood, or a code it carries is not right.
    #[error("rejected: {}", .0.as_str())]
    Rejected(Code),
    /// 422 with a code of its own (IDEMPOTENCY_KEY_REUSED).
    #[error("unprocessable: {}", .0.as_str())]
    Unprocessable(Code),
    /// 409.
    #[error("conflict: {}", .0.as_str())]
    Conflict(Code, Detail),
    /// 403.
    #[error("denied: {}", .0.as_str())]
    Denied(Code),
    /// 401.
    #[error("sign-in required: {}", .0.as_str())]
    SignInRequired(Code),
    /// 429; seconds until the next try can succeed.
    #[error("too many, again in {retry_after} s")]
    TooMany { retry_after: u32 },
    /// 402; what is due.
    #[error("payment required: {expected}")]
    PaymentRequired { expected: Cents },
    /// 503.
    #[error("unavailable: {}", .code.as_str())]
    Unavailable { code: Code, retry_after: u32 },
    /// 500: a defect or a damaged row. The cause is logged, never answered.
    #[error("internal: {0}")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    pub fn not_found() -> Self {
        Error::NotFound(Code::NotFound)
    }

    /// No live session is behind the call.
    pub fn signed_out() -> Self {
        Error::SignInRequired(Code::Unauthorized)
    }

    pub fn conflict(code: Code) -> Self {
        Error::Conflict(code, Detail::None)
    }

    pub fn invalid(field: impl Into<Cow<'static, str>>, code: FieldCode) -> Self {
        Error::Invalid(FieldErrors::one(field, code))
    }

    /// A defect, described for the log.
    pub fn internal(what: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Error::Internal(what.into())
    }

    /// The payment provider does not answer, or not clearly.
    pub fn provider_unavailable() -> Self {
        Error::Unavailable { code: Code::ProviderUnavailable, retry_after: 10 }
    }

    /// The service cannot answer now; the caller tries again after `retry_after` seconds.
    pub fn unavailable(retry_after: u32) -> Self {
        Error::Unavailable { code: Code::ServiceUnavailable, retry_after }
    }

    /// The database cannot answer now. Those who meet that at once come back one after the other, over five seconds.
    pub(crate) fn database_away() -> Self {
        static MET: AtomicU32 = AtomicU32::new(0);
        Self::unavailable(1 + MET.fetch_add(1, Ordering::Relaxed) % 5)
    }

    pub fn code(&self) -> Code {
        match self {
            Error::NotFound(code)
            | Error::Rejected(code)
            | Error::Unprocessable(code)
            | Error::Conflict(code, _)
            | Error::Denied(code)
            | Error::SignInRequired(code)
            | Error::Unavailable { code, .. } => *code,
            Error::Invalid(_) => Code::ValidationError,
            Error::TooMany { .. } => Code::RateLimited,
            Error::PaymentRequired { .. } => Code::PaymentRequired,
            Error::Internal(_) => Code::InternalError,
        }
    }
}

/// An error with the whole chain of its causes, for a person who reads it at a terminal: the outermost one of a driver
/// says "db error" or "client error" and no more. A cause that was said already is left out.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.contains(&said) {
            text += &format!(": {said}");
        }
        cause = error.source();
    }
    text
}

/// What the server says of a statement, for the log: code, sentence and names. Not its detail, which repeats rows, and
/// not the sentence of a data exception (class 22), which repeats a value.
pub(crate) fn log_text(error: &DbError) -> String {
    let mut text = error.code().code().to_owned();
    if !text.starts_with("22") {
        text += &format!(" {}", error.message());
    }
    for name in [error.table(), error.column(), error.constraint()].into_iter().flatten() {
        if !text.contains(name) {
            text += &format!(", {name}");
        }
    }
    text
}

/// For somebody who reads it at a terminal, whom a code for callers would tell nothing.
pub(crate) fn for_terminal(error: &tokio_postgres::Error) -> Error {
    Error::internal(error.as_db_error().map_or_else(|| with_causes(error), log_text))
}

/// The server, or a pooler before it, ends the session with this answer.
pub(crate) fn ends_session(error: &DbError) -> bool {
    match error.parsed_severity() {
        Some(severity) => matches!(severity, Severity::Fatal | Severity::Panic),
        // PgBouncer sends the other form alone.
        None => error.severity() == "FATAL",
    }
}

/// Constraints whose violation is the caller's doing. A constraint that is not listed is a defect.
fn of_constraint(constraint: &str) -> Option<Error> {
    Some(match constraint {
        "users_email_key" => Error::conflict(Code::EmailExists),
        "users_document_key" => Error::conflict(Code::DocumentExists),
        "members_company_user_key" => Error::conflict(Code::AlreadyMember),
        "plans_name_key" => Error::conflict(Code::PlanNameExists),
        "subscriptions_one_running" => Error::conflict(Code::SubscriptionExists),
        "payments_one_open" => Error::conflict(Code::PaymentInProgress),
        "idempotency_keys_pkey" => Error::conflict(Code::RequestInProgress),
        "passkeys_credential_key" => Error::conflict(Code::Conflict),
        "invites_open_key" => Error::conflict(Code::Conflict),
        "saved_views_name_key" => Error::conflict(Code::ViewNameExists),
        _ => return None,
    })
}

impl From<tokio_postgres::Error> for Error {
    fn from(error: tokio_postgres::Error) -> Self {
        let Some(db) = error.as_db_error() else {
            // No answer from the server: the connection broke or was never made.
            return if error.is_closed()
                || std::error::Error::source(&error)
                    .is_some_and(|cause| cause.is::<std::io::Error>())
            {
                Error::database_away()
            } else {
                // Such as a word that this build does not know: the driver says no more than the number of its column.
                Error::internal(with_causes(&error))
            };
        };
        let state = db.code();
        if *state == SqlState::NOT_NULL_VIOLATION
            && (db.table(), db.column()) == (Some("invoices"), Some("number"))
        {
            // The issuer of documents changed while this one waited for its number.
            return Error::unavailable(1);
        }
        if let Some(known) = db.constraint().and_then(of_constraint) {
            return known;
        }
        let passing = [
            SqlState::QUERY_CANCELED,
            SqlState::LOCK_NOT_AVAILABLE,
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::ADMIN_SHUTDOWN,
            SqlState::CRASH_SHUTDOWN,
            SqlState::READ_ONLY_SQL_TRANSACTION,
        ];
        // Disk, memory, connections.
        let lacks_resources = state.code().starts_with("53");
        let reason = log_text(db);
        if passing.contains(state) || lacks_resources || ends_session(db) {
            tracing::warn!(reason, "the database refused a statement");
            Error::database_away()
        } else {
            Error::internal(reason)
        }
    }
}

impl From<deadpool_postgres::PoolError> for Error {
    fn from(error: deadpool_postgres::PoolError) -> Self {
        tracing::warn!(error = with_causes(&error), "no database connection");
        Error::database_away()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::testing::{TestDb, refused_statement};

    #[test]
    fn those_who_meet_a_database_that_is_away_do_not_all_come_back_at_once() {
        let wait = || match Error::database_away() {
            Error::Unavailable { code: Code::ServiceUnavailable, retry_after } => retry_after,
            other => panic!("{other}"),
        };
        // Other tests may take turns in between.
        let waits: BTreeSet<u32> = (0..100).map(|_| wait()).collect();
        assert_eq!(waits, BTreeSet::from([1, 2, 3, 4, 5]));
    }

    #[tokio::test]
    async fn what_the_server_lacks_or_ends_for_the_moment_is_no_defect() {
        for (severity, code, is_passing) in [
            ("FATAL", "08P01", true),
            ("FATAL", "25P04", true),
            ("FATAL", "57P05", true),
            ("ERROR", "53100", true),
            ("ERROR", "53200", true),
            ("ERROR", "57P01", true),
            ("ERROR", "08P01", false),
            ("ERROR", "42P01", false),
        ] {
            let error = Error::from(refused_statement(severity, code).await);
            let is_unavailable = matches!(error, Error::Unavailable { .. });
            assert_eq!(is_unavailable, is_passing, "{severity} {code}: {error}");
        }
    }

    #[tokio::test]
    async fn what_is_wrong_with_a_column_is_told() {
        let test = TestDb::new().await;
        let tx = test.db.tx().await.unwrap();
        let error = tx.value::<Code>("SELECT 'NEWER_CODE'", &[]).await.unwrap_err();
        assert!(error.to_string().ends_with(": NEWER_CODE is no Code"), "{error}");
    }
}

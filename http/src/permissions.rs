//! The permission that each operation needs. `x-roles` of `openapi.json` comes from here, and tests call every
//! operation in every role. `core/src/scope/mod.rs` says which role has which permission.

use bipe_core::scope::Permission::{
    self, DeleteCompany, EditCompany, LeaveCompany, ManageMembers, ManagePayments,
    ManageSubscription, ReadAudit, ReadCompany, ReadPayments, ReadSubscription,
};
use bipe_core::scope::Role;

/// Who may call an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    Anyone,
    SignedIn,
    /// Members with this permission in the company of the call.
    Member(Permission),
    PlatformAdmin,
}

/// Every operation on one company. Removing somebody else takes `ManageMembers`, which is decided by the path.
const COMPANY: &[(&str, &str, Permission)] = &[
    ("get", "/api/companies/{id}", ReadCompany),
    ("put", "/api/companies/{id}", EditCompany),
    ("delete", "/api/companies/{id}", DeleteCompany),
    ("get", "/api/companies/{id}/audit", ReadAudit),
    ("get", "/api/companies/{id}/audit/export", ReadAudit),
    ("get", "/api/companies/{id}/invoices", ReadPayments),
    ("get", "/api/companies/{id}/invoices/zip", ReadPayments),
    ("get", "/api/companies/{id}/invoices/{invoiceId}", ReadPayments),
    ("get", "/api/companies/{id}/invoices/{invoiceId}/pdf", ReadPayments),
    ("post", "/api/companies/{id}/invoices/{invoiceId}/send", ReadPayments),
    ("get", "/api/companies/{id}/balance", ReadPayments),
    ("get", "/api/companies/{id}/transactions", ReadPayments),
    ("get", "/api/companies/{id}/spending", ReadPayments),
    ("get", "/api/companies/{id}/billing-profile", ReadPayments),
    ("put", "/api/companies/{id}/billing-profile", ManagePayments),
    ("post", "/api/companies/{id}/invite", ManageMembers),
    ("delete", "/api/companies/{id}/invites/{inviteId}", ManageMembers),
    ("post", "/api/companies/{id}/invites/{inviteId}/resend", ManageMembers),
    ("put", "/api/companies/{id}/users/role", ManageMembers),
    ("delete", "/api/companies/{id}/users/{userId}", LeaveCompany),
    ("post", "/api/companies/{id}/users/{userId}/reset-second-factor", ManageMembers),
    ("get", "/api/subscriptions/company/{id}", ReadSubscription),
    ("get", "/api/subscriptions/company/{id}/history", ReadSubscription),
    ("post", "/api/subscriptions/company/{id}", ManageSubscription),
    ("post", "/api/subscriptions/company/{id}/cancel", ManageSubscription),
    ("post", "/api/subscriptions/company/{id}/cancel-robust", ManageSubscription),
    ("post", "/api/subscriptions/company/{id}/downgrade", ManageSubscription),
    ("delete", "/api/subscriptions/company/{id}/pending-change", ManageSubscription),
    ("post", "/api/subscriptions/company/{id}/preview-change", ManageSubscription),
    ("post", "/api/subscriptions/company/{id}/renew", ManageSubscription),
    ("post", "/api/subscriptions/company/{id}/upgrade", ManageSubscription),
    ("get", "/api/payments/company/{companyId}", ReadPayments),
    ("get", "/api/payments/methods/{companyId}", ReadPayments),
    ("get", "/api/payments/status/{id}", ReadPayments),
    ("post", "/api/payments/process", ManagePayments),
    ("post", "/api/payments/cancel/{id}", ManagePayments),
    ("post", "/api/payments/authenticate/{id}", ManagePayments),
    ("post", "/api/payments/methods/{companyId}", ManagePayments),
    ("delete", "/api/payments/methods/{companyId}/{methodId}", ManagePayments),
    ("put", "/api/payments/methods/{companyId}/{methodId}/default", ManagePayments),
];

/// Operations for every signed-in person, beside those below `/api/auth`.
const SIGNED_IN: &[(&str, &str)] = &[
    ("get", "/api/addresses/{cep}"),
    ("get", "/api/companies"),
    ("post", "/api/companies"),
    ("post", "/api/companies/accept-invite"),
    ("get", "/api/notifications"),
    ("post", "/api/notifications/read"),
    ("get", "/api/notifications/preferences"),
    ("put", "/api/notifications/preferences"),
    ("get", "/api/payments/providers"),
    ("get", "/api/payments/health"),
];

/// None for an operation that stands in no list here; a test fails for it.
pub fn who(method: &str, path: &str, needs_token: bool) -> Option<Who> {
    let in_company = COMPANY.iter().find(|(m, p, _)| (*m, *p) == (method, path));
    if let Some((_, _, permission)) = in_company {
        return Some(Who::Member(*permission));
    }
    if !needs_token {
        return Some(Who::Anyone);
    }
    if path.starts_with("/api/admin/") {
        return Some(Who::PlatformAdmin);
    }
    let is_own = path.starts_with("/api/auth/") || SIGNED_IN.contains(&(method, path));
    is_own.then_some(Who::SignedIn)
}

impl Who {
    /// As `x-roles` names them.
    pub fn roles(self) -> Vec<&'static str> {
        match self {
            Who::Anyone => vec!["anyone"],
            Who::SignedIn => vec!["signed-in"],
            Who::Member(permission) if permission.is_the_creators() => vec!["creator"],
            Who::Member(permission) => {
                let may = Role::ALL.into_iter().filter(|role| permission.allows(*role));
                may.map(Role::as_str).collect()
            }
            Who::PlatformAdmin => vec!["platform-admin"],
        }
    }
}

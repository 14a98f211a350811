//! What may happen to the members of a company: roles, removals and seats. Pure; `members` and `invites` read
//! the facts under the company's lock, so that two commands at once cannot both be right.

use crate::error::{Code, Error, Result};
use crate::scope::Role;

/// What decides about the member that a command is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberFacts {
    pub role: Role,
    pub is_creator: bool,
    /// Another admin with an active account stays.
    pub has_other_admin: bool,
}

/// Whether the member's role changes.
///
/// # Errors
/// `Conflict`: CREATOR_LOCKED, or LAST_ADMIN when nobody else could manage the company.
pub fn change_role(target: MemberFacts, role: Role) -> Result<bool> {
    if role == target.role {
        return Ok(false);
    }
    remove(target).map(|()| true)
}

/// # Errors
/// As [`change_role`]; a member who leaves is a member who is removed.
pub fn remove(target: MemberFacts) -> Result<()> {
    if target.is_creator {
        return Err(Error::conflict(Code::CreatorLocked));
    }
    if target.role == Role::Admin && !target.has_other_admin {
        return Err(Error::conflict(Code::LastAdmin));
    }
    Ok(())
}

/// Members and open invitations of a company, and how many its plan allows (-1: any number).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seats {
    pub taken: i64,
    pub most: i32,
}

/// # Errors
/// `Conflict(PLAN_LIMIT_REACHED)`.
pub fn take_seat(seats: Seats) -> Result<()> {
    let is_free = seats.most < 0 || seats.taken < i64::from(seats.most);
    if is_free { Ok(()) } else { Err(Error::conflict(Code::PlanLimitReached)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_creator_and_the_last_admin_are_locked_and_everybody_else_is_not() {
        for role in Role::ALL {
            for to in Role::ALL {
                for is_creator in [false, true] {
                    for has_other_admin in [false, true] {
                        let target = MemberFacts { role, is_creator, has_other_admin };
                        let locked = match (is_creator, role, has_other_admin) {
                            (true, _, _) => Some(Code::CreatorLocked),
                            (false, Role::Admin, false) => Some(Code::LastAdmin),
                            _ => None,
                        };
                        let refusal = |result: Result<()>| result.err().map(|error| error.code());
                        assert_eq!(refusal(remove(target)), locked, "{target:?}");
                        let changed = change_role(target, to);
                        if role == to {
                            assert!(!changed.unwrap(), "{target:?}: nothing changes");
                        } else {
                            assert_eq!(refusal(changed.map(drop)), locked, "{target:?} to {to:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn the_last_seat_is_the_one_below_the_limit() {
        let fits = |taken, most| take_seat(Seats { taken, most }).is_ok();
        assert!(fits(4, 5) && fits(10_000, -1));
        assert!(!fits(5, 5) && !fits(7, 5) && !fits(0, 0));
    }
}

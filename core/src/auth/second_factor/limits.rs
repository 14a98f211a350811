//! How often a person may try to show a second factor. A try is counted before it is compared, and given back when it
//! was right. Networks that the owner was seen on have buckets of their own, so that nobody can lock the owner out.

use crate::auth::Auth;
use crate::caller::Caller;
use crate::db::{Db, Tx};
use crate::error::Result;
use crate::rate_limit::{self, Bucket, Rule};
use crate::user::User;

/// The tokens that a try stands for until it turns out right.
pub(super) struct Guess {
    tokens: Vec<(Rule, Bucket)>,
    is_known: bool,
}

impl Guess {
    /// The person was seen on the network before.
    pub(super) fn is_known(&self) -> bool {
        self.is_known
    }
}

impl Auth {
    /// # Errors
    /// `TooMany`.
    pub(super) async fn count_factor_guess(
        &self,
        db: &Db,
        user: &User,
        caller: &Caller,
    ) -> Result<Guess> {
        let account = self.limits.bucket(&["factor", &user.id.to_string()]);
        let ip = self.limits.bucket(&["ip", &caller.network]);
        let is_known = self.is_known(db, &user.email, caller).await?;
        let mut tokens = vec![(rate_limit::WRONG_FACTOR_IP, ip)];
        if is_known {
            tokens.push((rate_limit::WRONG_FACTOR_KNOWN, account));
        } else {
            let [day, month] = rate_limit::WRONG_FACTOR_UNKNOWN;
            tokens.extend([(day, account.clone()), (month, account)]);
        }
        let wanted: Vec<(Rule, &Bucket)> = tokens.iter().map(|(rule, of)| (*rule, of)).collect();
        self.limits.take(db, &wanted).await?;
        Ok(Guess { tokens, is_known })
    }

    pub(super) async fn give_factor_guess_back(&self, tx: &Tx, guess: &Guess) -> Result<()> {
        for (rule, bucket) in &guess.tokens {
            self.limits.give_back(tx, *rule, bucket).await?;
        }
        Ok(())
    }
}

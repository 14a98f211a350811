//! How often a person may try to show a second factor. A try is counted before it is compared, and given back when it
//! was right. Networks that the owner was seen on have buckets of their own, so that nobody can lock the owner out.

use crate::auth::Auth;
use crate::auth::recovery::CountedGuess;
use crate::caller::Caller;
use crate::error::Result;
use crate::rate_limit;
use crate::user::User;

impl Auth {
    /// # Errors
    /// `TooMany`.
    pub(super) async fn count_factor_guess(
        &self,
        user: &User,
        caller: &Caller,
    ) -> Result<CountedGuess> {
        let account = self.limits.bucket(&["factor", &user.id.to_string()]);
        let ip = self.limits.bucket(&["ip", &caller.network]);
        let is_known = self.is_known(&user.email, caller).await?;
        let mut tokens = vec![(rate_limit::WRONG_FACTOR_IP, ip)];
        if is_known {
            tokens.push((rate_limit::WRONG_FACTOR_KNOWN, account));
        } else {
            let [day, month] = rate_limit::WRONG_FACTOR_UNKNOWN;
            tokens.extend([(day, account.clone()), (month, account)]);
        }
        self.take_guesses(tokens, is_known).await
    }
}

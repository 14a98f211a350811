//! The actions of payers without a browser, for `bipe seed --demo`. They call the same operations as the pages.

use serde_json::Value;

use crate::fault::Fault;
use crate::form::Params;
use crate::objects::{Intent, Outcome};
use crate::pipeline::{Access, Call, Operation};
use crate::{Cause, Sandbox, intents, payment_methods, vouchers};

impl Sandbox {
    /// A card as the provider's form makes it; answers its id, none for a card that no form takes.
    pub fn type_card(&self, number: &str, expiry_year: i16) -> Option<String> {
        let form = format!(
            "type=card&card[number]={number}&card[exp_month]=12&card[exp_year]={expiry_year}&card[cvc]=123"
        );
        let made = self.act("", &form, payment_methods::create).ok()?;
        made.get("id").and_then(Value::as_str).map(str::to_owned)
    }

    /// The payer confirms a card payment; false when the bank declines it.
    pub fn confirm_card(&self, intent: &str) -> bool {
        self.act(intent, "", intents::confirm).is_ok()
    }

    /// A PIX or boleto is paid, or runs out; false when it waits for neither.
    pub fn end_voucher(&self, intent: &str, is_paid: bool) -> bool {
        let outcome = if is_paid { Outcome::Succeeded } else { Outcome::Expired };
        let ended = self.transact(Cause::default(), |tx| {
            let row = tx.state.find::<Intent>(intent)?.clone();
            vouchers::settle(tx, row, outcome)
        });
        matches!(ended, Ok(Ok(_)))
    }

    /// Everything that was answered is on the disk.
    pub async fn flush(&self) {
        self.sync().await;
    }

    fn act(&self, id: &str, form: &str, operation: Operation) -> Result<Value, Fault> {
        let params = Params::parse(form.as_bytes())?;
        let call = Call { id: id.to_owned(), access: Access::Secret, params };
        self.transact(Cause::default(), |tx| operation(tx, &call))?
    }
}

//! Form-encoded parameters with nested brackets (`card[number]`, `expand[]`), as Stripe's clients send them.
//!
//! Parameters are stored flat: the name of one is its whole path. Each endpoint lists the root names that it knows and
//! refuses any other, so that a misspelt parameter fails here as it fails at Stripe.

use std::collections::BTreeMap;

use bipe_core::money::Cents;

use crate::fault::Fault;

/// Name-value pairs attached to an object by its creator.
pub type Metadata = BTreeMap<String, String>;

/// Parameters of one request, in the order they were sent.
#[derive(Clone, Debug, Default)]
pub struct Params(Vec<(String, String)>);

impl Params {
    /// Parses a query string or a form body.
    pub fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        let pairs: Vec<(String, String)> = form_urlencoded::parse(bytes).into_owned().collect();
        let read: usize = pairs.iter().map(|(name, value)| replaced(name) + replaced(value)).sum();
        if read > sent_replacements(bytes) {
            return Err(Fault::invalid("Invalid UTF-8 in the request."));
        }
        if let Some((name, _)) = pairs.iter().find(|(name, _)| !is_well_formed(name)) {
            return Err(Fault::invalid(format!("Invalid parameter name: {}", shown(name))));
        }
        Ok(Self(pairs))
    }

    /// Parses a flat JSON object of texts, as control calls may send it.
    pub fn parse_json(bytes: &[u8]) -> Result<Self, Fault> {
        let fields: BTreeMap<String, String> = serde_json::from_slice(bytes)
            .map_err(|error| Fault::invalid(format!("Invalid JSON: {error}")))?;
        Ok(Self(fields.into_iter().collect()))
    }

    /// The last value of a parameter; an empty one unsets and reads as absent.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.raw(name).filter(|value| !value.is_empty())
    }

    /// The last value of a parameter, also an empty one.
    pub fn raw(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub fn owned(&self, name: &str) -> Option<String> {
        self.text(name).map(str::to_owned)
    }

    pub fn required(&self, name: &str) -> Result<&str, Fault> {
        self.text(name).ok_or_else(|| Fault::missing(name))
    }

    pub fn integer(&self, name: &str) -> Result<Option<i64>, Fault> {
        let Some(value) = self.text(name) else { return Ok(None) };
        value.parse().map(Some).map_err(|_| {
            Fault::param(name, format!("Invalid integer: {}", shown(value)))
                .coded("parameter_invalid_integer")
        })
    }

    pub fn required_integer(&self, name: &str) -> Result<i64, Fault> {
        self.integer(name)?.ok_or_else(|| Fault::missing(name))
    }

    /// An amount in minor units.
    pub fn cents(&self, name: &str) -> Result<Option<Cents>, Fault> {
        Ok(self.integer(name)?.map(Cents))
    }

    pub fn flag(&self, name: &str) -> Result<bool, Fault> {
        match self.text(name) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(other) => Err(Fault::param(name, format!("Invalid boolean: {}", shown(other)))),
        }
    }

    /// One of a closed list of words.
    pub fn one_of(
        &self,
        name: &str,
        words: &[&'static str],
    ) -> Result<Option<&'static str>, Fault> {
        let Some(value) = self.text(name) else { return Ok(None) };
        words.iter().find(|word| **word == value).copied().map(Some).ok_or_else(|| {
            Fault::param(name, format!("Invalid {name}: must be one of {}", words.join(", ")))
        })
    }

    /// The items of `name[]` or `name[0]`, `name[1]` …, in the order they were sent.
    pub fn list(&self, name: &str) -> Vec<&str> {
        let items = self.0.iter().filter(|(key, value)| is_item(key, name) && !value.is_empty());
        items.map(|(_, value)| value.as_str()).collect()
    }

    /// Whether anything was sent under `name`: itself, or `name[…]`.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(key, _)| root_matches(key, name))
    }

    /// Writes a sent value into `field`; an empty one unsets it. What was not sent stays.
    pub fn change(&self, name: &str, field: &mut Option<String>) {
        if self.raw(name).is_some() {
            *field = self.owned(name);
        }
    }

    /// Applies `metadata[key]=value` to `metadata`; an empty value deletes the key.
    pub fn merge_metadata(&self, metadata: &mut Metadata) -> Result<(), Fault> {
        if self.raw("metadata") == Some("") {
            metadata.clear();
        }
        for (name, value) in &self.0 {
            let Some(key) = name.strip_prefix("metadata[").and_then(|rest| rest.strip_suffix(']'))
            else {
                continue;
            };
            if key.is_empty() || key.chars().count() > 40 || value.chars().count() > 500 {
                return Err(Fault::param(
                    "metadata",
                    "Metadata keys have up to 40 characters, values up to 500.",
                ));
            }
            if value.is_empty() {
                metadata.remove(key);
            } else {
                metadata.insert(key.to_owned(), value.clone());
            }
        }
        if metadata.len() > 50 {
            return Err(Fault::param("metadata", "Metadata can hold up to 50 keys."));
        }
        Ok(())
    }

    /// Takes a parameter out.
    pub fn take(&mut self, name: &str) -> Option<String> {
        let value = self.owned(name);
        self.0.retain(|(key, _)| key != name);
        value
    }

    /// Drops `BROWSER_NOTES`, also those within `payment_method_data`.
    pub fn drop_browser_notes(&mut self) {
        self.0.retain(|(name, _)| {
            let inner = name.strip_prefix("payment_method_data[");
            let part = inner.unwrap_or(name).split(['[', ']']).next().unwrap_or_default();
            !BROWSER_NOTES.contains(&part)
        });
    }

    /// Refuses every parameter whose root is not in `known`, and what no such root holds; `expand` is always
    /// known.
    pub fn only(&self, known: &[&str]) -> Result<(), Fault> {
        for (name, _) in &self.0 {
            let (root, rest) = name.split_at(name.find('[').unwrap_or(name.len()));
            let is_known = root == "expand" || known.contains(&root);
            if !is_known || !(rest.is_empty() || takes(root, rest)) {
                return Err(Fault::param(
                    name,
                    format!("Received unknown parameter: {}", shown(name)),
                )
                .coded("parameter_unknown"));
            }
        }
        Ok(())
    }

    /// The same text for the same parameters in any order: what an idempotency key is bound to.
    pub fn canonical(&self) -> String {
        let mut pairs: Vec<&(String, String)> = self.0.iter().collect();
        pairs.sort();
        let mut text = form_urlencoded::Serializer::new(String::new());
        text.extend_pairs(pairs.iter().map(|(name, value)| (name, value)));
        text.finish()
    }
}

/// The parameters that Stripe.js adds to every request.
const BROWSER_NOTES: [&str; 11] = [
    "_stripe_version",
    "client_attribution_metadata",
    "expected_payment_method_type",
    "guid",
    "muid",
    "pasted_fields",
    "payment_user_agent",
    "radar_options",
    "referrer",
    "sid",
    "time_on_page",
];

const ADDRESS: [&str; 6] =
    ["[city]", "[country]", "[line1]", "[line2]", "[postal_code]", "[state]"];
const METHOD_OPTIONS: [&str; 7] = [
    "[boleto][expires_after_days]",
    "[boleto][setup_future_usage]",
    "[card][request_three_d_secure]",
    "[card][setup_future_usage]",
    "[pix][expires_after_seconds]",
    "[pix][expires_at]",
    "[pix][setup_future_usage]",
];

/// Whether `root` holds a parameter with these brackets, such as `[address][city]`.
fn takes(root: &str, rest: &str) -> bool {
    match root {
        "enabled_events" | "expand" | "payment_method_types" | "preferred_locales" | "types" => {
            is_index(rest)
        }
        "metadata" => rest.matches('[').count() == 1,
        "address" => ADDRESS.contains(&rest),
        "automatic_payment_methods" => ["[allow_redirects]", "[enabled]"].contains(&rest),
        "billing_details" => match rest.strip_prefix("[address]") {
            Some(part) => ADDRESS.contains(&part),
            None => ["[email]", "[name]", "[phone]", "[tax_id]"].contains(&rest),
        },
        "boleto" => rest == "[tax_id]",
        "card" => {
            ["[cvc]", "[exp_month]", "[exp_year]", "[number]", "[token]", "[networks][preferred]"]
                .contains(&rest)
        }
        "created" => ["[gt]", "[gte]", "[lt]", "[lte]"].contains(&rest),
        "evidence" => rest == "[uncategorized_text]",
        "invoice_settings" => rest == "[default_payment_method]",
        "mandate_data" => rest.starts_with("[customer_acceptance]"),
        "payment_method_data" => takes_method(rest),
        "payment_method_options" => METHOD_OPTIONS.contains(&rest),
        _ => false,
    }
}

/// Whether Stripe takes the rest of a name below `payment_method_data`.
fn takes_method(rest: &str) -> bool {
    let Some((root, deeper)) = rest.trim_start_matches('[').split_once(']') else { return false };
    match (root, deeper) {
        ("type" | "allow_redisplay" | "pix", "") => true,
        ("billing_details" | "boleto" | "card" | "metadata", _) => takes(root, deeper),
        _ => false,
    }
}

/// How often text holds the character that stands for bytes that are no UTF-8.
fn replaced(text: &str) -> usize {
    text.matches('\u{fffd}').count()
}

/// How often that very character was sent: then it stands for itself.
fn sent_replacements(bytes: &[u8]) -> usize {
    let plain = bytes.windows(3).filter(|window| *window == [0xef, 0xbf, 0xbd]).count();
    let encoded = bytes.windows(9).filter(|window| window.eq_ignore_ascii_case(b"%EF%BF%BD"));
    plain + encoded.count()
}

fn is_index(rest: &str) -> bool {
    let index = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    index.is_some_and(|index| index.chars().all(|c| c.is_ascii_digit()))
}

fn is_well_formed(name: &str) -> bool {
    let (root, rest) = name.split_at(name.find('[').unwrap_or(name.len()));
    let depth = rest.matches('[').count();
    let closed = depth == rest.matches(']').count() && (rest.is_empty() || rest.ends_with(']'));
    !root.is_empty() && !root.contains(']') && closed && depth <= 8
}

fn root_matches(key: &str, name: &str) -> bool {
    key.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
}

fn is_item(key: &str, name: &str) -> bool {
    key.strip_prefix(name).is_some_and(is_index)
}

/// At most 100 characters of what the caller sent, for an error text.
fn shown(text: &str) -> String {
    text.chars().take(100).filter(|c| !c.is_control()).collect()
}

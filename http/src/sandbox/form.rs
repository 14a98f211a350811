//! Form-encoded parameters with nested brackets (`card[number]`, `expand[]`), as Stripe's clients send them.
//!
//! Kept flat: a parameter's name is its whole path. Every endpoint names the roots it knows, and any
//! other one is refused, so that a misspelt parameter of ours fails here as it would fail at Stripe.

use std::collections::BTreeMap;

use serde_json::Value;

use super::fault::Fault;

/// Name-value pairs attached to an object by its creator.
pub type Metadata = BTreeMap<String, String>;

/// Parameters of one request, in the order they were sent.
#[derive(Clone, Debug, Default)]
pub struct Params(Vec<(String, String)>);

impl Params {
    /// Parses a query string or a form body.
    pub fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        if std::str::from_utf8(bytes).is_err() {
            return Err(Fault::invalid("Invalid UTF-8 in the request body."));
        }
        let pairs: Vec<(String, String)> = form_urlencoded::parse(bytes).into_owned().collect();
        if let Some((name, _)) = pairs.iter().find(|(name, _)| !is_well_formed(name)) {
            return Err(Fault::invalid(format!("Invalid parameter name: {}", shown(name))));
        }
        Ok(Self(pairs))
    }

    /// Parses a flat JSON object, as control calls may send it.
    pub fn parse_json(bytes: &[u8]) -> Result<Self, Fault> {
        let fields: BTreeMap<String, Value> = serde_json::from_slice(bytes)
            .map_err(|error| Fault::invalid(format!("Invalid JSON: {error}")))?;
        let mut params = Self::default();
        for (name, value) in fields {
            let text = match value {
                Value::String(text) => text,
                Value::Number(number) => number.to_string(),
                Value::Bool(flag) => flag.to_string(),
                _ => {
                    return Err(Fault::param(
                        &name,
                        "A JSON body holds text, numbers and booleans only.",
                    ));
                }
            };
            params.0.push((name, text));
        }
        Ok(params)
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

    /// Refuses every parameter whose root is not in `known`; `expand` is always known.
    pub fn only(&self, known: &[&str]) -> Result<(), Fault> {
        for (name, _) in &self.0 {
            let root = name.split('[').next().unwrap_or_default();
            if root != "expand" && !known.contains(&root) {
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
    let index = key.strip_prefix(name).and_then(|rest| rest.strip_prefix('['));
    let index = index.and_then(|rest| rest.strip_suffix(']'));
    index.is_some_and(|index| index.chars().all(|c| c.is_ascii_digit()))
}

/// At most 100 characters of what the caller sent, for an error text.
fn shown(text: &str) -> String {
    text.chars().take(100).filter(|c| !c.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(text: &str) -> Params {
        Params::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn nested_names_lists_and_metadata_are_read() {
        let p =
            params("card%5Bnumber%5D=4242+4242&expand[]=a&expand[]=b&expand[3]=c&metadata[k]=v&x=");
        assert_eq!(p.text("card[number]"), Some("4242 4242"));
        assert_eq!(p.list("expand"), ["a", "b", "c"]);
        assert!(p.has("card") && !p.has("car") && p.text("x").is_none());
        let mut metadata = Metadata::new();
        p.merge_metadata(&mut metadata).unwrap();
        assert_eq!(metadata.get("k").map(String::as_str), Some("v"));
        params("metadata[k]=").merge_metadata(&mut metadata).unwrap();
        assert!(metadata.is_empty());
    }

    #[test]
    fn unknown_and_malformed_names_are_refused() {
        assert!(params("amount=1&amout=2").only(&["amount"]).is_err());
        assert!(Params::parse(b"a[b=1").is_err() && Params::parse(b"[a]=1").is_err());
        assert!(Params::parse(&[b'a', b'=', 0xff]).is_err());
    }

    #[test]
    fn the_order_of_parameters_does_not_change_their_canonical_text() {
        assert_eq!(params("b=2&a=1").canonical(), params("a=1&b=2").canonical());
        assert_ne!(params("a=1").canonical(), params("a=2").canonical());
    }
}

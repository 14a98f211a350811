//! Views that a platform admin keeps of the administration's lists: a name for what a list is asked for
//! (docs/contract.md, "Platform admin"). Called by `http/src/api/admin/views.rs`.
//!
//! A view is its person's own: row-level security leaves a person's transaction the own rows alone. Whoever adds one
//! locks the row of the person first, so that two tabs do not pass the bound together. Each change is told to the
//! person's other tabs.

use serde::{Deserialize, Deserializer, Serialize};
use tokio_postgres::Row;
use utoipa::ToSchema;

use crate::db::{Tx, UserTx};
use crate::error::{Code, Error, FieldCode, FieldErrors, Result};
use crate::event::{Channel, EventName, NewEvent};
use crate::id::{SavedViewId, UserId};
use crate::json_object;
use crate::user::{is_deceptive, parse_name};
use crate::words::words;

/// Views of a person in one list.
pub const MAX_VIEWS_PER_LIST: i64 = 20;
const NAME: std::ops::RangeInclusive<usize> = 1..=40;
/// Characters of one value; a search has as many.
const VALUE_MAX: usize = 100;

words! {
    /// The lists whose views can be saved.
    pub enum ViewedList {
        Users = "users",
        Companies = "companies",
        Payments = "payments",
    }
}

impl ViewedList {
    /// What the query of the list knows, beside its page.
    fn knows(self) -> &'static [&'static str] {
        match self {
            Self::Users => &["search", "role", "status", "sort"],
            Self::Companies => &["search", "status", "plan", "sort"],
            Self::Payments => {
                &["search", "status", "method", "plan", "from", "to", "company", "sort"]
            }
        }
    }
}

macro_rules! filters {
    ($($name:ident),+) => {
        /// What a list is asked for, by the names of its query. Which of them a list knows, the list says.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
        pub struct ViewFilters {
            $(
                #[serde(default, deserialize_with = "text", skip_serializing_if = "Option::is_none")]
                #[schema(nullable = false, max_length = 100)]
                pub $name: Option<String>,
            )+
        }

        impl ViewFilters {
            fn values(&mut self) -> Vec<(&'static str, &mut Option<String>)> {
                vec![$((stringify!($name), &mut self.$name)),+]
            }
        }
    };
}

filters!(search, role, status, plan, method, from, to, company, sort);

/// A filter is left out or a text, never null.
fn text<'de, D: Deserializer<'de>>(input: D) -> std::result::Result<Option<String>, D::Error> {
    String::deserialize(input).map(Some)
}

impl ViewFilters {
    /// Drops empty filters and reports wrong ones. A value is not compared with those that the list takes today: the
    /// page that opens a view leaves out what the list refuses.
    fn parse(mut self, list: ViewedList, errors: &mut FieldErrors) -> Self {
        for (name, value) in self.values() {
            let Some(text) = value.take().filter(|text| !text.is_empty()) else { continue };
            let problem = if !list.knows().contains(&name) || text.chars().any(is_deceptive) {
                Some(FieldCode::Invalid)
            } else {
                (text.chars().count() > VALUE_MAX).then_some(FieldCode::TooLong)
            };
            match problem {
                Some(code) => errors.add(format!("filters.{name}"), code),
                None => *value = Some(text),
            }
        }
        self
    }
}

/// The body of `POST` and `PUT /admin/views`.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct SavedViewRequest {
    /// Of an existing view it cannot change.
    list: ViewedList,
    /// Another one than the person's other views of the list have, whatever the case.
    #[schema(min_length = 1, max_length = 40)]
    name: String,
    #[serde(deserialize_with = "json_object::read")]
    filters: ViewFilters,
}

impl SavedViewRequest {
    /// # Errors
    /// `Invalid` with every field that is wrong.
    pub fn parse(self) -> Result<SavedViewDraft> {
        let mut errors = FieldErrors::default();
        let name = errors.take("name", parse_name(&self.name, NAME));
        let filters = self.filters.parse(self.list, &mut errors);
        errors.into_result(name.map(|name| SavedViewDraft { list: self.list, name, filters }))
    }
}

/// A view that may be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedViewDraft {
    list: ViewedList,
    name: String,
    filters: ViewFilters,
}

impl SavedViewDraft {
    fn filters(&self) -> Result<String> {
        serde_json::to_string(&self.filters).map_err(Error::internal)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SavedView {
    pub id: SavedViewId,
    pub list: ViewedList,
    pub name: String,
    pub filters: ViewFilters,
}

impl TryFrom<&Row> for SavedView {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        let filters: &str = row.try_get("filters")?;
        Ok(Self {
            id: row.try_get("id")?,
            list: row.try_get("list")?,
            name: row.try_get("name")?,
            filters: serde_json::from_str(filters).map_err(Error::internal)?,
        })
    }
}

/// `data` of `views.changed`: the person's tabs read the views again.
#[derive(Serialize, ToSchema)]
pub struct ChangedViews {
    pub list: ViewedList,
}

/// The views of a person in all lists, by name.
pub async fn all(tx: &UserTx, user: UserId) -> Result<Vec<SavedView>> {
    tx.all(ALL, &[&user, &ViewedList::ALL.as_slice()]).await
}

/// Without the lists that only a newer build knows.
const ALL: &str = "SELECT id, list, name, filters FROM saved_views WHERE user_id = $1 AND list = ANY ($2) \
     ORDER BY list, lower(name), id";

/// Adds a view.
///
/// # Errors
/// `Conflict(VIEW_LIMIT_REACHED, VIEW_NAME_EXISTS)`.
pub async fn add(tx: &mut UserTx, user: UserId, draft: &SavedViewDraft) -> Result<SavedView> {
    tx.query_opt(LOCK_PERSON, &[&user]).await?.ok_or_else(Error::signed_out)?;
    let count: i64 = tx.value(COUNT, &[&user, &draft.list]).await?;
    if count >= MAX_VIEWS_PER_LIST {
        return Err(Error::conflict(Code::ViewLimitReached));
    }
    let id = SavedViewId::new(tx.clock());
    let SavedViewDraft { list, name, .. } = draft;
    let row = tx.query_one(INSERT, &[&id, &user, list, name, &draft.filters()?, &tx.now()]).await?;
    tell(tx, user, *list)?;
    SavedView::try_from(&row)
}

const LOCK_PERSON: &str =
    "SELECT id FROM users WHERE id = $1 AND anonymised_at IS NULL FOR NO KEY UPDATE";
const COUNT: &str = "SELECT count(*) FROM saved_views WHERE user_id = $1 AND list = $2";
const INSERT: &str = "INSERT INTO saved_views (id, user_id, list, name, filters, created_at, updated_at) \
     VALUES ($1, $2, $3, $4, $5, $6, $6) RETURNING id, list, name, filters";

/// Gives an own view of the same list another name and other filters.
///
/// # Errors
/// `NotFound`, also for a view of another list; `Conflict(VIEW_NAME_EXISTS)`.
pub async fn change(
    tx: &mut UserTx,
    user: UserId,
    id: SavedViewId,
    draft: &SavedViewDraft,
) -> Result<SavedView> {
    let SavedViewDraft { list, name, .. } = draft;
    let changed = tx.find(CHANGE, &[&user, &id, list, name, &draft.filters()?, &tx.now()]).await?;
    let changed = changed.ok_or_else(Error::not_found)?;
    tell(tx, user, *list)?;
    Ok(changed)
}

const CHANGE: &str = "UPDATE saved_views SET name = $4, filters = $5, updated_at = $6 \
     WHERE user_id = $1 AND id = $2 AND list = $3 RETURNING id, list, name, filters";

/// Removes an own view.
///
/// # Errors
/// `NotFound`.
pub async fn remove(tx: &mut UserTx, user: UserId, id: SavedViewId) -> Result<()> {
    let list: Option<ViewedList> = tx.find_value(REMOVE, &[&user, &id]).await?;
    tell(tx, user, list.ok_or_else(Error::not_found)?)
}

const REMOVE: &str = "DELETE FROM saved_views WHERE user_id = $1 AND id = $2 RETURNING list";

fn tell(tx: &mut Tx, user: UserId, list: ViewedList) -> Result<()> {
    let (channel, changed) = (Channel::User(user), ChangedViews { list });
    tx.emit(NewEvent::new(channel, EventName::ViewsChanged, list.as_str(), &changed)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(list: ViewedList, name: &str, filters: serde_json::Value) -> Result<SavedViewDraft> {
        let filters = serde_json::from_value(filters).unwrap();
        SavedViewRequest { list, name: name.to_owned(), filters }.parse()
    }

    fn refused(
        list: ViewedList,
        name: &str,
        filters: serde_json::Value,
    ) -> Vec<(String, FieldCode)> {
        let Err(Error::Invalid(FieldErrors(fields))) = parsed(list, name, filters) else {
            panic!("it is taken")
        };
        fields.into_iter().map(|(field, code)| (field.into_owned(), code)).collect()
    }

    #[test]
    fn a_view_keeps_what_its_list_knows_and_drops_what_is_empty() {
        let filters =
            serde_json::json!({"search": "ana", "role": "", "sort": "-name", "page": "3"});
        let draft = parsed(ViewedList::Users, "  Novas  ", filters).unwrap();
        assert_eq!(draft.name, "Novas");
        assert_eq!(draft.filters().unwrap(), r#"{"search":"ana","sort":"-name"}"#);
    }

    #[test]
    fn a_view_of_payments_may_be_one_of_a_company() {
        let filters = || serde_json::json!({"company": "019e0000-0000-7000-8000-000000000000"});
        assert!(parsed(ViewedList::Payments, "Azul", filters()).is_ok());
        let refused = refused(ViewedList::Companies, "Azul", filters());
        assert_eq!(refused, [("filters.company".to_owned(), FieldCode::Invalid)]);
    }

    #[test]
    fn all_that_is_wrong_is_named_at_once() {
        let filters =
            serde_json::json!({"role": "admin", "search": "á".repeat(101), "plan": "a\nb"});
        assert_eq!(
            refused(ViewedList::Payments, " ", filters),
            [
                ("filters.plan".to_owned(), FieldCode::Invalid),
                ("filters.role".to_owned(), FieldCode::Invalid),
                ("filters.search".to_owned(), FieldCode::TooLong),
                ("name".to_owned(), FieldCode::Required),
            ]
        );
        let name = "é".repeat(40);
        assert!(parsed(ViewedList::Users, &name, serde_json::json!({})).is_ok());
        let long = refused(ViewedList::Users, &(name + "é"), serde_json::json!({}));
        assert_eq!(long, [("name".to_owned(), FieldCode::TooLong)]);
    }

    #[test]
    fn the_longest_view_fits_its_column() {
        let mut filters = ViewFilters::default();
        for (_, value) in filters.values() {
            // Two characters each in JSON.
            *value = Some("\"".repeat(VALUE_MAX));
        }
        let draft = SavedViewDraft { list: ViewedList::Users, name: "x".to_owned(), filters };
        assert!(draft.filters().unwrap().chars().count() <= 2000);
    }
}

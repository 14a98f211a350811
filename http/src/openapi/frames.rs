//! The frames of rt.v1 in the contract: one union for each direction with `type` as the discriminator. Events are
//! distinguished by `name`, too, which determines the type of `data`. The derive macro knows neither, so they are added
//! here.

use bipe_core::event::EventName;
use utoipa::openapi::schema::{Discriminator, Object, ObjectBuilder, OneOf, Schema, Type};
use utoipa::openapi::{Components, Ref, RefOr};

/// The type of a snapshot's `data` for `company/…`, `user`, `plans`, `admin/metrics` and `admin/activity`.
const SNAPSHOTS: [&str; 5] =
    ["CompanySnapshot", "UserSnapshot", "PlansSnapshot", "Dashboard", "Activities"];

/// The frames whose derive does not know their `type`, and the component of each.
const DATA: [(&str, &str); 5] = [
    ("snapshot", "SnapshotEnvelope"),
    ("event", "EventEnvelope"),
    ("live", "LiveEnvelope"),
    ("reset", "ResetEnvelope"),
    ("error", "ErrorFrame"),
];

/// The value of the discriminator, and the component that it stands for.
type Mapping = Vec<(String, String)>;

/// Replaces the frames that the derives left with their unions.
pub fn declare(components: &mut Components) {
    let client = hoist(components, "ClientFrame");
    unite(components, "ClientFrame", "type", client);
    let mut server = hoist(components, "ServerFrame");
    for (word, component) in DATA {
        if let Some(mut frame) = take(components, component) {
            put_word(&mut frame, "type", word);
            components.schemas.insert(component.to_owned(), frame.into());
        }
        server.push((word.to_owned(), component.to_owned()));
    }
    type_event(components);
    type_snapshot(components);
    unite(components, "ServerFrame", "type", server);
}

/// The REST object of the event's name.
fn data_of(name: EventName) -> RefOr<Schema> {
    match name {
        EventName::CompanyUpdated | EventName::CompanyDeleted => object("CompanyView"),
        EventName::MemberAdded | EventName::MemberUpdated | EventName::MemberRemoved => {
            object("MemberView")
        }
        EventName::InviteCreated | EventName::InviteRemoved => object("InviteView"),
        EventName::SubscriptionUpdated => or_null("Subscription"),
        EventName::PaymentUpdated => or_null("Payment"),
        EventName::InvoiceIssued => or_null("IssuedInvoice"),
        EventName::PlanUpdated => object("ChangedPlan"),
        EventName::MembershipChanged => or_null("CompanyView"),
        EventName::SessionRevoked => object("SessionView"),
        EventName::NotificationCreated => object("Notification"),
        EventName::NotificationRead => object("ReadNotifications"),
        EventName::ViewsChanged => object("ChangedViews"),
        EventName::MetricsUpdated => object("Dashboard"),
        EventName::ActivityCreated => object("Activity"),
    }
}

fn object(component: &str) -> RefOr<Schema> {
    Ref::from_schema_name(component).into()
}

fn or_null(component: &str) -> RefOr<Schema> {
    let null = ObjectBuilder::new().schema_type(Type::Null).build();
    let mut either = OneOf::new();
    either.items = vec![object(component), Schema::Object(null).into()];
    Schema::OneOf(either).into()
}

/// Gives each frame of the union a component of its own: `hello` becomes `HelloFrame`.
fn hoist(components: &mut Components, union: &str) -> Mapping {
    let Some(RefOr::T(Schema::OneOf(frames))) = components.schemas.remove(union) else {
        return Mapping::new();
    };
    let mut mapping = Mapping::new();
    for frame in frames.items {
        let RefOr::T(Schema::Object(frame)) = frame else { continue };
        let Some(word) = word_of(&frame) else { continue };
        let component = format!("{}Frame", capitalised(&word));
        components.schemas.insert(component.clone(), frame.into());
        mapping.push((word, component));
    }
    mapping
}

/// One component an event.
fn type_event(components: &mut Components) {
    let Some(envelope) = take(components, "EventEnvelope") else { return };
    let mut mapping = Mapping::new();
    for name in EventName::ALL {
        let mut event = envelope.clone();
        put_word(&mut event, "name", name.as_str());
        put(&mut event, "data", data_of(name));
        let words = name.as_str().split('.').map(capitalised);
        let component = format!("{}Event", words.collect::<String>());
        components.schemas.insert(component.clone(), event.into());
        mapping.push((name.as_str().to_owned(), component));
    }
    unite(components, "EventEnvelope", "name", mapping);
}

fn type_snapshot(components: &mut Components) {
    let Some(mut envelope) = take(components, "SnapshotEnvelope") else { return };
    let mut data = OneOf::new();
    data.items = SNAPSHOTS.into_iter().map(object).collect();
    put(&mut envelope, "data", Schema::OneOf(data).into());
    components.schemas.insert("SnapshotEnvelope".to_owned(), envelope.into());
}

fn take(components: &mut Components, name: &str) -> Option<Object> {
    match components.schemas.remove(name) {
        Some(RefOr::T(Schema::Object(object))) => Some(object),
        _ => None,
    }
}

fn put(frame: &mut Object, property: &str, schema: RefOr<Schema>) {
    frame.properties.insert(property.to_owned(), schema);
    if !frame.required.iter().any(|name| name == property) {
        frame.required.push(property.to_owned());
    }
}

fn put_word(frame: &mut Object, property: &str, word: &str) {
    let schema = ObjectBuilder::new().schema_type(Type::String).enum_values(Some([word])).build();
    put(frame, property, Schema::Object(schema).into());
}

fn word_of(frame: &Object) -> Option<String> {
    match frame.properties.get("type")? {
        RefOr::T(Schema::Object(word)) => {
            word.enum_values.as_ref()?.first()?.as_str().map(str::to_owned)
        }
        _ => None,
    }
}

fn unite(components: &mut Components, union: &str, discriminator: &str, mapping: Mapping) {
    let mut one_of = OneOf::new();
    one_of.items = mapping.iter().map(|(_, component)| object(component)).collect();
    let target = |component: String| format!("#/components/schemas/{component}");
    let mapping = mapping.into_iter().map(|(word, component)| (word, target(component)));
    one_of.discriminator = Some(Discriminator::with_mapping(discriminator, mapping));
    components.schemas.insert(union.to_owned(), Schema::OneOf(one_of).into());
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

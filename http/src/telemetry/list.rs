//! The list of all metrics: type, unit, labels, meaning, buckets. The page `docs/metrics.md` is made of it and the
//! recorder learns it at the start. A test compares it with the code and with `/metrics` of a run.

use bipe_core::alert::AlertKind;
use bipe_core::job::JobKind;
use bipe_core::payment_method::Method;
use bipe_core::subscription::HistoryType;

use super::metric::{Metric, MetricLabel, Values, counter, gauge, histogram};

const fn words(name: &'static str, words: fn() -> Vec<&'static str>) -> MetricLabel {
    MetricLabel { name, values: Values::Words(words) }
}

const fn open(name: &'static str, what: &'static str) -> MetricLabel {
    MetricLabel { name, values: Values::Open(what) }
}

const ALERT: MetricLabel = words("kind", || AlertKind::ALL.map(AlertKind::as_str).to_vec());
const METHOD: MetricLabel = words("method", || Method::ALL.map(Method::as_str).to_vec());
/// Seconds of an answer.
const ANSWERS: &[f64] = &[0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
/// Seconds from a payment's beginning to its approval: a card takes seconds, a boleto days.
const APPROVALS: &[f64] =
    &[1.0, 2.0, 5.0, 15.0, 60.0, 300.0, 1_800.0, 7_200.0, 86_400.0, 259_200.0, 604_800.0];
const REPLICA: &str = "with `DATABASE_READ_URL`";
const STANDBY: MetricLabel = open("standby", "the standby's `application_name`");
const STANDBYS: &str = "with standbys";

/// The parts of the page in their order.
pub const PARTS: [(&str, &[Metric]); 7] = [
    ("Business", &BUSINESS),
    ("Payment provider", &PROVIDER),
    ("Jobs and checks", &JOBS),
    ("Live", &LIVE),
    ("Nodes and bus", &NODES),
    ("Database", &DATABASE),
    ("HTTP and other", &HTTP),
];

const BUSINESS: [Metric; 4] = [
    counter(
        "bipe_payments_total",
        "payments",
        "Payments that entered a state. `submitting` is the beginning of each; `succeeded`, `failed`, `expired` and \
         `canceled` are ends. `payer`: somebody at the screen. `renewal`: a charge of what the company has saved.",
    )
    .by(&[
        METHOD,
        words("by", || vec!["payer", "renewal"]),
        words("state", || {
            vec![
                "submitting", "created", "requires_action", "processing", "declined", "succeeded",
                "failed", "expired", "canceled", "conflicted",
            ]
        }),
    ]),
    counter(
        "bipe_payments_approved_cents_total",
        "centavos",
        "What payments that succeeded brought in.",
    )
    .by(&[METHOD]),
    histogram(
        "bipe_payment_approval_seconds",
        "seconds",
        "From the beginning of a payment to its success, by this installation's clock.",
        APPROVALS,
    )
    .by(&[METHOD]),
    counter(
        "bipe_subscription_steps_total",
        "steps",
        "What a subscription's history tells: `renewed`, `renewal_failed`, `suspended` and `expired` are the renewal \
         and its dunning.",
    )
    .by(&[words("step", || HistoryType::ALL.map(HistoryType::as_str).to_vec())]),
];

const PROVIDER: [Metric; 5] = [
    counter(
        "bipe_provider_requests_total",
        "calls",
        "Calls to the payment provider by their outcome.",
    )
    .by(&[
        words("operation", || {
            vec![
                "cancel_card_setup",
                "cancel_payment",
                "create_customer",
                "create_payment",
                "detach_card",
                "list_cards",
                "list_disputes",
                "list_events",
                "list_payments",
                "list_refunds",
                "probe",
                "read_card",
                "read_card_setup",
                "read_payment",
                "refund",
                "set_up_card",
            ]
        }),
        words("outcome", || vec!["done", "refused", "unknown", "unreachable"]),
    ]),
    counter(
        "bipe_webhooks_refused_total",
        "webhooks",
        "Webhooks with a signature that is not the provider's.",
    ),
    counter("bipe_webhooks_unreadable_total", "webhooks", "Signed webhooks that are no event."),
    counter(
        "bipe_webhooks_foreign_total",
        "webhooks",
        "Webhooks about payments that this installation does not know, or whose object names another one.",
    ),
    counter(
        "bipe_webhooks_swept_total",
        "webhooks",
        "Events that the provider's list had and no webhook brought within five minutes.",
    ),
];

const JOBS: [Metric; 8] = [
    gauge(
        "bipe_jobs_due",
        "jobs",
        "Jobs of all nodes that are due and that nobody runs; at most 10,000 are counted.",
    ),
    gauge(
        "bipe_jobs_oldest_due_seconds",
        "seconds",
        "How long the first of these jobs has been due; 0 without one.",
    ),
    counter(
        "bipe_jobs_failed_total",
        "runs",
        "Runs of a job that ended with an error; it runs again later.",
    )
    .by(&[words("kind", || JobKind::ALL.map(JobKind::as_str).to_vec())]),
    counter(
        "bipe_jobs_given_up_total",
        "jobs",
        "Jobs that nobody tries again: a mail without a mailbox or after a day, a webhook after twelve tries.",
    )
    .by(&[words("kind", || {
        [JobKind::Mail, JobKind::CodeMail, JobKind::Webhook].map(JobKind::as_str).to_vec()
    })]),
    counter("bipe_alerts_total", "alerts", "Alerts that were raised: a person must look.")
        .by(&[ALERT]),
    gauge("bipe_alerts_open", "alerts", "Alerts of all nodes that nobody has closed.")
        .by(&[ALERT])
        .only("of kinds that had one"),
    counter("bipe_payments_adopted_total", "payments", "Payments that only the provider knew."),
    counter(
        "bipe_version_conflicts_total",
        "writes",
        "Writes of a payment that another node was faster with.",
    ),
];

const LIVE: [Metric; 9] = [
    gauge("bipe_live_sockets", "sockets", "Open live sockets.").only("after the first socket"),
    counter(
        "bipe_relay_rounds_total",
        "rounds",
        "Rounds of the relay's loop, one a second while it runs.",
    ),
    counter(
        "bipe_live_heads_compared_total",
        "heads",
        "Heads of channels that were compared with the database.",
    ),
    counter(
        "bipe_live_head_repairs_total",
        "channels",
        "Channels whose event came by the head check, not by a push: normal with several nodes and no NATS.",
    ),
    counter(
        "bipe_events_left_to_head_check_total",
        "commits",
        "Commits that the relay was not told of.",
    ),
    counter(
        "bipe_live_lagged_total",
        "readers",
        "Readers that were too slow and load their state anew.",
    ),
    counter(
        "bipe_live_newer_events_total",
        "events",
        "Events whose name only a newer build knows.",
    ),
    counter("bipe_live_closed_total", "sockets", "Sockets that the server closed by itself.")
        .by(&[words("code", || vec!["4107", "4108", "4301"])]),
    counter(
        "bipe_live_reset_total",
        "sockets",
        "Connections that were reset because a closed socket did not end.",
    ),
];

const NODES: [Metric; 6] = [
    gauge("bipe_nodes", "nodes", "Nodes that this one knows, itself included."),
    gauge("bipe_bus_trusted", "0 or 1", "1 while no push of another node can be missing unseen.")
        .only("with NATS"),
    counter("bipe_bus_suspicions_total", "times", "How often the bus stopped being trusted."),
    counter("bipe_bus_messages_total", "messages", "Messages to and from NATS.")
        .by(&[words("direction", || vec!["in", "out"])]),
    counter("bipe_bus_dropped_total", "messages", "Messages that found no room in a queue.")
        .by(&[words("queue", || vec!["in", "nats", "out"])]),
    counter("bipe_bus_refused_total", "messages", "Messages of the bus that were refused.")
        .by(&[words("reason", || vec!["forged", "malformed", "stale", "too_long", "version"])]),
];

const DATABASE: [Metric; 12] = [
    gauge(
        "bipe_database_answers",
        "0 or 1",
        "1 while the database tells this node its state. At 0 what else it tells is not a number: jobs that are due, \
         `bipe_alerts_open`, standbys, the oldest transaction.",
    ),
    gauge(
        "bipe_database_connections",
        "connections",
        "Open connections, and transactions that wait for one.",
    )
    .by(&[
        words("pool", || vec!["jobs", "requests"]),
        words("state", || vec!["idle", "used", "waiting"]),
    ]),
    gauge(
        "bipe_database_oldest_transaction_seconds",
        "seconds",
        "Age of the oldest open transaction; not a number where the login may not see it. With \
         `GRANT pg_read_all_stats TO bipe_platform` it sees those of other logins, such as a backup.",
    ),
    gauge(
        "bipe_database_standbys",
        "standbys",
        "Standbys that are connected; not a number without `GRANT pg_read_all_stats TO bipe_platform`.",
    ),
    gauge(
        "bipe_database_synchronous_standbys",
        "standbys",
        "Standbys that a commit may wait for; not a number where their state cannot be read.",
    ),
    gauge(
        "bipe_database_replication_lag_bytes",
        "bytes",
        "What a standby has not replayed; not a number when unknown.",
    )
    .by(&[STANDBY])
    .only(STANDBYS),
    gauge("bipe_database_replication_lag_seconds", "seconds", "How late a standby's replay is.")
        .by(&[STANDBY])
        .only(STANDBYS),
    counter(
        "bipe_database_refused_total",
        "servers",
        "Connections to a server that is not the newest primary.",
    )
    .by(&[words("reason", || vec!["other_database", "replaced", "standby"])]),
    counter(
        "bipe_database_histories_total",
        "times",
        "Histories that this node began: a promotion, a recovery. `bipe restore` begins its own.",
    ),
    counter(
        "bipe_commits_unconfirmed_total",
        "commits",
        "Commits whose outcome the server did not confirm in time.",
    ),
    gauge(
        "bipe_database_read_age_seconds",
        "seconds",
        "Age of the replica's data; not a number while it is not used.",
    )
    .only(REPLICA),
    counter(
        "bipe_database_read_fallback_total",
        "reads",
        "Reads that the database answered in the replica's place.",
    )
    .by(&[words("reason", || {
        vec![
            "behind",
            "busy",
            "failed",
            "login",
            "other_database",
            "own_act",
            "unasked",
            "unreachable",
        ]
    })]),
];

const HTTP: [Metric; 8] = [
    counter(
        "bipe_http_requests_total",
        "answers",
        "Answers by their status, without those of `/health`, `/health/ready` and `/metrics`.",
    )
    .by(&[open("status", "the status, such as `200`")]),
    histogram(
        "bipe_http_request_seconds",
        "seconds",
        "From the head of each such request to its answer's.",
        ANSWERS,
    ),
    counter("bipe_rate_limited_total", "requests", "What a rate limit refused.")
        .by(&[open("action", "the limit's name, such as `sign_in`")]),
    counter(
        "bipe_connections_refused_total",
        "connections",
        "Connections of an address that had too many.",
    ),
    counter("bipe_connections_reset_total", "connections", "Connections that were too slow.")
        .by(&[words("over", || vec!["exchange", "head", "silence"])]),
    counter("bipe_cep_lookups_total", "look-ups", "Look-ups of a postal code.")
        .by(&[words("outcome", || vec!["failed", "found", "unknown"])]),
    counter(
        "bipe_spans_dropped_total",
        "spans",
        "Spans that were lost: `queue` was full, the `collector` did not take them, or it `rejected` them.",
    )
    .by(&[words("reason", || vec!["collector", "queue", "rejected"])]),
    gauge("bipe_build_info", "1", "The build that runs.").by(&[open("version", "its version")]),
];

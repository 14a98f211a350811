//! Answers the questions of platform admins: cards, rows of months or days, the newest activities. Called by the
//! admin's handlers, by the live figures and by recounts in tests.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::period::{CalendarInterval, Period};
use super::store::{self, HeadCounts};
use super::view::{
    Activity, ChurnRow, DashboardMetrics, Metric, MetricChange, NoValue, RevenueRow, UserRow,
};
use super::{AcquisitionSpend, Figure, LTV_DAYS, MARGIN, MovementSums, Window};
use crate::activity_pt_br;
use crate::brazil;
use crate::db::PlatformTx;
use crate::error::Result;
use crate::money::{Cents, Decimal, Reais};

/// Everything that the cards are made of.
#[derive(Clone, Debug)]
pub struct CardFacts {
    period: Period,
    current: Window,
    previous: Window,
    /// The last 30 days of both.
    recent: Window,
    recent_before: Window,
    head_counts: HeadCounts,
    head_counts_before: HeadCounts,
    costs: Vec<AcquisitionSpend>,
}

/// Reads the cards' facts for a period.
pub async fn facts(tx: &PlatformTx, period: Period) -> Result<CardFacts> {
    let (before, start, end) = (period.before(), period.start, period.end);
    let windows = [
        (start, end),
        (before, start),
        (brazil::days_before(end, LTV_DAYS), end),
        (brazil::days_before(start, LTV_DAYS), start),
    ];
    let windows_read = read_windows(tx, &windows).await?;
    let mut windows_read = windows_read.into_iter();
    let mut next = || windows_read.next().unwrap_or_default();
    let (current, previous, recent, recent_before) = (next(), next(), next(), next());
    let head_counts = store::head_counts(tx, &[start, end]).await?;
    let at = |instant: Timestamp| head_counts.get(&instant).copied().unwrap_or_default();
    let (head_counts_before, head_counts) = (at(start), at(end));
    let costs = store::costs(tx).await?;
    Ok(CardFacts {
        period,
        current,
        previous,
        recent,
        recent_before,
        head_counts,
        head_counts_before,
        costs,
    })
}

async fn read_windows(tx: &PlatformTx, windows: &[(Timestamp, Timestamp)]) -> Result<Vec<Window>> {
    let instants: Vec<Timestamp> = windows.iter().flat_map(|(a, b)| [*a, *b]).collect();
    let moved: BTreeMap<Timestamp, MovementSums> = store::movement_sums(tx, &instants).await?;
    let lost = store::lost(tx, windows).await?;
    let at = |instant: &Timestamp| moved.get(instant).cloned().unwrap_or_default();
    let windows = windows.iter().zip(lost);
    Ok(windows.map(|((a, b), lost)| Window { start: at(a), end: at(b), lost }).collect())
}

impl CardFacts {
    /// All cards.
    pub fn cards(&self) -> DashboardMetrics {
        let (now, earlier) = (&self.head_counts, &self.head_counts_before);
        DashboardMetrics {
            total_users: self.count(now.users, earlier.users),
            total_companies: self.count(now.companies, earlier.companies),
            total_subscriptions: self.count(now.subscriptions, earlier.subscriptions),
            mrr: self.mrr(),
            arr: self.arr(),
            churn: self.churn(),
            mau: self.mau(),
            ltv: self.ltv(),
            cac: self.cac(),
        }
    }

    pub fn mrr(&self) -> Metric {
        self.level(MovementSums::mrr)
    }

    pub fn arr(&self) -> Metric {
        self.level(MovementSums::arr)
    }

    pub fn churn(&self) -> Metric {
        let figure = Figure { value: self.current.churn(), previous: self.previous.churn() };
        self.metric(figure, Some(NoValue::NoPayingCompanies))
    }

    pub fn mau(&self) -> Metric {
        self.count(self.head_counts.mau, self.head_counts_before.mau)
    }

    /// Monthly reais won in the period.
    pub fn new_revenue(&self) -> Metric {
        let figure = Figure::of(self.current.new_revenue(), self.previous.new_revenue());
        self.metric(figure, None)
    }

    fn ltv(&self) -> Metric {
        let (value, previous) = (self.recent.ltv(MARGIN), self.recent_before.ltv(MARGIN));
        let reason = match self.recent.end.paying() {
            0 => NoValue::NoPayingCompanies,
            _ => NoValue::NobodyLeft,
        };
        self.metric(Figure::of_cents(value, previous), Some(reason))
    }

    fn cac(&self) -> Metric {
        let Period { start, end, .. } = self.period;
        let value = self.current.cac(&self.costs, start, end);
        let previous = self.previous.cac(&self.costs, self.period.before(), start);
        self.metric(Figure::of_cents(value, previous), Some(NoValue::NoNewCompanies))
    }

    /// A number of people or companies.
    fn count(&self, value: i64, previous: i64) -> Metric {
        self.metric(Figure::of(Decimal::whole(value), Decimal::whole(previous)), None)
    }

    fn level(&self, of: fn(&MovementSums) -> Cents) -> Metric {
        self.metric(Figure::of(of(&self.current.end), of(&self.current.start)), None)
    }

    fn metric(&self, figure: Figure, reason: Option<NoValue>) -> Metric {
        Metric {
            value: figure.value,
            change: figure.change(),
            change_type: match figure.is_decrease() {
                true => MetricChange::Decrease,
                false => MetricChange::Increase,
            },
            previous: figure.previous,
            period: self.period.label.clone(),
            reason: reason.filter(|_| figure.value.is_none()),
        }
    }
}

/// What a period is shown by, oldest first.
async fn windows_of(tx: &PlatformTx, intervals: &[CalendarInterval]) -> Result<Vec<Window>> {
    let windows: Vec<_> = intervals.iter().map(|interval| (interval.start, interval.end)).collect();
    read_windows(tx, &windows).await
}

pub async fn revenue_rows(tx: &PlatformTx, period: &Period) -> Result<Vec<RevenueRow>> {
    let intervals = period.intervals();
    let windows = windows_of(tx, &intervals).await?;
    let rows = intervals.iter().zip(windows).map(|(interval, window)| RevenueRow {
        month: interval.name(),
        mrr: Reais(window.end.mrr()),
        new_revenue: Reais(window.new_revenue()),
        churned_revenue: Reais(window.churned_revenue()),
    });
    Ok(rows.collect())
}

pub async fn churn_rows(tx: &PlatformTx, period: &Period) -> Result<Vec<ChurnRow>> {
    let intervals = period.intervals();
    let windows = windows_of(tx, &intervals).await?;
    let rows = intervals.iter().zip(windows).map(|(interval, window)| ChurnRow {
        month: interval.name(),
        churn_rate: window.churn(),
        canceled_subscriptions: window.lost,
        total_subscriptions: window.start.paying(),
    });
    Ok(rows.collect())
}

pub async fn user_rows(tx: &PlatformTx, period: &Period) -> Result<Vec<UserRow>> {
    let intervals = period.intervals();
    let mut edges: Vec<Timestamp> = intervals.iter().map(|interval| interval.start).collect();
    edges.push(period.end);
    let head_counts = store::head_counts(tx, &edges).await?;
    let new_users = store::verified(tx, &edges).await?;
    let rows = intervals.iter().zip(new_users).map(|(interval, new_users)| {
        let at_end = head_counts.get(&interval.end).copied().unwrap_or_default();
        let (mau, active_users) = (at_end.mau, at_end.users);
        UserRow { month: interval.name(), mau, new_users, active_users }
    });
    Ok(rows.collect())
}

/// What happened lately, newest first.
pub async fn activities(tx: &PlatformTx, limit: i64) -> Result<Vec<Activity>> {
    store::recent_activity(tx, limit).await?.iter().map(activity_pt_br::of).collect()
}

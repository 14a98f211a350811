//! Whether a process grew: a straight line through the samples of its size. Pure; called by `soak` at the end.

use std::time::Duration;

/// What a process holds at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    pub at: Duration,
    /// KiB.
    pub memory: u32,
    pub descriptors: u32,
    pub threads: u32,
}

/// Less is judged by nobody: what a server takes once looks like growth in a short time.
const JUDGED: Duration = Duration::from_mins(30);
/// Of the mean memory, in an hour.
const PERCENT: f64 = 2.0;
/// Connections and idle threads come and go, and the line sees a little of that. One that stays behind with each
/// payment or page would be hundreds in an hour.
const MORE: f64 = 8.0;
const HOUR: f64 = 3_600.0;

/// Of an hour, as the samples behind the warm-up tell it. Below zero it shrank.
#[derive(Clone, Copy, Debug)]
pub struct Growth {
    /// Of the mean memory.
    pub percent: f64,
    pub descriptors: f64,
    pub threads: f64,
    /// KiB, behind the warm-up and at the end.
    pub memory: [u32; 2],
}

impl Growth {
    /// None without two samples behind the warm-up.
    pub fn of(samples: &[Sample], warm_up: Duration) -> Option<Self> {
        let samples: Vec<&Sample> = samples.iter().filter(|one| one.at >= warm_up).collect();
        let line = |size: fn(&Sample) -> u32| {
            let point = |one: &&Sample| (one.at.as_secs_f64(), f64::from(size(one)));
            line(&samples.iter().map(point).collect::<Vec<_>>())
        };
        let (mean, slope) = line(|one| one.memory)?;
        Some(Self {
            percent: slope * HOUR / mean * 100.0,
            descriptors: line(|one| one.descriptors)?.1 * HOUR,
            threads: line(|one| one.threads)?.1 * HOUR,
            memory: [samples.first()?.memory, samples.last()?.memory],
        })
    }

    /// What grew too much; nothing when the time was too short to tell.
    pub fn wrong(&self, time: Duration) -> Vec<String> {
        if time < JUDGED {
            return Vec::new();
        }
        let mut wrong = Vec::new();
        if self.percent >= PERCENT {
            wrong.push(format!("memory grows by {:.2} % an hour", self.percent));
        }
        for (more, what) in [(self.descriptors, "descriptors"), (self.threads, "threads")] {
            if more >= MORE {
                wrong.push(format!("{more:.0} more {what} an hour"));
            }
        }
        wrong
    }
}

/// Least squares: the mean and the slope of the straight line that is nearest to the points.
fn line(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let count = f64::from(u32::try_from(points.len()).ok()?);
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (middle, height) = (mean(|point| point.0), mean(|point| point.1));
    let spread: f64 = points.iter().map(|(x, _)| (x - middle).powi(2)).sum();
    let together: f64 = points.iter().map(|(x, y)| (x - middle) * (y - height)).sum();
    (spread > 0.0).then(|| (height, together / spread))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_hours(1);

    /// Ten seconds apart for an hour; sizes by the number of the sample.
    fn samples(memory: fn(u32) -> u32, others: fn(u32) -> u32) -> Vec<Sample> {
        let sample = |number| Sample {
            at: Duration::from_secs(u64::from(number) * 10),
            memory: memory(number),
            descriptors: others(number),
            threads: others(number),
        };
        (0..=360).map(sample).collect()
    }

    fn growth(memory: fn(u32) -> u32, others: fn(u32) -> u32) -> Growth {
        Growth::of(&samples(memory, others), LONG / 6).unwrap()
    }

    #[test]
    fn a_line_is_the_nearest_one() {
        let (mean, slope) = line(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]).unwrap();
        assert!((mean - 3.0).abs() < 1e-9 && (slope - 2.0).abs() < 1e-9);
        // The middle one pulls it up and does not turn it.
        let (mean, slope) = line(&[(0.0, 0.0), (1.0, 6.0), (2.0, 0.0)]).unwrap();
        assert!((mean - 2.0).abs() < 1e-9 && slope.abs() < 1e-9);
        assert!(line(&[(1.0, 2.0)]).is_none() && line(&[]).is_none());
    }

    #[test]
    fn what_fills_at_the_beginning_and_what_swings_is_no_growth() {
        let filled = growth(|at| 100_000 + 500 * at.min(50), |at| 30 + at % 5);
        assert!(filled.percent.abs() < 1e-9, "{filled:?}");
        assert_eq!(filled.memory, [125_000, 125_000]);
        assert!(filled.wrong(LONG).is_empty(), "{filled:?}");
    }

    #[test]
    fn what_grows_or_stays_behind_is_found_once_the_time_is_long() {
        let grown = growth(|at| 100_000 + 10 * at, |at| 30 + at / 20);
        assert!((3.4..3.6).contains(&grown.percent), "{grown:?}");
        assert!((17.0..19.0).contains(&grown.threads), "{grown:?}");
        assert_eq!(grown.wrong(LONG).len(), 3);
        assert!(grown.wrong(Duration::from_mins(29)).is_empty());
        let shrunk = growth(|at| 200_000 - 10 * at, |_| 30);
        assert!(shrunk.percent < 0.0 && shrunk.wrong(LONG).is_empty());
    }
}

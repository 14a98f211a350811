// What a run must hold; a threshold that breaks ends k6 with status 99. Called by every scenario's options.
// The smoke profile judges errors, gaps and losses alone, so that a slow machine passes it; the others judge times too.

import { PROFILE, isSmoke } from './profiles.js'

const breaks = PROFILE === 'breakpoint'

/** Under load a request in a hundred may fail; a wrong answer may not. */
const failures = isSmoke ? 'rate==0' : 'rate<0.01'
const rest = {
  http_req_failed: [failures],
  checks: [isSmoke ? 'rate==1' : 'rate>0.99'],
  // A run whose `setup` failed has only good samples.
  iterations: ['count>0'],
}

/** The promise of the live protocol holds at every load. */
const live = {
  live_gaps_total: ['count==0'],
  live_duplicates_total: ['count==0'],
  resume_loss_total: ['count==0'],
  resume_refused_total: ['count==0'],
  live_closed_total: ['count==0'],
  // A run that saw nothing proves nothing.
  live_opened_total: ['count>0'],
}

/** Names of checks of which none may fail at any load. Among those of all requests they are fewer than one in 100. */
const kept = (promises) => Object.fromEntries(promises.map((name) => [`checks{check:${name}}`, ['rate==1']]))

/** `times`: metric → most milliseconds at its 95th percentile. Of a time that nobody measured that would be 0. */
function withTimes(base, times) {
  if (isSmoke) return base
  const limits = Object.entries(times).map(([metric, most]) => [metric, [`p(95)<${most}`, 'max>0']])
  // k6 drops the iterations for which no virtual user is free: then fewer people came than the profile says.
  return { ...base, dropped_iterations: ['rate<1'], ...Object.fromEntries(limits) }
}

/** At the breakpoint the first broken threshold ends the run: that is the answer. */
function ending(thresholds) {
  if (!breaks) return thresholds
  const isOfTheEnd = (threshold) => /^(count>|max>|rate==1)/.test(threshold)
  const abort = (threshold) => ({ threshold, abortOnFail: !isOfTheEnd(threshold), delayAbortEval: '15s' })
  return Object.fromEntries(Object.entries(thresholds).map(([metric, list]) => [metric, list.map(abort)]))
}

export const restThresholds = (times = {}, promises = []) => ending(withTimes({ ...rest, ...kept(promises) }, times))
/** `seen` names counters that must have counted something. */
export function liveThresholds(times = {}, seen = ['live_events_total'], promises = []) {
  const counted = Object.fromEntries(seen.map((metric) => [metric, ['count>0']]))
  return ending(withTimes({ ...rest, ...live, ...counted, ...kept(promises) }, times))
}

/** Those of the options that all scenarios share. */
export const common = {
  setupTimeout: '10m',
  teardownTimeout: '2m',
  summaryTrendStats: ['min', 'med', 'avg', 'p(90)', 'p(95)', 'p(99)', 'max'],
}

// How hard and how long: a profile is a curve of shares of the scenario's own full load. Chosen by PROFILE; SCALE
// multiplies the load, DURATION (seconds) stretches or shortens the whole curve. Called by every scenario's options.

/** [share of the full load, seconds to get there]; a first stage of 0 s is where the curve begins. */
const CURVES = {
  // Does it work at all: a hand's width of load, a few seconds.
  smoke: [
    [0.05, 0],
    [0.05, 8],
  ],
  // What a busy day brings.
  load: [
    [0, 0],
    [1, 20],
    [1, 90],
    [0, 10],
  ],
  // More than that, step by step, held at each.
  stress: [
    [0, 0],
    [1, 20],
    [1, 40],
    [2, 10],
    [2, 40],
    [4, 10],
    [4, 40],
    [0, 20],
  ],
  // From calm to ten times as much at once, and back.
  spike: [
    [0.5, 0],
    [0.5, 20],
    [10, 3],
    [10, 30],
    [0.5, 3],
    [0.5, 30],
    [0, 5],
  ],
  // Hours: leaks, timers, renewals of tokens.
  soak: [
    [0, 0],
    [0.7, 60],
    [0.7, 7_200],
    [0, 30],
  ],
  // Ever more until a threshold breaks, which ends the run: where is the end?
  breakpoint: [
    [0, 0],
    [50, 600],
  ],
}

export const PROFILE = __ENV.PROFILE || 'smoke'
const curve = CURVES[PROFILE]
if (!curve) throw new Error(`PROFILE=${PROFILE}: one of ${Object.keys(CURVES).join(', ')}`)

const scale = Number(__ENV.SCALE || 1)
const natural = curve.reduce((total, [, seconds]) => total + seconds, 0)
const stretch = __ENV.DURATION ? Number(__ENV.DURATION) / natural : 1
if (!(scale > 0 && stretch > 0)) throw new Error('SCALE and DURATION are positive numbers')

export const SECONDS = Math.max(1, Math.round(natural * stretch))
export const isSmoke = PROFILE === 'smoke'

/** So much of `full` at a share of the curve; at least one where there is any. */
const level = (full, share) => (share === 0 ? 0 : Math.max(1, Math.round(full * share * scale)))
/** The most of `full` that the profile reaches. */
export const peak = (full) => level(full, Math.max(...curve.map(([share]) => share)))

const stages = (full) =>
  curve.slice(1).map(([share, seconds]) => ({
    target: level(full, share),
    duration: `${Math.max(1, Math.round(seconds * stretch))}s`,
  }))

/** So many iterations a second at full load, whether or not the server keeps up. */
export const arrivals = (full, exec, patienceSeconds = 2) => ({
  executor: 'ramping-arrival-rate',
  exec,
  startRate: level(full, curve[0][0]),
  timeUnit: '1s',
  stages: stages(full),
  preAllocatedVUs: Math.min(50, peak(full) * 2),
  maxVUs: Math.min(2_000, Math.max(10, peak(full) * patienceSeconds)),
  gracefulStop: '60s',
})

/** As many virtual users as the profile's most, from the beginning, each a single long iteration of `SECONDS`. */
export function crowd(full, exec) {
  if (PROFILE === 'breakpoint')
    throw new Error('PROFILE=breakpoint: sockets all open at the start; raise SCALE instead')
  const maxDuration = `${SECONDS + 180}s`
  return { executor: 'per-vu-iterations', exec, vus: peak(full), iterations: 1, maxDuration, gracefulStop: '60s' }
}

/**
 * For people that many virtual users share: after twelve minutes each user has a session of its own, and a person has
 * at most twenty.
 */
export function refuseLongRuns() {
  if (SECONDS > 600) throw new Error('This scenario shares its accounts: it runs for at most 600 seconds')
}

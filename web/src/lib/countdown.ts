// Waits in figures. Apart from `dates.ts`: the landing page needs no calendar.

/** `29:41`, or `1:05:00` from one hour up; never below zero. */
export function formatCountdown(milliseconds: number): string {
  const total = Math.max(0, Math.ceil(milliseconds / 1000))
  const hours = Math.floor(total / 3600)
  const minutes = Math.floor((total % 3600) / 60)
  const seconds = String(total % 60).padStart(2, '0')
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${seconds}` : `${minutes}:${seconds}`
}

/**
 * `42 s`, `6 min 30 s` or `7 h 59 min`: where it stands still, or is read aloud, `6:30` is a time of day. From an hour up
 * in whole minutes, rounded up.
 */
export function formatWait(seconds: number): string {
  if (seconds < 90) return `${seconds} s`
  const isLong = seconds >= 3600
  const total = isLong ? Math.ceil(seconds / 60) : seconds
  const [large, small] = isLong ? ['h', 'min'] : ['min', 's']
  const rest = total % 60
  return `${Math.floor(total / 60)} ${large}${rest > 0 ? ` ${rest} ${small}` : ''}`
}

// Waits in figures. Apart from `dates.ts`: the landing page needs no calendar.

/** `29:41`, or `1:05:00` from one hour up; never below zero. */
export function formatCountdown(milliseconds: number): string {
  const total = Math.max(0, Math.ceil(milliseconds / 1000))
  const hours = Math.floor(total / 3600)
  const minutes = Math.floor((total % 3600) / 60)
  const seconds = String(total % 60).padStart(2, '0')
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${seconds}` : `${minutes}:${seconds}`
}

/** `42 s`, or `8:00:00` from a minute and a half up. */
export function formatWait(seconds: number): string {
  return seconds < 90 ? `${seconds} s` : formatCountdown(seconds * 1000)
}

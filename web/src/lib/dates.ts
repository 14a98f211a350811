// Dates as people in Brazil read them. Every calendar question is asked in America/Sao_Paulo, by the zone
// data of the browser, never by a fixed offset: the zone had daylight saving until 2019.
import { madeOnce } from './made-once'

const TIME_ZONE = 'America/Sao_Paulo'

/** As long as the server has not said its own: equal to its default of `MIN_AGE`. */
export const MIN_AGE = 18

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const MONTHS = ['jan', 'fev', 'mar', 'abr', 'mai', 'jun', 'jul', 'ago', 'set', 'out', 'nov', 'dez']

/** For browsers without Temporal: what it loads keeps a slow phone busy for more than 50 ms. */
const format = madeOnce(
  () =>
    new Intl.DateTimeFormat('pt-BR', {
      timeZone: TIME_ZONE,
      day: '2-digit',
      month: '2-digit',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }),
)

/** Day, month, year, hour and minute of an instant, in the zone. */
function digitsOf(at: Date | number | string): string[] {
  const instant = new Date(at)
  if (!('Temporal' in globalThis)) return format().format(instant).match(/\d+/g) ?? []
  const { day, month, year, hour, minute } = Temporal.Instant.fromEpochMilliseconds(
    instant.getTime(),
  ).toZonedDateTimeISO(TIME_ZONE)
  return [day, month, year, hour, minute].map((part) => String(part).padStart(2, '0'))
}

/** The calendar day `YYYY-MM-DD` of an instant. */
export function dayOf(at: Date | number | string): string {
  const [day, month, year = ''] = digitsOf(at)
  return `${year.padStart(4, '0')}-${month}-${day}`
}

/** `21/11/2026`. A bare `YYYY-MM-DD` is a calendar day and is not moved by the zone. */
export function formatDate(at: Date | number | string): string {
  if (typeof at === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(at)) return at.split('-').toReversed().join('/')
  return digitsOf(at).slice(0, 3).join('/')
}

/** `21/11/2026, 09:00`. */
export function formatDateTime(at: Date | number | string): string {
  const [day, month, year, hour, minute] = digitsOf(at)
  return `${day}/${month}/${year}, ${hour}:${minute}`
}

/** `21/11/2026 às 09:00`, in a sentence. */
export function formatMoment(at: Date | number | string): string {
  return formatDateTime(at).replace(',', ' às')
}

/** `2026-01` to `jan/26`, by hand: browsers disagree about `jan. de 26`. A day, `2026-01-15`, to `15/01`. */
export function formatMonth(month: string): string {
  const [year = '', number = '', day] = month.split('-')
  if (day !== undefined) return `${day}/${number}`
  return `${MONTHS[Number(number) - 1] ?? number}/${year.slice(2)}`
}

/** 'Agora' under a minute, then whole minutes, hours, days. The future counts as now. */
export function relativeTime(at: Date | number | string, now: number): string {
  const elapsed = now - new Date(at).getTime()
  if (elapsed < MINUTE) return 'Agora'
  if (elapsed < HOUR) return `há ${Math.floor(elapsed / MINUTE)} min`
  if (elapsed < DAY) return `há ${Math.floor(elapsed / HOUR)} h`
  return daysAgo(Math.floor(elapsed / DAY))
}

/** "Dados de 2 s atrás", "Dados de 1 min atrás": never less than a second. */
export function dataAge(elapsed: number): string {
  if (elapsed < MINUTE) return `Dados de ${Math.min(59, Math.max(1, Math.round(elapsed / 1000)))} s atrás`
  return elapsed < HOUR
    ? `Dados de ${Math.floor(elapsed / MINUTE)} min atrás`
    : `Dados de ${Math.floor(elapsed / HOUR)} h atrás`
}

/** "Nunca", "Hoje", "Ontem", "há N dias" under 7, else the date; by calendar days. */
export function lastLogin(at: string | null | undefined, now: number): string {
  if (!at) return 'Nunca'
  const days = daysBetween(dayOf(at), dayOf(now))
  if (days <= 0) return 'Hoje'
  if (days === 1) return 'Ontem'
  return days < 7 ? daysAgo(days) : formatDate(at)
}

/** Whole calendar days from one `YYYY-MM-DD` to another. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY)
}

/** Completed years at `today`, by birthday; a birthday on 29 February is kept on 1 March. */
export function ageOn(birthDate: string, today: string): number {
  const [birthYear = 0, birthMonth = 0, birthDay = 0] = birthDate.split('-').map(Number)
  const [year = 0, month = 0, day = 0] = today.split('-').map(Number)
  const hadBirthday = month > birthMonth || (month === birthMonth && day >= birthDay)
  return year - birthYear - (hadBirthday ? 0 : 1)
}

/** The latest birth date that is old enough today: the `max` of the native date field. */
export function latestBirthDate(now: number, minAge = MIN_AGE): string {
  const today = dayOf(now)
  const date = `${String(Number(today.slice(0, 4)) - minAge).padStart(4, '0')}${today.slice(4)}`
  return isCalendarDay(date) ? date : date.replace('-02-29', '-02-28')
}

/** Whether `YYYY-MM-DD` names a day of the calendar. */
export function isCalendarDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

function daysAgo(days: number): string {
  return days === 1 ? 'há 1 dia' : `há ${days} dias`
}

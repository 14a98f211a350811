import { describe, expect, it, vi } from 'vitest'
import vectors from '../../test/vectors/relative_time.json'
import {
  dataAge,
  ageOn,
  dayOf,
  daysBetween,
  formatDate,
  formatDateTime,
  formatMonth,
  isCalendarDay,
  lastLogin,
  latestBirthDate,
  relativeTime,
} from './dates'

interface Case {
  name: string
  input: { op: string; now: string; at: string | null }
  expected: string
}

describe('relative time', () => {
  const cases = vectors.cases as Case[]

  it.each(cases)('$name', ({ input: { op, now, at }, expected }) => {
    const instant = Date.parse(now)
    expect(op === 'lastLogin' ? lastLogin(at, instant) : relativeTime(at ?? '', instant)).toBe(expected)
  })

  it('reads both kinds of vectors', () => {
    expect(new Set(cases.map(({ input }) => input.op))).toEqual(new Set(['relative', 'lastLogin']))
  })
})

describe('the age of data', () => {
  it.each([
    [0, 'Dados de 1 s atrás'],
    [1_400, 'Dados de 1 s atrás'],
    [1_999, 'Dados de 2 s atrás'],
    [59_400, 'Dados de 59 s atrás'],
    [59_999, 'Dados de 59 s atrás'],
    [60_000, 'Dados de 1 min atrás'],
    [3_599_999, 'Dados de 59 min atrás'],
    [7_200_000, 'Dados de 2 h atrás'],
  ])('%d ms: %s', (elapsed, expected) => {
    expect(dataAge(elapsed)).toBe(expected)
  })
})

describe('dates in Sao Paulo', () => {
  it('puts an instant before midnight of Sao Paulo on the day before', () => {
    expect(dayOf('2026-11-22T02:59:59Z')).toBe('2026-11-21')
    expect(formatDate('2026-11-22T02:59:59Z')).toBe('21/11/2026')
  })

  it('puts midnight of Sao Paulo on the new day', () => {
    expect(formatDate('2026-11-22T03:00:00Z')).toBe('22/11/2026')
    expect(formatDateTime('2026-11-22T03:00:00Z')).toBe('22/11/2026, 00:00')
  })

  it('knows the daylight saving of 2018', () => {
    expect(formatDateTime('2018-12-01T12:00:00Z')).toBe('01/12/2018, 10:00')
  })

  it('does not move a bare calendar day', () => {
    expect(formatDate('2026-01-01')).toBe('01/01/2026')
  })

  it('writes months by hand', () => {
    expect(formatMonth('2026-01')).toBe('jan/26')
    expect(formatMonth('2026-12')).toBe('dez/26')
    expect(formatMonth('2026-13')).toBe('13/26')
  })

  it('counts calendar days', () => {
    expect(daysBetween('2026-02-28', '2026-03-01')).toBe(1)
    expect(daysBetween('2026-03-01', '2026-02-28')).toBe(-1)
  })
})

describe('age', () => {
  it('turns on the birthday, not the day before', () => {
    expect(ageOn('2008-11-21', '2026-11-20')).toBe(17)
    expect(ageOn('2008-11-21', '2026-11-21')).toBe(18)
    expect(ageOn('2008-10-22', '2026-11-21')).toBe(18)
    expect(ageOn('2008-12-01', '2026-11-21')).toBe(17)
  })

  it('keeps a birthday on 29 February on 1 March', () => {
    expect(ageOn('2008-02-29', '2026-02-28')).toBe(17)
    expect(ageOn('2008-02-29', '2026-03-01')).toBe(18)
  })

  it('gives the latest birth date that is old enough', () => {
    const latest = latestBirthDate(Date.parse('2026-11-21T12:00:00Z'))
    expect(latest).toBe('2008-11-21')
    expect(ageOn(latest, '2026-11-21')).toBe(18)
  })

  it('gives 28 February when today is a leap day of a year whose birth year had none', () => {
    expect(latestBirthDate(Date.parse('2028-02-29T12:00:00Z'))).toBe('2010-02-28')
    expect(latestBirthDate(Date.parse('2028-02-29T12:00:00Z'), 20)).toBe('2008-02-29')
  })
})

describe('calendar days', () => {
  it.each(['2026-02-29', '2026-13-01', '2026-00-10', '26-01-01', '', 'amanhã'])('refuses %s', (text) => {
    expect(isCalendarDay(text)).toBe(false)
  })

  it('accepts a leap day', () => {
    expect(isCalendarDay('2024-02-29')).toBe(true)
  })
})

describe('a browser with Temporal', () => {
  it('is asked for the digits in the zone', () => {
    const toZonedDateTimeISO = vi.fn(() => ({ day: 1, month: 2, year: 2026, hour: 3, minute: 4 }))
    const fromEpochMilliseconds = vi.fn(() => ({ toZonedDateTimeISO }))
    vi.stubGlobal('Temporal', { Instant: { fromEpochMilliseconds } })
    expect(formatDateTime('2026-02-01T06:04:05.678Z')).toBe('01/02/2026, 03:04')
    expect(dayOf('2026-02-01T06:04:05.678Z')).toBe('2026-02-01')
    expect(fromEpochMilliseconds).toHaveBeenCalledWith(Date.UTC(2026, 1, 1, 6, 4, 5, 678))
    expect(toZonedDateTimeISO).toHaveBeenCalledWith('America/Sao_Paulo')
  })
})

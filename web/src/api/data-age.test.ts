// Which age the answers on a screen have.
import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { describe, expect, it, vi } from 'vitest'
import { noteAge, oldestData } from './data-age'

const NOW = Date.parse('2026-11-21T12:00:00Z')

function screen() {
  vi.useFakeTimers({ now: NOW, toFake: ['Date'] })
  const client = new QueryClient()
  const ages = new Map<string, string | null>()
  const show = (...queryKey: string[]) => {
    const observer = new QueryObserver(client, {
      queryKey,
      queryFn: (asking) => {
        const age = ages.get(queryKey.join('/'))
        const response = new Response(null, { headers: age ? { 'x-data-age': age } : {} })
        return noteAge(asking, Promise.resolve({ response })).then(() => 'the same data')
      },
    })
    return observer.subscribe(() => undefined)
  }
  const answers = (key: string, age: string | null) => ages.set(key, age)
  const read = () => client.refetchQueries()
  return { client, show, answers, read }
}

describe('the age of the data on a screen', () => {
  it('is that of the oldest answer that is shown', async () => {
    const { client, show, answers, read } = screen()
    answers('admin/dashboard', '2')
    answers('admin/series', '7')
    show('admin', 'dashboard')
    const leave = show('admin', 'series')
    show('plans')
    await read()
    expect(oldestData(client, [['admin']])).toBe(NOW - 7_000)
    expect(oldestData(client, [['admin', 'dashboard'], ['plans']])).toBe(NOW - 2_000)
    leave()
    expect(oldestData(client, [['admin']])).toBe(NOW - 2_000)
  })

  it('is forgotten when the same data comes from the database itself, or is of now', async () => {
    const { client, show, answers, read } = screen()
    show('admin')
    await read()
    for (const [age, oldest] of [
      ['3', NOW - 3_000],
      [null, null],
      ['4', NOW - 4_000],
      ['0', null],
      ['x', null],
    ] as const) {
      answers('admin', age)
      await read()
      expect(oldestData(client, [['admin']]), `${age}`).toBe(oldest)
    }
  })
})

// @vitest-environment happy-dom
import { act } from '@testing-library/react'
import { QueryClient, useQuery } from '@tanstack/react-query'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { renderWith } from '../../../test/render'
import { noteAge } from '../../api/data-age'
import { setLiveStatus } from '../../live/status'
import { DataAge } from './data-age'

const KEYS = [['figures']]

let age: string | null
let reads: number

function Figures() {
  useQuery({
    queryKey: ['figures'],
    queryFn: async (asking) => {
      reads += 1
      const response = new Response(null, { headers: age === null ? {} : { 'x-data-age': age } })
      await noteAge(asking, Promise.resolve({ response }))
      return 'the same data'
    },
  })
  return <DataAge queryKeys={KEYS} />
}

async function shown(): Promise<HTMLElement> {
  const { container } = renderWith(new QueryClient(), <Figures />)
  await pass(0)
  return container
}

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms + 1))

beforeEach(() => {
  vi.useFakeTimers()
  setLiveStatus({ paused: false })
  age = null
  reads = 0
})

describe('the age of a page', () => {
  test('is told while a replica is behind, and such data is read again', async () => {
    age = '2'
    const page = await shown()
    expect(page.textContent).toBe('Dados de 2 s atrás')
    age = '7'
    await pass(10_000)
    expect([page.textContent, reads]).toEqual(['Dados de 7 s atrás', 2])
    age = null
    await pass(10_000)
    expect([page.textContent, reads]).toEqual(['', 3])
    await pass(60_000)
    expect(reads).toBe(3)
  })

  test('grows while the page is paused, which reads nothing', async () => {
    age = '9'
    const page = await shown()
    act(() => setLiveStatus({ paused: true }))
    await pass(50_000)
    expect([page.textContent, reads]).toEqual(['Dados de 59 s atrás', 1])
    await pass(10_000)
    expect(page.textContent).toBe('Dados de 1 min atrás')
  })

  test('is not told of data of the database itself', async () => {
    const page = await shown()
    await pass(60_000)
    expect([page.textContent, reads]).toEqual(['', 1])
  })
})

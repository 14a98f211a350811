// @vitest-environment happy-dom
import { notifyManager, type QueryClient } from '@tanstack/react-query'
import { act, screen } from '@testing-library/react'
import { useEffect } from 'react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { answerOf } from '../../test/answer'
import { emptyCache } from '../../test/cache'
import { renderWith } from '../../test/render'
import { api } from '../api/client'
import { companyKeys, type Company } from '../api/companies'
import { CompanyProvider, useCompany, type CompanyChoice } from './company'
import { session } from './use-session'

const company = (id: string, companyName: string): Company => ({
  id,
  companyName,
  userRole: 'admin',
  companyCreatedBy: 'u1',
  status: 'active',
  createdAt: '2026-01-01T00:00:00Z',
})
const alfa = company('c1', 'Alfa')
const beta = company('c2', 'Beta')

// The library tells its observers in a timer of its own, which `act` does not wait for.
notifyManager.setScheduler(queueMicrotask)

let queries: QueryClient
let lost: [string, boolean][]
let choice: CompanyChoice

function Probe() {
  const current = useCompany()
  useEffect(() => {
    choice = current
  })
  return <p>{current.company?.companyName ?? 'nenhuma'}</p>
}

async function mount(listed: Company[]) {
  queries = emptyCache()
  queries.setQueryData(companyKeys.list, listed)
  renderWith(
    queries,
    <CompanyProvider onLost={({ id }, selected) => lost.push([id, selected])}>
      <Probe />
    </CompanyProvider>,
  )
}

async function nowListed(...companies: Company[]) {
  await act(async () => queries.setQueryData(companyKeys.list, companies))
}

beforeEach(() => {
  lost = []
  session.chooseCompany(null)
})

describe('the selected company', () => {
  it('is the first one when none was chosen, and the tab remembers it', async () => {
    await mount([alfa, beta])
    expect(screen.getByText('Alfa')).toBeTruthy()
    expect(session.companyId()).toBe('c1')
  })

  it('is the chosen one', async () => {
    session.chooseCompany('c2')
    await mount([alfa, beta])
    expect(screen.getByText('Beta')).toBeTruthy()
    expect(lost).toEqual([])
  })

  it('that is gone makes place for the first one, silently at the start', async () => {
    session.chooseCompany('c9')
    await mount([alfa])
    expect(screen.getByText('Alfa')).toBeTruthy()
    expect(session.companyId()).toBe('c1')
    expect(lost).toEqual([])
  })
})

describe('a company that leaves the list', () => {
  it('is told once, another one is selected, and nothing of it stays in the cache', async () => {
    await mount([alfa, beta])
    queries.setQueryData(companyKeys.detail('c1'), { id: 'c1' })
    await nowListed(beta)
    expect(screen.getByText('Beta')).toBeTruthy()
    expect(session.companyId()).toBe('c2')
    await nowListed(beta)
    expect(lost).toEqual([['c1', true]])
    expect(queries.getQueryData(companyKeys.detail('c1'))).toBeUndefined()
  })

  it('is told apart from the selected one', async () => {
    await mount([alfa, beta])
    await nowListed(alfa)
    expect(lost).toEqual([['c2', false]])
    expect(screen.getByText('Alfa')).toBeTruthy()
  })

  it('leaves nothing selected when it was the last one', async () => {
    await mount([alfa])
    await nowListed()
    expect(screen.getByText('nenhuma')).toBeTruthy()
    expect(session.companyId()).toBeNull()
  })

  it('is no news when the person gave it up, whether the list or the answer comes first', async () => {
    await mount([alfa, beta])
    await act(() => choice.giveUp('c1', async () => queries.setQueryData(companyKeys.list, [beta])))
    await act(() => choice.giveUp('c2', async () => undefined))
    expect(lost).toEqual([])
    expect(screen.getByText('nenhuma')).toBeTruthy()
  })

  it('is no news when the list was being read while the person gave it up', async () => {
    const answer = (...companies: Company[]) => answerOf({ companies })
    let arrive = (): void => undefined
    const before = new Promise<void>((resolve) => (arrive = resolve)).then(() => answer(alfa, beta))
    vi.spyOn(api, 'GET')
      .mockReturnValueOnce(before as never)
      .mockResolvedValue(answer(alfa))
    await mount([alfa, beta])
    void queries.refetchQueries({ queryKey: companyKeys.list })
    await act(() => choice.giveUp('c2', async () => undefined))
    await act(async () => arrive())
    await vi.waitFor(() => expect(queries.isFetching()).toBe(0))
    await nowListed(alfa)
    expect(lost).toEqual([])
  })

  it('is news after giving it up was refused', async () => {
    await mount([alfa])
    await act(() => choice.giveUp('c1', () => Promise.reject(new Error('LAST_ADMIN'))).catch(() => undefined))
    expect(screen.getByText('Alfa')).toBeTruthy()
    await nowListed()
    expect(lost).toEqual([['c1', true]])
  })
})

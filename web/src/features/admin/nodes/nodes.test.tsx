// @vitest-environment happy-dom
import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import { QueryClient } from '@tanstack/react-query'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { answerOf } from '../../../../test/answer'
import { renderAt } from '../../../../test/render'
import { api } from '../../../api/client'
import { adminKeys, type InstalledNode, type Installation, type NodeProblem } from '../../../api/admin'
import { paths } from '../../../lib/paths'
import { forgetPause, noteWelcome, setLiveStatus } from '../../../live/status'
import { AdminNodesPage } from './nodes'
import { NodesBanner } from './nodes-banner'

function node(over: Partial<InstalledNode> = {}): InstalledNode {
  return {
    id: '019aad8a-0000-7000-8000-0000deadbeef',
    own: true,
    status: 'serving',
    silentSeconds: 0,
    clockAheadSeconds: 0,
    state: {
      version: '1.0.119',
      schema: 34,
      since: '2026-11-23T01:00:00Z',
      draining: false,
      sockets: 1234,
      channels: 7,
      queues: { busOut: 0, busIn: 0, jobsDue: 0, jobsRunning: 0, databaseWaiting: 0 },
    },
    ...over,
  }
}

const alone: Installation = {
  nodes: [node()],
  bus: { status: 'none', suspicions: 0, dropped: 0, refused: [] },
  database: {
    serverVersion: '18.4',
    timeline: 1,
    history: 'x/1',
    schema: 34,
    oldestSchema: 31,
    commitsAreDurable: true,
    waitsForStandby: false,
    canReadStandbys: false,
    grant: 'GRANT pg_read_all_stats TO bipe_platform',
    standbys: [],
    asOf: '2026-11-23T03:00:00Z',
  },
  problems: [],
}

/** Of a node that is not heard, because its clock is wrong. */
const strange = '019aad8a-0000-7000-8000-0000f00dfeed'

const other = node({
  id: '019aad8a-0000-7000-8000-0000cafebabe',
  own: false,
  status: 'silent',
  silentSeconds: 9,
  clockAheadSeconds: -12,
})

const shared: Installation = {
  nodes: [node(), other],
  bus: {
    status: 'suspect',
    suspectSince: '2026-11-23T02:59:00Z',
    suspicions: 2,
    dropped: 0,
    refused: [{ reason: 'stale', count: 12, lastAt: '2026-11-23T02:59:30Z', node: strange, clockAheadSeconds: 600 }],
  },
  database: { ...alone.database!, standbys: [{ name: 'pid 77' }] },
  problems: ['nodeSilent', 'messagesRefused'],
}

/** What the server answers; null for a failure. */
let answer: Installation | null = alone

function show(at: string) {
  vi.spyOn(api, 'GET').mockImplementation((() =>
    Promise.resolve(
      answer
        ? answerOf(answer)
        : { error: { error: { code: 'UNAVAILABLE', message: 'x' } }, response: new Response(null, { status: 503 }) },
    )) as never)
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, gcTime: Infinity } } })
  renderAt(
    at,
    <>
      <NodesBanner />
      {at === paths.adminNodes && <AdminNodesPage />}
    </>,
    queries,
  )
  return queries
}

afterEach(() => {
  cleanup()
  forgetPause()
  answer = alone
})

describe('the page of the nodes', () => {
  test('one node without a bus is calm', async () => {
    show(paths.adminNodes)
    await screen.findByText('Um nó, sem barramento')
    expect(screen.queryByText('Requer atenção')).toBeNull()
    expect(screen.getByText('Nenhuma')).toBeDefined()
    expect(screen.queryByText(/GRANT/)).toBeNull()
    const row = screen.getByRole('table', { name: 'Nós da instalação' })
    for (const text of ['deadbeef', 'Este nó', 'Atendendo', '1.234', 'Vazias']) within(row).getByText(text)
  })
  test('what is wrong is said in words, with what to grant', async () => {
    answer = shared
    show(paths.adminNodes)
    await screen.findByText('Requer atenção')
    screen.getByText('Um nó parou de dar sinal sem avisar que ia encerrar.')
    screen.getByText('Sem sinal')
    screen.getByText(/há 9 s/)
    screen.getByText('12 · Relógio errado, ou mensagem repetida')
    screen.getByText('Relógio: 12 s atrasado')
    screen.getByText('f00dfeed')
    screen.getByText('Relógio: 10 min adiantado')
    screen.getByText('GRANT pg_read_all_stats TO bipe_platform')
  })
  test('what only a newer server calls a node or the bus is shown as it is', async () => {
    const status = 'warming' as InstalledNode['status']
    const bus = { ...shared.bus, status: 'replaying' as Installation['bus']['status'] }
    answer = { ...shared, nodes: [node({ status })], bus }
    show(paths.adminNodes)
    await screen.findByText('warming')
    screen.getByText('replaying')
  })
  test("how long a node has run is told by the server's clock", async () => {
    const ahead = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
    noteWelcome(ahead(120))
    answer = { ...alone, nodes: [node({ state: { ...node().state!, since: ahead(114.5) } })] }
    show(paths.adminNodes)
    await screen.findByText('há 5 min')
    noteWelcome(ahead(0))
  })
  test('data of before stays and is called old when the server does not answer', async () => {
    const queries = show(paths.adminNodes)
    await screen.findByText('Um nó, sem barramento')
    answer = null
    await act(() => queries.refetchQueries({ queryKey: adminKeys.nodes }))
    await screen.findByText('Atualizando')
    screen.getByText('Um nó, sem barramento')
    answer = alone
    await act(() => queries.refetchQueries({ queryKey: adminKeys.nodes }))
    await waitFor(() => expect(screen.queryByText('Atualizando')).toBeNull())
  })
})

test('what a pause keeps on the page says how old it is', async () => {
  vi.useFakeTimers()
  show(paths.adminNodes)
  await act(() => vi.advanceTimersByTimeAsync(1_000))
  screen.getByText('Um nó, sem barramento')
  act(() => setLiveStatus({ paused: true }))
  await act(() => vi.advanceTimersByTimeAsync(80_000))
  screen.getByText('Atualizado há 1 min')
})

describe('the banner', () => {
  test('is there on other admin pages while something is wrong, and goes by itself', async () => {
    answer = shared
    const queries = show(paths.adminUsers)
    const region = document.querySelector('[aria-live="polite"]')
    expect(region?.textContent).toBe('')
    await screen.findByText('Um nó parou de dar sinal sem avisar que ia encerrar.')
    expect(screen.getByRole('link', { name: 'Ver mais 1 em Nós' }).getAttribute('href')).toBe(paths.adminNodes)
    answer = alone
    await act(() => queries.refetchQueries({ queryKey: adminKeys.nodes }))
    await waitFor(() => expect(region?.textContent).toBe(''))
  })
  test('shows the word of a problem that only a newer server knows', async () => {
    answer = { ...alone, problems: ['diskFull' as NodeProblem] }
    show(paths.adminUsers)
    await screen.findByText('diskFull')
  })
  test('is not there on the page that it leads to', async () => {
    answer = shared
    show(paths.adminNodes)
    await screen.findByText('Requer atenção')
    expect(screen.queryByRole('link', { name: /Nós/ })).toBeNull()
  })
})

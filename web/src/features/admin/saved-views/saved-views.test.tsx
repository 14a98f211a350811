// @vitest-environment happy-dom
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { QueryClient } from '@tanstack/react-query'
import { useLocation } from 'react-router'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { renderAt } from '../../../../test/render'
import type { SavedView } from '../../../api/saved-views'
import type { EventFrame } from '../../../live/frames'
import { patchCache } from '../../../live/patch-cache'
import { announce } from '../../../ui/announcer'
import { TooltipProvider } from '../../../ui/tooltip'
import SavedViewsBar from './saved-views-bar'
import { filtersOf, queryOf } from './view-filters'

vi.mock('../../../ui/announcer', { spy: true })

const refused: SavedView = { id: 'v1', list: 'payments', name: 'Recusados', filters: { status: 'FAILED' } }
const august: SavedView = { id: 'v2', list: 'payments', name: 'Agosto', filters: { from: '2026-08-01' } }
const people: SavedView = { id: 'v3', list: 'users', name: 'Pendentes', filters: { status: 'pending' } }

let queries: QueryClient
let views: SavedView[]
let sent: { method: string; path: string; body: unknown }[]
/** The refusal of the next change. */
let refusal: { status: number; code: string } | null
let isDown: boolean

const ok = (data: object) => Response.json({ success: true, data })
const no = (status: number, code: string) =>
  Response.json({ success: false, error: { code, message: '', requestId: 'r1' } }, { status })

async function answer(request: Request): Promise<Response> {
  if (request.method === 'GET') return isDown ? no(403, 'FORBIDDEN') : ok({ views })
  const text = await request.text()
  sent.push({ method: request.method, path: new URL(request.url).pathname, body: text && JSON.parse(text) })
  if (refusal) return no(refusal.status, refusal.code)
  return request.method === 'DELETE' ? new Response(null, { status: 204 }) : ok({ view: refused })
}

function Address() {
  return <output>{useLocation().search}</output>
}

function show(at = '') {
  renderAt(
    `/admin/payments${at}`,
    <>
      <TooltipProvider>
        <SavedViewsBar list="payments" />
      </TooltipProvider>
      <Address />
    </>,
    queries,
  )
}

const link = (name: string) => screen.findByRole('link', { name })
const saveButton = () => screen.findByRole('button', { name: 'Salvar visualização' })

async function choose(view: string, item: string) {
  fireEvent.keyDown(await screen.findByRole('button', { name: `Opções de ${view}` }), { key: 'Enter' })
  fireEvent.click(await screen.findByRole('menuitem', { name: item }))
}

beforeEach(() => {
  views = [refused, august, people]
  sent = []
  refusal = null
  isDown = false
  queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } } })
  vi.stubGlobal('fetch', answer)
})

test('a name that is too long is counted and named so, not cut', async () => {
  show('?status=PENDING')
  fireEvent.click(await saveButton())
  fireEvent.change(screen.getByLabelText(/^Nome/), { target: { value: 'a'.repeat(61) } })
  expect(screen.getByText('61/40')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Salvar' }))
  expect(await screen.findByText('Texto muito longo')).toBeTruthy()
  expect(sent).toEqual([])
})

describe('the saved views above a list', () => {
  test('stand in the order of their names, the one on the screen marked, and open by their link', async () => {
    show('?status=FAILED&page=3')
    await link('Recusados')
    expect(screen.getAllByRole('link').map(({ textContent }) => textContent)).toEqual([
      'Sem filtros',
      'Agosto',
      'Recusados',
    ])
    expect((await link('Recusados')).getAttribute('aria-current')).toBe('true')
    fireEvent.click(await link('Agosto'))
    expect(screen.getByRole('status').textContent).toBe('?from=2026-08-01')
    expect((await link('Agosto')).getAttribute('aria-current')).toBe('true')
    fireEvent.click(await link('Sem filtros'))
    expect(screen.getByRole('status').textContent).toBe('')
  })

  test('what is on the screen is saved by a name', async () => {
    show('?method=PIX&payment=p1')
    fireEvent.click(await saveButton())
    const dialog = within(await screen.findByRole('dialog', { name: 'Salvar visualização' }))
    fireEvent.click(dialog.getByRole('button', { name: 'Salvar' }))
    await dialog.findByText('Este campo é obrigatório')
    fireEvent.change(dialog.getByLabelText('Nome'), { target: { value: ' Pix ' } })
    views = [...views, { id: 'v4', list: 'payments', name: 'Pix', filters: { method: 'PIX' } }]
    fireEvent.click(dialog.getByRole('button', { name: 'Salvar' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    const body = { list: 'payments', name: 'Pix', filters: { method: 'PIX' } }
    expect(sent).toEqual([{ method: 'POST', path: '/api/admin/views', body }])
    expect((await link('Pix')).getAttribute('aria-current')).toBe('true')
  })

  test('a view whose answer was lost is found, and not saved again', async () => {
    refusal = { status: 500, code: 'INTERNAL_ERROR' }
    show('?method=PIX')
    fireEvent.click(await saveButton())
    const dialog = within(await screen.findByRole('dialog'))
    fireEvent.change(dialog.getByLabelText('Nome'), { target: { value: 'Pix' } })
    fireEvent.click(dialog.getByRole('button', { name: 'Salvar' }))
    await dialog.findByText('Erro ao salvar visualização')
    views = [...views, { id: 'v4', list: 'payments', name: 'Pix', filters: { method: 'PIX' } }]
    fireEvent.click(dialog.getByRole('button', { name: 'Salvar' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(sent).toHaveLength(1)
  })

  test('nothing is saved where nothing is filtered, or twice', async () => {
    show()
    expect((await saveButton()).getAttribute('aria-disabled')).toBe('true')
    fireEvent.click(await link('Recusados'))
    expect((await saveButton()).getAttribute('aria-disabled')).toBe('true')
    fireEvent.click(await saveButton())
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  test('a name that is taken is said at its field, a full list above the buttons', async () => {
    refusal = { status: 409, code: 'VIEW_NAME_EXISTS' }
    show('?method=PIX')
    fireEvent.click(await saveButton())
    const dialog = within(await screen.findByRole('dialog'))
    fireEvent.change(dialog.getByLabelText('Nome'), { target: { value: 'Recusados' } })
    fireEvent.click(dialog.getByRole('button', { name: 'Salvar' }))
    await dialog.findByText('Você já tem uma visualização com este nome')
    expect(dialog.getByLabelText('Nome').getAttribute('aria-invalid')).toBe('true')
    refusal = { status: 409, code: 'VIEW_LIMIT_REACHED' }
    fireEvent.change(dialog.getByLabelText('Nome'), { target: { value: 'Pix' } })
    fireEvent.click(dialog.getByRole('button', { name: 'Salvar' }))
    await dialog.findByText('Esta lista já tem 20 visualizações. Exclua uma para salvar outra')
  })

  test('a view is renamed with its own filters', async () => {
    show('?method=PIX')
    await choose('Recusados', 'Renomear')
    const dialog = within(await screen.findByRole('dialog', { name: 'Renomear Recusados' }))
    // It takes nothing of what is on the screen, and does not say so.
    expect(dialog.queryByText(/^Guarda a busca/)).toBeNull()
    fireEvent.change(dialog.getByLabelText('Nome'), { target: { value: 'Falhas' } })
    fireEvent.click(dialog.getByRole('button', { name: 'Salvar' }))
    await waitFor(() => expect(sent).toHaveLength(1))
    const body = { list: 'payments', name: 'Falhas', filters: { status: 'FAILED' } }
    expect(sent[0]).toEqual({ method: 'PUT', path: '/api/admin/views/v1', body })
  })

  test('a view takes the filters of the screen', async () => {
    show('?method=PIX')
    await choose('Agosto', 'Usar os filtros atuais')
    const dialog = within(await screen.findByRole('alertdialog', { name: 'Usar os filtros atuais em Agosto?' }))
    fireEvent.click(dialog.getByRole('button', { name: 'Usar filtros atuais' }))
    await waitFor(() => expect(sent).toHaveLength(1))
    const body = { list: 'payments', name: 'Agosto', filters: { method: 'PIX' } }
    expect(sent[0]).toEqual({ method: 'PUT', path: '/api/admin/views/v2', body })
  })

  test('a view is removed after a question, and one that is gone already is no failure', async () => {
    refusal = { status: 404, code: 'NOT_FOUND' }
    show()
    await choose('Agosto', 'Excluir')
    views = [refused, people]
    const dialog = within(await screen.findByRole('alertdialog', { name: 'Excluir a visualização Agosto?' }))
    fireEvent.click(dialog.getByRole('button', { name: 'Excluir' }))
    await waitFor(() => expect(screen.queryByRole('link', { name: 'Agosto' })).toBeNull())
    expect(sent).toEqual([{ method: 'DELETE', path: '/api/admin/views/v2', body: '' }])
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  })

  test('another tab has saved one: it is here too', async () => {
    views = []
    show()
    await link('Sem filtros')
    views = [refused]
    const event = { type: 'event', channel: 'user', seq: 1, name: 'views.changed', key: 'payments' }
    const frame = { ...event, data: { list: 'payments' }, at: new Date().toISOString() } as unknown as EventFrame
    act(() => patchCache(queries, { type: 'event', channel: 'user', event: frame }))
    await link('Recusados')
  })

  test('a failure says so in the place of the views and can be tried again', async () => {
    isDown = true
    show('?method=PIX')
    await screen.findByText('Erro ao carregar visualizações')
    // The list below is what the person came for: nothing may cut in on it.
    expect(screen.queryByRole('alert')).toBeNull()
    isDown = false
    fireEvent.click(screen.getByRole('button', { name: 'Tentar Novamente' }))
    await link('Recusados')
  })

  test('a name that was typed stays while views that could not be read are read again', async () => {
    isDown = true
    show('?method=PIX')
    fireEvent.click(await saveButton())
    fireEvent.change(await screen.findByLabelText('Nome'), { target: { value: 'Pix' } })
    vi.stubGlobal('fetch', () => new Promise(() => undefined))
    void queries.refetchQueries()
    await waitFor(() => expect(screen.queryByText('Erro ao carregar visualizações')).toBeNull())
    expect(screen.getByLabelText<HTMLInputElement>('Nome').value).toBe('Pix')
  })
})

test('that the views could not be read is heard, also after another try', async () => {
  isDown = true
  show()
  await waitFor(() => expect(announce).toHaveBeenCalledExactlyOnceWith('Erro ao carregar visualizações'))
  fireEvent.click(screen.getByRole('button', { name: 'Tentar Novamente' }))
  await waitFor(() => expect(announce).toHaveBeenCalledTimes(2))
})

test('a view is search, filters and order of its list, and nothing else of the address', () => {
  const url = (query: string) => ({ get: (name: string) => new URLSearchParams(query).get(name) })
  const address = 'search=jo%C3%A3o+%26+cia&role=admin&status=&sort=-name&page=2&user=u1&method=PIX'
  const filters = filtersOf(url(address), 'users')
  expect(filters).toEqual({ search: 'joão & cia', role: 'admin', sort: '-name' })
  expect(queryOf(filters, 'users')).toBe('?search=jo%C3%A3o+%26+cia&role=admin&sort=-name')
  expect(queryOf({ role: 'admin' }, 'payments')).toBe('')
  // Of the payments it is a filter; in the list of companies it is the one that is opened.
  expect(filtersOf(url('company=c1&payment=p1'), 'payments')).toEqual({ company: 'c1' })
  expect(filtersOf(url('company=c1'), 'companies')).toEqual({})
})

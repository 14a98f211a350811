// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import type { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { emptyCache } from '../../test/cache'
import { notification, notificationId } from '../../test/notification'
import { renderAt } from '../../test/render'
import { companyKeys, type Company } from '../api/companies'
import type { Notification } from '../api/notifications'
import { CompanyProvider } from '../auth/company'
import type { EventFrame } from '../live/frames'
import { patchCache } from '../live/patch-cache'
import { clearToasts, notifySuccess } from '../ui/toast'
import { NotificationBell } from './notification-bell'

interface Sent {
  path: string
  body: unknown
}

let queries: QueryClient
let sent: Sent[]
/** Answers `GET /api/notifications`, by what stands before the page. */
let list: (before: string | null) => Response

const company = { id: 'c1', companyName: 'Ponto Central', userRole: 'admin' } as Company
const ok = (data: object) => Response.json({ success: true, data })
const page = (notifications: Notification[], unread: number, hasMore = false) => ok({ notifications, unread, hasMore })
const failed = () =>
  Response.json({ success: false, error: { code: 'NOT_FOUND', message: '', requestId: 'r1' } }, { status: 404 })

async function answer(request: Request): Promise<Response> {
  const url = new URL(request.url)
  if (url.pathname === '/api/companies') return ok({ companies: [company] })
  if (request.method === 'GET') return list(url.searchParams.get('before'))
  sent.push({ path: url.pathname, body: await request.json() })
  return ok({ unread: 0 })
}

function show() {
  renderAt(
    '/',
    <CompanyProvider onLost={() => undefined}>
      <NotificationBell />
    </CompanyProvider>,
    queries,
  )
}

const bell = (name: string) => screen.findByRole('button', { name })
async function open(name: string) {
  fireEvent.click(await bell(name))
  await screen.findByRole('heading', { name: 'Notificações' })
}

const panel = () => within(screen.getByRole('dialog', { name: 'Notificações' }))

function live(name: 'notification.created' | 'notification.read', data: unknown): void {
  const event = { type: 'event', channel: 'user', seq: 1, name, key: 'k', data, at: new Date().toISOString() }
  act(() =>
    patchCache(queries, {
      type: 'event',
      channel: 'user',
      event: event as unknown as EventFrame,
    }),
  )
}

beforeEach(() => {
  sent = []
  queries = emptyCache()
  queries.setQueryData(companyKeys.list, [company])
  vi.stubGlobal('fetch', answer)
})
afterEach(() => {
  cleanup()
  clearToasts()
})

describe('the bell', () => {
  test('lists what was told before this page was loaded, with amount, plan, company and a link', async () => {
    list = () => page([notification(2), notification(1, { topic: 'renewal.due', isRead: true })], 1)
    show()
    await open('Notificações, 1 nova')
    const paid = panel().getByRole('link', { name: /^Não lida: Pagamento aprovado/ })
    expect(paid.getAttribute('href')).toBe('/invoices/p1')
    expect(paid.textContent).toContain('99,90 pelo plano Profissional da empresa Ponto Central.')
    expect(panel().getByRole('link', { name: /^Assinatura vencida/ })).toBeTruthy()
  })

  test('counts what comes live, and clears what was read in another tab', async () => {
    list = () => page([], 0)
    show()
    await bell('Notificações')
    live('notification.created', notification(3))
    live('notification.created', notification(3))
    await bell('Notificações, 1 nova')
    live('notification.created', notification(4))
    await bell('Notificações, 2 novas')
    live('notification.read', { ids: [notificationId(4)], until: null, unread: 1 })
    await open('Notificações, 1 nova')
    expect(panel().getAllByText('Não lida:')).toHaveLength(1)
    live('notification.read', { ids: [], until: notificationId(4), unread: 0 })
    await waitFor(() => expect(panel().queryByText('Não lida:')).toBeNull())
  })

  test('reads all up to the newest line, and keeps the focus in the panel', async () => {
    list = () => page([notification(9), notification(8)], 2)
    show()
    await open('Notificações, 2 novas')
    fireEvent.click(panel().getByRole('button', { name: 'Marcar todas como lidas' }))
    await waitFor(() => expect(panel().queryByRole('button', { name: 'Marcar todas como lidas' })).toBeNull())
    expect(sent).toEqual([{ path: '/api/notifications/read', body: { until: notificationId(9) } }])
    expect(document.activeElement?.textContent).toBe('Notificações')
  })

  test('a line that only can be read is read, and leaves the focus in the panel', async () => {
    list = () => page([notification(9, { companyId: 'gone' })], 1)
    show()
    await open('Notificações, 1 nova')
    const line = panel().getByRole('button', { name: /^Não lida: Pagamento aprovado/ })
    line.focus()
    fireEvent.click(line)
    await waitFor(() => expect(panel().queryByText('Não lida:')).toBeNull())
    expect(sent.map(({ body }) => body)).toEqual([{ ids: [notificationId(9)] }])
    expect(document.activeElement?.textContent).toBe('Notificações')
  })

  test('keeps counting what came while the answer to a mark was under way', async () => {
    list = () => page([notification(9)], 1)
    show()
    await open('Notificações, 1 nova')
    list = () => page([notification(10), notification(9, { isRead: true })], 1)
    const arrived = notification(10)
    vi.stubGlobal('fetch', async (request: Request) => {
      if (request.method === 'POST') live('notification.created', arrived)
      return answer(request)
    })
    fireEvent.click(panel().getByRole('button', { name: 'Marcar todas como lidas' }))
    await waitFor(() => expect(sent).toHaveLength(1))
    await waitFor(() => expect(panel().getAllByText('Não lida:')).toHaveLength(1))
    await bell('Notificações, 1 nova')
  })

  test('reads a line that leads nowhere when it is pressed', async () => {
    list = () => page([notification(5, { topic: 'member.removed', companyId: 'c2', companyName: 'Ponto Sul' })], 1)
    show()
    await open('Notificações, 1 nova')
    fireEvent.click(panel().getByRole('button', { name: /Você não faz mais parte da empresa Ponto Sul/ }))
    await bell('Notificações')
    expect(sent[0]?.body).toEqual({ ids: [notificationId(5)] })
  })

  test('grows page by page', async () => {
    list = (before) =>
      before === null ? page([notification(7)], 0, true) : page([notification(6, { topic: 'plan.upgraded' })], 0)
    show()
    await open('Notificações')
    fireEvent.click(await panel().findByRole('button', { name: 'Carregar mais' }))
    await panel().findByText('Upgrade de plano')
    expect(panel().queryByRole('button', { name: 'Carregar mais' })).toBeNull()
  })

  test('says that there is nothing yet, and that it could not be read', async () => {
    list = () => page([], 0)
    show()
    await open('Notificações')
    await panel().findByText('Nenhuma notificação ainda')
    cleanup()
    queries.removeQueries({ queryKey: ['notifications'] })
    list = failed
    show()
    await open('Notificações')
    await panel().findByText('Erro ao carregar notificações')
    list = () => page([notification(1)], 1)
    fireEvent.click(panel().getByRole('button', { name: 'Tentar Novamente' }))
    await panel().findByText('Pagamento aprovado')
  })

  test('counts once what replaces a line that was not seen yet', async () => {
    list = () => page([], 0)
    show()
    await bell('Notificações')
    act(() => notifySuccess('Salvando', { id: 'save' }))
    act(() => notifySuccess('Salvo', { id: 'save' }))
    await open('Notificações, 1 nova')
    await bell('Notificações')
    act(() => notifySuccess('Salvo de novo', { id: 'save' }))
    await bell('Notificações, 1 nova')
  })

  test('keeps what this tab has said below what lasts', async () => {
    list = () => page([], 0)
    show()
    await bell('Notificações')
    act(() => notifySuccess('Empresa criada com sucesso!'))
    await open('Notificações, 1 nova')
    expect(panel().getByRole('region', { name: 'Avisos desta aba' }).textContent).toContain('Empresa criada')
    await bell('Notificações')
  })
})

// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { QueryClient } from '@tanstack/react-query'
import { askingCache, renderWith } from '../../../test/render'
import { preferencesKey, type NotificationPreference } from '../../api/notifications'
import { NotificationPreferences } from './notification-preferences'

const preference = (kind: NotificationPreference['kind'], emailIsOptional: boolean): NotificationPreference => ({
  kind,
  screen: true,
  email: true,
  emailIsOptional,
})

let preferences: NotificationPreference[]
/** The next change; `refuse` lets its answer out. */
let isRefused: boolean
let refuse: () => void
let refusal: Promise<void>
let saved: unknown[]
/** Holds the answers to reads back. */
let reading: Promise<void> | undefined
let queries: QueryClient

async function answer(request: Request): Promise<Response> {
  if (request.method === 'PUT') {
    const body = (await request.json()) as { preferences: NotificationPreference[] }
    saved.push(body)
    if (isRefused) {
      isRefused = false
      await refusal
      return Response.json(
        { success: false, error: { code: 'FORBIDDEN', message: '', requestId: 'r1' } },
        { status: 403 },
      )
    }
    preferences = preferences.map((row) => ({ ...row, ...body.preferences.find(({ kind }) => kind === row.kind) }))
  }
  const data = { preferences }
  if (request.method === 'GET') await reading
  return Response.json({ success: true, data })
}

beforeEach(() => {
  isRefused = false
  refusal = new Promise((resolve) => (refuse = resolve))
  saved = []
  reading = undefined
  preferences = [preference('payment_approved', false), preference('payment_refused', true)]
  vi.stubGlobal('fetch', answer)
  queries = askingCache()
  renderWith(queries, <NotificationPreferences />)
})

const tick = (name: string) => screen.findByRole<HTMLInputElement>('checkbox', { name })

test('a switch is saved as it is pressed, and a receipt cannot be switched off', async () => {
  const mail = await tick('Pagamentos com problema: por email')
  fireEvent.click(mail)
  await waitFor(() => expect(mail.checked).toBe(false))
  await waitFor(() =>
    expect(saved).toEqual([{ preferences: [{ kind: 'payment_refused', screen: true, email: false }] }]),
  )
  expect(screen.queryByRole('checkbox', { name: 'Pagamentos aprovados: por email' })).toBeNull()
  expect(screen.getByText('Sempre')).toBeTruthy()
})

test('a choice that could not be saved is taken back and says so', async () => {
  isRefused = true
  const bell = await tick('Pagamentos aprovados: no sino')
  fireEvent.click(bell)
  refuse()
  await screen.findByText('Erro ao salvar a preferência')
  expect(bell.checked).toBe(true)
})

test('a choice upon one that was refused shows what is saved in the end', async () => {
  isRefused = true
  const [bell, mail] = [
    await tick('Pagamentos com problema: no sino'),
    await tick('Pagamentos com problema: por email'),
  ]
  fireEvent.click(bell)
  await waitFor(() => expect(bell.checked).toBe(false))
  fireEvent.click(mail)
  await waitFor(() => expect(mail.checked).toBe(false))
  refuse()
  await waitFor(() => expect(saved).toHaveLength(2))
  await waitFor(() => expect([bell.checked, mail.checked]).toEqual([false, false]))
  expect(preferences[1]).toMatchObject({ screen: false, email: false })
})

test('a choice that was saved while the preferences were being read stays', async () => {
  const mail = await tick('Pagamentos com problema: por email')
  let arrive = (): void => undefined
  reading = new Promise((resolve) => (arrive = resolve))
  void queries.refetchQueries({ queryKey: preferencesKey })
  await waitFor(() => expect(queries.isFetching()).toBe(1))
  fireEvent.click(mail)
  await waitFor(() => expect(saved).toHaveLength(1))
  await waitFor(() => expect(queries.isMutating()).toBe(0))
  arrive()
  await waitFor(() => expect(queries.isFetching()).toBe(0))
  expect(mail.checked).toBe(false)
})

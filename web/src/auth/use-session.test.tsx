// @vitest-environment happy-dom
import { act, cleanup, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { answerOf } from '../../test/answer'
import { askingCache, renderWith } from '../../test/render'
import { endOtherSessions, meKey } from '../api/auth'
import { api } from '../api/client'
import { useIsStepUpAsked } from './step-up'
import { session, SessionUpkeep } from './use-session'

const bia = { id: 'u1', userName: 'Bia', userEmail: 'bia@exemplo.com.br', userRole: 'user' as const }
const maria = { id: 'u2', userName: 'Maria', userEmail: 'maria@exemplo.com.br', userRole: 'user' as const }
const tokens = { accessToken: 'access', refreshToken: 'refresh', expiresIn: 900 }

afterEach(() => {
  cleanup()
  session.expire()
  localStorage.clear()
})

test('who signs in over the session of somebody else sees nothing of that person', async () => {
  const get = vi
    .spyOn(api, 'GET')
    .mockResolvedValueOnce(answerOf({ user: bia }))
    .mockReturnValue(new Promise(() => undefined) as never)
  const queries = askingCache()
  renderWith(queries, <SessionUpkeep />)
  act(() => session.signIn(bia, tokens))
  await waitFor(() => expect(queries.getQueryData(meKey)).toEqual(bia))

  act(() => session.signIn(maria, tokens))
  expect(queries.getQueryData(meKey)).toBeUndefined()
  await waitFor(() => expect(get).toHaveBeenCalledTimes(2))
})

test('who signs in next sees nothing of an answer that came after the end of the session before', async () => {
  const get = vi.spyOn(api, 'GET').mockReturnValue(new Promise(() => undefined) as never)
  const queries = askingCache()
  renderWith(queries, <SessionUpkeep />)
  act(() => session.signIn(bia, tokens))
  act(() => session.expire())
  queries.setQueryData(meKey, bia)
  act(() => session.signIn(maria, tokens))
  expect(queries.getQueryData(meKey)).toBeUndefined()
  await waitFor(() => expect(get).toHaveBeenCalledTimes(2))
})

test('the question for the second factor goes with the session', async () => {
  const refusal = { success: false, error: { code: 'STEP_UP_REQUIRED', message: '' } }
  vi.spyOn(api, 'GET').mockReturnValue(new Promise(() => undefined) as never)
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json(refusal, { status: 403 }))
  const Asked = () => (useIsStepUpAsked() ? 'Confirme que é você' : 'Nada')
  const view = renderWith(
    askingCache(),
    <>
      <SessionUpkeep />
      <Asked />
    </>,
  )
  act(() => session.signIn(bia, tokens))
  const refused = expect(endOtherSessions()).rejects.toMatchObject({ code: 'STEP_UP_REQUIRED' })
  await view.findByText('Confirme que é você')
  act(() => session.expire())
  await refused
  view.getByText('Nada')
})

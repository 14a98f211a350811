// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { askingCache, renderWith } from '../../../test/render'
import { sessionsKey } from '../../api/auth'
import { api } from '../../api/client'
import { ApiError } from '../../api/errors'
import { Sessions } from './sessions'

const at = new Date().toISOString()
const session = { id: 's1', device: 'Firefox', createdAt: at, lastUsedAt: at, current: false }

function endOne(status: number, code: 'NOT_FOUND' | 'SERVICE_UNAVAILABLE') {
  vi.spyOn(api, 'GET').mockReturnValue(new Promise<never>(() => undefined))
  vi.spyOn(api, 'DELETE').mockRejectedValue(new ApiError(code, { status }))
  const queries = askingCache()
  queries.setQueryData(sessionsKey, [session])
  renderWith(queries, <Sessions />)
  fireEvent.click(screen.getByRole('button', { name: /^Encerrar Firefox/ }))
}

test('a session that has ended meanwhile goes like one that was ended here', async () => {
  endOne(404, 'NOT_FOUND')
  await waitFor(() => expect(screen.queryByText('Firefox')).toBeNull())
})

test('a session that could not be ended stays, and says so', async () => {
  endOne(503, 'SERVICE_UNAVAILABLE')
  await screen.findByText('Erro ao encerrar sessão')
  screen.getByText('Firefox')
})

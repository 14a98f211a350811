// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { answerOf } from '../../../../test/answer'
import { askingCache, renderWith } from '../../../../test/render'
import { api } from '../../../api/client'
import { ActivityList } from './activity-list'

const all = Array.from({ length: 12 }, (_, index) => ({
  id: `a${index}`,
  type: 'user',
  status: 'success',
  message: `Pessoa ${index}`,
  timestamp: '2026-11-21T12:00:00Z',
}))

test('the focus stays on "Ver mais" while more comes, and goes to the heading with the last', async () => {
  let answer = () => {}
  vi.spyOn(api, 'GET').mockImplementation(((_: string, { params }: { params: { query: { limit: number } } }) => {
    const data = { activities: all.slice(0, params.query.limit) }
    const result = answerOf(data)
    if (params.query.limit === 10) return Promise.resolve(result)
    return new Promise((resolve) => (answer = () => resolve(result)))
  }) as never)
  renderWith(askingCache(), <ActivityList />)
  const more = await screen.findByRole('button', { name: 'Ver mais' })
  more.focus()
  fireEvent.click(more)
  await screen.findByText('Carregando...')
  expect(document.activeElement).toBe(more)
  answer()
  await screen.findByText('Pessoa 11')
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Atividade recente'))
})

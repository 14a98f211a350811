// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { useQuery } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { askingCache, renderWith } from '../../../test/render'
import { api } from '../../api/client'
import { ApiError } from '../../api/errors'
import { paymentQuery } from '../../api/payments'
import { announce } from '../../ui/announcer'
import { UnreadPayment } from './unread-payment'

vi.mock('../../ui/announcer', { spy: true })

function Shown() {
  return <UnreadPayment query={useQuery(paymentQuery('c1', 'pay1'))} lines={3} />
}

const told = () => vi.mocked(announce).mock.calls.map(([said]) => said)

test('that a payment could not be read is heard, also after another try', async () => {
  vi.spyOn(api, 'GET').mockRejectedValue(new ApiError('INTERNAL_ERROR', { status: 500 }))
  renderWith(askingCache(), <Shown />)
  await waitFor(() => expect(told()).toEqual(['Erro ao carregar pagamento']))
  fireEvent.click(await screen.findByRole('button', { name: 'Tentar Novamente' }))
  await waitFor(() => expect(told()).toEqual(['Erro ao carregar pagamento', 'Erro ao carregar pagamento']))
})

test('that there is no such payment is heard', async () => {
  vi.spyOn(api, 'GET').mockRejectedValue(new ApiError('NOT_FOUND', { status: 404 }))
  renderWith(askingCache(), <Shown />)
  await waitFor(() => expect(told()).toEqual(['Pagamento não encontrado']))
})

test('of a payment that the person may not see no failure is heard', async () => {
  vi.spyOn(api, 'GET').mockRejectedValue(new ApiError('FORBIDDEN', { status: 403 }))
  renderWith(askingCache(), <Shown />)
  await screen.findByText('Você não tem permissão para esta ação')
  expect(told()).toEqual([])
})

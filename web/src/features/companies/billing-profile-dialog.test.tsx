// @vitest-environment happy-dom
import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { useQuery } from '@tanstack/react-query'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { expect, test, vi } from 'vitest'
import { answerOf } from '../../../test/answer'
import { askingCache, renderWith } from '../../../test/render'
import { billingProfileQuery, type BillingProfile } from '../../api/billing-profile'
import { api } from '../../api/client'
import { ApiError } from '../../api/errors'
import { announce } from '../../ui/announcer'
import { BillingProfileDialog } from './billing-profile-dialog'

vi.mock('../../ui/announcer', { spy: true })

const address = { postalCode: '01310100', street: 'Avenida Paulista', district: 'Bela Vista', city: 'São Paulo' }
const town = { postalCode: '13690000', city: 'Descalvado', state: 'SP' }
const stored: BillingProfile = {
  version: 3,
  taxId: '12ABC34501DE35',
  taxIdKind: 'cnpj',
  legalName: 'Entregas Norte Ltda',
  address: { ...address, number: '1000', state: 'SP' },
  billingEmails: ['nf@exemplo.com.br', 'contas@exemplo.com.br'],
  updatedAt: '2026-11-21T12:00:00Z',
}
const labels = [/^Logradouro/, /^Bairro/, /^Cidade/]
const values = () => labels.map((label) => screen.getByLabelText<HTMLInputElement>(label).value)
const type = (label: RegExp, value: string) =>
  act(async () => fireEvent.change(screen.getByLabelText(label), { target: { value } }))

function show(profile: BillingProfile | null) {
  const dialog = <BillingProfileDialog companyId="c1" profile={profile} onClose={() => undefined} />
  renderWith(askingCache(), <RouterProvider router={createMemoryRouter([{ path: '*', element: dialog }])} />)
}

test('a CEP without a street leaves nothing of the CEP before but what was typed', async () => {
  const answer = (found: object) => answerOf({ address: found })
  vi.spyOn(api, 'GET')
    .mockResolvedValueOnce(answer({ ...address, state: 'SP' }))
    .mockResolvedValue(answer(town))
  show(null)
  await type(/^CEP/, '01310-100')
  expect(values()).toEqual(['Avenida Paulista', 'Bela Vista', 'São Paulo'])
  await type(/^Bairro/, 'Centro')
  await type(/^CEP/, '13690-000')
  expect(values()).toEqual(['', 'Centro', 'Descalvado'])
  expect(screen.queryByText('Este campo é obrigatório')).toBeNull()
})

test('many wrong fields are listed, each with the way to it, until few are left', async () => {
  const broughtIntoSight = vi.spyOn(Element.prototype, 'scrollIntoView')
  show(null)
  fireEvent.click(screen.getByRole('button', { name: 'Salvar' }))
  await screen.findByText('Confira 8 campos')
  await waitFor(() => expect(broughtIntoSight).toHaveBeenCalledOnce())
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText(/^CPF ou CNPJ/)))
  fireEvent.click(screen.getByRole('button', { name: 'Bairro' }))
  expect(document.activeElement).toBe(screen.getByLabelText(/^Bairro/))
  await type(/^Bairro/, 'Centro')
  await screen.findByText('Confira 7 campos')
  expect(screen.queryByRole('button', { name: 'Bairro' })).toBeNull()
  for (const label of [/^Razão social/, /^Logradouro/, /^Número/, /^Cidade/]) await type(label, 'Recife')
  await waitFor(() => expect(screen.queryByText(/^Confira \d/)).toBeNull())
})

test('one refused address of several is told at their field', async () => {
  const fields = { 'billingEmails[1]': 'EMAIL_INVALID' }
  vi.spyOn(api, 'PUT').mockRejectedValue(new ApiError('VALIDATION_ERROR', { status: 400, fields }))
  show(stored)
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Salvar' })))
  await screen.findByText('Email inválido')
  expect(screen.getByLabelText(/^Emails de cobrança/).getAttribute('aria-invalid')).toBe('true')
})

/** As the page shows it: the profile follows the server. */
function Followed() {
  const { data = null } = useQuery({ ...billingProfileQuery('c1'), enabled: false })
  return <BillingProfileDialog companyId="c1" profile={data} onClose={() => undefined} />
}

test('that somebody else has saved meanwhile is announced, wherever in the form the person is', async () => {
  const queries = askingCache()
  const { queryKey } = billingProfileQuery('c1')
  queries.setQueryData(queryKey, stored)
  renderWith(queries, <RouterProvider router={createMemoryRouter([{ path: '*', element: <Followed /> }])} />)
  await screen.findByRole('dialog')
  expect(announce).not.toHaveBeenCalled()
  const saved: BillingProfile = { ...stored, version: 4 }
  queries.setQueryData(queryKey, saved)
  await screen.findByText('Outra pessoa salvou estes dados')
  const said = 'Outra pessoa salvou estes dados. Para salvar, comece pelos dados novos.'
  await waitFor(() => expect(vi.mocked(announce).mock.calls).toEqual([[said]]))
})

// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { askingCache, renderWith } from '../../../test/render'
import { api } from '../../api/client'
import { BillingProfileDialog } from './billing-profile-dialog'

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

const address = { postalCode: '01310100', street: 'Avenida Paulista', district: 'Bela Vista', city: 'São Paulo' }
const town = { postalCode: '13690000', city: 'Descalvado', state: 'SP' }
const labels = [/^Logradouro/, /^Bairro/, /^Cidade/]
const values = () => labels.map((label) => screen.getByLabelText<HTMLInputElement>(label).value)
const type = (label: RegExp, value: string) =>
  act(async () => fireEvent.change(screen.getByLabelText(label), { target: { value } }))

test('a CEP without a street leaves nothing of the CEP before but what was typed', async () => {
  const answer = (found: object) => ({ data: { success: true, data: { address: found } }, response: new Response() })
  vi.spyOn(api, 'GET')
    .mockResolvedValueOnce(answer({ ...address, state: 'SP' }) as never)
    .mockResolvedValue(answer(town) as never)
  const dialog = <BillingProfileDialog companyId="c1" profile={null} onClose={() => undefined} />
  renderWith(askingCache(), <RouterProvider router={createMemoryRouter([{ path: '*', element: dialog }])} />)
  await type(/^CEP/, '01310-100')
  expect(values()).toEqual(['Avenida Paulista', 'Bela Vista', 'São Paulo'])
  await type(/^Bairro/, 'Centro')
  await type(/^CEP/, '13690-000')
  expect(values()).toEqual(['', 'Centro', 'Descalvado'])
  expect(screen.queryByText('Este campo é obrigatório')).toBeNull()
})

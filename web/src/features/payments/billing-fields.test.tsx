// @vitest-environment happy-dom
import { act, fireEvent, render, renderHook, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { answerOf } from '../../../test/answer'
import { api } from '../../api/client'
import { faultSentence } from '../../lib/faults'
import { BillingFields, useBilling } from './billing-fields'

const known = { document: '11144477735', profile: null }
const found = {
  postalCode: '01310100',
  street: 'Avenida Paulista',
  district: 'Bela Vista',
  city: 'São Paulo',
  state: 'SP',
}

function Form() {
  return <BillingFields billing={useBilling(['taxId', 'address'], known)} disabled={false} />
}

test('what was filled in for the payer and is wrong says so at its field, and is not called missing', () => {
  const begun = { ...known, document: '11111111112' }
  const { result } = renderHook(() => useBilling(['taxId', 'address'], begun))
  expect(result.current.errorOf('taxId')).toBe('CPF inválido. Confira os números.')
  expect(result.current.errorOf('postalCode')).toBeUndefined()
  act(() => result.current.set('postalCode', '01310-10'))
  expect(result.current.errorOf('postalCode')).toBeUndefined()
  expect(faultSentence(result.current.faults)).toBe('Falta preencher: Endereço, Cidade, UF. Confira: CPF ou CNPJ, CEP')
})

test('a field that must be filled in says so before it is left empty', () => {
  render(<Form />)
  for (const label of ['CPF ou CNPJ', 'CEP', 'Endereço', 'Cidade', 'UF'])
    expect(screen.getByLabelText(label).getAttribute('aria-required'), label).toBe('true')
})

test('the marks of a copied address are no part of it', () => {
  const { result } = renderHook(() => useBilling(['taxId', 'address'], known))
  act(() => {
    result.current.set('postalCode', '01310-100')
    result.current.set('line1', '\u2068Avenida Paulista, 100\u2069')
    result.current.set('city', '\u200eSantos')
    result.current.set('state', 'SP')
  })
  const address = { postalCode: '01310100', line1: 'Avenida Paulista, 100', city: 'Santos', state: 'SP' }
  expect(result.current.value?.address).toEqual(address)
})

const labels = ['Endereço', 'Cidade', 'UF'] as const
const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })
const values = () => labels.map((label) => screen.getByLabelText<HTMLInputElement>(label).value)

/** Types a CEP, then this, and answers the look-up. */
async function lookUp(typedMeanwhile: readonly [label: string, value: string][]) {
  let answer = () => {}
  vi.spyOn(api, 'GET').mockReturnValue(
    new Promise((resolve) => {
      answer = () => resolve(answerOf({ address: found }))
    }) as never,
  )
  render(<Form />)
  type('Cidade', 'Santos')
  type('CEP', '01310-100')
  for (const [label, value] of typedMeanwhile) type(label, value)
  await act(async () => answer())
}

test('a CEP fills its address in, also where another one stood', async () => {
  await lookUp([])
  expect(values()).toEqual(['Avenida Paulista, ', 'São Paulo', 'SP'])
})

test('a CEP leads to where the number is typed, which was said before', async () => {
  vi.spyOn(api, 'GET').mockResolvedValue(answerOf({ address: found }))
  render(<Form />)
  const cep = screen.getByLabelText('CEP')
  const hint = document.getElementById(cep.getAttribute('aria-describedby') ?? '')
  expect(hint?.textContent).toBe('Preenche o endereço e leva ao número.')
  act(() => cep.focus())
  await act(async () => type('CEP', '01310-100'))
  expect(document.activeElement).toBe(screen.getByLabelText('Endereço'))
})

test('what is typed while the address is looked up stays', async () => {
  await lookUp([
    ['Endereço', 'Av. Paulista, 1000'],
    ['Cidade', 'Sampa'],
  ])
  expect(values()).toEqual(['Av. Paulista, 1000', 'Sampa', 'SP'])
})

test('a CEP without a street leaves none of the CEP before', async () => {
  const town = { postalCode: '13690000', city: 'Descalvado', state: 'SP' }
  const answer = (address: object) => answerOf({ address })
  vi.spyOn(api, 'GET').mockResolvedValueOnce(answer(found)).mockResolvedValue(answer(town))
  render(<Form />)
  await act(async () => type('CEP', '01310-100'))
  expect(values()).toEqual(['Avenida Paulista, ', 'São Paulo', 'SP'])
  await act(async () => type('CEP', '13690-000'))
  expect(values()).toEqual(['', 'Descalvado', 'SP'])

  type('Endereço', 'Rua do Porto, 9')
  await act(async () => type('CEP', '13690-001'))
  expect(values()).toEqual(['Rua do Porto, 9', 'Descalvado', 'SP'])
})

// @vitest-environment happy-dom
import { act, fireEvent, screen, within } from '@testing-library/react'
import { createBrowserRouter, RouterProvider } from 'react-router'
import { expect, test, vi } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { renderAt, renderWith } from '../../../test/render'
import type { Company } from '../../api/companies'
import { balanceQuery } from '../../api/statement'
import { DeleteCompany } from './delete-company'

let answer: Promise<void>
vi.mock('../../auth/company', () => ({ useCompany: () => ({ giveUp: () => answer }) }))

function cacheWithBalance(balance: number) {
  const queries = emptyCache()
  queries.setQueryData(balanceQuery('c1', {}).queryKey, { pages: [{ balance, entries: [] }], pageParams: [''] })
  return queries
}

/** The dialog that asks whether to delete a company with that much credit, in centavos. */
function asked(companyName: string, balance = 0) {
  renderAt(
    '/company/manage',
    <DeleteCompany company={{ id: 'c1', companyName } as Company} />,
    cacheWithBalance(balance),
  )
  fireEvent.click(screen.getByRole('button', { name: 'Excluir empresa' }))
  return within(screen.getByRole('alertdialog'))
}

/** The button that deletes, after somebody typed `typed` to confirm `companyName`. */
function actAfter(companyName: string, typed: string): HTMLButtonElement {
  const dialog = asked(companyName)
  fireEvent.change(dialog.getByLabelText(/^Digite o nome/), { target: { value: typed } })
  return dialog.getByRole('button', { name: 'Excluir empresa' })
}

test.each([
  ['Ponto\u00a0 Norte', 'Ponto Norte'],
  ['Ponto  Norte', ' Ponto Norte '],
  ['Sa\u0303o Joa\u0303o', 'São João'],
  ['Ponto\u200b Norte', 'Ponto Norte'],
])('the name %j is confirmed by typing what is seen of it', (companyName, typed) => {
  expect(actAfter(companyName, typed).disabled).toBe(false)
})

test('another name confirms nothing', () => {
  expect(actAfter('Ponto Norte', 'Ponto norte').disabled).toBe(true)
})

test('the credit that goes with the company is named, and who gives it back', () => {
  const dialog = asked('Ponto Norte', 41_000)
  dialog.getByText(/A empresa tem R\$\s410,00 de crédito/)
  expect(dialog.getByRole('link', { name: 'Fale com o suporte' }).getAttribute('href')).toBe('/#ajuda')
})

test.each([0, -30])('a balance of %i centavos is no credit to lose', (balance) => {
  expect(asked('Ponto Norte', balance).queryByText(/de crédito/)).toBeNull()
})

test.each([
  ['/company/manage', 'Chegou'],
  ['/account', 'Minha Conta'],
])('who is on %s when the company is deleted reads there: %s', async (page, read) => {
  let arrive = (): void => undefined
  answer = new Promise((resolve) => (arrive = resolve))
  history.replaceState(null, '', '/company/manage')
  const company = { id: 'c1', companyName: 'Ponto Norte' } as Company
  const router = createBrowserRouter([
    { path: '/company/manage', element: <DeleteCompany company={company} /> },
    { path: '/account', element: <p>Minha Conta</p> },
    { path: '/dashboard', element: <p>Chegou</p> },
  ])
  renderWith(cacheWithBalance(0), <RouterProvider router={router} />)
  fireEvent.click(screen.getByRole('button', { name: 'Excluir empresa' }))
  const dialog = within(screen.getByRole('alertdialog'))
  fireEvent.change(dialog.getByLabelText(/^Digite o nome/), { target: { value: 'Ponto Norte' } })
  fireEvent.click(dialog.getByRole('button', { name: 'Excluir empresa' }))
  await screen.findByText('Excluindo...')
  await act(() => router.navigate(page))
  await act(async () => arrive())
  expect(await screen.findByText(read)).toBeTruthy()
})

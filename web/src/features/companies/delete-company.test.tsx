// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { renderAt } from '../../../test/render'
import type { Company } from '../../api/companies'
import { DeleteCompany } from './delete-company'

vi.mock('../../auth/company', () => ({ useCompany: () => ({ giveUp: () => undefined }) }))

afterEach(cleanup)

/** The button that deletes, after somebody typed `typed` to confirm `companyName`. */
function actAfter(companyName: string, typed: string): HTMLButtonElement {
  renderAt('/company/manage', <DeleteCompany company={{ id: 'c1', companyName } as Company} />)
  fireEvent.click(screen.getByRole('button', { name: 'Excluir empresa' }))
  const dialog = within(screen.getByRole('alertdialog'))
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

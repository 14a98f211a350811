// A purchase without a pointer: every step is reached by Tab, arrows, Space and Enter alone.
import { newCompanyOwnerAt } from './arrival'
import { expect, test } from './journey'
import { tabTo } from './keyboard'
import { expectActive, resultDialog } from './payment'
import { newPerson } from './person'

test('a company subscribes with the keyboard alone', async ({ page }) => {
  await newCompanyOwnerAt(page, newPerson(), 'Ponto do Teclado', '/plans')
  await tabTo(page, page.getByRole('button', { name: 'Assinar: Essencial' }))
  await page.keyboard.press('Enter')

  const preview = page.getByRole('dialog', { name: 'Preview da Mudança' })
  await tabTo(page, preview.getByRole('button', { name: 'Confirmar Mudança' }))
  await page.keyboard.press('Enter')

  const checkout = page.getByRole('dialog', { name: 'Assinar Essencial' })
  await tabTo(page, checkout.getByRole('radio', { name: /Cartão de Crédito/ }))
  await page.keyboard.press('ArrowDown')
  await expect(checkout.getByRole('radio', { name: /PIX/ })).toBeChecked()
  // Whoever chooses by Enter has not paid yet.
  const pay = checkout.getByRole('button', { name: /^Pagar/ })
  await page.keyboard.press('Enter')
  await expect(pay).toBeEnabled()
  await expect(pay).not.toHaveAttribute('aria-busy', 'true')
  await tabTo(page, pay)
  await page.keyboard.press('Space')

  const pending = await resultDialog(page, 'Pagamento Pendente')
  await expect(pending.getByRole('heading', { name: 'Pagamento Pendente' })).toBeFocused()
  await tabTo(page, pending.getByRole('button', { name: 'Aprovar' }))
  await page.keyboard.press('Enter')

  const approved = await resultDialog(page, 'Pagamento Aprovado!')
  await tabTo(page, approved.getByRole('button', { name: 'Continuar' }))
  await page.keyboard.press('Enter')
  await expectActive(page, 'Essencial')
  // The button that began it has nothing to do any more.
  await expect(page.getByRole('heading', { name: 'Planos', exact: true })).toBeFocused()
})

// The command palette, by keyboard alone, and what is typed before it has arrived.
import { newCompanyOwnerAt, newCompanyOwner } from './arrival'
import { expect, test } from './journey'
import { waitUntilLive } from './people'
import { newPerson } from './person'
import { addCompany } from './setup'
import { expectCompany } from './sizes'

test('the command palette leads anywhere and does what the person may do, by keyboard alone', async ({ page }) => {
  await newCompanyOwner(page, newPerson(), 'Expedição Norte')
  await addCompany(page, 'Ponto Central')
  await page.goto('/dashboard')
  await expectCompany(page, 'Expedição Norte')
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'O que você quer fazer?' })
  await expect(palette.getByRole('textbox')).toBeFocused()
  await page.keyboard.type('pagamen')
  await page.keyboard.press('Enter')
  await page.waitForURL('/payments')
  await expect(palette).toBeHidden()

  await page.keyboard.press('Control+k')
  await page.keyboard.type('trocar ponto')
  await expect(palette.getByRole('button', { name: 'Ponto Central' })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: /Empresa atual: Ponto Central/ })).toBeVisible()

  await page.keyboard.press('Control+k')
  await page.keyboard.type('nada disso')
  await expect(palette.getByText('Nada encontrado')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(palette).toBeHidden()

  await page.keyboard.press('Control+k')
  await page.keyboard.type('convidar')
  await expect(palette.getByRole('button', { name: 'Convidar Usuário' })).toBeVisible()
  await page.keyboard.press('Enter')
  const invitation = page.getByRole('dialog', { name: 'Adicionar Usuário' })
  await expect(invitation).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(invitation).toBeHidden()
  await waitUntilLive(page)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('pausar')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Conexão: Pausado' })).toBeVisible()

  await page.getByRole('button', { name: 'Buscar (Ctrl+K)' }).click()
  await page.keyboard.type('tema escuro')
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
})

test('what is typed before the command palette has arrived is in its field', async ({ page }) => {
  let arrive = () => {}
  const arrival = new Promise<void>((resolve) => (arrive = resolve))
  await page.route('**/assets/*-command-palette.js', async (route) => {
    await arrival
    await route.continue()
  })
  await newCompanyOwnerAt(page, newPerson(), 'Ponto Central')
  await page.getByRole('button', { name: 'Buscar (Ctrl+K)' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('pagamenx')
  await page.keyboard.press('Backspace')
  arrive()
  const field = page.getByRole('dialog', { name: 'O que você quer fazer?' }).getByRole('textbox')
  await expect(field).toBeFocused()
  await expect(field).toHaveValue('pagamen')
  await page.keyboard.type('tos')
  await expect(field).toHaveValue('pagamentos')
  await page.keyboard.press('Enter')
  await page.waitForURL('/payments')

  await page.keyboard.press('Control+k')
  await expect(field).toBeFocused()
  await expect(field).toHaveValue('')
})

// The page of the plans: which cycle it opens on, what it offers, and where on it a load begins.
import { newCompanyOwnerAt } from './arrival'
import { expect, test } from './journey'
import { newPerson } from './person'
import { subscribe } from './setup'

test('the plans open at their top and on the own cycle, and the filled button offers nobody less', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 500 })
  await newCompanyOwnerAt(page, newPerson(), 'Ponto Anual', '/plans')
  const popular = page.getByRole('button', { name: /: Profissional$/ })
  const isFilled = () => popular.evaluate((button) => button.className.includes('bg-primary'))
  await expect(popular).toHaveText('Assinar')
  expect(await isFilled()).toBe(true)

  // A full load begins at the top, also where another page was scrolled.
  const top = () => page.evaluate(() => Math.round(window.scrollY))
  const scroll = async () => {
    await page.mouse.wheel(0, 600)
    await expect.poll(top).toBeGreaterThan(200)
  }
  const ready = () => page.getByRole('heading', { name: 'Planos', exact: true }).waitFor()
  await scroll()
  await page.goto('/dashboard')
  await page.getByRole('heading', { name: 'Ações rápidas' }).waitFor()
  expect(await top()).toBe(0)

  await subscribe(page, 'Negócio', 'yearly')
  await page.goto('/plans')
  await ready()
  expect(await top()).toBe(0)
  await expect(page.getByRole('radio', { name: /Anual/ })).toBeChecked()
  await expect(popular).toHaveText('Fazer Downgrade')
  expect(await isFilled()).toBe(false)
  await scroll()
  await page.reload()
  await ready()
  expect(await top()).toBe(0)
  await page.goto('/plans?cycle=monthly')
  await expect(page.getByRole('radio', { name: /Mensal/ })).toBeChecked()
})

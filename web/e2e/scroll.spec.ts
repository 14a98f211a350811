// Where a page begins: at its top after every load, whatever was scrolled before.
import { newCompanyOwnerAt } from './arrival'
import { expect, test } from './journey'
import { newPerson } from './person'

test('a full load begins at the top, also where another page was scrolled', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 500 })
  await newCompanyOwnerAt(page, newPerson(), 'Ponto do Topo', '/plans')
  const top = () => page.evaluate(() => Math.round(window.scrollY))
  const ready = () => page.getByRole('heading', { name: 'Planos', exact: true }).waitFor()
  await ready()
  await page.mouse.wheel(0, 600)
  await expect.poll(top).toBeGreaterThan(200)
  await page.goto('/dashboard')
  await page.getByRole('heading', { name: 'Ações rápidas' }).waitFor()
  expect(await top()).toBe(0)
  await page.goto('/plans')
  await ready()
  expect(await top()).toBe(0)
  await page.mouse.wheel(0, 600)
  await expect.poll(top).toBeGreaterThan(200)
  await page.reload()
  await ready()
  expect(await top()).toBe(0)
})

// What the dashboard offers first: the steps of a new company's creator, and the panel to who runs the platform.
import { enterAdmin } from './admin'
import { newCompanyOwnerAt } from './arrival'
import { expect, test } from './journey'
import { newPerson } from './person'
import { addMember, subscribe } from './setup'
import { waitUntilLive } from './people'

test('the first steps tick themselves, and stay away once they were put away', async ({ page }) => {
  await newCompanyOwnerAt(page, newPerson(), 'Ponto Novo')
  await waitUntilLive(page)
  const steps = page
    .getByRole('main')
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: 'Primeiros passos' }) })
  await expect(steps.getByText('1 de 3 concluídos')).toBeVisible()
  await addMember(page, newPerson().email, 'operator')
  await expect(steps.getByText('2 de 3 concluídos')).toBeVisible()
  await subscribe(page, 'Essencial')
  await expect(steps.getByText('Tudo pronto: bom trabalho!')).toBeVisible()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Ações rápidas' })).toBeVisible()
  await expect(steps).toHaveCount(0)
})

test('the first steps can be put away', async ({ page }) => {
  await newCompanyOwnerAt(page, newPerson(), 'Ponto Novo')
  await page.getByRole('button', { name: 'Dispensar primeiros passos' }).click()
  await expect(page.getByRole('heading', { name: 'Primeiros passos' })).toHaveCount(0)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Ações rápidas' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Primeiros passos' })).toHaveCount(0)
})

test('who runs the platform and has no company is led to the panel', async ({ page }) => {
  await enterAdmin(page, '/dashboard')
  await expect(page.getByText('Comece criando sua empresa')).toHaveCount(0)
  await page.getByRole('link', { name: 'Abrir o Painel Admin' }).click()
  await page.waitForURL('/admin/dashboard')
})

// What the dashboard offers first: the steps of a new company's creator.
import { newCompanyOwnerAt } from './arrival'
import { expect, test } from './journey'
import { newPerson } from './person'
import { addMember, subscribe } from './setup'
import { waitUntilLive } from './people'

test('the first steps tick themselves, and are gone once all of them are done', async ({ page }) => {
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

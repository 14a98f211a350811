// What the dashboard offers first, and the bell: the steps of a new company's creator tick themselves; what a person
// was told stays, and is read in every tab at once.
import { newCompanyOwnerAt } from './arrival'
import { expect, test } from './journey'
import { waitUntilLive } from './people'
import { newPerson } from './person'
import { addMember, subscribe } from './setup'

test('the first steps tick themselves; what was told stays after a reload, and reading it in one tab clears it in all', async ({
  page,
  context,
}) => {
  await newCompanyOwnerAt(page, newPerson(), 'Ponto do Sino')
  await waitUntilLive(page)
  const steps = page
    .getByRole('main')
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: 'Primeiros passos' }) })
  await expect(steps.getByText('1 de 3 concluídos')).toBeVisible()
  await addMember(page, newPerson().email, 'operator')
  await expect(steps.getByText('2 de 3 concluídos')).toBeVisible()
  await subscribe(page, 'Essencial')
  await expect(page.getByText('Pagamento aprovado').first()).toBeVisible()
  await expect(steps.getByText('Tudo pronto: bom trabalho!')).toBeVisible()
  await page.reload()
  await waitUntilLive(page)
  await expect(page.getByRole('heading', { name: 'Ações rápidas' })).toBeVisible()
  await expect(steps).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Notificações, 1 nova' })).toBeVisible()

  const other = await context.newPage()
  await other.goto('/account')
  await waitUntilLive(other)
  await other.getByRole('button', { name: 'Notificações, 1 nova' }).click()
  const panel = other.getByRole('dialog', { name: 'Notificações' })
  const line = panel.getByRole('link', { name: /R\$\s49,90 pelo plano Essencial da empresa Ponto do Sino/ })
  await expect(line).toBeVisible()
  await panel.getByRole('button', { name: 'Marcar todas como lidas' }).click()
  await expect(page.getByRole('button', { name: 'Notificações', exact: true })).toBeVisible()
  await line.click()
  await expect(other).toHaveURL(/\/invoices\/[0-9a-f-]{36}$/)
  await expect(panel).toBeHidden()

  await page.goto('/account')
  const mail = page.getByRole('checkbox', { name: 'Vencimentos: por email' })
  const saved = page.waitForResponse((response) => response.request().method() === 'PUT' && response.ok())
  await mail.click()
  await expect(mail).not.toBeChecked()
  await saved
  await page.reload()
  await expect(mail).not.toBeChecked()
})

// Finding a payment: by words, days and totals; by pressing its row; by a link that names one of another company.
import { newCompanyOwner } from './arrival'
import { expect, test } from './journey'
import { payments, resultDialog } from './payment'
import { newPerson } from './person'
import { addCompany, companyOf, subscribe } from './setup'
import { expectCompany, onAPhone } from './sizes'

test.describe.configure({ timeout: 90_000 })

onAPhone(() => {
  test('payments are searched, narrowed to days and summed; a press on the row opens one', async ({ page }) => {
    await newCompanyOwner(page, newPerson(), 'Ponto da Busca')
    await subscribe(page, 'Essencial')
    await page.goto('/payments')
    const totals = page.getByText('1 pagamento · R$ 49,90 aprovados')
    await expect(totals).toBeVisible()
    const search = page.getByRole('searchbox', { name: 'Buscar' })
    await search.fill('essêncial')
    await expect(page).toHaveURL(/search=/)
    await expect(totals).toBeVisible()
    await search.fill('49,91')
    await expect(page.getByText('Nenhum pagamento encontrado')).toBeVisible()
    await search.fill('49,90')
    await expect(totals).toBeVisible()
    await page.getByLabel('Até', { exact: true }).fill('2001-01-31')
    await expect(page.getByText('Nenhum pagamento encontrado')).toBeVisible()
    await page.reload()
    await expect(page.getByLabel('Até', { exact: true })).toHaveValue('2001-01-31')
    await page.getByRole('button', { name: 'Limpar filtros' }).click()
    await expect(page).toHaveURL(/\/payments$/)

    const row = page.getByRole('row').filter({ hasText: 'Essencial' })
    const height = async () => (await row.boundingBox())?.height
    expect(await height()).toBeLessThan(96)
    await row.click()
    await expect(page).toHaveURL(/\/payments\/[0-9a-f-]{36}$/)
    await resultDialog(page, 'Pagamento Aprovado!')
    await page.keyboard.press('Escape')
    await page.goBack()
    await expect(page).toHaveURL(/\/payments$/)
    await row.getByRole('link', { name: 'Detalhes: Essencial' }).focus()
    await page.keyboard.press('Enter')
    await resultDialog(page, 'Pagamento Aprovado!')
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 1440, height: 900 })
    await expect.poll(height).toBeLessThan(96)
  })
})

test('a link to a payment of another company leads to that company, and one to none says so', async ({ page }) => {
  await newCompanyOwner(page, newPerson(), 'Ponto do Link')
  await subscribe(page, 'Essencial')
  const owner = await companyOf(page)
  const [paid] = await payments(page)
  const other = await addCompany(page, 'Ponto Vizinho')
  await page.evaluate((id) => sessionStorage.setItem('bipe.companyId', id), other)
  await page.goto(`/payments/${paid?.id}`)
  await expect(page.getByText('Este pagamento é da empresa Ponto do Link')).toBeVisible()
  await resultDialog(page, 'Pagamento Aprovado!')
  expect(await companyOf(page)).toBe(owner)
  await page.keyboard.press('Escape')
  await expectCompany(page, 'Ponto do Link')
  await expect(page.getByText('1 pagamento · R$ 49,90 aprovados')).toBeVisible()
  await page.goto('/payments/01900000-0000-7000-8000-000000000000')
  await expect(page.getByRole('dialog').getByText('Pagamento não encontrado')).toBeVisible()
})

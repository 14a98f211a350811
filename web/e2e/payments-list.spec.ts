// The payments of a phone: the code of a PIX is copied on the phone that pays; its payment is found by words, days and
// totals, opened by pressing its row, and by a link that names one of another company.
import type { Page } from '@playwright/test'
import { newCompanyOwner } from './arrival'
import { expect, test } from './journey'
import { expectActive, payByPix, payments, resultDialog } from './payment'
import { newPerson } from './person'
import { addCompany, companyOf } from './setup'
import { expectCompany, onAPhone } from './sizes'

onAPhone(() => {
  test('a PIX is copied and paid on the phone; its payment is searched, summed, opened, and found by its link', async ({
    page,
  }) => {
    await newCompanyOwner(page, newPerson(), 'Ponto de Bolso')
    await payOnThePhone(page)
    await expectFound(page)
    await expectOpenedByItsRow(page)
    await expectFoundByItsLink(page)
  })
})

/** The code is what a phone needs, and its picture is put away. */
async function payOnThePhone(page: Page): Promise<void> {
  const pending = await payByPix(page, 'Essencial')
  await expect(pending.getByRole('button', { name: 'Copiar código PIX' })).toBeInViewport()
  await expect(pending.getByTitle('QR Code do PIX')).toBeHidden()
  await pending.getByText('Mostrar QR Code').click()
  await expect(
    pending
      .getByTitle('QR Code do PIX')
      .or(pending.getByRole('img', { name: 'QR Code do PIX' }))
      .first(),
  ).toBeVisible()
  await pending.getByRole('button', { name: 'Aprovar' }).click()
  await (await resultDialog(page, 'Pagamento Aprovado!')).getByRole('button', { name: 'Continuar' }).tap()
  await expectActive(page, 'Essencial')
}

async function expectFound(page: Page): Promise<void> {
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
}

async function expectOpenedByItsRow(page: Page): Promise<void> {
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
}

/** Of another company it leads to that company, and one to none says so. */
async function expectFoundByItsLink(page: Page): Promise<void> {
  const owner = await companyOf(page)
  const [paid] = await payments(page)
  // An answer without scripts: the app of this tab knows which company it has.
  await page.goto('/health')
  const other = await addCompany(page, 'Ponto Vizinho')
  await page.evaluate((id) => sessionStorage.setItem('bipe.companyId', id), other)
  await page.goto(`/payments/${paid?.id}`)
  await expect(page.getByText('Este pagamento é da empresa Ponto de Bolso')).toBeVisible()
  await resultDialog(page, 'Pagamento Aprovado!')
  expect(await companyOf(page)).toBe(owner)
  await page.keyboard.press('Escape')
  await expectCompany(page, 'Ponto de Bolso')
  await expect(page.getByText('1 pagamento · R$ 49,90 aprovados')).toBeVisible()
  await page.goto('/payments/01900000-0000-7000-8000-000000000000')
  await expect(page.getByRole('dialog').getByText('Pagamento não encontrado')).toBeVisible()
}

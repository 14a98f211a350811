// "Faturas": a payment's document, found in the list, read, mailed and printed. That it appears by itself, and for
// whom, is held by `statement.spec.ts`.
import { readFile } from 'node:fs/promises'
import { newCompanyOwnerAt } from './arrival'
import { expect, test } from './journey'
import { choosePlanHere, payPix, resultDialog } from './payment'
import { linkFor } from './people'
import { newPerson } from './person'
import { goTo } from './sizes'

test('a payment has a document that is found, read, printed alone and mailed', async ({ page }) => {
  const maria = newPerson()
  await newCompanyOwnerAt(page, maria, 'Ponto das Faturas')
  await goTo(page, 'Faturas')
  await expect(page.getByText('As faturas aparecem com o primeiro pagamento')).toBeVisible()

  await goTo(page, 'Planos')
  const pending = await payPix(page, await choosePlanHere(page, 'Essencial'))
  await pending.getByRole('button', { name: 'Aprovar' }).click()
  const paid = await resultDialog(page, 'Pagamento Aprovado!')
  await expect(paid.getByText('Ponto das Faturas')).toBeVisible()
  await expect(paid.getByText(maria.name)).toBeVisible()
  await expect(paid.getByText(/^\d\d\/\d\d\/\d{4} a \d\d\/\d\d\/\d{4}$/)).toBeVisible()
  await expect(paid.getByText(/^pi_/)).toBeHidden()
  await paid.getByRole('link', { name: /^Ver fatura \d{6}$/ }).click()

  const sheet = page.getByRole('article', { name: 'Recibo de pagamento' })
  await expect(sheet.getByText(/^Nº \d{6}$/)).toBeVisible()
  await expect(sheet.getByText('Essencial · Mensal')).toBeVisible()
  await expect(sheet.getByRole('row', { name: /^Total/ })).toContainText('R$ 49,90')
  await expect(sheet.getByText('Ele não substitui a nota fiscal.')).toBeVisible()

  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await expect(sheet).toBeVisible()
  for (const chrome of [page.getByRole('navigation'), page.getByRole('banner'), page.getByRole('button')]) {
    await expect(chrome.first()).toBeHidden()
  }
  const pdf = await page.pdf({ preferCSSPageSize: true })
  expect(pdf.toString('latin1').match(/\/Type\s*\/Page[^s]/g)).toHaveLength(1)
  await page.emulateMedia({ media: null })

  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Baixar PDF' }).click(),
  ])
  expect(file.suggestedFilename()).toMatch(/^fatura-\d{6}\.pdf$/)
  await page.getByRole('button', { name: 'Enviar por email' }).click()
  await expect(page.getByText(new RegExp(`para ${maria.email}`))).toBeVisible()
  await page.goto(await linkFor(page.request, maria.email, '/invoices/'))
  await expect(sheet).toBeVisible()
  await expect(page).toHaveURL(/\/invoices\/[0-9a-f-]{36}$/)

  await page.getByRole('link', { name: 'Todas as faturas' }).click()
  await expect(page.getByText(/^1 documento · R\$\s49,90 pagos$/)).toBeVisible()
  const row = page.getByRole('row').filter({ hasText: 'Essencial' })
  await expect(row).toContainText('PIX')
  await page.getByRole('searchbox', { name: 'Buscar' }).fill('essencial mensal')
  await expect(page).toHaveURL(/search=essencial/)
  await expect(row).toBeVisible()
  await page.getByLabel('Tipo').selectOption({ label: 'Reembolso' })
  await expect(page.getByText('Nenhuma fatura encontrada')).toBeVisible()
  await page.getByRole('button', { name: 'Limpar filtros' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Exportar CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^faturas-\d{4}-\d\d-\d\d\.csv$/)
  const text = await readFile(await download.path(), 'utf8')
  expect(text).toMatch(/;Ponto das Faturas;;[^;]*;[^;]*;Essencial · Mensal;/)
  await page.getByRole('button', { name: 'Baixar por ano' }).click()
  const [year] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: /^Faturas de \d{4}$/ }).click(),
  ])
  expect(year.suggestedFilename()).toMatch(/^faturas-\d{4}\.zip$/)
  expect((await readFile(await year.path())).subarray(0, 2).toString()).toBe('PK')
})

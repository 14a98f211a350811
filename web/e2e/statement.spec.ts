// "Saldos", "Transações", "Análises" and "Faturas": they follow what the company pays and gets, while somebody looks at
// them, who may see money.
import { readFile } from 'node:fs/promises'
import { signInAt, newCompanyOwner, registerVerified } from './arrival'
import { expect, test } from './journey'
import { newBrowserPage, waitUntilLive } from './people'
import { newPerson } from './person'
import { addMember, sessionOf, subscribe } from './setup'

test('what is paid and what is left over appear by themselves, on all four pages, and an operator sees none of it', async ({
  page,
  context,
  browser,
}) => {
  const ana = newPerson('Ana Souza')
  await registerVerified(page.request, ana)
  await newCompanyOwner(page, newPerson(), 'Ponto das Contas')
  await addMember(page, ana.email, 'operator')
  await page.goto('/dashboard')
  await page.getByRole('link', { name: 'Transações', exact: true }).click()
  await expect(page.getByText('As transações aparecem com o primeiro pagamento')).toBeVisible()
  await waitUntilLive(page)
  const invoices = await context.newPage()
  await invoices.goto('/invoices')
  await expect(invoices.getByText('As faturas aparecem com o primeiro pagamento')).toBeVisible()
  await waitUntilLive(invoices)
  await subscribe(page, 'Essencial')
  const document = invoices.getByRole('link', { name: /^Abrir: fatura/ })
  await expect(document).toBeVisible()
  await document.click()
  await invoices.waitForURL(/\/invoices\/[0-9a-f-]{36}$/)
  const { pathname } = new URL(invoices.url())
  await invoices.goto(`/invoices/${crypto.randomUUID()}`)
  await expect(invoices.getByRole('main').getByText('Fatura não encontrada')).toBeVisible()
  await invoices.close()
  const charge = page.getByRole('row').filter({ hasText: 'Cobrança' })
  await expect(charge).toContainText('R$ 49,90')
  await expect(charge.getByRole('link', { name: /^Fatura:/ })).toBeVisible()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Exportar CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^transacoes-\d{4}-\d\d-\d\d\.csv$/)
  expect(await readFile(await download.path(), 'utf8')).toContain(';Essencial · Mensal;PIX;49,90;;Aprovado;')
  await page.getByLabel('Tipo').selectOption({ label: 'Reembolso' })
  await expect(page.getByText('Nenhuma transação encontrada')).toBeVisible()

  await page.getByRole('link', { name: 'Saldos', exact: true }).click()
  const balance = page.getByLabel('Saldo atual')
  await expect(balance).toContainText('R$ 0,00')
  const { token, company } = await sessionOf(page)
  const ended = await page.request.post(`/api/subscriptions/company/${company}/cancel-robust`, {
    headers: { authorization: `Bearer ${token}` },
    data: { effectiveDate: 'immediate' },
  })
  expect(ended.status()).toBe(200)
  await expect(balance).not.toContainText('R$ 0,00')
  await expect(page.getByRole('row').filter({ hasText: 'Período pago e não usado' })).toContainText('+R$ ')

  await page.getByRole('link', { name: 'Análises', exact: true }).click()
  const figure = page.getByRole('figure', { name: /^R\$\s49,90 pagos de/ })
  await expect(figure.getByRole('application')).toBeVisible()
  await figure.getByRole('button', { name: 'Ver como tabela' }).click()
  await expect(figure.getByRole('table').getByRole('row').nth(1)).toContainText('R$ 49,90')
  await expect(page.getByText(/^2 de \d+ usuários?$/)).toBeVisible()

  const theirs = await newBrowserPage(browser)
  await signInAt(theirs, ana, '/balances')
  await expect(theirs.getByText('Você não tem permissão para esta ação')).toBeVisible()
  for (const name of ['Saldos', 'Transações', 'Análises', 'Faturas']) {
    await expect(theirs.getByRole('link', { name, exact: true })).toHaveCount(0)
  }
  await theirs.goto(pathname)
  await expect(theirs.getByText('Você não tem permissão para esta ação')).toBeVisible()
})

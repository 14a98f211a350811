// The numbers of the business: cards, files, charts that are tables too.
import { readFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import { enterAdmin } from './admin'
import { expect, test } from './journey'

test('the dashboard shows every card, keeps its period and leads on; every chart has its finding and its file', async ({
  page,
}) => {
  await enterAdmin(page)
  await page.waitForURL('/admin/dashboard')
  const metrics = page.getByRole('region', { name: 'Métricas' })
  for (const label of [
    'Total de Usuários',
    'Empresas Ativas',
    'Assinaturas Ativas',
    'MRR',
    'ARR',
    'Taxa de Churn',
    'MAU',
  ]) {
    await expect(metrics.getByText(label, { exact: true })).toBeVisible()
  }
  // The choice is kept in the address, so it shows when the address has followed.
  await page.getByRole('radio', { name: '7d' }).click({ force: true })
  await expect(page).toHaveURL(/period=7d/)
  await expect(page.getByRole('radio', { name: '7d' })).toBeChecked()
  await page.getByRole('button', { name: 'Atualizar' }).click()
  await expect(page.getByRole('button', { name: 'Atualizado agora' })).toBeVisible()
  await page.getByRole('button', { name: 'O que é MRR' }).click()
  await expect(page.getByText(/Receita recorrente mensal/).first()).toBeVisible()
  await page.keyboard.press('Escape')
  await expectPrinted(page)
  await expectExported(page)
  await page.getByRole('link', { name: 'Gerenciar Usuários' }).click()
  await page.waitForURL('/admin/users')
  await expectCharts(page)
})

/** The printed dashboard says what it is, of which days, and when it was printed. */
async function expectPrinted(page: Page): Promise<void> {
  const head = page.getByText(/^Período: 7 dias \(\d\d\/\d\d\/\d{4} a \d\d\/\d\d\/\d{4}\) · Impresso em /)
  await expect(head).toBeHidden()
  await page.emulateMedia({ media: 'print' })
  await expect(head).toBeVisible()
  await expect(page.getByText('Bipe · Admin Dashboard')).toBeVisible()
  await page.emulateMedia({ media: 'screen' })
}

/** Each file has the right columns. */
async function expectExported(page: Page): Promise<void> {
  await page.getByRole('radio', { name: '90d' }).click({ force: true })
  await expect(page).toHaveURL(/period=90d/)
  await page.getByRole('button', { name: 'Exportar' }).click()
  const started = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'CSV' }).click()
  const download = await started
  expect(download.suggestedFilename()).toMatch(/^dashboard-90d-\d{4}-\d\d-\d\d\.csv$/)
  const text = await readFile(await download.path(), 'utf8')
  const [head = '', ...rows] = text.trimEnd().split('\r\n')
  expect(head).toBe('\uFEFFmetric;value;change;changeType;period;reason')
  expect(rows.map((row) => row.split(';')[0])).toEqual([
    'totalUsers',
    'totalCompanies',
    'totalSubscriptions',
    'mrr',
    'arr',
    'churn',
    'mau',
    'ltv',
    'cac',
  ])
  expect(rows.every((row) => row.split(';')[4] === '90d')).toBe(true)

  await page.getByRole('button', { name: 'Exportar' }).click()
  const second = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'JSON' }).click()
  const json = JSON.parse(await readFile(await (await second).path(), 'utf8')) as { metrics: object }
  expect(Object.keys(json.metrics)).toContain('mrr')
}

test('figures that cannot be read, are not defined or come late say so, and the rest stays', async ({ page }) => {
  const figures = '**/api/admin/analytics/dashboard?*'
  await page.route(/\/api\/admin\/(analytics|users|companies)/, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, headers: { ...response.headers(), 'x-data-age': '2' } })
  })
  await page.route(figures, (route) =>
    route.fulfill({
      status: 422,
      json: { success: false, error: { code: 'VALIDATION_ERROR', message: '', requestId: 'r' } },
    }),
  )
  await enterAdmin(page)
  const told = page.getByText(/^Dados de \d+ s atrás$/)
  await expect(told).toHaveText('Dados de 2 s atrás')
  await expect(page.getByRole('main').getByText('Erro ao carregar métricas do dashboard')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Atividade recente' })).toBeVisible()

  await page.unroute(figures)
  await page.route(figures, async (route) => {
    const answer = await route.fetch()
    const body = (await answer.json()) as { data: { metrics: Record<string, object> } }
    body.data.metrics['churn'] = {
      value: null,
      change: null,
      changeType: 'increase',
      period: '30d',
      reason: 'NO_PAYING_COMPANIES',
    }
    await route.fulfill({ response: answer, json: body })
  })
  await page.getByRole('button', { name: 'Atualizar' }).click()
  const card = page.getByRole('listitem').filter({ has: page.getByText('Taxa de Churn', { exact: true }) })
  await expect(card.getByText('—')).toBeVisible()
  await expect(card.getByText('Nenhuma empresa pagante no início do período')).toBeVisible()

  for (const name of ['Usuários', 'Empresas']) {
    await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
    await expect(told).toHaveCount(1)
  }
})

/** Every chart is drawn when it is seen, has its finding, a table and a text; every block its file. */
async function expectCharts(page: Page): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 400 })
  await page.goto('/admin/analytics?period=1y')
  await expectDrawnWhenSeen(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  const figures = page.getByRole('figure')
  await expect(figures).toHaveCount(3)
  for (const figure of await figures.all()) {
    await expect(figure.locator('figcaption')).toHaveText(/\w/)
    await expect(figure.getByText(/menor valor|sem dados neste período/i).first()).toBeAttached()
    await figure.getByRole('button', { name: 'Ver como tabela' }).click()
    await expect(figure.getByRole('table')).toBeVisible()
    await expect(figure.getByRole('button', { name: 'Ver como gráfico' })).toBeVisible()
  }
  await expect(page.getByRole('table', { name: 'Churn por mês' })).toBeVisible()
  const started = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Exportar CSV: Evolução da receita' }).click()
  const text = await readFile(await (await started).path(), 'utf8')
  expect(text.split('\r\n')[0]).toBe('\uFEFFMês;MRR;Nova receita;Receita perdida')
  await expectDays(page)
  await expectCostsKept(page)
}

/** In a low window a chart further down is out of sight: it is not drawn yet, and printed as its table. */
async function expectDrawnWhenSeen(page: Page): Promise<void> {
  const figure = page.getByRole('figure', { name: /^MAU/ })
  const drawing = figure.locator('svg.recharts-surface').first()
  await expect(figure).toBeAttached()
  await expect(drawing).toBeHidden()
  await page.emulateMedia({ media: 'print' })
  await expect(figure.getByRole('table')).toBeVisible()
  await page.emulateMedia({ media: 'screen' })
  await expect(figure.getByRole('table')).toBeHidden()
  await figure.scrollIntoViewIfNeeded()
  await expect(drawing).toBeVisible()
  await expectPrintedWhole(page, figure)
}

/** Paper is narrower than the screen. The last days are on it, too, and no button. */
async function expectPrintedWhole(page: Page, figure: Locator): Promise<void> {
  await page.emulateMedia({ media: 'print' })
  await expect(figure.getByRole('button')).toBeHidden()
  // In one go: nothing has drawn it anew.
  const [paper, drawn] = await figure.evaluate((element) => {
    element.style.width = '400px'
    const widths = [element, element.querySelector('svg.recharts-surface')].map(
      (part) => part?.getBoundingClientRect().width ?? 0,
    )
    element.style.width = ''
    return widths
  })
  expect(drawn).toBeLessThanOrEqual(paper ?? 0)
  expect(drawn).toBeGreaterThan(300)
  await page.emulateMedia({ media: 'screen' })
}

/** A short period is shown by day, with the last three months beside it. */
async function expectDays(page: Page): Promise<void> {
  await page.getByRole('radio', { name: '7 dias' }).click({ force: true })
  await expect(page).toHaveURL(/period=7d/)
  // By its chart, which begins anew: the blocks come in whatever order they are answered.
  const chart = page.getByRole('figure', { name: /^MRR/ })
  await chart.getByRole('button', { name: 'Ver como tabela' }).click()
  const days = chart.getByRole('table', { name: 'MRR por dia' })
  await expect(days.getByRole('row')).toHaveCount(9)
  await expect(days.getByRole('rowheader', { name: /^\d\d\/\d\d$/ })).toHaveCount(8)
  await expect(page.getByRole('list', { name: 'Últimos três meses de receita' }).getByRole('listitem')).toHaveCount(3)
}

/** What was spent on customers is told and kept. */
async function expectCostsKept(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Informar investimento' }).click()
  const dialog = page.getByRole('dialog', { name: 'Investimento em aquisição' })
  await dialog.getByRole('button', { name: 'Salvar' }).click()
  await expect(dialog.getByText('Este campo é obrigatório')).toBeVisible()
  await dialog.getByLabel('Valor').fill('1234,5')
  await dialog.getByRole('button', { name: 'Salvar' }).click()
  await expect(dialog.getByText(/R\$\s1\.234,50/)).toBeVisible()
}

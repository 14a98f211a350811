// The admin's window while others pay: nobody touches it.
import type { Page } from '@playwright/test'
import { enterAdmin, unique } from './admin'
import { prepare } from './arrival'
import { expect, test } from './journey'
import { payByPix, result } from './payment'
import { elsewhere } from './people'
import { newPerson } from './person'

/** The whole MRR in centavos, as the card's title has it. */
async function mrr(page: Page): Promise<number> {
  const title = await page
    .getByRole('listitem')
    .filter({ has: page.getByText('MRR', { exact: true }) })
    .locator('[title^="R$"]')
    .getAttribute('title')
  return Number((title ?? '').replaceAll(/\D/g, ''))
}

test("a payment in one window moves MRR and the activity in the admin's", async ({ page, browser }) => {
  const company = unique('Ponto ao Vivo')
  const theirs = await elsewhere(browser)
  await prepare(theirs, newPerson(), company)
  const pending = await payByPix(theirs, 'Essencial')

  await enterAdmin(page)
  const activity = page
    .getByRole('main')
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: 'Atividade recente' }) })
  await expect(
    activity
      .getByText('há')
      .or(activity.getByText('Agora'))
      .or(activity.getByText('Nenhuma atividade recente'))
      .first(),
  ).toBeVisible()
  const before = await mrr(page)
  await pending.getByRole('button', { name: 'Aprovar' }).click()
  await result(theirs, 'Pagamento Aprovado!')
  await expect.poll(() => mrr(page), { timeout: 45_000 }).toBe(before + 4990)
  await expect(activity.getByText(company).first()).toBeVisible({ timeout: 45_000 })
  await theirs.context().close()
})

test('a pause holds the numbers and the activity still until the person lets them go on', async ({ page, browser }) => {
  const company = unique('Ponto da Pausa')
  const theirs = await elsewhere(browser)
  await prepare(theirs, newPerson(), company)
  const pending = await payByPix(theirs, 'Essencial')

  await enterAdmin(page)
  await expect(page.getByRole('button', { name: 'Conexão: Ao vivo' })).toBeVisible()
  const before = await mrr(page)
  await page.getByRole('button', { name: 'Pausar atualizações' }).click()
  await expect(page.getByRole('button', { name: 'Conexão: Pausado' })).toBeVisible()
  await pending.getByRole('button', { name: 'Aprovar' }).click()
  await result(theirs, 'Pagamento Aprovado!')

  // Several patches: the payment's and the subscription's activity, the figures.
  const apply = page.getByRole('button', { name: /^\d+ atualizaç(ão|ões) pendentes? - aplicar$/ })
  await expect(apply).toBeVisible({ timeout: 45_000 })
  expect(await mrr(page)).toBe(before)
  await expect(page.getByText(company)).toHaveCount(0)
  // Until the figures are among what waits: they come a moment after the payment.
  await expect
    .poll(async () => Number(/^\d+/.exec((await apply.textContent()) ?? '')?.[0] ?? 0), { timeout: 45_000 })
    .toBeGreaterThanOrEqual(2)
  expect(await mrr(page)).toBe(before)

  await apply.click()
  await expect(page.getByRole('button', { name: 'Pausar atualizações' })).toBeVisible()
  await expect.poll(() => mrr(page), { timeout: 45_000 }).toBe(before + 4990)
  await expect(page.getByText(company).first()).toBeVisible({ timeout: 45_000 })
  await theirs.context().close()
})

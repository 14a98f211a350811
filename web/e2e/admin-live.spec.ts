// The admin's window while others pay: nobody touches it.
import type { Page } from '@playwright/test'
import { enterAdmin, unique } from './admin'
import { newCompanyOwner } from './arrival'
import { expect, test } from './journey'
import { newBrowserPage, waitUntilLive } from './people'
import { newPerson } from './person'
import { subscribe } from './setup'

/** The whole MRR in centavos, as the card's title has it. */
async function mrr(page: Page): Promise<number> {
  const title = await page
    .getByRole('listitem')
    .filter({ has: page.getByText('MRR', { exact: true }) })
    .locator('[title^="R$"]')
    .getAttribute('title')
  return Number((title ?? '').replaceAll(/\D/g, ''))
}

test("what others pay moves the admin's window, which a pause holds still until the person lets it go on", async ({
  page,
  browser,
}) => {
  const [seen, held] = [unique('Ponto ao Vivo'), unique('Ponto da Pausa')]
  const [first, second] = [await newBrowserPage(browser), await newBrowserPage(browser)]
  await newCompanyOwner(first, newPerson(), seen)
  await newCompanyOwner(second, newPerson(), held)

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
  await waitUntilLive(page)
  const before = await mrr(page)
  await subscribe(first, 'Essencial')
  await expect.poll(() => mrr(page), { timeout: 45_000 }).toBe(before + 4990)
  await expect(activity.getByText(seen).first()).toBeVisible({ timeout: 45_000 })

  await page.getByRole('button', { name: 'Pausar atualizações' }).click()
  await expect(page.getByRole('button', { name: 'Conexão: Pausado' })).toBeVisible()
  await subscribe(second, 'Essencial')
  // Several patches: the payment's and the subscription's activity, the figures.
  const apply = page.getByRole('button', { name: /^\d+ atualizaç(ão|ões) pendentes? - aplicar$/ })
  await expect(apply).toBeVisible({ timeout: 45_000 })
  expect(await mrr(page)).toBe(before + 4990)
  await expect(page.getByText(held)).toHaveCount(0)
  // Until the figures are among what waits: they come a moment after the payment.
  await expect
    .poll(async () => Number(/^\d+/.exec((await apply.textContent()) ?? '')?.[0] ?? 0), { timeout: 45_000 })
    .toBeGreaterThanOrEqual(2)
  expect(await mrr(page)).toBe(before + 4990)

  await apply.click()
  await expect(page.getByRole('button', { name: 'Pausar atualizações' })).toBeVisible()
  await expect.poll(() => mrr(page), { timeout: 45_000 }).toBe(before + 2 * 4990)
  await expect(page.getByText(held).first()).toBeVisible({ timeout: 45_000 })
})

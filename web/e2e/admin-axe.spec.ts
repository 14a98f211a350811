// The platform admin's pages and sheets, in both themes, without an accessibility violation and on a small phone.
import { enterAdmin, unique } from './admin'
import { settle, violations } from './axe'
import { enter, expect, test } from './journey'
import { newPerson } from './person'

const pages = ['/admin/dashboard', '/admin/plans', '/admin/plans?new=1', '/admin/analytics?period=1y', '/admin/users', '/admin/companies']

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`${colorScheme} theme`, () => {
    test.use({ colorScheme, contextOptions: { reducedMotion: 'reduce' } })

    test('the pages of the admin area have no violation', async ({ page }) => {
      test.setTimeout(180_000)
      await enterAdmin(page, pages[0])
      for (const path of pages) {
        await page.goto(path)
        await settle(page)
        expect(await violations(page), path).toEqual([])
      }
    })

    test('the sheets of a person and a company have no violation', async ({ page, browser, baseURL }) => {
      test.setTimeout(180_000)
      const name = unique('Ponto dos Olhos')
      const context = await browser.newContext({ baseURL, locale: 'pt-BR' })
      await enter(await context.newPage(), newPerson('Olga Reis'), name)
      await context.close()

      const check = async (what: string) => {
        await page.getByRole('dialog').or(page.getByRole('alertdialog')).waitFor()
        await settle(page)
        expect(await violations(page), what).toEqual([])
      }
      await enterAdmin(page, `/admin/companies?search=${encodeURIComponent(name)}`)
      await page.getByRole('button', { name: `Ver ${name}` }).click()
      for (const tab of ['Dados', 'Pagamentos', 'Usuários', 'Analytics', 'Auditoria']) {
        await page.getByRole('tab', { name: tab }).click()
        await check(`company: ${tab}`)
      }
      await page.getByRole('tab', { name: 'Dados' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Editar' }).click()
      await check('company: form')

      await page.goto(`/admin/users?search=${encodeURIComponent('Olga Reis')}`)
      for (const action of ['Ver', 'Editar', 'Excluir']) {
        await page.getByRole('button', { name: `${action} Olga Reis` }).first().click()
        await check(`person: ${action}`)
        await page.keyboard.press('Escape')
        await expect(page.getByRole('dialog').or(page.getByRole('alertdialog'))).toHaveCount(0)
      }
      await page.goto('/admin/analytics')
      await page.getByRole('button', { name: 'Informar investimento' }).click()
      await check('costs')
    })
  })
}

test('no page of the admin area is wider than a small phone', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 })
  await enterAdmin(page, pages[0])
  for (const path of pages) {
    await page.goto(path)
    await settle(page)
    expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(320)
  }
})

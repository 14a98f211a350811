// Every route, in both themes, without an accessibility violation.
import { settle, violations } from './axe'
import { enter, expect, signIn, test } from './journey'
import { addUser, elsewhere, memberRow, register } from './people'
import { newPerson } from './person'

const open = ['/', '/signin', '/forgot-password', '/signup', '/verify-email?email=maria@exemplo.com.br', '/reset-password?email=maria@exemplo.com.br', '/termos-legais', '/politica-privacidade', '/termos-lgpd', '/accept-invite?token=x']
const signedIn = ['/dashboard', '/account', '/company/create', '/company/manage', '/plans', '/subscriptions', '/payments']

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`${colorScheme} theme`, () => {
    test.use({ colorScheme, contextOptions: { reducedMotion: 'reduce' } })

    test('the public pages have no violation', async ({ page }) => {
      for (const path of open) {
        await page.goto(path)
        await settle(page)
        expect(await violations(page), path).toEqual([])
      }
    })

    test('the pages of a company have no violation', async ({ page }) => {
      await enter(page, newPerson(), 'Ponto Central')
      for (const path of signedIn) {
        await page.goto(path)
        await settle(page)
        expect(await violations(page), path).toEqual([])
      }
    })

    test('the dialogs of company and account have no violation', async ({ page, browser }) => {
      const [maria, ana] = [newPerson(), newPerson('Ana Souza')]
      await register(page.request, ana)
      await enter(page, maria, 'Ponto Central')
      await addUser(page, ana.email)
      await memberRow(page, ana.name).waitFor()
      await addUser(page, newPerson().email)
      await page.getByRole('button', { name: /^Cancelar convite para/ }).waitFor()
      const openers = [
        ['/company/manage', 'Adicionar Usuário'],
        ['/company/manage', 'Editar'],
        ['/company/manage', 'Remover Ana Souza'],
        ['/company/manage', /^Cancelar convite para/],
        ['/company/manage', 'Excluir empresa'],
        ['/account', 'Encerrar outras sessões'],
        ['/account', 'Excluir minha conta'],
      ] as const
      const other = await elsewhere(browser)
      await signIn(other, maria)
      for (const [path, name] of openers) {
        await page.goto(path)
        await page.getByRole('button', { name, exact: true }).first().click()
        await page.getByRole('dialog').or(page.getByRole('alertdialog')).waitFor()
        await settle(page)
        expect(await violations(page), String(name)).toEqual([])
      }
    })

    test('no page is wider than a small phone', async ({ page }) => {
      await page.setViewportSize({ width: 320, height: 640 })
      await enter(page, newPerson(), 'Ponto Central')
      for (const path of [...open.slice(0, 1), ...open.slice(6), ...signedIn]) {
        await page.goto(path)
        await settle(page)
        expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(320)
      }
    })
  })
}

// The platform admin's pages and sheets, in both themes, without an accessibility violation and on a small phone.
import { enterAdmin, unique } from './admin'
import { enter } from './arrival'
import { expectNoViolation, settle } from './axe'
import { expect, test } from './journey'
import { elsewhere } from './people'
import { newPerson } from './person'
import { subscribe } from './setup'

const pages = ['/admin/dashboard', '/admin/plans', '/admin/plans?new=1', '/admin/analytics?period=1y', '/admin/users', '/admin/companies']

test.use({ contextOptions: { reducedMotion: 'reduce' } })

test('the pages of the admin area have no violation', async ({ page }) => {
  test.setTimeout(180_000)
  await enterAdmin(page, pages[0])
  for (const path of pages) {
    await page.goto(path)
    await expectNoViolation(page, path)
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
    await expectNoViolation(page, what)
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
  await page.goto('/admin/analytics')
  await page.getByRole('button', { name: 'O que é MRR' }).click()
  await check('definition')
})

test('the questions and menus of the admin area have no violation', async ({ page, browser }) => {
  test.setTimeout(180_000)
  const theirs = await elsewhere(browser)
  await enter(theirs, newPerson('Olga Reis'), unique('Ponto das Perguntas'))
  await subscribe(theirs, 'Essencial')
  await theirs.context().close()

  await enterAdmin(page)
  await page.getByRole('button', { name: 'Exportar' }).click()
  await page.getByRole('menuitem', { name: 'Imprimir' }).waitFor()
  await expectNoViolation(page, 'export')
  await page.goto('/admin/plans')
  const plan = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Essencial' }) })
  await plan.getByRole('button', { name: /^Desativar/ }).click()
  await page.getByRole('alertdialog').waitFor()
  await expectNoViolation(page, 'withdrawing a plan')
  await page.keyboard.press('Escape')
  await plan.getByRole('button', { name: /^Editar/ }).click()
  await page.getByRole('dialog').getByRole('textbox').first().fill('Essencial mudado')
  await expectNoViolation(page, 'plan form')
  await page.keyboard.press('Escape')
  await page.getByRole('alertdialog', { name: 'Sair sem salvar?' }).waitFor()
  await expectNoViolation(page, 'unsaved plan')
  await page.goto(`/admin/users?search=${encodeURIComponent('Olga Reis')}`)
  await page.getByRole('button', { name: 'Ver Olga Reis' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Encerrar sessões' }).click()
  await page.getByRole('alertdialog', { name: 'Encerrar sessões?' }).waitFor()
  await expectNoViolation(page, 'ending sessions')
})

test('no page of the admin area is wider than a small phone', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 })
  await enterAdmin(page, pages[0])
  for (const path of pages) {
    await page.goto(path)
    await settle(page)
    expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(320)
  }
})

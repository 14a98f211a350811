// A company renamed, chosen among others, left with the session, deleted: on a phone, but for what its subscription
// demands.
import type { Page } from '@playwright/test'
import { newCompanyOwnerAt, newCompanyOwner } from './arrival'
import { createCompany, expect, test } from './journey'
import { waitUntilLive, newMemberInNewBrowser, memberRow } from './people'
import { newPerson } from './person'
import { subscribe } from './setup'
import { onAPhone, expectCompany, goTo, withNavigation } from './sizes'

onAPhone(() => {
  test('a renamed company shows so everywhere, a new one is told by the bell; each tab keeps its own, and signing out ends all', async ({
    page,
    context,
  }) => {
    const person = newPerson()
    await newCompanyOwnerAt(page, person, 'Ponto Central')
    const other = await context.newPage()
    await other.goto('/company/manage')
    await expect(other.getByRole('heading', { level: 1 })).toHaveText('Ponto Central')

    await withNavigation(page, () => page.getByRole('link', { name: 'Editar Ponto Central' }).click())
    await page.getByRole('button', { name: 'Editar', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Editar Empresa' })
    await dialog.getByLabel('Nome da Empresa').fill('')
    await dialog.getByRole('button', { name: 'Salvar' }).click()
    await expect(dialog.getByText('Nome da empresa é obrigatório')).toBeVisible()
    await dialog.getByLabel('Nome da Empresa').fill('Ponto Norte')
    await dialog.getByRole('button', { name: 'Salvar' }).click()
    await expect(page.getByText('Empresa atualizada com sucesso!')).toBeVisible()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Ponto Norte')
    await expectCompany(page, 'Ponto Norte')
    await expect(other.getByRole('heading', { level: 1 })).toHaveText('Ponto Norte')

    await createCompany(page, 'Ponto Sul')
    await expectToldByTheBell(page, 'Empresa criada com sucesso!')
    await expectCompany(page, 'Ponto Sul')
    const another = await context.newPage()
    await another.goto('/dashboard')
    await withNavigation(another, async () => {
      await another.getByRole('button', { name: 'Empresa atual: Ponto Sul' }).click()
      await another.getByRole('menuitem', { name: 'Ponto Norte' }).click()
    })
    await expectCompany(another, 'Ponto Norte')
    await page.reload()
    await expectCompany(page, 'Ponto Sul')

    await page.getByRole('button', { name: `Menu de ${person.name}` }).click()
    await page.getByRole('menuitem', { name: 'Sair' }).click()
    for (const tab of [page, other, another]) await tab.waitForURL('/signin')
    expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => /token|user/i.test(key)))).toEqual([])
  })

  test('the creator deletes the company by its name, and its members are told', async ({ page, browser }) => {
    await newCompanyOwner(page, newPerson(), 'Ponto Fechado')
    const path = '/company/manage'
    const ana = await newMemberInNewBrowser(page, browser, { name: 'Ana Souza', role: 'admin', path })
    await page.goto(path)
    await memberRow(page, 'Ana Souza').waitFor()
    await waitUntilLive(ana.page)
    await expect(ana.page.getByText('Zona de perigo')).toHaveCount(0)

    await page.getByRole('button', { name: 'Excluir empresa' }).click()
    const question = page.getByRole('alertdialog', { name: 'Excluir empresa?' })
    const act = question.getByRole('button', { name: 'Excluir empresa' })
    await expect(act).toBeDisabled()
    await question.getByLabel('Digite o nome da empresa para confirmar').fill('Ponto Aberto')
    await expect(act).toBeDisabled()
    await question.getByLabel('Digite o nome da empresa para confirmar').fill('Ponto Fechado')
    // Neither toast stays until the other page was looked at.
    await Promise.all([
      expect(ana.page.getByText('Você não tem mais acesso à empresa Ponto Fechado')).toBeVisible(),
      expect(page.getByText('Empresa excluída com sucesso!')).toBeVisible(),
      act.click(),
    ])
    await page.waitForURL('/dashboard')
    await expect(page.getByText('Você não tem mais acesso à empresa Ponto Fechado')).toHaveCount(0)
    await expect(page.getByRole('main').getByRole('link', { name: 'Criar Primeira Empresa' })).toBeVisible()

    await ana.page.waitForURL('/dashboard')
  })
})

/** It keeps what a toast has said, and is not covered by it. */
async function expectToldByTheBell(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: 'Notificações, 1 nova' }).click()
  await expect(page.getByRole('dialog', { name: 'Notificações' }).getByText(text)).toBeVisible()
  await expect(page.locator('[data-sonner-toast]')).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Notificações', exact: true })).toBeFocused()
}

test('a company with a paid subscription is deleted only after its plan was ended, and the dashboard shows what happened', async ({
  page,
}) => {
  await newCompanyOwnerAt(page, newPerson(), 'Ponto Pago')
  await expect(page.getByText('Nenhuma atividade recente')).toBeVisible()
  await subscribe(page, 'Essencial')
  await expect(page.getByText('Assinatura ativada')).toBeVisible()
  await expect(page.getByRole('link', { name: /^Pagamento de R\$/ })).toBeVisible()

  await goTo(page, 'Gerenciar Empresa')
  await page.getByRole('button', { name: 'Excluir empresa' }).click()
  const question = page.getByRole('alertdialog', { name: 'Excluir empresa?' })
  await question.getByLabel('Digite o nome da empresa para confirmar').fill('Ponto Pago')
  await question.getByRole('button', { name: 'Excluir empresa' }).click()
  await expect(question.getByText('Cancele a assinatura antes de excluir a empresa')).toBeVisible()

  await question.getByRole('link', { name: 'Ver assinatura' }).click()
  await page.getByRole('button', { name: 'Cancelar Assinatura' }).click()
  await page
    .getByRole('alertdialog', { name: 'Cancelar Assinatura' })
    .getByRole('button', { name: 'Cancelar Assinatura' })
    .click()
  await page.getByRole('button', { name: 'Encerrar agora' }).click()
  const ending = page.getByRole('alertdialog', { name: 'Encerrar assinatura agora?' })
  await expect(ending.getByText(/vira crédito da empresa/)).toBeVisible()
  await ending.getByRole('button', { name: 'Encerrar agora' }).click()
  await expect(page.getByText('Assinatura encerrada')).toBeVisible()
  await expect(page.getByText(/^Crédito de R\$/)).toBeVisible()

  await goTo(page, 'Gerenciar Empresa')
  await page.getByRole('button', { name: 'Excluir empresa' }).click()
  await expect(question.getByText(/^A empresa tem R\$.* de crédito, que se perde com a exclusão/)).toBeVisible()
  await question.getByLabel('Digite o nome da empresa para confirmar').fill('Ponto Pago')
  await question.getByRole('button', { name: 'Excluir empresa' }).click()
  await page.waitForURL('/dashboard')
  await expect(page.getByText('Empresa excluída com sucesso!')).toBeVisible()
})

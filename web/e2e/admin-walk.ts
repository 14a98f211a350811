// A walk through everything that the platform admin's area opens over a page: sheets, forms, questions, menus. Whoever
// walks stops at each of them: to look for accessibility violations, or to take a picture.
import { type Browser, type Page } from '@playwright/test'
import { unique } from './admin'
import { newCompanyOwner } from './arrival'
import { closeOverlays, newBrowserPage } from './people'
import { newPerson } from './person'
import { createPaymentUnderReview } from './review'
import { subscribe } from './setup'

type Stop = (name: string) => Promise<void>

/** As the administrator, who is signed in, of an area that was filled with the company. */
export async function walkAdmin(page: Page, company: string, at: Stop): Promise<void> {
  await walkReviews(page, at)
  await walkCompanySheet(page, company, at)
  await walkPersonSheet(page, at)
  await walkPlanSheet(page, at)
  await walkPayment(page, company, at)
  await walkAnalytics(page, at)
}

/** Something to see in every part of the area. Gives the name of a company that pays. */
export async function fillArea(browser: Browser): Promise<string> {
  const company = unique('Ponto dos Olhos')
  const theirs = await newBrowserPage(browser)
  await newCompanyOwner(theirs, newPerson('Olga Reis'), company)
  await subscribe(theirs, 'Essencial')
  // Of another company, and the dashboard asks for a decision on it.
  await newCompanyOwner(theirs, newPerson('Rui Costa'), unique('Ponto em Análise'))
  await createPaymentUnderReview(theirs)
  await theirs.context().close()
  return company
}

async function walkReviews(page: Page, at: Stop): Promise<void> {
  await page.goto('/admin')
  await page.getByRole('button', { name: 'Analisar' }).first().click({ timeout: 60_000 })
  await page
    .getByRole('button', { name: /^Aceitar pagamento de/ })
    .first()
    .waitFor()
  await at('payments under review')
  await page
    .getByRole('button', { name: /^Aceitar pagamento de/ })
    .first()
    .click()
  await page.getByRole('alertdialog', { name: 'Aceitar este pagamento?' }).waitFor()
  await at('accepting a payment')
  await closeOverlays(page)
  await page.getByRole('button', { name: 'Exportar' }).click()
  await page.getByRole('menuitem', { name: 'Imprimir' }).waitFor()
  await at('export')
}

async function walkCompanySheet(page: Page, company: string, at: Stop): Promise<void> {
  await page.goto(`/admin/companies?search=${encodeURIComponent(company)}`)
  await page.getByRole('button', { name: `Ver ${company}` }).click()
  for (const tab of ['Dados', 'Pagamentos', 'Usuários', 'Analytics', 'Auditoria']) {
    await page.getByRole('tab', { name: tab }).click()
    await at(`company ${tab}`)
  }
  await page.getByRole('tab', { name: 'Dados' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Editar' }).click()
  await page.getByRole('dialog').getByRole('textbox').first().waitFor()
  await at('company form')
}

async function walkPersonSheet(page: Page, at: Stop): Promise<void> {
  const open = page.getByRole('dialog').or(page.getByRole('alertdialog'))
  await page.goto(`/admin/users?search=${encodeURIComponent('Olga Reis')}`)
  for (const action of ['Ver', 'Editar', 'Excluir']) {
    await page
      .getByRole('button', { name: `${action} Olga Reis` })
      .first()
      .click()
    await open.waitFor()
    // The person is read first, and the form's code comes after it.
    if (action === 'Editar') await open.getByRole('textbox').first().waitFor()
    await at(`person ${action}`)
    await closeOverlays(page)
  }
  await page.getByRole('button', { name: 'Ver Olga Reis' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Encerrar sessões' }).click()
  await page.getByRole('alertdialog', { name: 'Encerrar sessões?' }).waitFor()
  await at('ending sessions')
  await closeOverlays(page)
  await page.getByRole('button', { name: 'Salvar visualização' }).click()
  await page.getByRole('dialog', { name: 'Salvar visualização' }).waitFor()
  await at('saving a view')
}

async function walkPlanSheet(page: Page, at: Stop): Promise<void> {
  await page.goto('/admin/plans')
  const plan = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Essencial' }) })
  await plan.getByRole('button', { name: /^Desativar/ }).click()
  await page.getByRole('alertdialog').waitFor()
  await at('withdrawing a plan')
  await page.keyboard.press('Escape')
  await plan.getByRole('button', { name: /^Editar/ }).click()
  await page.getByRole('dialog').getByRole('textbox').first().fill('Essencial mudado')
  await at('plan form')
  await page.keyboard.press('Escape')
  await page.getByRole('alertdialog', { name: 'Sair sem salvar?' }).waitFor()
  await at('unsaved plan')
}

async function walkPayment(page: Page, company: string, at: Stop): Promise<void> {
  await page.goto(`/admin/payments?search=${encodeURIComponent(company)}`)
  await page.getByRole('button', { name: `Abrir ${company}` }).click()
  const sheet = page.getByRole('dialog', { name: new RegExp(`de ${company}$`) })
  await sheet.getByRole('button', { name: 'Reembolsar' }).waitFor()
  await at('payment of a company')
  await sheet.getByRole('button', { name: 'Reembolsar' }).click()
  await page.getByRole('alertdialog', { name: `Reembolsar ${company}?` }).waitFor()
  await at('refund')
}

async function walkAnalytics(page: Page, at: Stop): Promise<void> {
  await page.goto('/admin/analytics')
  await page.getByRole('button', { name: 'Informar investimento' }).click()
  await page.getByRole('dialog').waitFor()
  await at('costs')
  await closeOverlays(page)
  await page.getByRole('button', { name: 'O que é MRR' }).click()
  await page.getByRole('dialog').waitFor()
  await at('definition')
  await closeOverlays(page)
  // By its chart: the blocks come in whatever order they are answered.
  await page.getByRole('figure', { name: /^MRR/ }).getByRole('button', { name: 'Ver como tabela' }).click()
  await at('chart as a table')
}

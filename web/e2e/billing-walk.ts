// A walk through every screen and dialog of plans, subscriptions and payments. Whoever walks stops at each of them: to
// look for accessibility violations, or for what does not fit.
import { expect, type Page } from '@playwright/test'
import { newCompanyOwner } from './arrival'
import { choosePlan, resultDialog, typeAddress, typeCard } from './payment'
import { closeOverlays } from './people'
import { newPerson } from './person'
import { subscribe } from './setup'
import { goTo } from './sizes'

type Stop = (name: string) => Promise<void>

/** Signs in as the owner of a company that has nothing yet, and ends with one that subscribes. */
export async function walkBilling(page: Page, at: Stop): Promise<void> {
  await newCompanyOwner(page, newPerson(), 'Ponto do Passeio')
  await walkPlans(page, at)
  await walkRefusal(page, at)
  await walkBoleto(page, at)
  await walkPix(page, at)
  await walkSubscription(page, at)
  await walkPapers(page, at)
}

async function walkPlans(page: Page, at: Stop): Promise<void> {
  await page.goto('/plans?cycle=yearly')
  await page.getByRole('button', { name: 'Comparar planos' }).click()
  await expect(page.getByRole('table', { name: /Comparação de planos/ })).toBeVisible()
  await at('plans without a subscription, compared')
  await page.getByRole('button', { name: /^Entrar em Contato/ }).click()
  await page.getByRole('dialog', { name: 'Entrar em Contato' }).waitFor()
  await at('contact dialog')
  await page.keyboard.press('Escape')
  await page.goto('/plans')
  await page.getByRole('button', { name: 'Assinar: Profissional' }).click()
  await expect(page.getByRole('dialog', { name: 'Preview da Mudança' }).getByText('Total hoje')).toBeVisible()
  await at('preview of a creation')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Adicionar cartão' }).click()
  await page.getByRole('dialog', { name: 'Adicionar cartão' }).getByLabel('Número do cartão').waitFor()
  await at('add card')
}

async function walkRefusal(page: Page, at: Stop): Promise<void> {
  const checkout = await choosePlan(page, 'Essencial')
  await checkout.getByLabel('Número do cartão').waitFor()
  await at('checkout by card')
  await typeCard(checkout, '4242424242424241')
  await checkout.getByLabel('CVC').blur()
  await expect(checkout.getByText('Número do cartão inválido')).toBeVisible()
  await at('checkout with a wrong card')
  await typeCard(checkout, '4000000000009995')
  await checkout.getByRole('checkbox', { name: 'Salvar cartão' }).check()
  await checkout.getByRole('button', { name: /^Pagar/ }).click()
  await resultDialog(page, 'Pagamento Recusado')
  await at('refused payment')
}

async function walkBoleto(page: Page, at: Stop): Promise<void> {
  const checkout = await choosePlan(page, 'Essencial')
  await checkout.getByRole('radio', { name: /Boleto/ }).check()
  await at('checkout by boleto')
  await typeAddress(checkout)
  await checkout.getByRole('button', { name: /^Pagar/ }).click()
  const pending = await resultDialog(page, 'Pagamento Pendente')
  await at('pending boleto')
  await pending.getByRole('button', { name: 'Pagar com PIX' }).click()
}

async function walkPix(page: Page, at: Stop): Promise<void> {
  const checkout = page.getByRole('dialog', { name: 'Assinar Essencial' })
  await expect(checkout.getByRole('radio', { name: /PIX/ })).toBeChecked()
  await checkout.getByRole('button', { name: /^Pagar/ }).click()
  const pending = await resultDialog(page, 'Pagamento Pendente')
  await at('pending pix')
  await pending.getByRole('button', { name: 'Cancelar pagamento' }).click()
  await page.getByRole('alertdialog', { name: 'Cancelar pagamento' }).waitFor()
  await at('question before cancelling a payment')
  await page.getByRole('button', { name: 'Manter pagamento' }).click()
  await pending.getByRole('button', { name: 'Fechar', exact: true }).last().click()
  await expect(page.getByRole('main').getByText(/^Pagamento do plano Essencial em aberto: /)).toBeVisible()
  await at('plans with a pending subscription')
  await page.getByRole('button', { name: 'Assinar: Profissional' }).click()
  await (await resultDialog(page, 'Já existe um pagamento em aberto')).getByText('Essencial · Mensal').waitFor()
  await at('open payment announced')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Ver pagamento' }).click()
  await (await resultDialog(page, 'Pagamento Pendente')).getByRole('button', { name: 'Expirar' }).click()
  await expect((await resultDialog(page, 'Pagamento Recusado')).getByText('Código PIX expirado')).toBeVisible()
  await at('expired pix')
}

async function walkSubscription(page: Page, at: Stop): Promise<void> {
  await page.goto('/plans')
  await subscribe(page, 'Essencial', 'quarterly')
  await page.goto('/plans?cycle=quarterly')
  await page.getByRole('button', { name: 'Plano Atual' }).waitFor()
  await at('plans with a subscription')
  await page.getByRole('button', { name: 'Fazer Upgrade: Negócio' }).click()
  await expect(page.getByRole('dialog', { name: 'Preview da Mudança' }).getByText('Crédito proporcional')).toBeVisible()
  await at('preview of an upgrade')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Fazer Downgrade: Grátis' }).click()
  const downgrade = page.getByRole('dialog', { name: 'Preview da Mudança' })
  await expect(downgrade.getByText('Aplicada ao fim do período atual')).toBeVisible()
  await downgrade.getByRole('button', { name: 'Confirmar Mudança' }).click()
  await page.getByRole('button', { name: 'Desfazer', exact: true }).waitFor()
  await at('pending change')
  await page.getByRole('button', { name: 'Cancelar Assinatura' }).click()
  const question = page.getByRole('alertdialog', { name: 'Cancelar Assinatura' })
  await question.getByRole('button', { name: 'Falta de recursos' }).click()
  await at('cancel dialog')
  await question.getByRole('button', { name: 'Cancelar Assinatura' }).click()
  await page.getByRole('button', { name: 'Reativar' }).first().waitFor()
  await at('canceled subscription')
  await goTo(page, 'Assinaturas')
  await expect(page.getByText('Assinatura cancelada').first()).toBeVisible()
  await at('subscriptions')
  await goTo(page, 'Pagamentos')
  await page
    .getByRole('link', { name: /^Detalhes/ })
    .first()
    .waitFor()
  await at('payments')
  await page
    .getByRole('link', { name: /^Detalhes/ })
    .first()
    .click()
  await page.getByRole('dialog').waitFor()
  await at('payment beside the list')
  await closeOverlays(page)
}

/** What a company reads of its money, once there is some. */
async function walkPapers(page: Page, at: Stop): Promise<void> {
  for (const [link, name] of [
    ['Saldos', 'balances'],
    ['Transações', 'transactions'],
    ['Análises', 'analytics of the company'],
  ] as const) {
    await goTo(page, link)
    await page.getByText('R$').first().waitFor()
    await at(name)
  }
  await goTo(page, 'Faturas')
  const paper = page.getByRole('link', { name: /^Abrir: fatura/ }).first()
  await paper.waitFor()
  await at('documents')
  await paper.click()
  await page.getByRole('article', { name: 'Recibo de pagamento' }).waitFor()
  await at('document')
}

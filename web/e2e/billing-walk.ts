// The journey of a company through everything that plans, subscriptions and payments show: asked for by boleto, refused
// by card, paid by PIX, changed, cancelled and taken back. Whoever walks stops at each screen and dialog: to look for
// accessibility violations, or for what does not fit.
import { expect, type Page } from '@playwright/test'
import { newCompanyOwner } from './arrival'
import { choosePlanHere, expectActive, payments, resultDialog, typeAddress, typeCard } from './payment'
import { closeOverlays } from './people'
import { newPerson } from './person'
import { goTo } from './sizes'

type Stop = (name: string) => Promise<void>

/** Signs in as the owner of a company that has nothing yet, and ends with one that subscribes. */
export async function walkBilling(page: Page, at: Stop): Promise<void> {
  await newCompanyOwner(page, newPerson(), 'Ponto do Passeio')
  await walkPlans(page, at)
  await walkBoleto(page, at)
  await walkPix(page, at)
  await walkExpiry(page, at)
  await walkRefusal(page, at)
  const { length } = await payments(page)
  await walkChange(page, at)
  await walkCancellation(page, at)
  expect(await payments(page)).toHaveLength(length)
  await walkPayments(page, at)
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
  await page.locator('label').filter({ hasText: 'Trimestral' }).click()
  await page.getByRole('button', { name: 'Assinar: Profissional' }).click()
  await expect(page.getByRole('dialog', { name: 'Preview da Mudança' }).getByText('Total hoje')).toBeVisible()
  await at('preview of a creation')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Adicionar cartão' }).click()
  await page.getByRole('dialog', { name: 'Adicionar cartão' }).getByLabel('Número do cartão').waitFor()
  await at('add card')
  await closeOverlays(page)
}

async function walkBoleto(page: Page, at: Stop): Promise<void> {
  const checkout = await choosePlanHere(page, 'Essencial')
  await checkout.getByRole('radio', { name: /Boleto/ }).check()
  const pay = checkout.getByRole('button', { name: /^Pagar/ })
  await expect(pay).toBeDisabled()
  await expect(checkout.getByText('Falta preencher: CEP, Endereço, Cidade, UF')).toBeVisible()
  await expect(checkout.getByLabel('CPF')).toHaveValue(/^\d{3}\.\d{3}\.\d{3}-\d{2}$/)
  await at('checkout by boleto')
  await checkout.getByLabel('CEP').fill('01310')
  await checkout.getByLabel('CEP').blur()
  await expect(checkout.getByText('Valor inválido')).toBeVisible()
  await typeAddress(checkout)
  await expect(pay).toContainText('Gerar boleto')
  await pay.click()
  const pending = await resultDialog(page, 'Pagamento Pendente')
  await expect(pending.getByLabel('Linha digitável')).toHaveValue(/^\d{5}\.\d{5} \d{5}\.\d{6} \d{5}\.\d{6} \d \d{14}$/)
  await expect(pending.getByText(/Vence em \d\d\/\d\d\/\d{4}/)).toBeVisible()
  await expect(pending.getByRole('figure', { name: 'Código de barras do boleto' })).toBeVisible()
  await expect(pending.getByRole('link', { name: /Abrir boleto/ })).toHaveAttribute('rel', /noopener/)
  await expect(pending.getByRole('button', { name: 'Cancelar pagamento' })).toHaveCount(0)
  await expect(pending.getByText(/o boleto já não paga o plano: se for pago, o valor vira crédito/)).toBeVisible()
  await at('pending boleto')
  await pending.getByRole('button', { name: 'Pagar com PIX' }).click()
}

/** In the place of the boleto. */
async function walkPix(page: Page, at: Stop): Promise<void> {
  const checkout = page.getByRole('dialog', { name: 'Assinar Essencial' })
  await expect(checkout.getByRole('radio', { name: /PIX/ })).toBeChecked()
  await expect(checkout.getByText('O boleto continua valendo até vencer.')).toBeVisible()
  await checkout.getByRole('button', { name: /^Pagar/ }).click()
  const pending = await resultDialog(page, 'Pagamento Pendente')
  await expect(pending.getByLabel('PIX Copia e Cola')).toBeVisible()
  await at('pending pix')
  await pending.getByRole('button', { name: 'Cancelar pagamento' }).click()
  await page.getByRole('alertdialog', { name: 'Cancelar pagamento' }).waitFor()
  await at('question before cancelling a payment')
  await page.getByRole('button', { name: 'Manter pagamento' }).click()
  await pending.getByRole('button', { name: 'Fechar', exact: true }).last().click()
  await expect(page.getByRole('main').getByText(/^Pagamento do plano Essencial em aberto: /)).toBeVisible()
  await at('plans with a pending subscription')
  await page.getByRole('button', { name: 'Assinar: Profissional' }).click()
  await (await resultDialog(page, 'Já existe um pagamento em aberto')).getByText('Essencial · Trimestral').waitFor()
  await at('open payment announced')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Ver pagamento' }).click()
  await resultDialog(page, 'Pagamento Pendente')
}

/** The code expires, which leads back to the choice of a method. */
async function walkExpiry(page: Page, at: Stop): Promise<void> {
  const pending = page.getByRole('dialog', { name: 'Pagamento Pendente' })
  await pending.getByRole('button', { name: 'Expirar' }).click()
  const failed = await resultDialog(page, 'Pagamento Recusado')
  await expect(failed.getByText('Código PIX expirado')).toBeVisible()
  await expect(failed.getByRole('button', { name: 'Gerar novo código' })).toBeHidden()
  await at('expired pix')
  await failed.getByRole('button', { name: 'Tentar Novamente' }).click()
}

/** A card is refused, and the next code is paid. */
async function walkRefusal(page: Page, at: Stop): Promise<void> {
  const checkout = page.getByRole('dialog', { name: 'Assinar Essencial' })
  const pix = checkout.getByRole('radio', { name: /PIX/ })
  await expect(pix).toBeChecked()
  await checkout.getByRole('radio', { name: /Cartão de Crédito/ }).check()
  await checkout.getByLabel('Número do cartão').waitFor()
  await at('checkout by card')
  await typeCard(checkout, '4242424242424241')
  await checkout.getByLabel('CVC').blur()
  await expect(checkout.getByText('Número do cartão inválido')).toBeVisible()
  await at('checkout with a wrong card')
  await typeCard(checkout, '4000000000009995')
  await checkout.getByRole('checkbox', { name: 'Salvar cartão' }).check()
  await checkout.getByRole('button', { name: /^Pagar/ }).click()
  const refused = await resultDialog(page, 'Pagamento Recusado')
  await at('refused payment')
  await refused.getByRole('button', { name: 'Pagar com PIX' }).click()
  await expect(pix).toBeChecked()
  await checkout.getByRole('button', { name: /^Pagar/ }).click()
  await (await resultDialog(page, 'Pagamento Pendente')).getByRole('button', { name: 'Aprovar' }).click()
  await (await resultDialog(page, 'Pagamento Aprovado!')).getByRole('button', { name: 'Continuar' }).click()
  await expectActive(page, 'Essencial')
  await expect(page.getByText(/^Pagamento .*em aberto: /)).toBeHidden()
}

/** A downgrade waits for the end of the period, and is undone. */
async function walkChange(page: Page, at: Stop): Promise<void> {
  await page.getByRole('button', { name: 'Plano Atual' }).waitFor()
  await at('plans with a subscription')
  await page.getByRole('button', { name: 'Fazer Upgrade: Negócio' }).click()
  const preview = page.getByRole('dialog', { name: 'Preview da Mudança' })
  await expect(preview.getByText('Crédito proporcional')).toBeVisible()
  await at('preview of an upgrade')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Fazer Downgrade: Grátis' }).click()
  await expect(preview.getByText('Aplicada ao fim do período atual')).toBeVisible()
  await expect(preview.locator('[aria-live=polite]')).toHaveText('R$ 0,00')
  await preview.getByRole('button', { name: 'Confirmar Mudança' }).click()
  await expect(page.getByText(/^Mudança para Grátis agendada para \d\d\/\d\d\/\d{4}$/)).toBeVisible()
  const waits = page.getByText(/^Muda para Grátis em \d\d\/\d\d\/\d{4}$/)
  await expect(waits).toBeVisible()
  await expect(
    page.getByText('O plano Essencial vale até lá. Depois: até 5 usuários e 500 bipagens por mês.'),
  ).toBeVisible()
  await expectActive(page, 'Essencial')
  await page.reload()
  const target = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Grátis', level: 3 }) })
  await expect(target.getByText(/^A partir de \d\d\/\d\d\/\d{4}$/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Desfazer', exact: true })).toBeVisible()
  await at('pending change')
  await target.getByRole('button', { name: 'Desfazer mudança: Grátis' }).click()
  await expect(page.getByText('Mudança de plano desfeita')).toBeVisible()
  await expect(waits).toBeHidden()
  await page.reload()
  await expectActive(page, 'Essencial')
  await expect(waits).toBeHidden()
}

/** What is cancelled keeps its access, and is taken back. */
async function walkCancellation(page: Page, at: Stop): Promise<void> {
  const opener = page.getByRole('button', { name: 'Cancelar Assinatura' })
  await opener.click()
  const question = page.getByRole('alertdialog', { name: 'Cancelar Assinatura' })
  await expect(question.getByRole('button', { name: 'Manter Assinatura' })).toBeFocused()
  await expect(
    question.getByText(/^Você mantém o acesso até \d\d\/\d\d\/\d{4}\. Não haverá novas cobranças\.$/),
  ).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(question).toBeHidden()
  await expect(opener).toBeFocused()

  await opener.click()
  await question.getByRole('button', { name: 'Mudei de serviço' }).click()
  await expect(question.getByLabel('Motivo')).toHaveValue('Mudei de serviço')
  await at('cancel dialog')
  await question.getByRole('button', { name: 'Cancelar Assinatura' }).click()
  await expect(page.getByText('Assinatura cancelada')).toBeVisible()
  const card = page.getByRole('main')
  await expect(card.getByText('Cancelado', { exact: true })).toBeVisible()
  await expect(card.getByText('Motivo: Mudei de serviço')).toBeVisible()
  await expect(card.getByText(/^Acesso até \d\d\/\d\d\/\d{4}$/)).toBeVisible()
  const heading = card.getByRole('heading', { name: 'Essencial', level: 2 })
  await expect(heading).toBeFocused()
  await at('canceled subscription')
  await card.getByRole('button', { name: 'Reativar' }).click()
  await expectActive(page, 'Essencial')
  await expect(heading).toBeFocused()
  await expect(page.getByText('Assinatura reativada')).toBeVisible()
  await expect(page.getByText('Assinatura cancelada')).toBeHidden()
}

/** The boleto that made room for the PIX is paid all the same, and becomes credit. */
async function walkPayments(page: Page, at: Stop): Promise<void> {
  await goTo(page, 'Assinaturas')
  await expect(page.getByText('Assinatura cancelada').first()).toBeVisible()
  await at('subscriptions')
  await goTo(page, 'Pagamentos')
  const boleto = page.getByRole('link', { name: /^Ver boleto/ })
  await boleto.waitFor()
  await at('payments')
  await boleto.click()
  const pending = await resultDialog(page, 'Pagamento Pendente')
  await expect(pending.getByText('Se o boleto for pago, o valor vira crédito.')).toBeVisible()
  await expect(pending.getByRole('button', { name: 'Pagar com PIX' })).toBeHidden()
  await at('payment beside the list')
  await pending.getByRole('button', { name: 'Aprovar' }).click()
  await (await resultDialog(page, 'Pagamento Aprovado!')).getByRole('button', { name: 'Continuar' }).click()
  await expect(page.getByRole('row').filter({ hasText: 'Boleto' }).getByText('Virou crédito')).toBeVisible()
  await expect(page.getByRole('row').filter({ hasText: 'PIX' }).getByText('Virou crédito')).toHaveCount(0)
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

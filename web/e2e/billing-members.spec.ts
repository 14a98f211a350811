// One company, several people: whoever may pay sees every payment as it turns, and an operator reads only.
import { newCompanyOwner } from './arrival'
import { expect, test } from './journey'
import { resultDialog } from './payment'
import { newMemberInNewBrowser } from './people'
import { newPerson } from './person'
import { openPix, settleIntent } from './setup'

test('finance sees a payment turn without a reload, and an operator changes nothing', async ({ page, browser }) => {
  await newCompanyOwner(page, newPerson(), 'Ponto da Equipe')
  const finance = await newMemberInNewBrowser(page, browser, {
    name: 'Fátima Financeira',
    role: 'finance',
    path: '/plans',
  })
  const operator = await newMemberInNewBrowser(page, browser, {
    name: 'Otávio Operador',
    role: 'operator',
    path: '/plans',
  })
  await expect(finance.page.getByRole('button', { name: 'Assinar: Essencial' })).toBeEnabled()
  await expect(operator.page.getByRole('button', { name: 'Assinar: Essencial' })).toBeDisabled()
  await expect(operator.page.getByText('Você não tem permissão para esta ação')).toBeHidden()
  await expect(operator.page.getByText(/Para assinar ou mudar de plano, fale com um administrador/)).toBeVisible()
  await expect(operator.page.getByText('Métodos de pagamento')).toBeHidden()

  const intent = await openPix(page, 'Essencial')
  await finance.page.getByRole('button', { name: 'Ver pagamento' }).click()
  await resultDialog(finance.page, 'Pagamento Pendente')
  await expect(operator.page.getByText('Aguardando pagamento')).toBeVisible()
  await expect(operator.page.getByRole('button', { name: 'Ver pagamento' })).toBeHidden()

  await settleIntent(page, intent)
  const approved = await resultDialog(finance.page, 'Pagamento Aprovado!')
  await expect(operator.page.getByRole('main').getByText('Ativo', { exact: true })).toBeVisible()
  await expect(operator.page.getByRole('button', { name: 'Cancelar Assinatura' })).toBeHidden()

  for (const name of ['Planos', 'Home', 'Gerenciar Empresa']) {
    const link = operator.page.getByRole('navigation', { name: 'Principal' }).getByRole('link', { name, exact: true })
    await link.click()
    await expect(link).toHaveAttribute('aria-current', 'page')
    await expect(operator.page.getByRole('link', { name: 'Pagamentos' })).toHaveCount(0)
  }
  await expect(operator.page.getByText('3 de 10 usuários')).toBeVisible()
  await expect(operator.page.getByRole('heading', { name: 'Dados de cobrança' })).toHaveCount(0)
  await operator.page.goto('/payments')
  await expect(operator.page.getByText('Você não tem permissão para esta ação')).toBeVisible()
  await expect(operator.page.getByRole('table')).toBeHidden()
  await approved.getByRole('button', { name: 'Continuar' }).click()
  await finance.page.getByRole('link', { name: 'Pagamentos', exact: true }).click()
  await expect(
    finance.page.getByRole('row').filter({ hasText: 'Essencial · Mensal' }).getByText('Aprovado'),
  ).toBeVisible()
  await finance.page.context().close()
  await operator.page.context().close()
})

// "Dados de cobrança": filled in with the help of the postal code or by hand, shown in the boleto, which is paid, and
// changed by two people.
import type { Locator, Page } from '@playwright/test'
import { newCompanyOwnerAt } from './arrival'
import { expect, test } from './journey'
import { choosePlanHere, expectActive, resultDialog } from './payment'
import { newPerson } from './person'
import { goTo, onAPhone } from './sizes'

const CNPJ = '11.222.333/0001-81'

function section(page: Page): Locator {
  return page.locator('section').filter({ has: page.getByRole('heading', { name: 'Dados de cobrança', level: 2 }) })
}

/** The service of postal codes knows one. */
async function knowPaulista(page: Page): Promise<void> {
  const address = { postalCode: '01310100', street: 'Avenida Paulista', district: 'Bela Vista', city: 'São Paulo' }
  await page.route('**/api/addresses/01310100', (route) =>
    route.fulfill({ json: { success: true, data: { address: { ...address, state: 'SP' } } } }),
  )
  await page.route('**/api/addresses/99999999', (route) =>
    route.fulfill({ status: 404, json: { success: false, error: { code: 'CEP_NOT_FOUND', message: 'Erro' } } }),
  )
}

async function open(page: Page, button: string): Promise<Locator> {
  await section(page).getByRole('button', { name: button }).click()
  const dialog = page.getByRole('dialog', { name: 'Dados de cobrança' })
  await dialog.waitFor()
  return dialog
}

async function fillByHand(dialog: Locator): Promise<void> {
  await dialog.getByLabel('CPF ou CNPJ').fill('11222333000181')
  await dialog.getByLabel('Razão social ou nome completo').fill('Entregas Norte Ltda')
  await dialog.getByLabel('CEP').fill('04538133')
  await dialog.getByLabel('Logradouro').fill('Avenida Faria Lima')
  await dialog.getByLabel('Número').fill('S/N')
  await dialog.getByLabel('Bairro').fill('Itaim Bibi')
  await dialog.getByLabel('Cidade').fill('São Paulo')
  await dialog.getByLabel('UF').selectOption('SP')
}

onAPhone(() => {
  test('a company says who pays: the postal code fills the address in', async ({ page, context }) => {
    await knowPaulista(page)
    await newCompanyOwnerAt(page, newPerson(), 'Ponto do Recibo', '/company/manage')
    await expect(section(page).getByText('Nenhum dado de cobrança')).toBeVisible()
    const other = await context.newPage()
    await other.goto('/company/manage')
    await expect(section(other).getByText('Nenhum dado de cobrança')).toBeVisible()

    const dialog = await open(page, 'Preencher dados de cobrança')
    await dialog.getByRole('button', { name: 'Salvar' }).click()
    await expect(dialog.getByText('Este campo é obrigatório')).toHaveCount(8)
    const taxId = dialog.getByLabel('CPF ou CNPJ')
    await taxId.pressSequentially('112223330001800')
    await expect(taxId).toHaveValue('11.222.333/0001-800')
    await expect(dialog.getByText('Informe um CPF (11 dígitos) ou um CNPJ (14 caracteres)')).toBeVisible()
    await taxId.press('Backspace')
    await expect(dialog.getByText('CNPJ inválido. Confira os números.')).toBeVisible()
    await taxId.fill(CNPJ)
    await dialog.getByLabel('Razão social ou nome completo').fill('Entregas Norte Ltda')
    const cep = dialog.getByLabel('CEP')
    await cep.pressSequentially('99999999')
    await expect(dialog.getByText('CEP não encontrado. Confira o número ou preencha o endereço.')).toBeVisible()
    await cep.fill('')
    await cep.pressSequentially('01310100')
    await expect(dialog.getByLabel('Número')).toBeFocused()
    await expect(cep).toHaveValue('01310-100')
    await expect(dialog.getByLabel('Logradouro')).toHaveValue('Avenida Paulista')
    await expect(dialog.getByLabel('UF')).toHaveValue('SP')
    await page.keyboard.type('1000')
    await dialog.getByLabel('Emails de cobrança').fill('nf@exemplo.com.br, contas@exemplo.com.br')
    await dialog.getByRole('button', { name: 'Salvar' }).click()

    for (const tab of [page, other]) {
      await expect(section(tab).getByText(CNPJ)).toBeVisible()
      await expect(section(tab).getByText('Avenida Paulista, 1000')).toBeVisible()
      await expect(section(tab).getByText('contas@exemplo.com.br')).toBeVisible()
    }
    await page.reload()
    await expect(section(page).getByText('Entregas Norte Ltda')).toBeVisible()
  })

  test('without the service of postal codes the address is typed, the boleto knows it and pays, and two people edit it', async ({
    page,
    context,
  }) => {
    await newCompanyOwnerAt(page, newPerson(), 'Ponto do Recibo', '/company/manage')
    const dialog = await open(page, 'Preencher dados de cobrança')
    await fillByHand(dialog)
    await expect(dialog.getByText('Não foi possível buscar o endereço. Preencha os campos.')).toBeVisible()
    await dialog.getByRole('button', { name: 'Salvar' }).click()
    await expect(section(page).getByText(CNPJ)).toBeVisible()

    await goTo(page, 'Planos')
    const checkout = await choosePlanHere(page, 'Essencial')
    await checkout.getByRole('radio', { name: /Boleto/ }).check()
    await expect(checkout.getByLabel('CPF ou CNPJ')).toHaveValue(CNPJ)
    await expect(checkout.getByLabel('Endereço')).toHaveValue('Avenida Faria Lima, S/N')
    await expect(checkout.getByText('Entregas Norte Ltda')).toBeVisible()
    await checkout.getByLabel('CPF ou CNPJ').fill('111.444.777-34')
    await checkout.getByLabel('CEP').focus()
    await expect(checkout.getByText('CPF inválido. Confira os números.')).toBeVisible()
    await expect(checkout.getByRole('button', { name: /^Pagar/ })).toBeDisabled()
    await checkout.getByLabel('CPF ou CNPJ').fill(CNPJ)
    await checkout.getByRole('button', { name: /^Pagar/ }).click()
    const pending = await resultDialog(page, 'Pagamento Pendente')
    await expect(pending.getByLabel('Linha digitável')).toHaveValue(/^\d{5}\.\d{5} /)
    await pending.getByRole('button', { name: 'Aprovar' }).click()
    await (await resultDialog(page, 'Pagamento Aprovado!')).getByRole('button', { name: 'Continuar' }).click()
    await expectActive(page, 'Essencial')
    await goTo(page, 'Gerenciar Empresa')
    await expectBothEdits(page, await context.newPage())
  })
})

/** Of two people who edit it the later starts from what the first saved. */
async function expectBothEdits(page: Page, other: Page): Promise<void> {
  const mine = await open(page, 'Editar dados de cobrança')
  await mine.getByLabel('Nome fantasia').fill('Norte Express')
  await other.goto('/company/manage')
  const theirs = await open(other, 'Editar dados de cobrança')
  await theirs.getByLabel('Razão social ou nome completo').fill('Entregas Norte S.A.')
  await theirs.getByRole('button', { name: 'Salvar' }).click()
  await theirs.waitFor({ state: 'hidden' })

  await expect(mine.getByText('Outra pessoa salvou estes dados')).toBeVisible()
  await expect(mine.getByLabel('Nome fantasia')).toHaveValue('Norte Express')
  await mine.getByRole('button', { name: 'Carregar os dados novos' }).click()
  await expect(mine.getByLabel('Razão social ou nome completo')).toHaveValue('Entregas Norte S.A.')
  await mine.getByLabel('Nome fantasia').fill('Norte Express')
  await mine.getByRole('button', { name: 'Salvar' }).click()
  for (const tab of [page, other]) await expect(section(tab).getByText('Norte Express')).toBeVisible()
}

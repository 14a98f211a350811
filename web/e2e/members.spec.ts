// Members of a company: added, invited, given other roles, removed, leaving; seen live by the people it happens to.
import type { Locator, Page } from '@playwright/test'
import { newCompanyOwnerAt, newUserAt, newCompanyOwner, registerVerified } from './arrival'
import { expect, fillSignUp, test, verify } from './journey'
import {
  addUser,
  newBrowserPage,
  linkFor,
  waitUntilLive,
  newMemberInNewBrowser,
  memberRow,
  newUserInNewBrowser,
} from './people'
import { mailbox, newPerson, SOON } from './person'
import { addMember } from './setup'
import { onAPhone, expectCompany, withNavigation } from './sizes'

/** What a select has left beside its longest choice, and below a line of it; in pixels. */
function roomOf(select: Locator): Promise<number[]> {
  return select.evaluate((box: HTMLSelectElement) => {
    const { font, lineHeight, paddingLeft, paddingRight } = getComputedStyle(box)
    const pen = document.createElement('canvas').getContext('2d')
    if (!pen) return [Number.NaN]
    pen.font = font
    const widest = Math.max(...Array.from(box.options, ({ text }) => pen.measureText(text).width))
    const inside = box.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
    return [inside - widest, box.clientHeight - Number.parseFloat(lineHeight)]
  })
}

onAPhone(() => {
  test('a person with an account is added at once and sees the company without touching the page', async ({
    page,
    browser,
  }) => {
    const ana = await newUserInNewBrowser(browser, 'Ana Souza')
    await expect(ana.page.getByRole('main').getByRole('link', { name: 'Criar Primeira Empresa' })).toBeVisible()

    await newCompanyOwnerAt(page, newPerson(), 'Ponto Central')
    await page.getByRole('link', { name: 'Convidar Usuário' }).click()
    const dialog = page.getByRole('dialog', { name: 'Adicionar Usuário' })
    await expect(dialog.getByLabel('Papel')).toHaveValue('operator')
    await dialog.getByRole('button', { name: 'Adicionar', exact: true }).click()
    await expect(dialog.getByText('Email é obrigatório')).toBeVisible()
    await dialog.getByLabel('Email').fill('ana@')
    await dialog.getByRole('button', { name: 'Adicionar', exact: true }).click()
    await expect(dialog.getByText('Email deve ter um formato válido')).toBeVisible()
    await dialog.getByLabel('Email').fill(ana.person.email)
    await dialog.getByRole('button', { name: 'Adicionar', exact: true }).click()
    await expect(page.getByText('Usuário adicionado com sucesso! Email de boas-vindas enviado.')).toBeVisible()
    await expect(memberRow(page, 'Ana Souza').getByText('Ativo')).toBeVisible()
    await expect(page.getByText('2 de 5 usuários')).toBeVisible()
    // Every role is read in full, also by whoever has made the text of the phone larger.
    const devtools = await page.context().newCDPSession(page)
    for (const standard of [32, 16]) {
      await devtools.send('Page.setFontSizes', { fontSizes: { standard } })
      expect(Math.min(...(await roomOf(memberRow(page, 'Ana Souza').getByRole('combobox'))))).toBeGreaterThanOrEqual(0)
    }

    await expect(ana.page.getByText('Você agora faz parte da empresa Ponto Central')).toBeVisible()
    await expectCompany(ana.page, 'Ponto Central')
    await expect
      .poll(async () => (await mailbox(page.request, ana.person.email)).map(({ text }) => text).join('\n'), SOON)
      .toContain('Ponto Central')

    await addUser(page, ana.person.email)
    await expect(dialog.getByText('Erro ao convidar usuário')).toBeVisible()
    await expect(dialog.getByText('Este usuário já faz parte da empresa')).toBeVisible()
  })

  test('an unknown address is invited and signs up by the link; an invite is sent again, taken back, and accepted', async ({
    page,
    browser,
  }) => {
    await newCompanyOwnerAt(page, newPerson(), 'Ponto do Convite', '/company/manage')
    const bruno = newPerson('Bruno Lima')
    await addUser(page, bruno.email, 'Financeiro')
    await expect(page.getByText(`Convite enviado para ${bruno.email}. Ele vale 7 dias.`)).toBeVisible()
    await expect(page.getByRole('button', { name: `Cancelar convite para ${bruno.email}` })).toBeVisible()

    const theirs = await newBrowserPage(browser)
    await theirs.goto(await linkFor(theirs.request, bruno.email, '/accept-invite'))
    await expect(theirs.getByText('Você recebeu um convite para uma empresa.')).toBeVisible()
    await expect(theirs.getByText('Ponto do Convite')).toBeVisible()
    await theirs.getByRole('link', { name: 'Criar Conta' }).click()
    await expect(theirs.getByText('Use o email que recebeu o convite.')).toBeVisible()
    await expect(theirs.getByLabel('Email')).toHaveValue(bruno.email)
    await fillSignUp(theirs, bruno)
    await verify(theirs, bruno)

    // The administrator's open page follows: the invite is used, the member is there.
    await expect(memberRow(page, 'Bruno Lima').getByLabel('Papel de Bruno Lima')).toHaveValue('finance')
    await expect(page.getByText('Nenhum convite pendente')).toBeVisible()

    await theirs.waitForURL('/dashboard')
    await expectCompany(theirs, 'Ponto do Convite')
    await theirs.context().close()

    await expectSentAgainAndTakenBack(page, await newBrowserPage(browser))
    await expectAccepted(page, await newBrowserPage(browser))
  })

  test('a new role redraws the controls of the member’s open page, both ways, and a removal closes it', async ({
    page,
    browser,
  }) => {
    await newCompanyOwner(page, newPerson(), 'Ponto dos Papéis')
    const path = '/company/manage'
    const ana = await newMemberInNewBrowser(page, browser, { name: 'Ana Souza', role: 'operator', path })
    await page.goto(path)
    await memberRow(page, 'Ana Souza').waitFor()
    await waitUntilLive(ana.page)
    await expect(memberRow(ana.page, 'Ana Souza').getByText('Operador')).toBeVisible()
    await expect(ana.page.getByRole('button', { name: 'Adicionar Usuário' })).toHaveCount(0)
    await expect(ana.page.getByText('fale com um administrador da empresa')).toBeVisible()

    await page.getByLabel('Papel de Ana Souza').selectOption({ label: 'Administrador' })
    await expect(page.getByText('Ana Souza agora tem o papel Administrador')).toBeVisible()
    await expect(ana.page.getByRole('button', { name: 'Adicionar Usuário' })).toBeVisible()
    await expect(ana.page.getByText('Seu papel na empresa Ponto dos Papéis agora é Administrador')).toBeVisible()
    await withNavigation(ana.page, () =>
      expect(ana.page.getByRole('link', { name: 'Editar Ponto dos Papéis' })).toBeVisible(),
    )
    // The creator is locked, for her too.
    await ana.page.getByRole('button', { name: 'O criador da empresa não pode ser removido' }).click()
    await expect(ana.page.getByText('O criador da empresa não pode ser removido').first()).toBeVisible()
    await expect(ana.page.getByLabel('Papel de Maria Silva')).toHaveCount(0)

    // An open dialog goes with the right to use it.
    await ana.page.getByRole('button', { name: 'Adicionar Usuário' }).click()
    await page.getByLabel('Papel de Ana Souza').selectOption({ label: 'Financeiro' })
    await expect(ana.page.getByRole('dialog')).toHaveCount(0)
    await expect(ana.page.getByRole('button', { name: 'Adicionar Usuário' })).toHaveCount(0)
    await expect(memberRow(ana.page, 'Ana Souza').getByText('Financeiro')).toBeVisible()
    const counter = page.getByRole('main').locator('dl > div').filter({ hasText: 'Financeiro' }).first()
    await expect(counter.getByText('1', { exact: true })).toBeVisible()

    await expectRemoved(page, ana.page)
  })
})

/** A sent invite comes again by another link, and is taken back: the links say so to somebody else, who holds them. */
async function expectSentAgainAndTakenBack(page: Page, theirs: Page): Promise<void> {
  const carla = newPerson('Carla Dias')
  await addMember(page, carla.email, 'operator')
  const first = await linkFor(page.request, carla.email, '/accept-invite')
  await page.getByRole('button', { name: `Reenviar convite para ${carla.email}` }).click()
  await expect(page.getByText(`Convite reenviado para ${carla.email}. Ele vale 7 dias.`)).toBeVisible()
  await expect.poll(() => mailbox(page.request, carla.email).then((mails) => mails.length), SOON).toBe(2)
  const second = await linkFor(page.request, carla.email, '/accept-invite')
  expect(second).not.toBe(first)

  // Somebody else's account holds the link.
  const dora = newPerson('Dora Reis')
  await newUserAt(theirs, dora, second)
  await expect(theirs.getByText(`Este convite é para ${carla.email}, e você entrou como ${dora.email}.`)).toBeVisible()
  await theirs.getByRole('button', { name: 'Entrar com outra conta' }).click()
  await theirs.getByRole('link', { name: 'Entrar' }).click()
  await expect(theirs).toHaveURL(/\/signin\?next=%2Faccept-invite%3Ftoken%3D/)
  await theirs.goto(first)
  await expect(theirs.getByText(/use o link do mais novo/)).toBeVisible()

  await page.getByRole('button', { name: `Cancelar convite para ${carla.email}` }).click()
  const question = page.getByRole('alertdialog', { name: 'Cancelar convite?' })
  await expect(question.getByRole('button', { name: 'Manter convite' })).toBeFocused()
  await question.getByRole('button', { name: 'Cancelar convite' }).click()
  await expect(page.getByText('Nenhum convite pendente')).toBeVisible()
  await theirs.goto(second)
  await expect(theirs.getByRole('main').getByText('Erro ao aceitar convite')).toBeVisible()
  await expect(theirs.getByText('Convite inválido ou expirado.')).toBeVisible()
  await theirs.context().close()
}

/** A signed-in person accepts an invite and enters that company. */
async function expectAccepted(page: Page, theirs: Page): Promise<void> {
  const elisa = newPerson('Elisa Prado')
  await addMember(page, elisa.email, 'operator')
  const link = await linkFor(theirs.request, elisa.email, '/accept-invite')
  await registerVerified(theirs.request, elisa)

  // Verifying the address has used the invite, so its preview is gone; accepting it again answers the company all the
  // same.
  const preview = {
    companyName: 'Ponto do Convite',
    userEmail: elisa.email,
    role: 'operator',
    expiresAt: '2099-01-01T12:00:00Z',
  }
  await theirs.route('**/api/companies/invite-preview', (route) =>
    route.fulfill({ json: { success: true, data: preview } }),
  )
  await theirs.goto(link)
  await theirs.getByRole('link', { name: 'Entrar' }).click()
  await theirs.getByLabel('Email').fill(elisa.email)
  await theirs.getByLabel('Senha', { exact: true }).fill(elisa.password)
  await theirs.getByRole('button', { name: 'Entrar' }).click()
  await theirs.waitForURL(/\/accept-invite\?token=/)
  await theirs.getByRole('button', { name: 'Aceitar convite' }).click()
  await theirs.waitForURL('/dashboard')
  await expectCompany(theirs, 'Ponto do Convite')
}

/** A removed member’s open page closes itself, with what is open on it, and says why. */
async function expectRemoved(page: Page, theirs: Page): Promise<void> {
  await page.getByLabel('Papel de Ana Souza').selectOption({ label: 'Administrador' })
  await theirs.getByRole('button', { name: 'Editar', exact: true }).click()
  await expect(theirs.getByRole('dialog', { name: 'Editar Empresa' })).toBeVisible()

  await page.getByRole('button', { name: 'Remover Ana Souza' }).click()
  const question = page.getByRole('alertdialog', { name: 'Remover Ana Souza?' })
  await expect(question.getByRole('button', { name: 'Cancelar' })).toBeFocused()
  await question.getByRole('button', { name: 'Remover' }).click()
  await expect(memberRow(page, 'Ana Souza')).toHaveCount(0)

  await theirs.waitForURL('/dashboard')
  await expect(theirs.getByText('Você não tem mais acesso à empresa Ponto dos Papéis')).toBeVisible()
  await expect(theirs.getByRole('dialog')).toHaveCount(0)
  await expect(theirs.getByRole('main').getByRole('link', { name: 'Criar Primeira Empresa' })).toBeVisible()
}

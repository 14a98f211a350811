// Accounts and companies without a pointer: every step by Tab, arrows, Space and Enter alone. The focus is always
// somewhere, and always where the next step is taken from.
import { readFile } from 'node:fs/promises'
import { signInAt, newUserAt, newCompanyOwner, registerVerified } from './arrival'
import { expect, test } from './journey'
import { enterOn, tabTo, typeInto, withoutPointer } from './keyboard'
import { newBrowserPage, memberRow, newUserInNewBrowser } from './people'
import { codeFor, newPerson, SOON } from './person'
import { addMember } from './setup'

test.beforeEach(({ page }) => withoutPointer(page))

test('from sign-up to the first invite and the first member', async ({ page }) => {
  const person = newPerson('João Pereira')
  await page.goto('/signup')
  for (const [label, text] of [
    ['Nome Completo', person.name],
    ['Email', person.email],
    ['CPF', person.cpf],
    ['Telefone', '11987654321'],
    // The same whichever part of the date comes first.
    ['Data de Nascimento', '05051990'],
    ['Senha', person.password],
    ['Confirmar Senha', person.password],
  ] as const) {
    await tabTo(page, page.getByLabel(label, { exact: true }))
    await page.keyboard.type(text)
  }
  for (const consent of ['Termos Legais', 'Política de Privacidade', 'Termos LGPD']) {
    await tabTo(page, page.getByRole('checkbox', { name: consent }))
    await page.keyboard.press('Space')
  }
  await enterOn(page, page.getByRole('button', { name: 'Criar Conta' }))
  await expect(page.getByRole('heading', { name: 'Cadastro Realizado!' })).toBeFocused()
  await expect(
    page.getByText('Cadastro realizado com sucesso! Verifique seu email para ativar sua conta.'),
  ).toBeVisible()
  await enterOn(page, page.getByRole('link', { name: 'Verificar Email' }))
  await expect(page.getByLabel('Código de verificação')).toBeFocused()
  await page.keyboard.type(await codeFor(page.request, person.email))
  await expect(page.getByRole('heading', { name: 'Email Verificado!' })).toBeFocused()
  await expect(page.getByText('Sua conta está ativa. Bem-vindo(a), João Pereira!')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeFocused()
  await enterOn(page, page.getByRole('button', { name: `Menu de ${person.name}` }))
  await page.keyboard.press('End')
  await expect(page.getByRole('menuitem', { name: 'Sair' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Entrar' })).toBeFocused()

  await typeInto(page, page.getByLabel('Email'), person.email)
  await typeInto(page, page.getByLabel('Senha', { exact: true }), 'Errada#2026')
  await enterOn(page, page.getByRole('button', { name: 'Entrar' }))
  await expect(page.getByRole('main').getByText('Email ou senha incorretos')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Entrar' })).toBeFocused()
  await typeInto(page, page.getByLabel('Senha', { exact: true }), person.password)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Login Realizado!' })).toBeFocused()
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeFocused()

  await enterOn(page, page.getByRole('main').getByRole('link', { name: 'Criar Primeira Empresa' }))
  await expect(page.getByRole('heading', { name: 'Criar Empresa', level: 1 })).toBeFocused()
  await typeInto(page, page.getByLabel('Nome da Empresa'), 'Ponto Central')
  await typeInto(page, page.getByLabel('Descrição'), 'Recebe e entrega pacotes da zona sul')
  await enterOn(page, page.getByRole('button', { name: 'Criar Empresa' }))
  await expect(page.getByText('Empresa criada com sucesso!')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeFocused()
  await expect(page.getByText('Administradores')).toBeVisible()

  const invited = newPerson()
  await enterOn(page, page.getByRole('link', { name: 'Convidar Usuário' }))
  const dialog = page.getByRole('dialog', { name: 'Adicionar Usuário' })
  await expect(dialog.getByLabel('Email')).toBeFocused()
  await page.keyboard.type(invited.email)
  await tabTo(page, dialog.getByLabel('Papel'))
  await page.keyboard.press('End')
  await enterOn(page, dialog.getByRole('button', { name: 'Adicionar', exact: true }))
  await expect(page.getByText(`Convite enviado para ${invited.email}. Ele vale 7 dias.`)).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Ponto Central', level: 1 })).toBeFocused()

  const ana = newPerson('Ana Souza')
  await registerVerified(page.request, ana)
  const add = page.getByRole('button', { name: 'Adicionar Usuário' })
  await enterOn(page, add)
  await expect(dialog.getByLabel('Email')).toBeFocused()
  await page.keyboard.type(ana.email)
  await page.keyboard.press('Enter')
  await memberRow(page, 'Ana Souza').waitFor()
  await expect(add).toBeFocused()
  await tabTo(page, page.getByLabel('Papel de Ana Souza'))
  await page.keyboard.press('End')
  await expect(page.getByLabel('Papel de Ana Souza')).toHaveValue('finance')
  await enterOn(page, page.getByRole('button', { name: 'Remover Ana Souza' }))
  await expect(page.getByRole('alertdialog').getByRole('button', { name: 'Cancelar' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(memberRow(page, 'Ana Souza')).toHaveCount(0)

  const opener = page.getByRole('button', { name: `Cancelar convite para ${invited.email}` })
  const question = page.getByRole('alertdialog', { name: 'Cancelar convite?' })
  await enterOn(page, opener)
  await expect(question.getByRole('button', { name: 'Manter convite' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(opener).toBeFocused()
  await page.keyboard.press('Enter')
  await enterOn(page, question.getByRole('button', { name: 'Cancelar convite' }))
  await expect(page.getByText('Nenhum convite pendente')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Convites pendentes' })).toBeFocused()
})

test('the account: data, export, sessions and its end', async ({ page }) => {
  const person = newPerson()
  await newUserAt(page, person)
  for (const other of ['first', 'second']) {
    const answer = await page.request.post('/api/auth/login', {
      data: { userEmail: person.email, password: person.password },
    })
    expect(answer.status(), other).toBe(200)
  }
  await enterOn(page, page.getByRole('button', { name: `Menu de ${person.name}` }))
  await expect(page.getByRole('menuitem', { name: 'Minha Conta' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Minha Conta', level: 1 })).toBeFocused()

  await typeInto(page, page.getByLabel('Nome Completo'), 'Maria Helena Silva')
  const save = page.getByRole('button', { name: 'Salvar' })
  await enterOn(page, save)
  await expect(page.getByText('Dados atualizados com sucesso!')).toBeVisible()
  await expect(save).toBeDisabled()
  await expect(save).toBeFocused()

  const ends = page.getByRole('button', { name: /^Encerrar .+, entrada em/ })
  await expect(ends).toHaveCount(2)
  await enterOn(page, ends.first())
  await expect(ends).toHaveCount(1)
  await expect(page.getByRole('heading', { name: 'Sessões' })).toBeFocused()
  await enterOn(page, page.getByRole('button', { name: 'Encerrar outras sessões' }))
  await enterOn(page, page.getByRole('alertdialog').getByRole('button', { name: 'Encerrar outras sessões' }))
  await expect(ends).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'Sessões' })).toBeFocused()

  const downloading = page.waitForEvent('download')
  await enterOn(page, page.getByRole('button', { name: 'Baixar meus dados' }))
  const file = await downloading
  expect(file.suggestedFilename()).toMatch(/^bipe-meus-dados-\d{4}-\d{2}-\d{2}\.json$/)
  const data = JSON.parse(await readFile(await file.path(), 'utf8')) as {
    profile: { userEmail: string }
    consents: unknown[]
  }
  expect(data.profile.userEmail).toBe(person.email)
  expect(data.consents).toHaveLength(3)
  await expect(page.getByRole('button', { name: 'Baixar meus dados' })).toBeFocused()

  const opener = page.getByRole('button', { name: 'Excluir minha conta' })
  const question = page.getByRole('alertdialog', { name: 'Excluir minha conta?' })
  await enterOn(page, opener)
  await expect(question.getByRole('button', { name: 'Cancelar' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(opener).toBeFocused()
  await page.keyboard.press('Enter')
  await typeInto(page, question.getByLabel('Senha', { exact: true }), person.password)
  await page.keyboard.press('Enter')
  await expect(page.getByText('Sua conta foi excluída.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Entrar' })).toBeFocused()
})

test('a forgotten password, whose reset ends the sessions that were open', async ({ page, browser }) => {
  const { person, page: open } = await newUserInNewBrowser(browser, 'Ana Souza')
  const before = await codeFor(page.request, person.email)
  await page.goto('/signin')
  const opener = page.getByRole('button', { name: 'Esqueci minha senha' })
  const dialog = page.getByRole('dialog', { name: 'Esqueci minha senha' })
  await enterOn(page, opener)
  await expect(dialog.getByLabel('Email')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(opener).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(dialog.getByLabel('Email')).toBeFocused()
  await page.keyboard.type(person.email)
  await enterOn(page, dialog.getByRole('button', { name: 'Enviar código' }))
  await expect(dialog.getByText('Ele expira em 15 minutos.')).toBeVisible()
  await expect(dialog.getByRole('link', { name: 'Redefinir Senha' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: 'Código' })).toBeFocused()

  let code = before
  await expect.poll(async () => (code = await codeFor(page.request, person.email)), SOON).not.toBe(before)
  await page.keyboard.type(code)
  await typeInto(page, page.getByLabel('Nova Senha', { exact: true }), 'Nova#2026x')
  await typeInto(page, page.getByLabel('Confirmar Nova Senha'), 'Nova#2026y')
  await page.keyboard.press('Tab')
  await expect(page.getByText('As senhas não coincidem')).toBeVisible()
  await page.keyboard.press('Shift+Tab')
  await expect(page.getByLabel('Confirmar Nova Senha')).toBeFocused()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('Nova#2026x')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Senha Redefinida!' })).toBeFocused()
  await open.waitForURL(/\/signin/)
  await expect(open.getByRole('alert')).toHaveText(/Sessão expirada\. Faça login novamente\./)
  await enterOn(page, page.getByRole('link', { name: 'Fazer login' }))
  await expect(page.getByLabel('Email')).toHaveValue(person.email)
  await typeInto(page, page.getByLabel('Senha', { exact: true }), 'Nova#2026x')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeFocused()
})

test('a company is left by a member and deleted by its creator', async ({ page, browser }) => {
  const ana = newPerson('Ana Souza')
  const theirs = await newBrowserPage(browser)
  await withoutPointer(theirs)
  await registerVerified(theirs.request, ana)
  await newCompanyOwner(page, newPerson(), 'Ponto Final')
  await addMember(page, ana.email, 'operator')
  await signInAt(theirs, ana, '/company/manage')
  const leave = theirs.getByRole('button', { name: 'Sair da empresa' })
  await enterOn(theirs, leave)
  await expect(theirs.getByRole('alertdialog').getByRole('button', { name: 'Cancelar' })).toBeFocused()
  await page.goto('/company/manage')
  await memberRow(page, 'Ana Souza').waitFor()
  await enterOn(theirs, theirs.getByRole('alertdialog').getByRole('button', { name: 'Sair da empresa' }))
  await expect(theirs.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeFocused()
  await expect(theirs.getByText('Você saiu da empresa Ponto Final')).toBeVisible()
  await expect(theirs.getByText('Você não tem mais acesso à empresa Ponto Final')).toHaveCount(0)
  await expect(memberRow(page, 'Ana Souza')).toHaveCount(0)

  await enterOn(page, page.getByRole('button', { name: 'Excluir empresa' }))
  const question = page.getByRole('alertdialog', { name: 'Excluir empresa?' })
  await typeInto(page, question.getByLabel('Digite o nome da empresa para confirmar'), 'Ponto Final')
  await enterOn(page, question.getByRole('button', { name: 'Excluir empresa' }))
  await expect(page.getByText('Empresa excluída com sucesso!')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeFocused()
})

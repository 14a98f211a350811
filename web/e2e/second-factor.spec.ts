// The second factor, from setting it up to losing it; at a name, because an address of digits has no passkeys.
import { signInAt, newCompanyOwnerAt, newCompanyOwner, registerVerified } from './arrival'
import { codeOf, addVirtualAuthenticator, advancePastUsedCodes } from './authenticator'
import { expectNoViolation } from './axe'
import { expect, test as journey } from './journey'
import { tabTo } from './keyboard'
import { memberRow, newBrowserPage } from './people'
import { mailbox, newPerson, SOON } from './person'
import { requireSecondFactor, firstStep, addTotpByApi, setUpAppHere, signOut } from './second-factor'
import { originOf } from './servers'
import { addMember, promote } from './setup'

const test = journey.extend({
  // oxlint-disable-next-line eslint/no-empty-pattern -- the runner reads from the pattern what the fixture needs
  baseURL: async ({}, provide, { parallelIndex }) => provide(originOf(parallelIndex).replace('127.0.0.1', 'localhost')),
})

test.use({ contextOptions: { reducedMotion: 'reduce' } })

test('a platform admin sets an app up before the area opens; it is asked for at sign-in, and its codes are good once', async ({
  page,
}) => {
  const person = newPerson('Rui Chefe')
  await newCompanyOwner(page, person, 'Ponto Central')
  await promote(page.request, person)
  await requireSecondFactor(page)
  await page.goto('/admin')
  await expect(page.getByRole('heading', { name: 'Proteja o acesso de administrador' })).toBeVisible()
  const look = (what: string) => expectNoViolation(page, what)
  await look('the admin area before a second factor')
  const open = page.getByRole('button', { name: 'Abrir o Painel Admin' })
  await expect(open).toBeDisabled()
  const { secret, used, recoveryCodes } = await setUpAppHere(page, person, look)
  await look('the admin area after a second factor was set up')
  await open.click()
  await expect(page.getByRole('heading', { name: 'Admin Dashboard', level: 1 })).toBeVisible()
  await expect(page.getByText('MRR', { exact: true })).toBeVisible()
  await page.goto('/account')
  await expect(page.getByText('Ativa', { exact: true })).toBeVisible()
  await look('an account with a second factor')
  await signOut(page)

  await firstStep(page, person)
  await expect(page.getByRole('heading', { name: 'Verificação em duas etapas' })).toBeFocused()
  await expect(page.getByRole('main').getByRole('link', { name: 'fale com o suporte' })).toBeVisible()
  await look('the second step of a sign-in')
  await page.getByLabel('Código do aplicativo').pressSequentially(used)
  await expect(page.getByRole('main').getByText('Código inválido, expirado ou já usado')).toBeVisible()
  await advancePastUsedCodes(page.request)
  await page.getByLabel('Código do aplicativo').pressSequentially(await codeOf(page.request, secret))
  await page.getByRole('heading', { name: 'Login Realizado!' }).waitFor()
  await page.waitForURL('/dashboard')

  await signOut(page)
  await firstStep(page, person)
  await page.getByRole('button', { name: 'Usar um código de recuperação' }).click()
  await look('a recovery code at sign-in')
  await page.getByLabel('Código de recuperação').fill(recoveryCodes[0] ?? '')
  await page.getByRole('button', { name: 'Confirmar' }).click()
  await page.waitForURL('/dashboard')
  await expect
    .poll(async () => (await mailbox(page.request, person.email)).map(({ subject }) => subject), SOON)
    .toContain('Um código de recuperação do Bipe foi usado')
})

test('a passkey is added and then signs in alone, by its button and in the list of the browser', async ({ page }) => {
  const person = newPerson()
  const key = await addVirtualAuthenticator(page)
  await newCompanyOwnerAt(page, person, 'Ponto Central', '/account')
  await expect(page.getByText('Desativada', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Adicionar chave de acesso' }).click()
  const dialog = page.getByRole('dialog', { name: 'Adicionar chave de acesso' })
  await expectNoViolation(page, 'a new passkey')
  await dialog.getByLabel('Nome da chave').fill('Meu computador')
  await dialog.getByLabel('Sua senha atual').fill(person.password)
  await dialog.getByRole('button', { name: 'Adicionar chave de acesso' }).click()
  await page.getByRole('button', { name: 'Já guardei os códigos' }).click()
  await expect(page.getByText('Meu computador')).toBeVisible()

  // Chosen in the list: the virtual key answers the question that waits as soon as the page asks it.
  await signOut(page)
  await page.waitForURL('/dashboard')

  await page.evaluate(() => localStorage.clear())
  await key.confirm(false)
  await page.goto('/signin')
  const button = page.getByRole('button', { name: 'Entrar com chave de acesso' })
  await expect(button).toBeVisible()
  // A question that the list asks later would be answered at once, and the page with the button gone.
  await key.asked()
  await key.confirm(true)
  await button.click()
  await page.waitForURL('/dashboard')

  await page.goto('/account')
  await page.getByRole('button', { name: 'Remover chave de acesso Meu computador' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remover' }).click()
  await expect(page.getByText('Desativada', { exact: true })).toBeVisible()
})

test('a role changes only after the second factor was shown again, and then by itself', async ({ page, browser }) => {
  const [admin, member] = [newPerson('Ana Chefe'), newPerson('Bia Operadora')]
  await newCompanyOwner(page, admin, 'Ponto Central')
  await registerVerified(page.request, member)
  await addMember(page, member.email, 'operator')
  const secret = await addTotpByApi(page, admin)
  await page.request.post('/dev/clock', { data: { advanceSeconds: 660 } })
  await page.goto('/company/manage')
  await memberRow(page, member.name).getByLabel(`Papel de ${member.name}`).selectOption({ label: 'Financeiro' })
  const dialog = page.getByRole('dialog', { name: 'Confirme que é você' })
  await expect(dialog).toBeVisible()
  await expectNoViolation(page, 'the second factor again')
  // From the empty boxes, which have the focus.
  await tabTo(page, dialog.getByRole('button', { name: 'Confirmar' }))
  await dialog.getByLabel('Código do aplicativo').pressSequentially(await codeOf(page.request, secret))
  await expect(dialog).toHaveCount(0)
  await page.reload()
  await expect(memberRow(page, member.name).getByLabel(`Papel de ${member.name}`)).toHaveValue('finance')

  // Giving up leaves everything as it was.
  await page.request.post('/dev/clock', { data: { advanceSeconds: 660 } })
  await memberRow(page, member.name).getByLabel(`Papel de ${member.name}`).selectOption({ label: 'Operador' })
  await dialog.getByRole('button', { name: 'Fechar' }).click()
  await expect(page.getByText('Erro ao atualizar permissão do usuário')).toBeVisible()
  await expect(memberRow(page, member.name).getByLabel(`Papel de ${member.name}`)).toHaveValue('finance')

  // The member loses the phone: the admin gives the way back.
  const theirs = await newBrowserPage(browser)
  await signInAt(theirs, member, '/account')
  await addTotpByApi(theirs, member)
  await page.getByRole('button', { name: `Redefinir a verificação em duas etapas de ${member.name}` }).click()
  await expectNoViolation(page, 'the reset of a second factor')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Redefinir verificação' }).click()
  await advancePastUsedCodes(page.request)
  await dialog.getByLabel('Código do aplicativo').pressSequentially(await codeOf(page.request, secret))
  await expect(page.getByText(`${member.name} agora entra só com a senha.`)).toBeVisible()
  await theirs.waitForURL(/\/signin/)
  await firstStep(theirs, member)
  await theirs.waitForURL(/\/dashboard/)
})

// Who may enter the platform admin's area.
import type { Page } from '@playwright/test'
import { enterAdmin } from './admin'
import { newCompanyOwnerAt } from './arrival'
import { settle } from './axe'
import { expect, test } from './journey'
import { newBrowserPage } from './people'
import { newPerson } from './person'

/** The page's calls to the area, and its questions who the person is, from now on. */
function watchCalls(page: Page): string[] {
  const calls: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname.startsWith('/api/admin/') || pathname === '/api/auth/me') calls.push(pathname + search)
  })
  return calls
}

test('a person without the role is refused in words, whatever the browser has stored, and finds the way out', async ({
  page,
}) => {
  const calls = watchCalls(page)
  await newCompanyOwnerAt(page, newPerson(), 'Ponto Comum')
  const navigation = page.getByRole('navigation', { name: 'Principal' })
  await expect(navigation.getByRole('link', { name: 'Gerenciar Empresa' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Painel Admin' })).toHaveCount(0)
  await page.goto('/admin/companies')
  await expect(page.getByRole('heading', { name: 'Acesso Negado' })).toBeVisible()
  await expect(page.getByText('Você não tem permissões de administrador para acessar esta área...')).toBeVisible()
  await expect(page.getByText('Apenas usuários com role "admin" podem acessar o painel administrativo')).toBeVisible()
  expect(calls.filter((path) => path.startsWith('/api/admin/'))).toEqual([])
  await page.getByRole('link', { name: 'Ir para o Dashboard' }).click()
  await page.waitForURL('/dashboard')
  await page.goBack()
  await page.getByRole('link', { name: 'Página inicial' }).click()
  await expect(page.getByRole('heading', { name: 'Nenhum pacote sem bipe.' })).toBeVisible()
  await expect(page.getByText('Página não encontrada')).toHaveCount(0)
  await expectStoredRoleOpensNothing(page)
})

/** The browser says that its person is an administrator, and the server that they are none. */
async function expectStoredRoleOpensNothing(page: Page): Promise<void> {
  // An answer without scripts, which write there too.
  await page.goto('/health')
  await page.evaluate(() => {
    const user = JSON.parse(localStorage.getItem('bipe.user') ?? '{}') as object
    localStorage.setItem('bipe.user', JSON.stringify({ ...user, userRole: 'admin' }))
  })
  let check: () => void = () => undefined
  const checked = new Promise<void>((resolve) => (check = resolve))
  await page.route('**/api/auth/me', async (route) => {
    await checked
    await route.continue()
  })
  await page.goto('/admin/users')
  await expect(page.getByText('Verificando permissões...')).toBeVisible()
  check()
  await expect(page.getByRole('heading', { name: 'Acesso Negado' })).toBeVisible()
}

test('an administrator reaches every page of the area, each of which asks for everything once', async ({ page }) => {
  await enterAdmin(page, '/dashboard')
  await page.getByRole('link', { name: 'Painel Admin', exact: true }).click()
  await page.waitForURL('/admin/dashboard')
  const area = page.getByRole('navigation', { name: 'Painel Admin' })
  for (const [link, path] of [
    ['Gerenciar Planos', '/admin/plans'],
    ['Analytics', '/admin/analytics'],
    ['Usuários', '/admin/users'],
    ['Empresas', '/admin/companies'],
    ['Pagamentos', '/admin/payments'],
    ['Nós', '/admin/nodes'],
    ['Admin Dashboard', '/admin/dashboard'],
  ] as const) {
    await area.getByRole('link', { name: link }).click()
    await page.waitForURL(path)
    await expect(page.getByRole('heading', { name: link, level: 1 })).toBeFocused()
  }
  await area.getByRole('link', { name: 'Voltar ao Dashboard' }).click()
  await page.waitForURL('/dashboard')
  // Who runs the platform and has no company is led to the area, and not to a company.
  const panel = page.getByRole('link', { name: 'Abrir o Painel Admin' })
  await expect(panel).toBeVisible()
  await expect(page.getByText('Comece criando sua empresa')).toHaveCount(0)
  await panel.click()
  await page.waitForURL('/admin/dashboard')
  await expectAskedOnce(page)
})

/** A page asks early, and its code does not ask again. */
async function expectAskedOnce(page: Page): Promise<void> {
  // A socket that is being opened now would meet a `WebSocket` of another kind.
  await page.goto('about:blank')
  const calls = watchCalls(page)
  // Once live, a page reads again what may have changed meanwhile.
  await page.routeWebSocket('**/api/live', () => undefined)
  for (const [path, name] of [
    ['/admin/dashboard', 'Admin Dashboard'],
    ['/admin/analytics', 'Analytics'],
    ['/admin/companies', 'Empresas'],
    ['/admin/users', 'Usuários'],
  ] as const) {
    calls.length = 0
    await page.goto(path)
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await settle(page)
    expect(calls, path).toEqual([...new Set(calls)])
    expect(calls).toContain('/api/auth/me')
  }
}

test('an administrator who loses the role sees the area close', async ({ page, browser }) => {
  const person = newPerson('Rita Campos')
  const second = await newBrowserPage(browser)
  await newCompanyOwnerAt(second, person, 'Ponto da Rita')
  await enterAdmin(page, `/admin/users?search=${encodeURIComponent(person.email)}`)
  await setRole(page, 'Rita Campos', 'Administrador')

  await second.goto('/admin/dashboard')
  await expect(second.getByRole('heading', { name: 'Admin Dashboard', level: 1 })).toBeVisible()
  await expect(second.getByText('MRR', { exact: true })).toBeVisible()
  await setRole(page, 'Rita Campos', 'Usuário')
  await expect(second.getByRole('heading', { name: 'Acesso Negado' })).toBeVisible({ timeout: 45_000 })
  await second.context().close()
})

async function setRole(page: Page, name: string, role: string): Promise<void> {
  await page.getByRole('button', { name: `Editar ${name}` }).click()
  const form = page.getByRole('dialog', { name: `Editar ${name}` })
  await form.getByLabel('Papel').selectOption({ label: role })
  await form.getByRole('button', { name: 'Salvar' }).click()
  const sheet = page.getByRole('dialog', { name })
  await expect(sheet.getByRole('heading', { name: 'Perfil' })).toBeVisible()
  await sheet.getByRole('button', { name: 'Fechar' }).click()
  await expect(sheet).toHaveCount(0)
}

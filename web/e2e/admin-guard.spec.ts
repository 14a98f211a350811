// Who may enter the platform admin's area.
import { enter, expect, test } from './journey'
import { newPerson } from './person'

test('a person without the role is refused in words, and finds the way out', async ({ page }) => {
  await enter(page, newPerson(), 'Ponto Comum')
  await expect(page.getByRole('link', { name: 'Painel Admin' })).toHaveCount(0)
  await page.goto('/admin')
  await expect(page.getByRole('heading', { name: 'Acesso Negado' })).toBeVisible()
  await expect(page.getByText('Você não tem permissões de administrador para acessar esta área...')).toBeVisible()
  await expect(page.getByText('Apenas usuários com role "admin" podem acessar o painel administrativo')).toBeVisible()
  await page.getByRole('link', { name: 'Ir para o Dashboard' }).click()
  await page.waitForURL('/dashboard')
})

test('what this browser has stored opens nothing', async ({ page }) => {
  await enter(page, newPerson(), 'Ponto Comum')
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
})

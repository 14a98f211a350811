import { expect, test } from './journey'

test('pointing at a link fetches the code of its page before the click', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  const fetched = page.waitForResponse((response) => /\/assets\/sign-in-.*\.js$/.test(response.url()))
  await page.getByRole('banner').getByRole('link', { name: 'Entrar' }).hover()
  expect((await fetched).status()).toBe(200)
  expect(new URL(page.url()).pathname).toBe('/')
})

test('the theme is chosen by the system and kept when the person chooses', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto('/')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.evaluate(() => localStorage.setItem('bipe.theme', 'light'))
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light')
})

test('the skip link is the first stop of the keyboard and leads to the content', async ({ page }) => {
  await page.goto('/signin')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('Tab')
  const skip = page.getByRole('link', { name: 'Pular para o conteúdo' })
  await expect(skip).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.locator('#content')).toBeFocused()
})

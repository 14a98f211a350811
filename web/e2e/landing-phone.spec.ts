// The landing page where its header has no room for everything.
import { expect, test } from './journey'
import { onAPhone } from './sizes'

onAPhone(() => {
  test('the sections are behind a button of the header, the pictures are those of its theme and form, and all fits', async ({
    page,
  }) => {
    const fetched: string[] = []
    page.on('request', (request) => request.url().endsWith('.webp') && fetched.push(request.url()))
    await page.addInitScript(() => localStorage.setItem('bipe.theme', 'dark'))
    await page.goto('/')
    const menu = page.getByRole('banner').getByLabel('Menu')
    await menu.tap()
    const sections = page.getByRole('navigation', { name: 'Seções' })
    await expect(sections.getByRole('link', { name: 'Entrar' })).toBeVisible()
    await sections.getByRole('link', { name: 'Preços' }).tap()
    await expect(page.locator('#precos')).toBeInViewport()
    await expect(sections).toBeHidden()
    await menu.focus()
    await page.keyboard.press('Enter')
    await expect(sections).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(sections).toBeHidden()
    await expect(menu).toBeFocused()

    const picture = page.getByRole('img', { name: /Pagamento Aprovado/ })
    await picture.scrollIntoViewIfNeeded()
    const size = () => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)
    await expect.poll(size).toBe(720)
    expect(fetched.filter((address) => !address.includes('-phone-dark'))).toEqual([])
    await page.getByRole('button', { name: 'Comparar planos' }).tap()
    await expect(page.getByRole('table', { name: 'Comparação de planos, cobrança mensal' })).toBeVisible()
    const answer = page.getByText(/^Por cartão, PIX ou boleto/)
    await expect(answer).toBeHidden()
    await page.getByRole('heading', { name: 'Como pago?' }).tap()
    await expect(answer).toBeVisible()
  })
})

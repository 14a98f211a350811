// Nothing that a person already sees moves while the code, and then the connection, comes late. That no page moves
// while its answers come late is held by `pages.spec.ts`.
import type { Page } from '@playwright/test'
import { newCompanyOwner, signIn } from './arrival'
import { expect, test } from './journey'
import { movesOf, openStill, WAITS, watchMoves } from './moves'
import { newBrowserPage } from './people'
import { newPerson } from './person'
import { PHONE } from './sizes'

test('the account stands still while its files come late, and the header while the live connection takes its time', async ({
  page,
  browser,
}) => {
  test.setTimeout(180_000)
  const person = newPerson()
  await newCompanyOwner(page, person, 'Ponto Leste')
  // In a browser of its own, so that neither page is behind the other one.
  const phone = await newBrowserPage(browser, { viewport: PHONE })
  await signIn(phone, person)
  const sizes = [page, phone]
  await watchMoves(sizes)
  for (const size of sizes) {
    await scriptsComeSlowly(size)
    await size.setViewportSize({ width: size.viewportSize()?.width ?? PHONE.width, height: 3_600 })
  }
  await Promise.all(sizes.map((size) => openStill(size, '/account')))
  await phone.context().close()
  // A socket that is being opened now would meet a `WebSocket` of another kind.
  await page.goto('about:blank')
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await connectLate(page)
})

async function connectLate(page: Page): Promise<void> {
  let connect: () => void = () => undefined
  const allowed = new Promise<void>((resolve) => (connect = resolve))
  await page.routeWebSocket('**/api/live', async (socket) => {
    await allowed
    socket.connectToServer()
  })
  await page.goto('/dashboard')
  await expect(page.getByRole('button', { name: 'Conexão: Reconectando...' })).toBeVisible()
  connect()
  await expect(page.getByRole('button', { name: 'Conexão: Ao vivo' })).toBeVisible()
  expect(await movesOf(page)).toEqual([])
}

async function scriptsComeSlowly(page: Page): Promise<void> {
  let asked = 0
  await page.route('**/assets/*.js', async (route) => {
    const wait = WAITS[asked++ % WAITS.length]
    await new Promise((resolve) => setTimeout(resolve, wait))
    await route.continue()
  })
}

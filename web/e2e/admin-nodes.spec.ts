// The nodes of the installation: what is said on every admin page when something is wrong, and the calm page of a
// single one.
import type { Page } from '@playwright/test'
import { enterAdmin } from './admin'
import { expectNoViolation } from './axe'
import { expect, test } from './journey'

const CALL = '**/api/admin/nodes'

/** The server's own answer, with nodes of which one is gone and one has a wrong clock, and with a standby that is late. */
async function breakNode(page: Page): Promise<void> {
  await page.route(CALL, async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as { data: { nodes: { own: boolean }[]; database: object } }
    const [own] = body.data.nodes
    const other = (last: string) => ({ ...own, id: `019aad8a-0000-7000-8000-0000${last}`, own: false })
    const gone = { ...other('cafebabe'), status: 'silent', silentSeconds: 12 }
    const ahead = { ...other('deadbeef'), clockAheadSeconds: 45 }
    const refused = { reason: 'stale', count: 12, lastAt: new Date().toISOString(), clockAheadSeconds: 600 }
    const bus = {
      status: 'suspect',
      suspectSince: new Date().toISOString(),
      suspicions: 3,
      dropped: 1,
      refused: [
        { reason: 'forged', count: 2, lastAt: new Date().toISOString() },
        { ...refused, node: '019aad8a-0000-7000-8000-0000f00dfeed' },
      ],
    }
    const standbys = [
      {
        name: 'replica-de-sao-paulo-sudeste-1b',
        state: 'streaming',
        syncState: 'async',
        lagBytes: 7e7,
        lagSeconds: 41.5,
      },
      { name: 'pid 4711' },
    ]
    const database = { ...body.data.database, standbys }
    const problems = ['messagesRefused', 'nodeSilent', 'clocksDiffer', 'standbyBehind']
    await route.fulfill({ response, json: { ...body, data: { nodes: [own, gone, ahead], bus, database, problems } } })
  })
}

test('a node that is gone is told on every admin page and among the nodes, until all is well and calm again', async ({
  page,
}) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await breakNode(page)
  await enterAdmin(page, '/admin/plans')
  const banner = page.locator('[aria-live]').filter({ hasText: 'Mensagens do barramento estão sendo recusadas.' })
  await expect(banner).toBeVisible()
  const link = banner.getByRole('link', { name: 'Ver mais 3 em Nós' })
  await link.focus()
  await page.keyboard.press('Enter')
  await page.waitForURL('/admin/nodes')
  await expectTrouble(page)
  // Read again while it is seen. An answer may be on its way.
  await page.unrouteAll({ behavior: 'wait' })
  await expectCalm(page)
  await page.goBack()
  await page.waitForURL('/admin/plans')
  await expect(banner).toHaveCount(0)
})

/** What is wrong is shown without a violation, also on a small phone, which it fits. */
async function expectTrouble(page: Page): Promise<void> {
  await expect(page.getByText('Requer atenção')).toBeVisible()
  await expect(page.getByText('Sem sinal')).toBeVisible()
  await expect(page.getByText('12 · Relógio errado, ou mensagem repetida')).toBeVisible()
  await expect(page.getByText('Relógio: 45 s adiantado')).toBeVisible()
  await expect(page.getByText('Relógio: 10 min adiantado')).toBeVisible()
  await expect(page.getByText('Atraso: 67 MB e 41,5 s')).toBeVisible()
  await expectNoViolation(page, 'nodes with problems')
  const before = page.viewportSize()
  await page.setViewportSize({ width: 320, height: 640 })
  await expect(page.getByText('Relógio: 45 s adiantado')).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
  await expectNoViolation(page, 'nodes with problems on a phone')
  if (before) await page.setViewportSize(before)
}

/** A single node: live and complete. */
async function expectCalm(page: Page): Promise<void> {
  await expect(page.getByText('Requer atenção')).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'Nós', level: 1 })).toBeVisible()
  await expect(page.getByText('Um nó, sem barramento')).toBeVisible()
  const nodes = page.getByRole('table', { name: 'Nós da instalação' })
  await expect(nodes.getByText('Este nó')).toBeVisible()
  await expect(nodes.getByText('Atendendo')).toBeVisible()
  await expect(page.getByText('Respondendo')).toBeVisible()
}

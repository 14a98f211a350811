// The nodes of the installation: the calm page of a single one, and what is said on every admin page when something is
// wrong.
import type { Page } from '@playwright/test'
import { enterAdmin } from './admin'
import { expect, test } from './journey'

const CALL = '**/api/admin/nodes'

test('a single node is calm, live and complete', async ({ page }) => {
  await enterAdmin(page, '/admin/nodes')
  await expect(page.getByRole('heading', { name: 'Nós', level: 1 })).toBeVisible()
  await expect(page.getByText('Um nó, sem barramento')).toBeVisible()
  const nodes = page.getByRole('table', { name: 'Nós da instalação' })
  await expect(nodes.getByText('Este nó')).toBeVisible()
  await expect(nodes.getByText('Atendendo')).toBeVisible()
  await expect(page.getByText('Respondendo')).toBeVisible()
  await expect(page.getByText('Requer atenção')).toHaveCount(0)
  // Read again and again while it is seen.
  await page.waitForResponse(CALL)
  await page.waitForResponse(CALL)
})

/** The server's own answer, with two nodes of which one is gone. */
async function breakNode(page: Page): Promise<void> {
  await page.route(CALL, async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as { data: { nodes: { own: boolean }[] } }
    const [own] = body.data.nodes
    const id = '019aad8a-0000-7000-8000-0000cafebabe'
    const gone = { ...own, id, own: false, status: 'silent', silentSeconds: 12 }
    const bus = {
      status: 'suspect',
      suspectSince: new Date().toISOString(),
      suspicions: 3,
      dropped: 1,
      refused: [{ reason: 'stale', count: 12, lastAt: new Date().toISOString(), clockAheadSeconds: 600 }],
    }
    const data = { ...body.data, nodes: [own, gone], bus, problems: ['nodeSilent', 'messagesRefused'] }
    await route.fulfill({ response, json: { ...body, data } })
  })
}

test('a node that is gone is told on every admin page, until it is well again', async ({ page }) => {
  await breakNode(page)
  await enterAdmin(page, '/admin/plans')
  const banner = page.getByRole('status').filter({ hasText: 'Um nó parou de dar sinal' })
  await expect(banner).toBeVisible()
  const link = banner.getByRole('link', { name: 'Ver mais 1 em Nós' })
  await link.focus()
  await page.keyboard.press('Enter')
  await page.waitForURL('/admin/nodes')
  await expect(page.getByText('Requer atenção')).toBeVisible()
  await expect(page.getByText('Sem sinal')).toBeVisible()
  await expect(page.getByText('12 · Relógio errado, ou mensagem repetida')).toBeVisible()
  await page.unroute(CALL)
  await expect(page.getByText('Requer atenção')).toHaveCount(0)
  await page.goBack()
  await page.waitForURL('/admin/plans')
  await expect(banner).toHaveCount(0)
})

test('old data stays on the screen and is called old', async ({ page }) => {
  await enterAdmin(page, '/admin/nodes')
  await expect(page.getByText('Um nó, sem barramento')).toBeVisible()
  await page.route(CALL, (route) =>
    route.fulfill({ status: 404, json: { success: false, error: { code: 'NOT_FOUND', message: 'x' } } }),
  )
  await expect(page.getByText('Atualizando', { exact: true })).toBeVisible()
  await expect(page.getByText('Um nó, sem barramento')).toBeVisible()
  await page.unroute(CALL)
  await expect(page.getByText('Atualizando', { exact: true })).toHaveCount(0)
})

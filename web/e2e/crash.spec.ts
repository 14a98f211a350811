// The server dies by kill -9 between paying and settling and comes back on the same data and port; the tab, left alone,
// shows the approval. It has a server of its own, and its page is expected to log the lost connection.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from '@playwright/test'
import { newCompanyOwner } from './arrival'
import { expect } from './journey'
import { expectActive, payByPix, payments, resultDialog } from './payment'
import { newPerson } from './person'
import { crashOrigin, stopServer, settings, startServer } from './servers'

test.use({ baseURL: crashOrigin })

test('a payment survives the death of the server and its tab sees the approval', async ({ page }) => {
  test.setTimeout(180_000)
  const dataDir = mkdtempSync(join(tmpdir(), 'bipe-crash-'))
  chmodSync(dataDir, 0o755) // the database's own user must be able to enter it
  let { server } = await startServer(settings(crashOrigin, dataDir))
  try {
    await newCompanyOwner(page, newPerson(), 'Ponto da Queda')
    const pending = await payByPix(page, 'Essencial')
    await expect(page.getByText('Ao vivo')).toBeAttached()

    await stopServer(server, 'SIGKILL')
    await expect(page.getByText('Sem tempo real - atualizando a cada 15 s')).toBeAttached()
    server = (await startServer(settings(crashOrigin, dataDir))).server
    await expect(page.getByText('Ao vivo')).toBeAttached({ timeout: 45_000 })

    await pending.getByRole('button', { name: 'Aprovar' }).click()
    const approved = await resultDialog(page, 'Pagamento Aprovado!')
    await approved.getByRole('button', { name: 'Continuar' }).click()
    await expectActive(page, 'Essencial')
    expect(await payments(page)).toMatchObject([{ status: 'SUCCESS' }])
  } finally {
    await stopServer(server, 'SIGTERM')
    rmSync(dataDir, { recursive: true, force: true })
  }
})

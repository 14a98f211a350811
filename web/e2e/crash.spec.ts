// The server dies by kill -9 between paying and settling and comes back on the same data and port; the tab, left alone,
// shows the approval. It has a server of its own, and its page is expected to log the lost connection.
import { spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from '@playwright/test'
import { enter } from './arrival'
import { expect } from './journey'
import { expectActive, payByPix, payments, result } from './payment'
import { newPerson } from './person'
import { binary, crashOrigin, settings } from './servers'

test.use({ baseURL: crashOrigin })

/** Resolves when the server says that it listens. */
async function start(dataDir: string): Promise<ChildProcess> {
  const server = spawn(binary, ['serve'], {
    env: { ...process.env, ...settings(crashOrigin, dataDir), RUST_LOG: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: server.stdout })) {
    if (line.includes('listening on http://')) break
  }
  server.stdout.resume()
  return server
}

async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const gone = new Promise((resolve) => server.once('exit', resolve))
  server.kill(signal)
  await gone
}

test('a payment survives the death of the server and its tab sees the approval', async ({ page }) => {
  test.setTimeout(180_000)
  const dataDir = mkdtempSync(join(tmpdir(), 'bipe-crash-'))
  chmodSync(dataDir, 0o755) // the database's own user must be able to enter it
  let server = await start(dataDir)
  try {
    await enter(page, newPerson(), 'Ponto da Queda')
    const pending = await payByPix(page, 'Essencial')
    await expect(page.getByText('Ao vivo')).toBeAttached()

    await end(server, 'SIGKILL')
    await expect(page.getByText('Sem tempo real - atualizando a cada 15 s')).toBeAttached()
    server = await start(dataDir)
    await expect(page.getByText('Ao vivo')).toBeAttached({ timeout: 45_000 })

    await pending.getByRole('button', { name: 'Aprovar' }).click()
    const approved = await result(page, 'Pagamento Aprovado!')
    await approved.getByRole('button', { name: 'Continuar' }).click()
    await expectActive(page, 'Essencial')
    expect(await payments(page)).toMatchObject([{ status: 'SUCCESS' }])
  } finally {
    await end(server, 'SIGTERM')
    rmSync(dataDir, { recursive: true, force: true })
  }
})

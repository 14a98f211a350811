// Journeys in a real Chromium against the real server: its own data directory and port, the sandbox provider,
// the local mailbox. Without a Chromium the journeys are skipped by `make test`, except under CI=1.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from '@playwright/test'
import { chromiumFlags, chromiumPath } from './e2e/chromium'
import { binary, originOf, settings, WORKERS } from './e2e/servers'

// Workers inherit the environment, so all of them see the one directory. It is fresh: journeys move the clock, and
// a clock that was moved stays ahead. Who makes it removes it, once the servers have ended.
if (process.env.BIPE_E2E_DATA_DIR === undefined) {
  const made = directory(mkdtempSync(join(tmpdir(), 'bipe-e2e-')))
  process.env.BIPE_E2E_DATA_DIR = made
  process.on('exit', () => rmSync(made, { recursive: true, force: true }))
}
const dataDir = process.env.BIPE_E2E_DATA_DIR

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  // By journey and not by file: no worker waits while another one finishes a long file.
  fullyParallel: true,
  workers: WORKERS,
  forbidOnly: Boolean(process.env.CI),
  timeout: 240_000,
  expect: { timeout: 45_000 },
  // A slow machine is no defect under CI; elsewhere a journey that fails at first and passes then fails the run too.
  retries: process.env.CI ? 2 : 1,
  failOnFlakyTests: !process.env.CI,
  reporter: [['list']],
  use: {
    locale: 'pt-BR',
    timezoneId: 'America/Sao_Paulo',
    viewport: { width: 1440, height: 900 },
    // Recording costs a journey a good part of its time: only its second try is recorded.
    trace: 'on-first-retry',
    launchOptions: { executablePath: chromiumPath(), args: chromiumFlags() },
  },
  webServer: Array.from({ length: WORKERS }, (_, worker) => server(originOf(worker), join(dataDir, String(worker)))),
})

function server(origin: string, data: string) {
  mkdirSync(data, { recursive: true })
  return {
    // By a variable: the path may have spaces.
    command: 'exec "$BIPE_E2E_BINARY" serve',
    // Not the checkout: its .env may name a real database and a real mail server.
    cwd: directory(data),
    url: `${origin}/health/ready`,
    timeout: 120_000,
    reuseExistingServer: false,
    gracefulShutdown: { signal: 'SIGTERM' as const, timeout: 25_000 },
    env: { ...settings(origin, data), BIPE_E2E_BINARY: binary, RUST_LOG: 'warn' },
  }
}

/** The database's own user must be able to enter it. */
function directory(path: string): string {
  chmodSync(path, 0o755)
  return path
}

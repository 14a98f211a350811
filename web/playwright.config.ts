// Journeys in a real Chromium against the real server: its own data directory and port, the sandbox provider,
// the local mailbox. Without a Chromium the journeys are skipped by `make test`, except under CI=1.
import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { defineConfig } from '@playwright/test'
import { chromiumFlags, chromiumPath } from './e2e/chromium'

const port = Number(process.env.BIPE_E2E_PORT ?? 18_080)
// Workers inherit the environment, so all of them see the one directory. It is fresh: journeys move the clock, and
// a clock that was moved stays ahead. The database's own user must be able to enter it.
process.env.BIPE_E2E_DATA_DIR ??= freshDirectory()
const dataDir = process.env.BIPE_E2E_DATA_DIR
const binary = resolve(process.env.BIPE_E2E_BINARY ?? '../target/debug/bipe')
export const baseURL = `http://127.0.0.1:${port}`

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  fullyParallel: false,
  workers: 1,
  forbidOnly: Boolean(process.env.CI),
  // A slow machine is no defect; a journey that passes only at its second try is named flaky in the closing lines.
  timeout: 120_000,
  expect: { timeout: 15_000 },
  retries: process.env.CI ? 1 : 0,
  reporter: [['list']],
  use: {
    baseURL,
    locale: 'pt-BR',
    timezoneId: 'America/Sao_Paulo',
    viewport: { width: 1440, height: 900 },
    trace: 'retain-on-failure',
    launchOptions: { executablePath: chromiumPath(), args: chromiumFlags() },
  },
  webServer: {
    command: `exec ${binary} serve`,
    // Not the checkout: its .env may name a real database and a real mail server.
    cwd: dataDir,
    url: `${baseURL}/health/ready`,
    timeout: 120_000,
    reuseExistingServer: false,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 25_000 },
    env: { BIPE_BIND: `127.0.0.1:${port}`, BIPE_DATA_DIR: dataDir, BIPE_RATE_LIMITS: 'relaxed', RUST_LOG: 'warn' },
  },
})

function freshDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'bipe-e2e-'))
  chmodSync(directory, 0o755)
  return directory
}

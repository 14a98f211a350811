// Which browser the journeys drive, and its flags.
import { existsSync } from 'node:fs'

export function chromiumPath(): string {
  const path = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
  if (!existsSync(path)) throw new Error(`no Chromium at ${path}: set CHROMIUM_PATH`)
  return path
}

export function chromiumFlags(): string[] {
  const flags = [
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ]
  return process.getuid?.() === 0 ? ['--no-sandbox', ...flags] : flags
}

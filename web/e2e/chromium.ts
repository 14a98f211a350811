// Which browser the journeys drive, and its flags. The benchmark of the pages starts it with the same ones.
import { existsSync } from 'node:fs'
import flags from './chromium-flags.json' with { type: 'json' }

export function chromiumPath(): string {
  const path = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
  if (!existsSync(path)) throw new Error(`no Chromium at ${path}: set CHROMIUM_PATH`)
  return path
}

export function chromiumFlags(): string[] {
  return process.getuid?.() === 0 ? ['--no-sandbox', ...flags] : flags
}

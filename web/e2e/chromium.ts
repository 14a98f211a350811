// Which browser the journeys drive, and its flags. The benchmark of the pages starts it with the same ones.
import { existsSync } from 'node:fs'
import flags from './chromium-flags.json' with { type: 'json' }

export function chromiumPath(): string {
  const path = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
  if (!existsSync(path)) throw new Error(`no Chromium at ${path}: set CHROMIUM_PATH`)
  return path
}

/** The pop-ups of the address bar: every window draws them in a process of their own, and no journey sees them. */
const OF_THE_ADDRESS_BAR = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup']

/** What the driver turns off itself (`disabledFeatures` of playwright-core): of two such switches the last one counts. */
const BY_THE_DRIVER = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
]

export function chromiumFlags(): string[] {
  const without = `--disable-features=${[...BY_THE_DRIVER, ...OF_THE_ADDRESS_BAR].join(',')}`
  return [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), ...flags, without]
}

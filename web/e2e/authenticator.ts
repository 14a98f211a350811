// A passkey for a journey: Chromium's virtual authenticator, and the codes that an authenticator app would show.
import { createHmac } from 'node:crypto'
import type { APIRequestContext, CDPSession, Page } from '@playwright/test'

interface VirtualKey {
  /** Whether its user confirms what is asked. */
  confirm: (yes: boolean) => Promise<void>
  /** Until the document on the page has asked the browser for a passkey. */
  asked: () => Promise<void>
}

/** A phone or computer with a fingerprint, in the page's browser. */
export async function addVirtualAuthenticator(page: Page): Promise<VirtualKey> {
  const devtools: CDPSession = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable', { enableUI: false })
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  await page.addInitScript(() => {
    const get = navigator.credentials?.get.bind(navigator.credentials)
    if (!get) return
    navigator.credentials.get = (options) => {
      const answer = get(options)
      document.documentElement.dataset.passkeyAsked = ''
      return answer
    }
  })
  return {
    confirm: async (yes) =>
      void (await devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: yes })),
    asked: () => page.locator('html[data-passkey-asked]').waitFor({ state: 'attached' }),
  }
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function fromBase32(text: string): Buffer {
  const bits = [...text].map((digit) => DIGITS.indexOf(digit).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** The code of a secret (RFC 6238) by the server's clock; `step` 1 is the next one. */
export async function codeOf(request: APIRequestContext, secret: string, step = 0): Promise<string> {
  const { now } = (await (await request.get('/dev/clock')).json()) as { now: string }
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.parse(now) / 30_000) + step))
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, '0')
}

/** Until every code that was used is an old one. */
export async function advancePastUsedCodes(request: APIRequestContext): Promise<void> {
  await request.post('/dev/clock', { data: { advanceSeconds: 60 } })
}

// People and their mail, for the journeys. Every person is new: the server's data outlives a run.
import { expect, type APIRequestContext } from '@playwright/test'

export interface Person {
  name: string
  email: string
  cpf: string
  password: string
}

/** The administrator that a development server makes; printed by `bipe serve`. */
export const DEMO_ADMIN = { email: 'admin@bipe.localhost', password: 'Bipe#Demo2026' }

let made = 0

export function newPerson(name = 'Maria Silva'): Person {
  made += 1
  const unique = `${Date.now().toString(36)}${made}`
  return { name, email: `maria.${unique}@exemplo.com.br`, cpf: newCpf(), password: 'Bipe#2026' }
}

/** Nine random digits with right check digits. */
function newCpf(): string {
  const digits = Array.from(crypto.getRandomValues(new Uint8Array(9)), (byte) => byte % 10)
  for (const length of [9, 10]) {
    const sum = digits.slice(0, length).reduce((total, digit, index) => total + digit * (length + 1 - index), 0)
    const remainder = sum % 11
    digits.push(remainder < 2 ? 0 : 11 - remainder)
  }
  return digits.join('')
}

interface Mail {
  to: string
  subject: string
  text: string
  at: string
}

/** How often to look for what takes the server a moment. */
export const SOON = { intervals: [25, 50, 100, 250, 500] }

export async function mailbox(request: APIRequestContext, address: string): Promise<Mail[]> {
  const response = await request.get(`/dev/mailbox.json?to=${encodeURIComponent(address)}`)
  expect(response.status()).toBe(200)
  return ((await response.json()) as { messages: Mail[] }).messages
}

/** The six digits that stand alone on a line of the newest mail; waits until one has come. */
export async function codeFor(request: APIRequestContext, address: string): Promise<string> {
  let code: string | undefined
  await expect
    .poll(async () => {
      const mails = await mailbox(request, address)
      code = mails.map(({ text }) => /^\s*(\d{6})\s*$/m.exec(text)?.[1]).find((found) => found !== undefined)
      return code
    }, SOON)
    .toBeDefined()
  return code ?? ''
}

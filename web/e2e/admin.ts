// Steps of a platform admin. The administrator is the one that a development server makes at its start.
import type { Page } from '@playwright/test'
import { signIn } from './journey'
import { DEMO_ADMIN, type Person } from './person'

const admin: Person = { ...DEMO_ADMIN, name: 'Administrador', cpf: '' }

/** Signs the administrator in and opens the page of the area. */
export async function enterAdmin(page: Page, path = '/admin'): Promise<void> {
  await signIn(page, admin)
  await page.goto(path)
}

/** A name that no earlier run has used. */
export function unique(name: string): string {
  return `${name} ${Date.now().toString(36)}`
}

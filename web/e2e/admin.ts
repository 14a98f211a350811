// Steps of a platform admin. The administrator is the one that a development server makes at its start.
import type { Page } from '@playwright/test'
import { signInAt } from './arrival'
import { DEMO_ADMIN } from './person'

/** Signs the administrator in and opens the page of the area. */
export async function enterAdmin(page: Page, path = '/admin'): Promise<void> {
  await signInAt(page, DEMO_ADMIN, path)
}

/** A name that no earlier run has used. */
export function unique(name: string): string {
  return `${name} ${Date.now().toString(36)}`
}

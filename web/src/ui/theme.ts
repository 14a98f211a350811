// The theme choice, kept in `bipe.theme`. `/theme.js` applies it before the first paint; this keeps it
// applied when the choice or the system changes.
import { useSyncExternalStore } from 'react'

export type ThemeChoice = 'system' | 'light' | 'dark'

export const themeLabels: Record<ThemeChoice, string> = { system: 'Sistema', light: 'Claro', dark: 'Escuro' }

const KEY = 'bipe.theme'
const listeners = new Set<() => void>()
let choice = stored()

function stored(): ThemeChoice {
  try {
    const value = localStorage.getItem(KEY)
    return value === 'light' || value === 'dark' ? value : 'system'
  } catch {
    return 'system'
  }
}

function apply(): void {
  const dark = choice === 'dark' || (choice === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
  for (const listener of listeners) listener()
}

/** Called once by `main.tsx`: follows the system and the other tabs. */
export function watchTheme(): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', apply)
  window.addEventListener('storage', (event) => {
    if (event.key !== KEY) return
    choice = stored()
    apply()
  })
}

export function setTheme(next: ThemeChoice): void {
  choice = next
  try {
    localStorage.setItem(KEY, next)
  } catch (error) {
    console.warn('storage refused', KEY, error)
  }
  apply()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useTheme(): ThemeChoice {
  return useSyncExternalStore(subscribe, () => choice)
}

/** The theme on the page right now, for libraries that want to be told. */
export function useAppliedTheme(): 'light' | 'dark' {
  return useSyncExternalStore(subscribe, () => (document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light'))
}

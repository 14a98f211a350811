// The theme choice, kept in `bipe.theme`. `/theme.js` applies it before the first paint; this keeps it
// applied when the choice or the system changes.
import { Observable, useObservable } from '../lib/observable'
import { useMedia } from './use-media'

export type ThemeChoice = 'system' | 'light' | 'dark'

/** In the order in which they are offered. */
export const themes: readonly ThemeChoice[] = ['system', 'light', 'dark']

export const themeLabels: Record<ThemeChoice, string> = { system: 'Sistema', light: 'Claro', dark: 'Escuro' }

const KEY = 'bipe.theme'
const PREFERS_DARK = '(prefers-color-scheme: dark)'
const choice = new Observable(stored())

function stored(): ThemeChoice {
  try {
    const value = localStorage.getItem(KEY)
    return value === 'light' || value === 'dark' ? value : 'system'
  } catch {
    return 'system'
  }
}

function resolve(chosen: ThemeChoice, prefersDark: boolean): 'light' | 'dark' {
  return chosen === 'dark' || (chosen === 'system' && prefersDark) ? 'dark' : 'light'
}

function apply(): void {
  document.documentElement.dataset.theme = resolve(choice.get(), matchMedia(PREFERS_DARK).matches)
}

/** Called once by `start.tsx` and the landing page: follows the choice, the system and the other tabs. */
export function watchTheme(): void {
  // The system may have changed since `/theme.js` ran.
  apply()
  choice.subscribe(apply)
  matchMedia(PREFERS_DARK).addEventListener('change', apply)
  window.addEventListener('storage', (event) => {
    if (event.key === KEY) choice.set(stored())
  })
}

export function setTheme(next: ThemeChoice): void {
  try {
    localStorage.setItem(KEY, next)
  } catch (error) {
    console.warn('storage refused', KEY, error)
  }
  choice.set(next)
}

export function useTheme(): ThemeChoice {
  return useObservable(choice)
}

/** The theme on the page right now, for libraries that want to be told. */
export function useAppliedTheme(): 'light' | 'dark' {
  return resolve(useTheme(), useMedia(PREFERS_DARK))
}

// Which modules of the web app share a file of the build. Every file costs a page some time, and so does every byte that
// a page does not need. So a module that several screens use stands beside others that the same kinds of screens use.
// `vite.config.ts` builds with it; `test/budget.mjs` holds how many files and bytes each page needs.
import type { Plugin, Rolldown } from 'vite'

/** Where each kind of screen begins. */
const beginnings = {
  entry: /\/app\/start\.tsx$/,
  auth: /\/features\/auth\/(auth-layout|sign-in|sign-up|verify-email|accept-invite|reset-password|undo-change)\.tsx$/,
  shell: /\/app\/app-layout\.tsx$/,
  live: /\/live\/live-connection\.tsx$/,
  /** The pages that are opened first. */
  first: /\/features\/(admin\/)?dashboard\/dashboard\.tsx$/,
  admin: /\/features\/admin\/|\/app\/admin-layout\.tsx$/,
  adminLayout: /\/app\/admin-layout\.tsx$/,
}
type Kind = keyof typeof beginnings

const anyOf = (...parts: RegExp[]) => new RegExp(parts.map(({ source }) => source).join('|'))

/** What the landing page and the app both begin with. */
const BASE = anyOf(
  /\/node_modules\/(react|react-dom|scheduler|get-nonce)\//,
  /\/lucide-react\/dist\/esm\/(icons\/(menu|loader-circle)\.|shared\/|createLucideIcon|Icon|context)/,
  /\/src\/(main\.css|app\/boot|lib\/(paths|observable))/,
  /\/src\/ui\/(brand|button|cx|skeleton|skip-link|theme|use-media|use-stable-while-pressed)\./,
  /vite\/preload-helper/,
)
/** What the landing page loads once it is shown, and the app uses, too. */
const PARTS = anyOf(
  /\/(openapi-fetch|lucide-react)\/|\/react-query\/build\/modern\/queryOptions\./,
  /\/src\/api\/(client|config|early-answers|errors|retries)\./,
  /\/src\/lib\/(countdown|cpf|decimal|ids|issuer|labels|made-once|money|plain-text|plans|tax-id|version)\./,
  /\/src\/ui\/(badge|compare-plans|cycle-choice|plan-price|radios|segmented)\./,
)
const FORM = anyOf(
  /\/(react-hook-form|@hookform|zod)\//,
  /\/src\/(api\/(use-api-form|form-errors|form-fields)|auth\/use-set-password|lib\/zod)\./,
)
/** The libraries below menus, dialogs and tooltips. */
const OVERLAYS = anyOf(
  /\/@radix-ui\/(?!react-tabs)|\/@floating-ui\//,
  /\/(aria-hidden|detect-node-es|react-remove-scroll|react-style-singleton|tslib|use-callback-ref|use-sidecar)/,
)
/** Modules that only pass on what others export: who imports one uses little of what it imports. */
const BARREL = /\/radix-ui\/dist\/index\.|\/lucide-react\/dist\/esm\/lucide-react\./

/** A few lines, which are not worth a file of their own. */
const SMALL = anyOf(
  /\/src\/(api\/payment-filter|lib\/(attempt|boleto-line))\./,
  /\/src\/(ui\/use-pass-focus|features\/auth\/other-account)\./,
)

interface Uses {
  /** Whether a screen of the kind uses the module. */
  by: (kind: Kind) => boolean
  onlyBy: (kind: Kind) => boolean
  screens: number
}

/** The first that fits names the file. Without a name, a module stands where the bundler puts it. */
const files: [name: string | null, fits: (id: string, uses: Uses) => boolean][] = [
  ['base', (id) => BASE.test(id)],
  ['parts', (id) => PARTS.test(id)],
  ['form', (id) => FORM.test(id)],
  ['shell', (id) => OVERLAYS.test(id)],
  ['entry', (_, { by }) => by('entry')],
  ['entry', (id, { by, screens }) => by('auth') && (by('shell') || screens > 6 || SMALL.test(id))],
  ['shell', (_, { by }) => by('shell')],
  [null, (_, { by }) => by('auth')],
  ['admin', (_, { by, onlyBy, screens }) => onlyBy('admin') && (by('adminLayout') || (by('first') && screens > 1))],
  ['records', (_, { onlyBy, screens }) => onlyBy('admin') && screens > 1],
  ['shell', (_, { by, screens }) => (by('live') || by('first')) && screens > 1],
  ['screens', (id, { screens }) => screens > 3 || SMALL.test(id)],
]
const names = [...new Set(files.flatMap(([name]) => name ?? []))]

/** The plugin learns which screens use each module; the groups decide by it. */
export function sharedFiles(): { plugin: Plugin; groups: Rolldown.CodeSplittingGroup[] } {
  const screensOf = new Map<string, Set<string>>()
  return {
    plugin: {
      name: 'bipe-shared-files',
      apply: 'build',
      buildEnd() {
        screensOf.clear()
        const markAll = (id: string, screen: string) => {
          const screens = screensOf.get(id) ?? new Set()
          if (screens.has(screen) || BARREL.test(id)) return
          screensOf.set(id, screens.add(screen))
          this.getModuleInfo(id)?.importedIds.forEach((imported) => markAll(imported, screen))
        }
        for (const id of this.getModuleIds()) {
          const info = this.getModuleInfo(id)
          if (info?.isEntry || info?.dynamicImporters.length) markAll(id, id)
        }
      },
    },
    groups: names.map((name) => ({
      name: (id) => (fileOf(id, [...(screensOf.get(id) ?? [])]) === name ? name : null),
      includeDependenciesRecursively: false,
    })),
  }
}

/**
 * The name of the shared file of a module, if it has one: what starts the app has its own, and so has a screen that no
 * other contains.
 */
function fileOf(id: string, screens: readonly string[]): string | null | undefined {
  if (/\.html$|\/main\.ts$/.test(id)) return null
  const isPage = screens.length === 1 && screens[0] === id && id.endsWith('.tsx')
  if (isPage && !beginnings.entry.test(id) && !beginnings.adminLayout.test(id)) return null
  const uses: Uses = {
    by: (kind) => screens.some((screen) => beginnings[kind].test(screen)),
    onlyBy: (kind) => screens.every((screen) => beginnings[kind].test(screen)),
    screens: screens.length,
  }
  return files.find(([, fits]) => fits(id, uses))?.[0]
}

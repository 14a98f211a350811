// Preloads the code of a page beside the code of every page, and what every signed-in page reads first. Without it the
// browser learns which files a page needs once React and the router run, on a phone a second later. The build lists the
// files of each address in a small script of its own, because the site's policy allows no script inside the page. The
// files run when the router asks for them. `test/budget.mjs` holds that each page's files are listed.
import { readFileSync } from 'node:fs'
import { runnerImport, type Plugin, type Rolldown } from 'vite'
import { fetchEarly } from './src/auth/fetch-early'

const ROUTER = 'src/app/router.tsx'
/** The file that starts every page; `main.ts` imports it late. */
const START = 'entry'
/** The layouts around the screens of a folder, which import none of them. */
const layouts: [folder: string, layout: string][] = [
  ['/features/admin/', '/src/app/admin-layout.tsx'],
  ['/features/auth/', '/src/features/auth/auth-layout.tsx'],
]

export function routePreload(): Plugin {
  let script = ''
  return {
    name: 'bipe-route-preload',
    apply: 'build',
    generateBundle: {
      order: 'pre',
      async handler(_, bundle) {
        const start = filesOf(bundle, ({ name }) => name === START)
        const codeOf: Record<string, string[]> = {}
        for (const [path, sources] of await screens()) {
          const around = layouts.filter(([folder]) => sources.some((source) => source.includes(folder)))
          const parts = [...sources, ...around.map(([, layout]) => layout)]
          const needed = parts.flatMap((part) =>
            filesOf(bundle, ({ moduleIds }) => moduleIds.some((id) => id.endsWith(part))),
          )
          if (path in codeOf) throw new Error(`two screens have the address ${path}`)
          codeOf[path] = [...new Set(needed)].filter((file) => !start.includes(file))
        }
        // It leads on to its dashboard.
        codeOf['/admin'] = codeOf['/admin/dashboard'] ?? []
        const code = `(${fetchEarly.toString()})();(${preload.toString()})(${JSON.stringify(codeOf)})`
        script = this.getFileName(this.emitFile({ type: 'asset', name: 'preload.js', source: code }))
      },
    },
    transformIndexHtml: {
      order: 'post',
      handler(html, { filename, bundle }) {
        if (bundle === undefined || !filename.endsWith('index.html')) return html
        const start = filesOf(bundle, ({ name }) => name === START)
        const links = start.filter((file) => !html.includes(file)).map((file) => `/${file}`)
        return [
          { tag: 'script', attrs: { src: `/${script}`, async: true, fetchpriority: 'high' }, injectTo: 'head' },
          ...links.map((href) => ({
            tag: 'link',
            attrs: { rel: 'modulepreload', crossorigin: true, href },
            injectTo: 'head' as const,
          })),
        ]
      },
    },
  }
}

/** Runs in the browser. Each file in a task of its own: a slow phone needs a while to begin with one. */
function preload(codeOf: Record<string, string[]>): void {
  const path = location.pathname
  for (const file of codeOf[path] ?? codeOf[path.replace(/[^/]+$/, '*')] ?? []) {
    setTimeout(() => {
      const link = document.createElement('link')
      link.rel = 'modulepreload'
      link.crossOrigin = ''
      link.href = `/${file}`
      document.head.append(link)
    })
  }
}

/**
 * The addresses of each screen, with `*` for a parameter, and how the names of its modules end: as the router lists them.
 */
async function screens(): Promise<[path: string, sources: string[]][]> {
  const { module } = await runnerImport<typeof import('./src/lib/paths')>('/src/lib/paths.ts', { configFile: false })
  const known: Record<string, unknown> = { ...module, ...module.paths }
  return readFileSync(ROUTER, 'utf8')
    .split(/\bscreen\(|\n\]/)
    .flatMap((entry) => {
      const name = /^(?:paths\.)?(\w+),/.exec(entry)?.[1]
      if (name === undefined) return []
      const path = known[name]
      if (typeof path !== 'string') throw new Error(`no address is known for ${name}`)
      const sources = Array.from(entry.matchAll(/import\('\.\.(.+?)'\)/g), ([, source]) => `/src${source}.tsx`)
      return addressesOf(path).map((address): [string, string[]] => [address, sources])
    })
}

/** Where a screen with that route is: what an optional parameter is in, is another address without it. */
function addressesOf(path: string): string[] {
  const address = path.replace(/:\w+\??$/, '*')
  return path.endsWith('?') ? [address, address.replace('/*', '')] : [address]
}

/** The file of the one chunk that is wanted, and all files that it imports. */
function filesOf(bundle: Rolldown.OutputBundle, isWanted: (chunk: Rolldown.OutputChunk) => boolean): string[] {
  const found = new Set<string>()
  const visit = (file: string) => {
    const chunk = bundle[file]
    if (chunk?.type !== 'chunk' || found.has(file)) return
    found.add(file)
    chunk.imports.forEach(visit)
  }
  const wanted = Object.values(bundle).filter((file) => file.type === 'chunk' && isWanted(file))
  if (wanted.length !== 1) throw new Error(`${wanted.length} chunks where one was looked for: ${isWanted.toString()}`)
  wanted.forEach(({ fileName }) => visit(fileName))
  return [...found]
}

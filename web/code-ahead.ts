// Starts to fetch the code of a page while that of every page is still coming. Without it the browser learns what a page
// needs once React and the router run, on a phone a second later. The build writes which files the page at each address
// needs into a small script of its own, because the policy of the site allows none in the page. The files are only
// fetched: they run when the router asks for them.
import { readFileSync } from 'node:fs'
import { runnerImport, type Plugin, type Rolldown } from 'vite'

const ROUTER = 'src/app/router.tsx'
/** Runs all pages; the browser would learn of it from `main.ts`. */
const START = 'entry'
/** What stands around the screens of a folder and does not import them. */
const frames: [folder: string, frame: string][] = [
  ['/features/admin/', '/src/app/admin-layout.tsx'],
  ['/features/auth/', '/src/features/auth/auth-layout.tsx'],
]

export function codeAhead(): Plugin {
  let script = ''
  return {
    name: 'bipe-code-ahead',
    apply: 'build',
    generateBundle: {
      order: 'pre',
      async handler(_, bundle) {
        const files = new Files(bundle)
        const start = files.of((chunk) => chunk.name === START)
        const codeOf: Record<string, string[]> = {}
        for (const [path, sources] of await screens()) {
          const around = frames.filter(([folder]) => sources.some((source) => source.includes(folder)))
          const parts = [...sources, ...around.map(([, frame]) => frame)]
          const needed = parts.flatMap((part) => files.of(({ facadeModuleId }) => facadeModuleId?.endsWith(part)))
          codeOf[path] = [...new Set(needed)].filter((file) => !start.includes(file))
        }
        const code = `(${fetchAhead.toString()})(${JSON.stringify(codeOf)})`
        script = this.getFileName(this.emitFile({ type: 'asset', name: 'ahead.js', source: code }))
      },
    },
    transformIndexHtml: {
      order: 'post',
      handler(html, { filename, bundle }) {
        if (bundle === undefined || !filename.endsWith('index.html')) return html
        const start = new Files(bundle).of((chunk) => chunk.name === START)
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
function fetchAhead(codeOf: Record<string, string[]>): void {
  for (const file of codeOf[location.pathname] ?? []) {
    setTimeout(() => {
      const link = document.createElement('link')
      link.rel = 'modulepreload'
      link.crossOrigin = ''
      link.href = `/${file}`
      document.head.append(link)
    })
  }
}

/** The address of each screen, without its parameter, and how the names of its modules end: as the router lists them. */
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
      return [[path.replace(/\/:.*/, ''), sources]]
    })
}

class Files {
  constructor(private readonly bundle: Rolldown.OutputBundle) {}

  /** The file of the chunk and all that it imports. */
  of(isWanted: (chunk: Rolldown.OutputChunk) => boolean | undefined): string[] {
    const found = new Set<string>()
    const visit = (file: string) => {
      const chunk = this.bundle[file]
      if (chunk?.type !== 'chunk' || found.has(file)) return
      found.add(file)
      chunk.imports.forEach(visit)
    }
    const wanted = Object.values(this.bundle).filter((file) => file.type === 'chunk' && isWanted(file))
    if (wanted.length !== 1) throw new Error(`${wanted.length} chunks where one was looked for: ${isWanted.toString()}`)
    wanted.forEach(({ fileName }) => visit(fileName))
    return [...found]
  }
}

/// <reference types="vitest/config" />
// Build and development server. The production server replaces the nonce placeholder in every copy of
// a page that it serves; the development server proxies the calls to a running `bipe serve`. Two pages, both with
// ready made markup: the landing page at `/`, and the app everywhere else.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { defineConfig, runnerImport, type Plugin, type Rolldown } from 'vite'
import react from '@vitejs/plugin-react'
import tailwindcss from '@tailwindcss/vite'
import { routePreload } from './route-preload'
import { sharedFiles } from './shared-files'

const server = process.env.BIPE_SERVER ?? 'http://127.0.0.1:8080'
const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as { version: string }
const proxied = ['/api', '/version', '/dev', '/sandbox', '/health']

const define = { BIPE_VERSION: JSON.stringify(version) }

/** Puts the ready made markup into both pages; the development server shows the landing page at `/`, too. */
function readyMarkup(): Plugin {
  return {
    name: 'bipe-ready-markup',
    configureServer(development) {
      development.middlewares.use((request, _response, next) => {
        if (/^\/(\?|$)/.test(request.url ?? '')) request.url = `/landing.html${request.url?.slice(1) ?? ''}`
        next()
      })
    },
    transformIndexHtml: {
      order: 'post',
      async handler(html, { filename, bundle }) {
        if (bundle === undefined) return html
        const { module } = await runnerImport<typeof import('./src/ready-markup')>('/src/ready-markup.tsx', {
          define,
          configFile: false,
          plugins: [react()],
        })
        const markup = filename.endsWith('landing.html') ? module.landingMarkup() : module.appMarkup()
        return html.replace('<!--markup-->', () => withAssets(markup, bundle))
      },
    },
  }
}

/** The markup was rendered from the sources: its pictures get the names that the build gave them. */
function withAssets(markup: string, bundle: Rolldown.OutputBundle): string {
  for (const file of Object.values(bundle)) {
    if (file.type !== 'asset') continue
    for (const source of file.originalFileNames) markup = markup.replaceAll(`"/${source}"`, `"/${file.fileName}"`)
  }
  return markup
}

/**
 * Writes the two compressed forms of every text file in its place: the server sends them, and unpacks one of them for a
 * client that takes neither. The pages stay as they are: the server puts a nonce into them.
 */
function precompress(): Plugin {
  return {
    name: 'bipe-precompress',
    apply: 'build',
    writeBundle({ dir }) {
      if (dir === undefined) return
      for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(js|css|svg)$/.test(name)) continue
        const text = readFileSync(join(dir, name))
        writeFileSync(join(dir, `${name}.br`), brotliCompressSync(text))
        writeFileSync(join(dir, `${name}.gz`), gzipSync(text, { level: 9 }))
        rmSync(join(dir, name))
      }
    },
  }
}

const shared = sharedFiles()
export default defineConfig({
  plugins: [react(), tailwindcss(), readyMarkup(), routePreload(), precompress(), shared.plugin],
  define,
  html: { cspNonce: '__CSP_NONCE__' },
  server: {
    port: 5173,
    // The server takes calls from this address (BIPE_ALLOWED_ORIGINS), and refuses the page at the next port.
    strictPort: true,
    proxy: Object.fromEntries(proxied.map((path) => [path, { target: server, ws: path === '/api' }])),
  },
  build: {
    target: 'es2022',
    sourcemap: false,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    manifest: true,
    rolldownOptions: {
      input: ['index.html', 'landing.html'],
      output: {
        // What every page needs stands together: each piece that is a file of its own costs every page some bytes.
        codeSplitting: { groups: shared.groups },
        // The name behind the hash: lists of ad blockers refuse `/assets/analytics-`.
        chunkFileNames: 'assets/[hash]-[name].js',
      },
      // Radix names its functions by statements that keep alive what no page uses.
      treeshake: { manualPureFunctions: ['__name', 'React.forwardRef'] },
    },
  },
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
    environment: 'node',
    setupFiles: ['test/setup.ts'],
    // Each file runs in a context of its own, in a thread that serves many files: half the cost of a process a file.
    pool: 'vmThreads',
    // The packages of recharts are CommonJS there, and may not require the ES form of one another.
    execArgv: ['--no-experimental-require-module'],
    clearMocks: true,
    restoreMocks: true,
    unstubGlobals: true,
    // As many as there are cores: by itself a single run leaves one of them idle. A single worker would run all files
    // in one context, where they see what others left.
    maxWorkers: Math.max(2, availableParallelism()),
    // A busy machine is no defect: the longest test computes for two seconds of an idle core.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})

// Size budgets of the build, in gzipped bytes and in files of JavaScript that a page needs before it works: the scripts
// of the HTML, the page's own chunk and everything they import statically. Run after `vite build`; a broken budget fails.
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

const dist = new URL('../dist/', import.meta.url)
const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'))
const KB = 1000

const page = 'index.html'
/** A shared file is known by its name. */
const shared = (name) => Object.keys(manifest).find((key) => manifest[key].name === name)
const entry = [page, shared('entry')]
const landingEntry = 'landing.html'
const shell = shared('shell')
const adminShell = shared('admin')
const authFrame = 'src/features/auth/auth-layout.tsx'
const budgets = [
  { name: 'landing', limit: 80 * KB, most: 4, parts: [landingEntry] },
  {
    name: 'landing, to its end',
    limit: 110 * KB,
    most: 6,
    parts: [landingEntry, 'src/features/landing/below-the-fold.tsx'],
  },
  ...['sign-in', 'sign-up', 'verify-email', 'reset-password'].map((page) => ({
    name: `auth: ${page}`,
    limit: 185 * KB,
    most: 14,
    parts: [...entry, authFrame, `src/features/auth/${page}.tsx`],
  })),
  {
    name: 'first signed-in page',
    limit: 205 * KB,
    most: 12,
    parts: [...entry, shell, 'src/features/dashboard/dashboard.tsx'],
  },
  {
    name: 'company: analytics',
    limit: 215 * KB,
    most: 12,
    parts: [...entry, shell, 'src/features/company-analytics/analytics.tsx'],
  },
  {
    name: 'admin: dashboard',
    limit: 213 * KB,
    most: 12,
    parts: [...entry, adminShell, 'src/features/admin/dashboard/dashboard.tsx'],
  },
  ...['plans', 'users', 'companies', 'payments', 'analytics'].map((page) => ({
    name: `admin: ${page}`,
    limit: 230 * KB,
    most: 12,
    parts: [...entry, adminShell, `src/features/admin/${page}/${page}.tsx`],
  })),
]
/** Never in the landing's graph. */
const foreignToLanding = /stripe|qrcode|features\/admin/i

function graphOf(parts) {
  const seen = new Set()
  const visit = (key) => {
    if (seen.has(key)) return
    const chunk = manifest[key]
    if (!chunk) throw new Error(`${key} is not in the manifest`)
    seen.add(key)
    for (const imported of chunk.imports ?? []) visit(imported)
  }
  for (const part of parts) visit(part)
  return [...seen].map((key) => manifest[key])
}

/** The build keeps the compressed forms of scripts and styles alone. */
function compressed(file) {
  return readFileSync(new URL(`${file}.gz`, dist))
}

function textOf(file) {
  return gunzipSync(compressed(file)).toString()
}

/** By its text: a shared chunk is named after any of its modules. */
function isCharts({ file }) {
  return file.endsWith('.js') && textOf(file).includes('recharts-wrapper')
}

const failures = []
function check(name, bytes, limit, files = 1, most = 1) {
  const line = `${name}: ${(bytes / KB).toFixed(1)} of ${limit / KB} kB${most > 1 ? `, ${files} of ${most} files` : ''}`
  const over = bytes > limit || files > most
  console.log(`${over ? 'OVER ' : 'ok   '} ${line}`)
  if (over) failures.push(line)
}

const html = readFileSync(new URL(page, dist), 'utf8')
const scripts = Array.from(html.matchAll(/<script [^>]*\bsrc="\/([^"]+)"/g), ([, file]) => file)
const preload = textOf(scripts.find((file) => file.startsWith('assets/preload-')))
const preloaded = Object.values(JSON.parse(/\((\{.*\})\)$/.exec(preload.trim())[1]))

for (const { name, limit, most, parts } of budgets) {
  const imported = graphOf(parts).map(({ file }) => file)
  const isApp = parts.includes(page)
  const files = new Set(isApp ? [...imported, ...scripts] : imported)
  const bytes = [...files].reduce((total, file) => total + compressed(file).length, 0)
  check(name, bytes, limit, files.size, most)
  const late = isApp ? imported.filter((file) => !html.includes(file)) : []
  if (!preloaded.some((listed) => late.every((file) => listed.includes(file)))) {
    failures.push(`${name} is not preloaded: ${late.join(', ')}`)
  }
}

const landing = graphOf([landingEntry])
for (const chunk of landing) {
  const name = `${chunk.src ?? ''} ${chunk.name ?? ''} ${chunk.file}`
  if (foreignToLanding.test(name) || isCharts(chunk)) failures.push(`the landing loads ${chunk.file}`)
}

/** recharts is the one big library: no page waits for it, and it comes when a chart is seen. */
for (const { name, parts } of budgets) {
  if (graphOf(parts).some((chunk) => isCharts(chunk))) failures.push(`${name} loads the charts`)
}

const chunks = Object.values(manifest)
/** Ad blockers refuse what begins with some names, and the page of such a file never opens. */
for (const { file, name, isEntry } of chunks) {
  if (!isEntry && file.startsWith(`assets/${name}-`)) failures.push(`${file} begins with its name`)
}
/** The entry starts the app: a page that needs a part of it, such as the landing page, must not. */
for (const { file, imports } of chunks) {
  if (imports?.includes(page)) failures.push(`${file} starts the app`)
}
/** Of two files that import each other one runs first, without what the other one has yet to make. */
for (const [key, { file, imports }] of Object.entries(manifest)) {
  const others = (imports ?? []).filter((imported) => imported !== key)
  if (graphOf(others).includes(manifest[key])) failures.push(`${file} imports itself, by way of another file`)
}
const styles = new Set(chunks.flatMap(({ css }) => css ?? []))
check(
  'styles',
  [...styles].reduce((total, file) => total + compressed(file).length, 0),
  20 * KB,
)
if (!chunks.some((chunk) => isCharts(chunk))) failures.push('no chunk is known as the charts')
for (const chunk of chunks) {
  if (isCharts(chunk)) check(`charts (${chunk.file})`, compressed(chunk.file).length, 120 * KB)
  if (/stripe/i.test(chunk.name ?? '') && chunk.file.endsWith('.js'))
    check(`Stripe glue (${chunk.file})`, compressed(chunk.file).length, 10 * KB)
}

if (failures.length > 0) {
  console.error(`\nBudgets broken:\n${failures.join('\n')}`)
  process.exit(1)
}

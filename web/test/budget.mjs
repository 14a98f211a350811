// Size budgets of the build, in gzipped bytes of JavaScript that a page needs before it works: the entry, the
// page's own chunk and everything they import statically. Run after `vite build`; a broken budget fails.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const dist = new URL('../dist/', import.meta.url)
const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'))
const KB = 1000

const entry = 'index.html'
const landingEntry = 'landing.html'
const shell = 'src/app/app-layout.tsx'
const adminShell = 'src/app/admin-layout.tsx'
const authFrame = 'src/features/auth/auth-layout.tsx'
const budgets = [
  { name: 'landing', limit: 80 * KB, parts: [landingEntry] },
  ...['sign-in', 'sign-up', 'verify-email', 'reset-password'].map((page) => ({
    name: `auth: ${page}`,
    limit: 185 * KB,
    parts: [entry, authFrame, `src/features/auth/${page}.tsx`],
  })),
  { name: 'first signed-in page', limit: 225 * KB, parts: [entry, shell, 'src/features/dashboard/dashboard.tsx'] },
  {
    name: 'company: analytics',
    limit: 225 * KB,
    parts: [entry, shell, 'src/features/company-analytics/analytics.tsx'],
  },
  {
    name: 'admin: dashboard',
    limit: 225 * KB,
    parts: [entry, adminShell, 'src/features/admin/dashboard/dashboard.tsx'],
  },
  // Forms; recharts comes with the tab that needs it.
  ...['plans', 'users', 'companies', 'payments'].map((page) => ({
    name: `admin: ${page}`,
    limit: 270 * KB,
    parts: [entry, adminShell, `src/features/admin/${page}/${page}.tsx`],
  })),
  {
    name: 'admin: analytics, with its charts',
    limit: 390 * KB,
    parts: [entry, adminShell, 'src/features/admin/analytics/analytics.tsx'],
  },
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

/** By its text: a shared chunk is named after any of its modules. */
function isCharts({ file }) {
  return file.endsWith('.js') && readFileSync(new URL(file, dist), 'utf8').includes('recharts-wrapper')
}

function gzipped(file) {
  return gzipSync(readFileSync(new URL(file, dist))).length
}

const failures = []
function check(name, bytes, limit) {
  const line = `${name}: ${(bytes / KB).toFixed(1)} of ${limit / KB} kB`
  console.log(bytes > limit ? `OVER  ${line}` : `ok    ${line}`)
  if (bytes > limit) failures.push(line)
}

for (const { name, limit, parts } of budgets) {
  const files = new Set(graphOf(parts).map(({ file }) => file))
  check(
    name,
    [...files].reduce((total, file) => total + gzipped(file), 0),
    limit,
  )
}

const landing = graphOf([landingEntry])
for (const chunk of landing) {
  const name = `${chunk.src ?? ''} ${chunk.name ?? ''} ${chunk.file}`
  if (foreignToLanding.test(name) || isCharts(chunk)) failures.push(`the landing loads ${chunk.file}`)
}

/** recharts is the one big library: a page without a chart on it never waits for it. */
for (const { name, parts } of budgets) {
  const loads = graphOf(parts).some((chunk) => isCharts(chunk))
  if (loads !== name.includes('charts')) failures.push(`${name} ${loads ? 'loads' : 'lost'} the charts`)
}

const chunks = Object.values(manifest)
const styles = new Set(chunks.flatMap(({ css }) => css ?? []))
check(
  'styles',
  [...styles].reduce((total, file) => total + gzipped(file), 0),
  20 * KB,
)
for (const chunk of chunks) {
  if (isCharts(chunk)) check(`charts (${chunk.file})`, gzipped(chunk.file), 120 * KB)
  if (/stripe/i.test(chunk.name ?? '') && chunk.file.endsWith('.js'))
    check(`Stripe glue (${chunk.file})`, gzipped(chunk.file), 10 * KB)
}

if (failures.length > 0) {
  console.error(`\nBudgets broken:\n${failures.join('\n')}`)
  process.exit(1)
}

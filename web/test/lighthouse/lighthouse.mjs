// Lighthouse over the landing page and the pages behind the sign-in, in a headless Chromium, with the floors of
// the product: landing 95 performance and 100 accessibility, the others 90 and 100; good practice 100 everywhere, and
// what search engines ask for 100 on the landing page. `make lighthouse` sets up what it needs: LIGHTHOUSE (the
// installed package's folder), BIPE_BIN, CHROMIUM_PATH. Each page is measured three times (RUNS) and its median
// performance counts, because one run on a shared machine says little. ONLY measures the pages whose addresses begin
// with one of its words.
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from '@playwright/test'

const RUNS = Number(process.env.RUNS ?? 3)
const address = 'http://127.0.0.1:18500'
const debuggingPort = 18501
const results = new URL('../../lighthouse/', import.meta.url)
const signedIn = (path) => ({ path, performance: 90 })
/** The pages by who opens them. */
const PAGES = {
  anonymous: [
    { path: '/', performance: 95, seo: 100 },
    { path: '/signin', performance: 90 },
    { path: '/signup', performance: 90 },
  ],
  member: ['/dashboard', '/plans', '/subscriptions', '/payments', '/company/manage', '/account'].map(signedIn),
  admin: ['/admin/dashboard', '/admin/plans', '/admin/analytics', '/admin/users', '/admin/companies'].map(signedIn),
}
const ONLY = (process.env.ONLY || '/').split(' ').filter(Boolean)
const paths = Object.values(PAGES).flatMap((pages) => pages.map(({ path }) => path))
const unknown = ONLY.filter((start) => !paths.some((path) => path.startsWith(start)))
if (unknown.length > 0)
  throw new Error(`ONLY: no page begins with ${unknown.join(' or ')}; there are ${paths.join(' ')}`)

const lighthouse = await load()
const data = mkdtempSync(join(tmpdir(), 'bipe-lighthouse-'))
chmodSync(data, 0o755)
let server
let failures = 0
try {
  server = await startServer()
  failures += await measure('anonymous', null)
  failures += await measure('member', await newMember())
  failures += await measure('admin', await signIn(server.admin.email, server.admin.password))
} finally {
  server?.process.kill('SIGTERM')
  await server?.ended
  rmSync(data, { recursive: true, force: true })
}
console.log(failures === 0 ? 'every page is above its floor' : `${failures} pages are below their floor`)
process.exit(failures === 0 ? 0 : 1)

async function load() {
  const folder = process.env.LIGHTHOUSE
  if (!folder) throw new Error('LIGHTHOUSE is not set: run `make lighthouse`')
  const entry = createRequire(pathToFileURL(join(folder, 'package.json'))).resolve('lighthouse')
  return (await import(pathToFileURL(entry).href)).default
}

async function startServer() {
  // Nothing else of the environment: it may name another database.
  const env = {
    PATH: process.env.PATH,
    BIPE_BIND: address.replace('http://', ''),
    BIPE_DATA_DIR: data,
    BIPE_RATE_LIMITS: 'relaxed',
    RUST_LOG: 'warn',
  }
  const child = spawn(process.env.BIPE_BIN, ['serve'], { cwd: data, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  let said = ''
  child.stdout.on('data', (text) => (said += text))
  // Said once it serves. Whoever answers at the address before that is another server.
  for (;;) {
    const [, email, password] = /^demo admin: (\S+) (\S+)\n/m.exec(said) ?? []
    if (email) return { process: child, ended, admin: { email, password } }
    if (child.exitCode !== null) throw new Error('the server ended before it served')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function call(method, path, body, token) {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  const request = new Request(`${address}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const answer = await fetch(request)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return text === '' ? null : JSON.parse(text).data
}

async function signIn(userEmail, password) {
  const { user, tokens } = await call('POST', '/api/auth/login', { userEmail, password })
  return { user, tokens }
}

/** A verified person with a company on the free plan. */
async function newMember() {
  const userEmail = 'maria@exemplo.com.br'
  const password = 'Bipe#2026'
  const person = {
    userName: 'Maria Silva',
    userEmail,
    userDocument: '52998224725',
    userPhone: '11987654321',
    userBirthDate: '1990-05-17',
  }
  const consents = { consent_legal_terms: true, consent_privacy_terms: true, consent_lgpd_terms: true }
  await call('POST', '/api/auth/register', { ...person, password, password_confirmation: password, ...consents })
  await call('POST', '/api/auth/verify-email', { userEmail, verificationCode: await mailedCode(userEmail) })
  const member = await signIn(userEmail, password)
  const { accessToken } = member.tokens
  const { company } = await call('POST', '/api/companies', { companyName: 'Ponto Central' }, accessToken)
  const { plans } = await call('GET', '/api/subscriptions/plans')
  const free = plans.find(({ isFree }) => isFree)
  await call(
    'POST',
    `/api/subscriptions/company/${company.id}`,
    { planId: free.id, billingCycle: 'monthly' },
    accessToken,
  )
  return member
}

async function mailedCode(to) {
  for (;;) {
    const { messages } = await fetch(`${address}/dev/mailbox.json?to=${encodeURIComponent(to)}`).then((answer) =>
      answer.json(),
    )
    const code = messages.map(({ text }) => /^\s*(\d{6})\s*$/m.exec(text)?.[1]).find(Boolean)
    if (code) return code
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Measures the pages of one person in one browser; answers how many are below their floor. */
async function measure(who, member) {
  const flags = createRequire(import.meta.url)('../../e2e/chromium-flags.json')
  const args = [
    `--remote-debugging-port=${debuggingPort}`,
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ...flags,
  ]
  const profile = mkdtempSync(join(tmpdir(), 'bipe-lighthouse-profile-'))
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM_PATH,
    args,
    locale: 'pt-BR',
  })
  try {
    if (member) await keepSession(browser, member)
    let below = 0
    for (const page of PAGES[who].filter(({ path }) => ONLY.some((start) => path.startsWith(start))))
      below += (await isBelow(who, page)) ? 1 : 0
    return below
  } finally {
    await browser.close()
    rmSync(profile, { recursive: true, force: true })
  }
}

async function keepSession(browser, { user, tokens }) {
  const page = await browser.newPage()
  await page.goto(`${address}/termos-legais`)
  const { id, userName, userEmail, userRole } = user
  const values = {
    'bipe.accessToken': tokens.accessToken,
    'bipe.refreshToken': tokens.refreshToken,
    'bipe.user': JSON.stringify({ id, userName, userEmail, userRole }),
    'bipe.lastActivity': String(Date.now()),
  }
  await page.evaluate(
    (entries) => Object.entries(entries).forEach(([key, value]) => localStorage.setItem(key, value)),
    values,
  )
  await page.close()
}

async function isBelow(who, { path, performance, seo = 0 }) {
  const scores = []
  for (let run = 0; scores.length < RUNS; run += 1) {
    const { lhr, report } = await lighthouse(`${address}${path}`, {
      port: debuggingPort,
      output: 'html',
      logLevel: 'error',
      disableStorageReset: true,
      onlyCategories: ['performance', 'accessibility', 'best-practices', 'seo'],
    })
    if (lhr.finalDisplayedUrl !== `${address}${path}`) throw new Error(`${path} led to ${lhr.finalDisplayedUrl}`)
    // Now and then Chromium loses the trace of a run: what was not measured is neither good nor bad.
    if (run < RUNS * 2 && Object.values(lhr.categories).some(({ score }) => score === null)) continue
    const score = (category) => Math.round(lhr.categories[category].score * 100)
    scores.push({
      performance: score('performance'),
      accessibility: score('accessibility'),
      practice: score('best-practices'),
      seo: score('seo'),
      lhr,
      report,
    })
  }
  scores.sort((a, b) => a.performance - b.performance)
  const median = scores[Math.floor(RUNS / 2)]
  const least = (category) => Math.min(...scores.map((score) => score[category]))
  const [accessibility, practice, found] = [least('accessibility'), least('practice'), least('seo')]
  const below = median.performance < performance || accessibility < 100 || practice < 100 || found < seo
  mkdirSync(results, { recursive: true })
  writeFileSync(new URL(`${who}${path.replaceAll('/', '-')}.html`, results), median.report)
  const metric = (id) => median.lhr.audits[id].displayValue
  const detail = [
    'first-contentful-paint',
    'largest-contentful-paint',
    'total-blocking-time',
    'cumulative-layout-shift',
  ]
    .map(metric)
    .join(' · ')
  console.log(
    `${below ? 'LOW ' : 'ok  '} ${path}  performance ${median.performance} (${performance})  accessibility ${accessibility} (100)  practice ${practice} (100)  seo ${found} (${seo})  ${detail}`,
  )
  for (const { id } of ['accessibility', 'best-practices', 'seo'].flatMap(
    (category) => median.lhr.categories[category].auditRefs,
  )) {
    const { score, title } = median.lhr.audits[id]
    if (score !== null && score < 1) console.log(`      ${id}: ${title}`)
  }
  return below
}

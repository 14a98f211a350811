// Rewrites the list of known vulnerabilities for what is in the lockfiles: RustSec's database by git, npm's answer
// about the locked versions by its registry. Needs the network. usage: node refresh.mjs [RUSTSEC_REPOSITORY]

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { LIST, LOCKFILES, locked, ROOT } from './check.mjs'

const RUSTSEC = 'https://github.com/RustSec/advisory-db'

/** The facts of one RustSec file, or null where it warns of nothing that a version mends (unmaintained, withdrawn). */
export function fromRustsec(markdown) {
  const head = markdown.match(/```toml\n(.*?)```/s)?.[1] ?? ''
  const text = (key) => head.match(new RegExp(`^${key}\\s*=\\s*"(.+)"`, 'm'))?.[1]
  const ranges = (key) => {
    const listed = head.match(new RegExp(`^${key}\\s*=\\s*\\[(.*?)\\]`, 'ms'))?.[1] ?? ''
    return [...listed.matchAll(/"(.*?)"/g)].map(([, range]) => range)
  }
  if (text('withdrawn') || ['unmaintained', 'notice'].includes(text('informational'))) return null
  return { id: text('id'), package: text('package'), safe: [...ranges('patched'), ...ranges('unaffected')] }
}

/** Each name of the lockfiles with its versions. */
function packages(kind) {
  const all = new Map()
  for (const file of LOCKFILES[kind]) {
    for (const { name, version } of locked(file, readFileSync(join(ROOT, file), 'utf8'))) {
      all.set(name, [...new Set([...(all.get(name) ?? []), version])])
    }
  }
  return all
}

function askRustsec(repository) {
  const copy = join(ROOT, '.tools/advisory-db')
  rmSync(copy, { recursive: true, force: true })
  execFileSync('git', ['clone', '--quiet', '--depth', '1', repository, copy], { stdio: 'inherit' })
  const folders = [...packages('cargo').keys()]
    .map((name) => join(copy, 'crates', name))
    .filter((folder) => existsSync(folder))
  const files = folders.flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)))
  return files.map((file) => fromRustsec(readFileSync(file, 'utf8'))).filter(Boolean)
}

async function askNpm() {
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim().replace(/\/?$/, '/')
  const answer = await fetch(`${registry}-/npm/v1/security/advisories/bulk`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(Object.fromEntries(packages('npm'))),
  })
  if (!answer.ok) throw new Error(`npm's registry answered ${answer.status}`)
  const told = Object.entries(await answer.json())
  return told.flatMap(([name, all]) =>
    all.map(({ url, vulnerable_versions }) => ({
      id: url.split('/').at(-1),
      package: name,
      vulnerable: [vulnerable_versions],
    })),
  )
}

/** What is new, and of what was known before whatever the source did not tell again. */
export function merge(known, told) {
  const again = new Set(told.map((advisory) => `${advisory.id} ${advisory.package}`))
  const kept = known.filter((advisory) => !again.has(`${advisory.id} ${advisory.package}`))
  return [...kept, ...told].toSorted((one, other) =>
    `${one.package} ${one.id}`.localeCompare(`${other.package} ${other.id}`, 'en'),
  )
}

function write(list) {
  const lines = (all) => all.map((advisory) => `    ${JSON.stringify(advisory)}`).join(',\n')
  writeFileSync(
    LIST,
    `{\n  "updated": ${JSON.stringify(list.updated)},\n  "note": ${JSON.stringify(list.note)},\n  "cargo": [\n${lines(list.cargo)}\n  ],\n  "npm": [\n${lines(list.npm)}\n  ]\n}\n`,
  )
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const list = JSON.parse(readFileSync(LIST, 'utf8'))
  const outcomes = await Promise.allSettled([(async () => askRustsec(process.argv[2] ?? RUSTSEC))(), askNpm()])
  for (const [kind, outcome] of [
    ['cargo', outcomes[0]],
    ['npm', outcomes[1]],
  ]) {
    if (outcome.status === 'fulfilled') list[kind] = merge(list[kind], outcome.value)
    else console.error(`${kind}: not refreshed, ${outcome.reason.message}`)
  }
  const failed = outcomes.some((outcome) => outcome.status === 'rejected')
  if (!failed) list.updated = new Date().toISOString().slice(0, 10)
  write(list)
  if (failed) process.exit(1)
}

// Holds the lockfiles against the list of known vulnerabilities, without the network. usage: node check.mjs

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isIn } from './versions.mjs'

export const ROOT = join(import.meta.dirname, '../..')
export const LIST = join(import.meta.dirname, 'list.json')
export const LOCKFILES = {
  cargo: ['Cargo.lock'],
  npm: ['web/package-lock.json', 'loadtest/peers/node/package-lock.json'],
}

/** Name and version of every package that comes from a registry. */
export function locked(lockfile, text) {
  if (lockfile.endsWith('Cargo.lock')) {
    const blocks = text
      .split('[[package]]')
      .slice(1)
      .filter((block) => block.includes('\nsource = '))
    return blocks.map((block) => ({
      name: block.match(/^name = "(.+)"$/m)[1],
      version: block.match(/^version = "(.+)"$/m)[1],
    }))
  }
  const places = Object.entries(JSON.parse(text).packages).filter(([place]) => place.includes('node_modules/'))
  // An alias keeps its real name beside it.
  return places.map(([place, { name, version }]) => ({ name: name ?? place.split('node_modules/').at(-1), version }))
}

/** An advisory names what is `safe`, as RustSec does, or what is `vulnerable`, as npm does. */
export function touches(advisory, { name, version }) {
  if (advisory.package !== name) return false
  if (advisory.vulnerable) return advisory.vulnerable.some((range) => isIn(version, range))
  return !advisory.safe.some((range) => isIn(version, range))
}

/** One line for each package that an advisory touches. */
export function findings(list, read) {
  return Object.entries(LOCKFILES).flatMap(([kind, files]) =>
    files.flatMap((file) =>
      locked(file, read(file)).flatMap((found) =>
        list[kind]
          .filter((advisory) => touches(advisory, found))
          .map(
            ({ id, safe, vulnerable }) =>
              `${file}: ${found.name} ${found.version} is touched by ${id} (${safe ? `safe: ${safe.join(' or ') || 'none'}` : `vulnerable: ${vulnerable.join(' or ')}`})`,
          ),
      ),
    ),
  )
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const list = JSON.parse(readFileSync(LIST, 'utf8'))
  const found = findings(list, (file) => readFileSync(join(ROOT, file), 'utf8'))
  for (const line of found) console.error(line)
  if (found.length) process.exit(1)
  console.log(
    `advisories of ${list.updated}: ${list.cargo.length} for crates, ${list.npm.length} for npm packages, none touches the lockfiles`,
  )
}

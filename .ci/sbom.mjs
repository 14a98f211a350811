// Prints the bill of materials of the server: every crate that `bipe` is built of, with licence, checksum and what it
// depends on. Called by .ci/sbom.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const host = execFileSync('rustc', ['-vV'], { encoding: 'utf8' }).match(/^host: (.+)$/m)[1]
const metadata = JSON.parse(
  execFileSync('cargo', ['metadata', '--locked', '--format-version', '1', '--filter-platform', host], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  }),
)
const packages = new Map(metadata.packages.map((found) => [found.id, found]))
const nodes = new Map(metadata.resolve.nodes.map((node) => [node.id, node]))
const lockfile = readFileSync('Cargo.lock', 'utf8').split('[[package]]').slice(1)
const field = (block, key) => block.match(new RegExp(`^${key} = "(.+)"$`, 'm'))?.[1]
const checksums = new Map(
  lockfile.map((block) => [`${field(block, 'name')}@${field(block, 'version')}`, field(block, 'checksum')]),
)

/** Without tests and build scripts: what ends up in the binary, and the macros that wrote some of it. */
const needs = (id) =>
  nodes
    .get(id)
    .deps.filter(({ dep_kinds }) => dep_kinds.some(({ kind }) => kind === null))
    .map(({ pkg }) => pkg)

const binary = metadata.packages.find(({ name }) => name === 'bipe-http').id
const reached = new Set([binary])
for (const id of reached) for (const next of needs(id)) reached.add(next)

const purl = (id) => `pkg:cargo/${packages.get(id).name}@${packages.get(id).version.replace('+', '%2B')}`
function component(id) {
  const { name, version, license, description, repository } = packages.get(id)
  const checksum = checksums.get(`${name}@${version}`)
  return {
    type: 'library',
    'bom-ref': purl(id),
    name,
    version,
    ...(description && { description: description.trim() }),
    ...(checksum && { hashes: [{ alg: 'SHA-256', content: checksum }] }),
    ...(license && { licenses: [{ expression: license.replaceAll('/', ' OR ') }] }),
    purl: purl(id),
    ...(repository && { externalReferences: [{ type: 'vcs', url: repository }] }),
  }
}

const others = [...reached].filter((id) => id !== binary).toSorted((one, other) => (purl(one) < purl(other) ? -1 : 1))
const bill = {
  $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: { component: { ...component(binary), type: 'application', name: 'bipe' } },
  components: others.map(component),
  dependencies: [binary, ...others].map((id) => ({
    ref: purl(id),
    dependsOn: [...new Set(needs(id).map(purl))].toSorted(),
  })),
}
console.log(JSON.stringify(bill, null, 2))

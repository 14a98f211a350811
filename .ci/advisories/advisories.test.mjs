import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findings, locked, touches } from './check.mjs'
import { fromRustsec, merge } from './refresh.mjs'
import { compare, isIn } from './versions.mjs'

test('versions stand in the order that semver gives them', () => {
  const order = [
    '0.9.9',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.1',
    '1.10.0',
    '2.0.0',
  ]
  for (const [at, version] of order.entries()) {
    for (const [other, later] of order.entries())
      assert.equal(Math.sign(compare(version, later)), Math.sign(at - other), `${version} ${later}`)
  }
  assert.equal(compare('4.3.1+deprecated', '4.3.1'), 0)
})

test('a range takes what its conditions take and nothing else', () => {
  const cases = [
    ['>=1.2.3', ['1.2.3', '2.0.0'], ['1.2.2', '1.2.3-rc.1']],
    ['>= 1.0.1, < 1.1.0', ['1.0.1', '1.0.9'], ['1.1.0', '1.0.0']],
    ['<1.0.2 || >=2.0.0 <2.0.1', ['1.0.1', '2.0.0'], ['1.0.2', '2.0.1']],
    ['^0.3.24', ['0.3.24', '0.3.99'], ['0.3.23', '0.4.0']],
    ['^1.2', ['1.2.0', '1.9.0'], ['2.0.0', '1.1.9']],
    ['~1.2.3', ['1.2.9'], ['1.3.0', '1.2.2']],
    ['=4.4.2', ['4.4.2'], ['4.4.3']],
    ['<=5.7.2', ['5.7.2', '4.0.0'], ['5.7.3']],
    ['*', ['0.0.1'], []],
  ]
  for (const [range, inside, outside] of cases) {
    for (const version of inside) assert.ok(isIn(version, range), `${version} in ${range}`)
    for (const version of outside) assert.ok(!isIn(version, range), `${version} not in ${range}`)
  }
  assert.throws(() => isIn('1.0.0', 'latest'))
})

const CARGO = `version = 4

[[package]]
name = "bytes"
version = "1.11.0"
source = "registry+https://github.com/rust-lang/crates.io-index"

[[package]]
name = "bipe-core"
version = "1.0.0"
`
const NPM = JSON.stringify({
  packages: {
    '': { name: 'web', version: '0.0.0' },
    'node_modules/vite': { version: '8.3.8' },
    'node_modules/vite/node_modules/ws': { version: '8.20.0' },
    'node_modules/alias': { name: 'debug', version: '4.4.2' },
  },
})
const LIST = {
  cargo: [{ id: 'RUSTSEC-2026-0007', package: 'bytes', safe: ['>=1.11.1'] }],
  npm: [
    { id: 'GHSA-96hv-2xvq-fx4p', package: 'ws', vulnerable: ['>=8.0.0 <8.21.0'] },
    { id: 'GHSA-8mgj-vmr8-frr6', package: 'debug', vulnerable: ['=4.4.2'] },
  ],
}

test('a vulnerable version is found in every lockfile, at any depth and behind an alias', () => {
  const found = findings(LIST, (file) => (file === 'Cargo.lock' ? CARGO : NPM))
  assert.equal(found.length, 5)
  assert.match(found[0], /^Cargo.lock: bytes 1.11.0 is touched by RUSTSEC-2026-0007/)
  for (const file of ['web/package-lock.json', 'loadtest/peers/node/package-lock.json']) {
    assert.equal(found.filter((line) => line.startsWith(`${file}: `)).length, 2)
  }
  assert.deepEqual(locked('Cargo.lock', CARGO), [{ name: 'bytes', version: '1.11.0' }])
})

test('a mended version and a package without advisories are not found', () => {
  const mended = (file) =>
    file === 'Cargo.lock'
      ? CARGO.replace('1.11.0', '1.11.1')
      : NPM.replace('8.20.0', '8.21.0').replace('4.4.2', '4.4.3')
  assert.deepEqual(findings(LIST, mended), [])
  assert.ok(touches({ package: 'rsa', safe: [] }, { name: 'rsa', version: '9.9.9' }), 'nothing is safe')
})

test('what RustSec writes becomes an entry, and only where a version mends something', () => {
  const file = (lines) =>
    `\`\`\`toml\n[advisory]\nid = "RUSTSEC-2000-0001"\npackage = "thing"\n${lines}\n\`\`\`\n\n# A title\n`
  const versions = '[versions]\npatched = [\n  ">= 1.2.3",\n  "^0.9.9",\n]\nunaffected = ["< 0.5.0"]'
  assert.deepEqual(fromRustsec(file(versions)), {
    id: 'RUSTSEC-2000-0001',
    package: 'thing',
    safe: ['>= 1.2.3', '^0.9.9', '< 0.5.0'],
  })
  assert.deepEqual(fromRustsec(file('[versions]\npatched = []')).safe, [])
  assert.equal(fromRustsec(file('informational = "unmaintained"\n[versions]\npatched = []')), null)
  assert.equal(fromRustsec(file('withdrawn = "2000-01-02"\n[versions]\npatched = []')), null)
})

test('a refresh replaces what is told again and keeps the rest', () => {
  const known = [
    { id: 'B', package: 'b', safe: ['>=1.0.0'] },
    { id: 'A', package: 'a', safe: [] },
  ]
  const told = [{ id: 'B', package: 'b', safe: ['>=1.0.1'] }]
  assert.deepEqual(merge(known, told), [known[1], told[0]])
})

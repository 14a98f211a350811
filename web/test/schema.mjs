// Generates src/api/schema.d.ts from the server's http/openapi.json. The generator accepts TypeScript 5 only,
// so it runs outside this project's own versions. The first line holds the hash that test/schema.test.ts checks.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const source = fileURLToPath(new URL('../../http/openapi.json', import.meta.url))
const target = fileURLToPath(new URL('../src/api/schema.d.ts', import.meta.url))
const hash = createHash('sha256').update(readFileSync(source)).digest('hex')

execFileSync(
  'npx',
  ['-y', '-p', 'openapi-typescript@7.13.0', '-p', 'typescript@5.9.3', 'openapi-typescript', source, '-o', target],
  { stdio: 'inherit' },
)
writeFileSync(target, `// openapi.json ${hash}\n${readFileSync(target, 'utf8')}`)

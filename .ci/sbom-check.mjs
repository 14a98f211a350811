// Proves bills of materials by CycloneDX's schema, and that they list something.
// usage: node sbom-check.mjs VALIDATOR FILE...

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [validator, ...files] = process.argv.slice(2)
const { Spec, Validation } = createRequire(join(validator, 'package.json'))('@cyclonedx/cyclonedx-library')
for (const file of files) {
  const text = readFileSync(file, 'utf8')
  const wrong = await new Validation.JsonStrictValidator(Spec.Version.v1dot5).validate(text)
  const { components } = JSON.parse(text)
  if (wrong !== null || !components.length) {
    console.error(`${file}: ${JSON.stringify(wrong, null, 2)}, ${components.length} components`)
    process.exit(1)
  }
  console.log(`${file}: ${components.length} components`)
}

// The web's types belong to the checked-in contract, and every code of the contract has its sentence,
// the server's own.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { sentenceOf, sentences } from '../src/api/errors'
import { limitLines, type Limits } from '../src/lib/plans'

const contract = readFileSync(new URL('../../http/openapi.json', import.meta.url))
const types = readFileSync(new URL('../src/api/schema.d.ts', import.meta.url), 'utf8')

it('schema.d.ts was generated from this openapi.json (npm run schema)', () => {
  const hash = createHash('sha256').update(contract).digest('hex')
  expect(types.split('\n')[0]).toBe(`// openapi.json ${hash}`)
})

it('every error code of the contract has a sentence', () => {
  const { components } = JSON.parse(contract.toString()) as { components: { schemas: { Code: { enum: string[] } } } }
  const codes = components.schemas.Code.enum
  expect(codes.length).toBeGreaterThan(30)
  expect(codes.filter((code) => !Object.hasOwn(sentences, code))).toEqual([])
})

it('every limit of a plan has its line', () => {
  const { components } = JSON.parse(contract.toString()) as {
    components: { schemas: { Limits: { properties: Record<keyof Limits, object> } } }
  }
  const none: Record<keyof Limits, null> = { maxUsers: null, maxBeeping: null }
  for (const limit of Object.keys(components.schemas.Limits.properties))
    expect(limitLines({ ...none, [limit]: 5 }), limit).toHaveLength(1)
})

it('the server says the same sentences', () => {
  const table = readFileSync(new URL('../../core/src/error_pt_br.rs', import.meta.url), 'utf8')
  const arms = [...table.matchAll(/((?:Code::\w+[\s|]*)+)=>\s*\{?\s*"([^"]+)"/g)]
  const said = arms.flatMap(([, codes = '', sentence]) =>
    [...codes.matchAll(/Code::(\w+)/g)]
      .map(([, code = '']) => code.replace(/(?!^)[A-Z]/g, '_$&').toUpperCase())
      // Its seconds are counted down.
      .filter((code) => code !== 'RATE_LIMITED')
      .map((code) => [code, sentence] as const),
  )
  expect(said.length).toBeGreaterThan(30)
  expect(said.map(([code]) => [code, sentenceOf(code)])).toEqual(said)
})

import { expect, test } from 'vitest'
import { faultSentence } from './faults'

const empty = (label: string) => ({ label, isEmpty: true })
const wrong = (label: string) => ({ label, isEmpty: false })

test.each([
  [[], ''],
  [[empty('CEP'), empty('Cidade')], 'Falta preencher: CEP, Cidade'],
  [[wrong('CPF')], 'Confira: CPF'],
  [[wrong('CPF'), empty('CEP'), empty('CEP')], 'Falta preencher: CEP. Confira: CPF'],
])('what is empty is named before what is wrong', (faults, sentence) => {
  expect(faultSentence(faults)).toBe(sentence)
})

import { expect, test } from 'vitest'
import { issuerLine, missingIssuer } from './issuer'

test('the company is named with its tax id and, once it is known, its address', () => {
  const issuer = { name: 'Bipe Tecnologia Ltda.', taxId: '12ABC34501DE35', address: '' }
  expect(issuerLine(issuer)).toBe('Bipe Tecnologia Ltda., CNPJ 12.ABC.345/01DE-35')
  expect(issuerLine({ ...issuer, taxId: '11144477735', address: 'Rua das Flores, 100' })).toBe(
    'Bipe Tecnologia Ltda., CPF 111.444.777-35, Rua das Flores, 100',
  )
})

test('without its name and tax id nothing is named, and development says what is missing', () => {
  expect(issuerLine({ name: '', taxId: '', address: '' })).toBeNull()
  expect(issuerLine(undefined)).toBeNull()
  expect(missingIssuer('development')).toContain('BIPE_LEGAL_NAME')
  expect(missingIssuer('production')).not.toContain('BIPE')
})

// Card entry of the test provider: our own fields with Luhn, brand and expiry, and its gateway over `/sandbox/v1`. The
// payer's bank is a panel of this page: approve or refuse the 3-D Secure question.
import { useEffect, useMemo, useState } from 'react'
import { ProviderRefusal } from '../../api/errors'
import { TEST_CARD } from '../../api/payment-reasons'
import type { Provider } from '../../api/payments'
import {
  authenticateIntent,
  confirmIntent,
  createCard,
  readIntent,
  type CardData,
  type SandboxIntent,
} from '../../api/sandbox'
import {
  cardBrand,
  cardDigits,
  cvcLength,
  formatCard,
  formatExpiry,
  isCardNumber,
  isExpired,
  readExpiry,
} from '../../lib/card'
import { brandLabels, type CardBrand } from '../../lib/card-brand'
import { dayOf } from '../../lib/dates'
import type { Fault } from '../../lib/faults'
import { serverNow } from '../../live/server-clock'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { Field } from '../../ui/field'
import { Input } from '../../ui/input'
import type { CardFieldsProps, CardGateway } from './card-gateway'

const EMPTY = { number: '', expiry: '', cvc: '' }
type Entry = typeof EMPTY
type Answer = 'succeeded' | 'failed'

export default function SandboxCardForm({ provider, collapsed, disabled, onChange }: CardFieldsProps) {
  const [entry, setEntry] = useState<Entry>(EMPTY)
  const [touched, setTouched] = useState<Partial<Record<keyof Entry, boolean>>>({})
  const [question, setQuestion] = useState<((answer: Answer) => void) | null>(null)
  const digits = cardDigits(entry.number)
  const brand = cardBrand(digits)
  const errors = errorsOf(entry, brand)
  const wrong = collapsed ? '' : Object.keys(errors).join(' ')

  const gateway = useMemo<CardGateway>(
    () => makeGateway(provider, dataOf(entry), () => new Promise((resolve) => setQuestion(() => resolve))),
    [provider, entry],
  )
  const isTyped = Object.values(entry).some((text) => text !== '')
  useEffect(
    () => onChange({ complete: wrong === '', faults: faultsOf(wrong, entry), gateway, isTyped }),
    [wrong, entry, gateway, isTyped, onChange],
  )

  const wire = (name: keyof Entry, format: (text: string) => string) => ({
    value: entry[name],
    disabled,
    inputMode: 'numeric' as const,
    className: 'tabular-nums',
    onChange: (event: { target: { value: string } }) => setEntry({ ...entry, [name]: format(event.target.value) }),
    onBlur: () => setTouched({ ...touched, [name]: true }),
  })
  const shown = (name: keyof Entry) => (touched[name] && entry[name] !== '' ? errors[name] : undefined)
  const answer = (value: Answer) => {
    question?.(value)
    setQuestion(null)
  }

  return (
    <>
      {!collapsed && (
        <div className="grid grid-cols-2 gap-3">
          <Field
            className="col-span-2"
            label={names.number}
            error={shown('number')}
            aside={brand ? brandLabels[brand] : undefined}
            required
          >
            <Input {...wire('number', formatCard)} autoComplete="cc-number" placeholder={TEST_CARD} />
          </Field>
          <Field label={names.expiry} error={shown('expiry')} required>
            <Input {...wire('expiry', formatExpiry)} autoComplete="cc-exp" placeholder="MM/AA" />
          </Field>
          <Field label={names.cvc} error={shown('cvc')} required>
            <Input
              {...wire('cvc', (text) => text.replace(/\D/g, '').slice(0, cvcLength(brand)))}
              autoComplete="cc-csc"
              placeholder={brand === 'amex' ? '0000' : '000'}
            />
          </Field>
        </div>
      )}
      {question && (
        <Dialog
          onClose={() => answer('failed')}
          title="Autenticação do banco"
          description="O banco pede a sua confirmação. Ambiente de testes: nada é real."
          footer={
            <>
              <Button variant="secondary" onClick={() => answer('failed')}>
                Recusar no banco
              </Button>
              <Button onClick={() => answer('succeeded')}>Confirmar no banco</Button>
            </>
          }
        />
      )}
    </>
  )
}

const names: Record<keyof Entry, string> = { number: 'Número do cartão', expiry: 'Validade', cvc: 'CVC' }

function faultsOf(wrong: string, entry: Entry): Fault[] {
  const fields = (Object.keys(names) as (keyof Entry)[]).filter((field) => wrong.split(' ').includes(field))
  return fields.map((field) => ({ label: names[field], isEmpty: entry[field] === '' }))
}

function errorsOf(entry: Entry, brand: CardBrand | null): Partial<Record<keyof Entry, string>> {
  const [year = 0, month = 0] = dayOf(serverNow()).split('-').map(Number)
  const expiry = readExpiry(entry.expiry)
  return {
    ...(!isCardNumber(entry.number) && { number: 'Número do cartão inválido' }),
    ...(!expiry && { expiry: 'Validade inválida' }),
    ...(expiry && isExpired(expiry, { month, year }) && { expiry: 'O cartão está vencido.' }),
    ...(entry.cvc.length !== cvcLength(brand) && { cvc: 'Código de segurança inválido' }),
  }
}

function dataOf(entry: Entry): CardData {
  const expiry = readExpiry(entry.expiry)
  return { number: cardDigits(entry.number), expMonth: expiry?.month ?? 0, expYear: expiry?.year ?? 0, cvc: entry.cvc }
}

function makeGateway(provider: Provider, card: CardData, ask: () => Promise<Answer>): CardGateway {
  const authenticated = async (intent: SandboxIntent, clientSecret: string) =>
    statusOf(
      intent.status === 'requires_action' ? await authenticateIntent(provider, clientSecret, await ask()) : intent,
    )
  const confirmed = async (clientSecret: string) =>
    authenticated(await confirmIntent(provider, clientSecret), clientSecret)
  return {
    createPaymentMethod: async (billing) => (await createCard(provider, card, billing)).id,
    confirmCardPayment: confirmed,
    resumeCardPayment: async (clientSecret) => {
      const intent = await readIntent(provider, clientSecret)
      return intent.status === 'requires_confirmation' ? confirmed(clientSecret) : authenticated(intent, clientSecret)
    },
    setUpCard: async (clientSecret) => authenticated(await readIntent(provider, clientSecret), clientSecret),
  }
}

function statusOf(intent: SandboxIntent): string {
  const error = intent.last_payment_error ?? intent.last_setup_error
  if (intent.status === 'requires_payment_method' && error) throw ProviderRefusal.of(error)
  return intent.status
}

// Looks the address of a typed CEP up, once for each. It is a help: whatever comes of it, the person can type the
// address, and the line below the field says so calmly.
import { useEffect, useRef, useState } from 'react'
import { parseCep } from '../lib/postal'
import { announce } from '../ui/announcer'
import { findAddress, type FoundAddress } from './billing-profile'
import { ApiError } from './errors'

const hints = {
  // Whoever cannot see the focus move is told before that it will.
  none: 'Preenche o endereço e leva ao número.',
  busy: 'Buscando o endereço...',
  found: 'Endereço preenchido. Confira e complete.',
  unknown: 'CEP não encontrado. Confira o número ou preencha o endereço.',
  failed: 'Não foi possível buscar o endereço. Preencha os campos.',
}

/** `Form` is what the fields of an address hold. */
interface AddressByCep<Form> {
  /** The line below the field; there is always one, so that nothing moves. */
  hint: string
  /** What the field of the CEP holds now, and the others. */
  look: (typed: string, form: Form) => void
}

/**
 * `known` is a CEP whose address stands in the form already. `onFound` gets what stood in the form when the CEP was
 * typed: what was typed since then stays. It also gets the address that was found before, if any: a part of it that the
 * new one lacks, as that of a small town lacks the street, is wrong beside the rest.
 */
export function useAddressByCep<Form>(
  onFound: (address: FoundAddress, before: Form, earlier?: FoundAddress) => void,
  known = '',
): AddressByCep<Form> {
  const [hint, setHint] = useState<keyof typeof hints>('none')
  const asked = useRef(parseCep(known))
  const call = useRef<AbortController | null>(null)
  const earlier = useRef<FoundAddress>(undefined)
  useEffect(() => () => call.current?.abort(), [])

  const look = (typed: string, form: Form) => {
    const cep = parseCep(typed)
    if (cep === asked.current) return
    asked.current = cep
    call.current?.abort()
    if (cep === null) {
      setHint('none')
      return
    }
    const control = new AbortController()
    call.current = control
    setHint('busy')
    const tell = (outcome: keyof typeof hints) => {
      setHint(outcome)
      announce(hints[outcome])
    }
    findAddress(cep, control.signal).then(
      (address) => {
        if (control.signal.aborted) return
        tell('found')
        onFound(address, form, earlier.current)
        earlier.current = address
      },
      (thrown: unknown) => {
        if (control.signal.aborted) return
        tell(thrown instanceof ApiError && thrown.code === 'CEP_NOT_FOUND' ? 'unknown' : 'failed')
      },
    )
  }
  return { hint: hints[hint], look }
}

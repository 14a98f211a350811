// A search field. It searches 300 ms after the last key, and follows the URL when a link changes it.
import { useEffect, useEffectEvent, useState } from 'react'
import { plainText } from '../lib/plain-text'
import { Field } from './field'
import { Input } from './input'

const DEBOUNCE_MS = 300
const MAX_LENGTH = 100

interface SearchFieldProps {
  hint: string
  value: string
  onSearch: (text: string) => void
}

export function SearchField({ hint, value, onSearch }: SearchFieldProps) {
  const [text, setText] = useState(value)
  const [known, setKnown] = useState(value)
  // What was searched for and has not come back yet. It comes back late, when more may have been typed.
  const [sent, setSent] = useState<readonly string[]>([])
  if (known !== value) {
    const at = sent.lastIndexOf(value)
    setKnown(value)
    setSent(at < 0 ? [] : sent.slice(at + 1))
    if (at < 0 && wantedOf(text) !== value) setText(value)
  }
  const search = useEffectEvent((wanted: string) => {
    setSent((before) => [...before, wanted])
    onSearch(wanted)
  })
  useEffect(() => {
    const wanted = wantedOf(text)
    if (wanted === value) return
    const timer = setTimeout(() => search(wanted), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [text, value])
  return (
    <Field label="Buscar" className="min-w-0 basis-full sm:max-w-96 sm:flex-1 sm:basis-64">
      <Input
        type="search"
        maxLength={MAX_LENGTH}
        placeholder={hint}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </Field>
  )
}

/** Cells of a spreadsheet are pasted with the tabs between them. */
function wantedOf(text: string): string {
  return plainText(text.replace(/\s+/g, ' '))
}

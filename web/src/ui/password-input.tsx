// A password with show and hide. The button never takes part in the form and says its state.
import { useState, type ComponentProps } from 'react'
import { HideIcon, ShowIcon } from './icons'
import { Input } from './input'

export function PasswordInput(props: Omit<ComponentProps<'input'>, 'type'>) {
  const [shown, setShown] = useState(false)
  const Icon = shown ? HideIcon : ShowIcon
  return (
    <div className="relative">
      <Input {...props} type={shown ? 'text' : 'password'} spellCheck={false} autoCapitalize="none" className="pr-12" />
      <button
        type="button"
        aria-label="Mostrar senha"
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
        className="absolute inset-y-0 right-0 grid w-11 place-items-center rounded-control text-muted hover:text-text"
      >
        <Icon className="size-4.5" />
      </button>
    </div>
  )
}

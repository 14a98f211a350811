// A new password and its confirmation, with the rule as a live checklist. Every form that sets a password uses it.
import { useId } from 'react'
import type { UseFormRegisterReturn } from 'react-hook-form'
import { passwordRules } from '../lib/password'
import { cx } from './cx'
import { Field } from './field'
import { CheckIcon } from './icons'
import { PasswordInput } from './password-input'

export interface NewPasswordFieldsProps {
  labels: [password: string, confirmation: string]
  fields: [password: UseFormRegisterReturn, confirmation: UseFormRegisterReturn]
  errors: [password: string | undefined, confirmation: string | undefined]
  value: string
}

export function NewPasswordFields({ labels, fields, errors, value }: NewPasswordFieldsProps) {
  return (
    <>
      <Field label={labels[0]} error={errors[0]} hint={<PasswordChecklist value={value} />} required>
        <PasswordInput autoComplete="new-password" {...fields[0]} />
      </Field>
      <Field label={labels[1]} error={errors[1]} required>
        <PasswordInput autoComplete="new-password" {...fields[1]} />
      </Field>
    </>
  )
}

function PasswordChecklist({ value }: { value: string }) {
  const id = useId()
  return (
    <div className="grid gap-1.5">
      <p id={id}>Mín. 8 caracteres, com maiúscula, minúscula, número e símbolo</p>
      <ul aria-labelledby={id} className="grid grid-cols-[auto_auto] justify-start gap-x-2 gap-y-1 sm:gap-x-6">
        {passwordRules.map(({ label, holds }) => {
          const done = holds(value)
          return (
            <li
              key={label}
              className={cx('flex items-start gap-1 text-caption last:col-span-full', done && 'text-success')}
            >
              {done ? (
                <CheckIcon className="my-px size-3.5 shrink-0" strokeWidth={2} aria-hidden="true" />
              ) : (
                <span
                  className="my-px grid size-3.5 shrink-0 place-items-center before:size-1 before:rounded-full before:bg-current"
                  aria-hidden="true"
                />
              )}
              {label}
              {done && <span className="sr-only">: atendido</span>}
            </li>
          )
        })}
      </ul>
    </div>
  )
}

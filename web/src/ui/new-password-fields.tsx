// A new password and its confirmation, with the rule as a live checklist. Every form that sets a password uses it.
import { useId } from 'react'
import { useWatch, type FieldPath, type FieldValues, type UseFormReturn } from 'react-hook-form'
import { passwordRules, ruleForSafari } from '../lib/password'
import { cx } from './cx'
import { Field } from './field'
import { CheckIcon } from './icons'
import { PasswordInput } from './password-input'

interface NewPasswordFieldsProps<T extends FieldValues, Output> {
  form: Pick<UseFormReturn<T, unknown, Output>, 'control' | 'formState' | 'getFieldState' | 'register' | 'trigger'>
  names: [password: FieldPath<T>, confirmation: FieldPath<T>]
  labels: [password: string, confirmation: string]
}

export function NewPasswordFields<T extends FieldValues, Output>({
  form: { control, formState, getFieldState, register, trigger },
  names: [password, confirmation],
  labels,
}: NewPasswordFieldsProps<T, Output>) {
  const value: string = useWatch({ control, name: password })
  const { isTouched, error } = getFieldState(confirmation, formState)
  /** The other half of the pair, once the person has been there. */
  const confirmAgain = () => {
    if (isTouched) void trigger(confirmation)
  }
  return (
    <>
      <Field
        label={labels[0]}
        error={getFieldState(password, formState).error?.message}
        hint={<PasswordChecklist value={value} />}
        required
      >
        <PasswordInput
          autoComplete="new-password"
          {...ruleForSafari}
          {...register(password, { onChange: confirmAgain })}
        />
      </Field>
      <Field label={labels[1]} error={error?.message} required>
        <PasswordInput autoComplete="new-password" {...ruleForSafari} {...register(confirmation)} />
      </Field>
    </>
  )
}

function PasswordChecklist({ value }: { value: string }) {
  const id = useId()
  return (
    <div className="grid gap-1.5">
      <p id={id}>Mín. 8 caracteres, com maiúscula, minúscula, número e símbolo</p>
      <ul
        role="list"
        aria-labelledby={id}
        className="grid grid-cols-[auto_auto] justify-start gap-x-2 gap-y-1 sm:gap-x-6"
      >
        {passwordRules.map(({ label, holds }) => {
          const done = holds(value)
          return (
            <li
              key={label}
              className={cx('flex items-start gap-1 text-caption last:col-span-full', done && 'text-success')}
            >
              {done ? (
                <CheckIcon className="my-px size-3.5 shrink-0" strokeWidth={2} />
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

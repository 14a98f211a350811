// The fields of sign up. 'Criar Conta' stays disabled until the form is valid and says what is missing.
import { lazy, Suspense, useId, useMemo, useState, type ComponentType, type FormEvent, type ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Controller, useWatch, type FieldErrors } from 'react-hook-form'
import { NumberFormatBase } from 'react-number-format'
import { Link } from 'react-router'
import { configQuery } from '../../api/config'
import { useApiForm } from '../../api/use-api-form'
import { helpPath, paths, withQuery } from '../../lib/paths'
import { formatCpf } from '../../lib/cpf'
import { latestBirthDate, MIN_AGE } from '../../lib/dates'
import { faultSentence } from '../../lib/faults'
import { groupPhone } from '../../lib/phone'
import { Button } from '../../ui/button'
import { Checkbox } from '../../ui/checkbox'
import { EmailInput, Input } from '../../ui/input'
import { FailureAlert } from '../../ui/failure-alert'
import { Field } from '../../ui/field'
import { NewPasswordFields } from '../../ui/new-password-fields'
import { useFocusFirstError } from '../../ui/use-focus-first-error'
import { faultsOf } from './sign-up-faults'
import {
  consentSentences,
  EARLIEST_BIRTH_DATE,
  signUpLabels as labels,
  signUpSchema,
  tooYoung,
  type SignUpForm,
} from './sign-up-schema'

/** Dialogs are no part of the pages before the sign-in: it comes with the first change, or not at all. */
const LeaveGuard = lazy<ComponentType>(() => import('../../ui/leave-guard').catch(() => ({ default: () => null })))

export const inviteAddressOnly = 'Use o email que recebeu o convite.'

const wording = {
  'consent_legal_terms.CONSENT_REQUIRED': consentSentences.consent_legal_terms,
  // Only an invite asks for one certain address.
  'userEmail.INVALID': inviteAddressOnly,
}

const blank: SignUpForm = {
  userName: '',
  userEmail: '',
  userDocument: '',
  userPhone: '',
  userBirthDate: '',
  password: '',
  password_confirmation: '',
  consent_legal_terms: false,
  consent_privacy_terms: false,
  consent_lgpd_terms: false,
}

/** Unticked, each linking its page in a new tab. */
const consents = [
  { name: 'consent_legal_terms', text: 'Li e aceito os', link: 'Termos Legais', to: paths.terms },
  { name: 'consent_privacy_terms', text: 'Li e aceito a', link: 'Política de Privacidade', to: paths.privacy },
  { name: 'consent_lgpd_terms', text: 'Li e aceito os', link: 'Termos LGPD', to: paths.lgpd },
] as const

interface SignUpFormFieldsProps {
  /** The address that an invite was sent to or that the sign-in knows, and what a sign-up before this one said. */
  given: Partial<SignUpForm>
  /** Where the visitor wanted to go, for who has an account already. */
  next: string | null
  onSubmit: (form: SignUpForm) => Promise<void>
}

export function SignUpFormFields({ given, next, onSubmit }: SignUpFormFieldsProps) {
  const minAge = useQuery(configQuery()).data?.minAge ?? MIN_AGE
  const schema = useMemo(() => signUpSchema(minAge), [minAge])
  const form = useApiForm(
    schema,
    { defaultValues: { ...blank, ...given } },
    {
      wording: { ...wording, TOO_YOUNG: tooYoung(minAge) },
      byCode: { EMAIL_EXISTS: 'userEmail', DOCUMENT_EXISTS: 'userDocument' },
    },
  )
  const { register, control, setValue, errors } = form
  // Whoever has an account already is led to it unasked.
  const hasAccount = errors.userEmail?.type === 'EMAIL_EXISTS' || errors.userDocument?.type === 'DOCUMENT_EXISTS'
  const isGuarded = form.unsaved && !hasAccount
  const values = useWatch({ control }) as SignUpForm
  const faults = faultsOf(schema, values)
  const reasonId = useId()
  const [now] = useState(() => Date.now())

  const send = form.handleSubmit(onSubmit)
  const [held, setHeld] = useState<object>()
  const fields = useFocusFirstError<HTMLFormElement>(held)
  /** The button that is off still leads to what is wrong. */
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (faults.length > 0) void form.trigger().then(() => setHeld({}))
    else send(event)
  }

  return (
    <form ref={fields} noValidate onSubmit={submit} className="grid gap-4">
      <Field label={labels.userName} error={errors.userName?.message} required>
        <Input autoComplete="name" {...register('userName')} />
      </Field>
      <Field label={labels.userEmail} error={emailError(errors, values.userEmail, next)} required>
        {/* What signs in later: a password manager would save the field that is called `userName`. */}
        <EmailInput autoComplete="username" {...register('userEmail')} />
      </Field>
      <Field label={labels.userDocument} error={documentError(errors, next)} required>
        <Controller
          control={control}
          name="userDocument"
          render={({ field: { ref, onChange, ...field } }) => (
            <NumberFormatBase
              customInput={Input}
              getInputRef={ref}
              format={formatCpf}
              isAllowed={({ value }) => value.length <= 11}
              inputMode="numeric"
              autoComplete="off"
              onValueChange={({ formattedValue }) => onChange(formattedValue)}
              {...field}
            />
          )}
        />
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={labels.userPhone} error={errors.userPhone?.message} required>
          <Input
            type="tel"
            autoComplete="tel"
            {...register('userPhone', {
              onBlur: (event) => setValue('userPhone', groupPhone(event.target.value), { shouldValidate: true }),
            })}
          />
        </Field>
        <Field label={labels.userBirthDate} error={errors.userBirthDate?.message} required>
          <Input
            type="date"
            autoComplete="bday"
            min={EARLIEST_BIRTH_DATE}
            max={latestBirthDate(now, minAge)}
            {...register('userBirthDate')}
          />
        </Field>
      </div>
      <NewPasswordFields
        form={form}
        names={['password', 'password_confirmation']}
        labels={[labels.password, labels.password_confirmation]}
      />
      <fieldset className="grid gap-3">
        <legend className="sr-only">Consentimentos</legend>
        {consents.map(({ name, text, link, to }) => (
          <Checkbox
            key={name}
            error={errors[name]?.message}
            label={
              <>
                {text}{' '}
                <a className="link" href={to} target="_blank" rel="noopener noreferrer">
                  {link}
                  <span className="sr-only"> (abre em nova aba)</span>
                </a>
              </>
            }
            {...register(name)}
          />
        ))}
      </fieldset>
      <FailureAlert failure={form.failure} />
      <Button
        type="submit"
        className="w-full"
        disabled={form.wait > 0}
        busy={form.isSubmitting && 'Criando conta...'}
        {...(faults.length > 0 && { 'aria-disabled': true, 'aria-describedby': reasonId })}
      >
        Criar Conta
      </Button>
      <p id={reasonId} aria-live="polite" className="min-h-5 text-label text-pretty text-muted">
        {faultSentence(faults)}
      </p>
      <Suspense fallback={null}>{isGuarded && <LeaveGuard />}</Suspense>
    </form>
  )
}

/** An address that has an account leads to it. */
function emailError(errors: FieldErrors<SignUpForm>, email: string, next: string | null): ReactNode {
  const error = errors.userEmail
  if (error?.type !== 'EMAIL_EXISTS') return error?.message
  return (
    <>
      {error.message}.{' '}
      <Link className="underline" to={withQuery(paths.signIn, { email, next })}>
        Entrar
      </Link>{' '}
      ou{' '}
      <Link className="underline" to={withQuery(paths.forgotPassword, { email, next })}>
        recuperar a senha
      </Link>
    </>
  )
}

/** Its account may have an older address, or one that was mistyped and that nobody can verify. */
function documentError(errors: FieldErrors<SignUpForm>, next: string | null): ReactNode {
  const error = errors.userDocument
  if (error?.type !== 'DOCUMENT_EXISTS') return error?.message
  return (
    <>
      {error.message}.{' '}
      <Link className="underline" to={withQuery(paths.signIn, { next })}>
        Entrar
      </Link>{' '}
      ou{' '}
      <a className="underline" href={helpPath}>
        falar com o suporte
      </a>
    </>
  )
}

// Reset the password with the code from the mail, or with its link. It ends every session and signs nobody in.
import { lazy, Suspense, useCallback, useState } from 'react'
import { zodResolver } from '@hookform/resolvers/zod'
import { Controller, useForm, useWatch } from 'react-hook-form'
import { Link, useLocation, useSearchParams } from 'react-router'
import { forgotPassword, resetPassword } from '../../api/auth'
import { asApiError, type ApiError } from '../../api/errors'
import { placeErrors } from '../../api/form-errors'
import { email as emailSchema, passwordsDiffer } from '../../api/form-fields'
import { paths, withQuery } from '../../lib/paths'
import { ResendButton } from '../../auth/resend-button'
import { useResend } from '../../auth/use-resend'
import { Button, buttonClass } from '../../ui/button'
import { FailureAlert, useRetrySeconds } from '../../ui/failure-alert'
import { Field } from '../../ui/field'
import { Input } from '../../ui/input'
import { NewPasswordFields } from '../../ui/new-password-fields'
import { OtpInput } from '../../ui/otp-input'
import { AuthCard, SuccessCard } from './auth-card'
import { resetSchema } from './schemas'

/** One of the two forms is shown, and each brings its own code. */
const ResetByLink = lazy(() => import('./reset-by-link').then((module) => ({ default: module.ResetByLink })))

export function ResetPasswordPage() {
  const [params] = useSearchParams()
  // Behind the #, where no server and no log reads it.
  const token = new URLSearchParams(useLocation().hash.slice(1)).get('token')
  const [done, setDone] = useState(false)
  const [doneFor, setDoneFor] = useState<string | null>(null)
  if (!done && token) {
    return (
      <Suspense fallback={null}>
        <ResetByLink key={token} token={token} onDone={() => setDone(true)} />
      </Suspense>
    )
  }
  if (!done) {
    const finish = (email: string) => {
      setDoneFor(email)
      setDone(true)
    }
    return <ResetForm given={params.get('email') ?? ''} onDone={finish} />
  }
  return (
    <SuccessCard
      title="Senha Redefinida!"
      text="Todas as sessões foram encerradas."
      action={
        <Link
          className={buttonClass({}, 'w-full')}
          to={withQuery(paths.signIn, { email: doneFor, next: params.get('next') })}
        >
          Fazer login
        </Link>
      }
    />
  )
}

function ResetForm({ given, onDone }: { given: string; onDone: (email: string) => void }) {
  const { register, control, handleSubmit, setError, clearErrors, trigger, formState, getValues } = useForm({
    resolver: zodResolver(resetSchema),
    mode: 'onTouched',
    defaultValues: { userEmail: given, otp: '', newPassword: '', confirmPassword: '' },
  })
  const { errors, isSubmitting, touchedFields } = formState
  const [failure, setFailure] = useState<ApiError | null>(null)
  const wait = useRetrySeconds(failure)
  const [address, password] = useWatch({ control, name: ['userEmail', 'newPassword'] })

  const callResend = useCallback(async () => {
    await forgotPassword(getValues('userEmail').trim())
    setFailure(null)
    clearErrors('otp')
  }, [getValues, clearErrors])
  const resend = useResend('reset', callResend)

  /** The other half of the pair, once the person has been there. */
  const confirmAgain = () => {
    if (touchedFields.confirmPassword) void trigger('confirmPassword')
  }

  const submit = handleSubmit(async (form) => {
    setFailure(null)
    try {
      await resetPassword(form)
      onDone(form.userEmail)
    } catch (thrown) {
      const error = asApiError(thrown)
      const placed = placeErrors(error, setError, {
        names: ['userEmail', 'otp', 'newPassword', 'confirmPassword'],
        byCode: { INVALID_RESET_TOKEN: 'otp' },
        wording: { PASSWORD_MISMATCH: passwordsDiffer.message },
      })
      if (!placed) setFailure(error)
    }
  })

  return (
    <AuthCard title="Redefinir Senha" subtitle="Digite o código que enviamos por email e escolha uma nova senha.">
      <form noValidate onSubmit={(event) => void submit(event)} className="grid gap-4">
        <Field label="Email" error={errors.userEmail?.message} required>
          <Input
            type="email"
            autoComplete="email"
            autoCapitalize="none"
            spellCheck={false}
            readOnly={given !== ''}
            {...register('userEmail')}
          />
        </Field>
        <Field label="Código" error={errors.otp?.message} hint="Confira o spam. O código vale 15 minutos." required>
          <Controller
            control={control}
            name="otp"
            render={({ field: { ref, value, onChange } }) => (
              <OtpInput
                ref={ref}
                value={value}
                onChange={onChange}
                onForeignPaste={() => setError('otp', { type: 'digits', message: 'Código deve conter apenas números' })}
              />
            )}
          />
        </Field>
        <NewPasswordFields
          labels={['Nova Senha', 'Confirmar Nova Senha']}
          fields={[register('newPassword', { onChange: confirmAgain }), register('confirmPassword')]}
          errors={[errors.newPassword?.message, errors.confirmPassword?.message]}
          value={password}
        />
        <FailureAlert failure={failure} />
        <Button type="submit" className="w-full" disabled={wait > 0} busy={isSubmitting ? 'Redefinindo...' : undefined}>
          Redefinir Senha
        </Button>
      </form>
      <ResendButton resend={resend} disabled={!emailSchema.safeParse(address).success} />
    </AuthCard>
  )
}

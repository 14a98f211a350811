// Verify e-mail: the six digits are sent on their own once; the resend countdown survives a reload.
import { useCallback, useRef, useState } from 'react'
import { zodResolver } from '@hookform/resolvers/zod'
import { Controller, useForm, useWatch } from 'react-hook-form'
import { Link, useSearchParams } from 'react-router'
import { resendVerification, verifyEmail } from '../../api/auth'
import { asApiError, type ApiError } from '../../api/errors'
import { placeErrors } from '../../api/form-errors'
import { email as emailSchema } from '../../api/form-fields'
import { paths, withQuery } from '../../lib/paths'
import { ResendButton } from '../../auth/resend-button'
import { useResend } from '../../auth/use-resend'
import { session } from '../../auth/use-session'
import { Address } from '../../ui/address'
import { Button, buttonClass } from '../../ui/button'
import { FailureAlert, useRetrySeconds } from '../../ui/failure-alert'
import { Field } from '../../ui/field'
import { Input } from '../../ui/input'
import { OtpInput } from '../../ui/otp-input'
import { AuthCard, SuccessCard } from './auth-card'
import { verifySchema } from './schemas'

const CODE_EXPIRED = 'Código expirado. Por favor, solicite um novo código.'

export function VerifyEmailPage() {
  const [params] = useSearchParams()
  const given = params.get('email') ?? ''
  const [verified, setVerified] = useState<string | null>(null)
  if (verified === null) return <VerifyForm given={given} onVerified={setVerified} />
  return (
    <SuccessCard
      title="Email Verificado!"
      text="Sua conta está ativa."
      action={
        <Link
          className={buttonClass({}, 'w-full')}
          to={withQuery(paths.signIn, { email: verified, next: params.get('next') })}
        >
          Fazer login
        </Link>
      }
    />
  )
}

function VerifyForm({ given, onVerified }: { given: string; onVerified: (email: string) => void }) {
  const { register, control, handleSubmit, setError, clearErrors, formState, getValues } = useForm({
    resolver: zodResolver(verifySchema),
    mode: 'onTouched',
    defaultValues: { userEmail: given, verificationCode: '' },
  })
  const { errors, isSubmitting } = formState
  const [failure, setFailure] = useState<ApiError | null>(null)
  const [expired, setExpired] = useState(false)
  const [resends, setResends] = useState(0)
  const wait = useRetrySeconds(failure)
  const address = useWatch({ control, name: 'userEmail' })
  const sentOnce = useRef('')

  const callResend = useCallback(async () => {
    await resendVerification(getValues('userEmail').trim())
    setFailure(null)
    setExpired(false)
    clearErrors('verificationCode')
    setResends((count) => count + 1)
  }, [getValues, clearErrors])
  const resend = useResend('verify', callResend)

  const submit = handleSubmit(async (form) => {
    setFailure(null)
    setExpired(false)
    try {
      await verifyEmail({ ...form, registration: session.registrationOf(form.userEmail) })
      onVerified(form.userEmail)
    } catch (thrown) {
      const error = asApiError(thrown)
      if (error.code === 'INVALID_VERIFICATION_CODE' && resend.isExpired()) setExpired(true)
      else if (
        !placeErrors(error, setError, {
          names: ['userEmail', 'verificationCode'],
          byCode: { INVALID_VERIFICATION_CODE: 'verificationCode' },
        })
      )
        setFailure(error)
    }
  })

  /** Once for each address and sequence of resends: a wrong code is not sent again by itself. */
  const submitOnce = () => {
    const attempt = `${address}#${resends}`
    if (sentOnce.current === attempt || isSubmitting) return
    sentOnce.current = attempt
    void submit()
  }

  return (
    <AuthCard
      title="Verificar Email"
      subtitle={
        given ? (
          <>
            Digite o código enviado para{' '}
            <span className="inline-block wrap-anywhere">
              <strong className="text-text">
                <Address email={given} />
              </strong>
              .
            </span>
          </>
        ) : (
          'Digite o código de 6 dígitos que enviamos.'
        )
      }
    >
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
        <Field
          label="Código de verificação"
          error={expired ? CODE_EXPIRED : errors.verificationCode?.message}
          hint="Confira o spam. O código vale 15 minutos."
          required
        >
          <Controller
            control={control}
            name="verificationCode"
            render={({ field: { ref, value, onChange } }) => (
              <OtpInput
                ref={ref}
                value={value}
                onChange={onChange}
                onComplete={submitOnce}
                onForeignPaste={() =>
                  setError('verificationCode', { type: 'digits', message: 'Código deve conter apenas números' })
                }
              />
            )}
          />
        </Field>
        <FailureAlert
          failure={failure}
          actions={
            failure?.code === 'EMAIL_ALREADY_VERIFIED' && (
              <Link to={withQuery(paths.signIn, { email: address })}>Fazer login</Link>
            )
          }
        />
        <Button type="submit" className="w-full" disabled={wait > 0} busy={isSubmitting ? 'Verificando...' : undefined}>
          Verificar
        </Button>
      </form>
      <ResendButton resend={resend} disabled={!emailSchema.safeParse(address).success} />
    </AuthCard>
  )
}

// Verify e-mail: the six digits are sent on their own once; the resend countdown survives a reload.
import { useRef, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { Link, useSearchParams } from 'react-router'
import { resendVerification, verifyEmail } from '../../api/auth'
import { ApiError } from '../../api/errors'
import { code, email } from '../../api/form-fields'
import { useApiForm } from '../../api/use-api-form'
import { paths, withQuery } from '../../lib/paths'
import { CodeField, CodeSentTo, ResendButton } from '../../auth/mailed-code'
import { useResend } from '../../auth/use-resend'
import { session } from '../../auth/use-session'
import { z } from '../../lib/zod'
import { Button } from '../../ui/button'
import { EmailInput } from '../../ui/input'
import { FailureAlert } from '../../ui/failure-alert'
import { Field } from '../../ui/field'
import { AuthCard, SuccessCard } from './auth-card'

const schema = z.object({ userEmail: email, verificationCode: code })
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
      link={{ to: withQuery(paths.signIn, { email: verified, next: params.get('next') }), label: 'Fazer login' }}
    />
  )
}

function VerifyForm({ given, onVerified }: { given: string; onVerified: (email: string) => void }) {
  const form = useApiForm(
    schema,
    { defaultValues: { userEmail: given, verificationCode: '' } },
    { byCode: { INVALID_VERIFICATION_CODE: 'verificationCode' } },
  )
  const { failure } = form
  const [expired, setExpired] = useState(false)
  const [resends, setResends] = useState(0)
  const address = useWatch({ control: form.control, name: 'userEmail' })
  const sentOnce = useRef('')

  const resend = useResend('verify', async () => {
    await resendVerification(address.trim())
    form.setFailure(null)
    setExpired(false)
    form.clearErrors('verificationCode')
    setResends((count) => count + 1)
  })

  const submit = form.handleSubmit(async (values) => {
    setExpired(false)
    try {
      await verifyEmail({ ...values, registration: session.registrationOf(values.userEmail) })
      onVerified(values.userEmail)
    } catch (error) {
      const isOld = error instanceof ApiError && error.code === 'INVALID_VERIFICATION_CODE' && resend.isExpired()
      if (!isOld) throw error
      setExpired(true)
    }
  })

  /** Once for each address and sequence of resends: a wrong code is not sent again by itself. */
  const submitOnce = () => {
    const attempt = `${address}#${resends}`
    if (sentOnce.current === attempt || form.isSubmitting) return
    sentOnce.current = attempt
    submit()
  }

  return (
    <AuthCard
      title="Verificar Email"
      subtitle={given ? <CodeSentTo email={given} /> : 'Digite o código de 6 dígitos que enviamos.'}
    >
      <form noValidate onSubmit={submit} className="grid gap-4">
        <Field label="Email" error={form.errors.userEmail?.message} required>
          <EmailInput readOnly={given !== ''} {...form.register('userEmail')} />
        </Field>
        <CodeField
          form={form}
          name="verificationCode"
          label="Código de verificação"
          error={expired && CODE_EXPIRED}
          onComplete={submitOnce}
        />
        <FailureAlert
          failure={failure}
          actions={
            failure?.code === 'EMAIL_ALREADY_VERIFIED' && (
              <Link to={withQuery(paths.signIn, { email: address })}>Fazer login</Link>
            )
          }
        />
        <Button type="submit" className="w-full" disabled={form.wait > 0} busy={form.isSubmitting && 'Verificando...'}>
          Verificar
        </Button>
      </form>
      <ResendButton resend={resend} disabled={!email.safeParse(address).success} />
    </AuthCard>
  )
}

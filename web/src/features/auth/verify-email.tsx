// Verify e-mail: six digits are sent on their own; the resend countdown survives a reload. In the browser that signed
// up, the person is signed in and goes on; elsewhere the code alone opens nothing, and the sign-in is next.
import { useState } from 'react'
import { useWatch } from 'react-hook-form'
import { Link, useSearchParams } from 'react-router'
import { resendVerification, verifyEmail } from '../../api/auth'
import { ApiError, sentences } from '../../api/errors'
import { code, email } from '../../api/form-fields'
import { useApiForm } from '../../api/use-api-form'
import { paths, safeNext, withQuery } from '../../lib/paths'
import { plainText } from '../../lib/plain-text'
import { CodeField, CodeSentTo, ResendButton } from '../../auth/mailed-code'
import { isCodeExpired, useResend } from '../../auth/use-resend'
import { session } from '../../auth/use-session'
import { z } from '../../lib/zod'
import { Button } from '../../ui/button'
import { EmailInput } from '../../ui/input'
import { FailureAlert } from '../../ui/failure-alert'
import { Field } from '../../ui/field'
import { AuthCard, SuccessCard } from './auth-card'
import { OtherAccountAlert, SignInLink, useOtherAccount, useSignInLink } from './other-account'
import { useRedirectAfterWelcome } from './use-redirect-after-welcome'

const schema = z.object({ userEmail: email, verificationCode: code })
const CODE_EXPIRED = 'Código expirado. Por favor, solicite um novo código.'

interface Verified {
  email: string
  /** A platform admin deactivated the account before its address was verified. */
  isInactive: boolean
  /** The name of who is signed in now. */
  welcome?: string
}

export function VerifyEmailPage() {
  const [params] = useSearchParams()
  const given = params.get('email') ?? ''
  // The link of the mail has no `next`, and the sign-in removes the kept sign-up, which has it.
  const [kept] = useState(() => session.registrationOf(given)?.next ?? null)
  const next = params.get('next') ?? kept
  const [verified, setVerified] = useState<Verified | null>(null)
  useRedirectAfterWelcome(verified?.welcome !== undefined, safeNext(next))
  const address = verified?.email ?? given
  const other = useOtherAccount(address)
  const signInLink = useSignInLink(address, next)
  if (verified === null) return <VerifyForm given={given} next={next} onVerified={setVerified} />
  const { isInactive, welcome } = verified
  if (isInactive) return <SuccessCard title="Email Verificado!" text={sentences.ACCOUNT_INACTIVE} />
  return welcome === undefined ? (
    <SuccessCard
      title="Email Verificado!"
      text={
        other === null
          ? 'Sua conta está ativa.'
          : `A conta ${address} está ativa. Neste navegador, você entrou como ${other}.`
      }
      link={signInLink}
    />
  ) : (
    <SuccessCard title="Email Verificado!" text={`Sua conta está ativa. Bem-vindo(a), ${welcome}!`} />
  )
}

/** How far the codes were refused: not, one, one and then another was asked for, that one too. */
type Refused = 'none' | 'one' | 'resent' | 'both'

interface VerifyFormProps {
  given: string
  next: string | null
  onVerified: (verified: Verified) => void
}

function VerifyForm({ given, next, onVerified }: VerifyFormProps) {
  const form = useApiForm(
    schema,
    { defaultValues: { userEmail: given, verificationCode: '' } },
    { byCode: { INVALID_VERIFICATION_CODE: 'verificationCode' } },
  )
  const { failure } = form
  const [expired, setExpired] = useState(false)
  const address = useWatch({ control: form.control, name: 'userEmail' })
  const [refused, setRefused] = useState<Refused>('none')
  /** Where somebody is signed in, the sign-up leads to that one's dashboard. */
  const other = useOtherAccount(given)

  const resend = useResend('verify', async () => {
    await resendVerification(plainText(address))
    setRefused((before) => (before === 'one' ? 'resent' : before))
    form.setFailure(null)
    setExpired(false)
    form.setValue('verificationCode', '')
    form.clearErrors('verificationCode')
  })

  const submit = form.handleSubmit(async (values) => {
    setExpired(false)
    try {
      // After both, the sign-up of this browser may be the wrong one: the address was signed up again elsewhere. It is
      // kept, because another sign-up with the same CPF needs it.
      const registration = refused === 'both' ? undefined : session.registrationOf(values.userEmail)?.registration
      const { user, tokens } = await verifyEmail({ ...values, registration })
      if (tokens) session.signIn(user, tokens)
      onVerified({
        email: values.userEmail,
        isInactive: user.status === 'inactive',
        ...(tokens && { welcome: user.userName }),
      })
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'INVALID_VERIFICATION_CODE') throw error
      setRefused((before) => (before === 'none' || before === 'one' ? 'one' : 'both'))
      // The next six digits are sent on their own as well.
      form.setValue('verificationCode', '')
      if (!isCodeExpired('verify')) throw error
      setExpired(true)
    }
  })

  return (
    <AuthCard
      title="Verificar Email"
      subtitle={given ? <CodeSentTo email={given} /> : 'Digite o código de 6 dígitos que enviamos.'}
    >
      <OtherAccountAlert address={given} />
      <form noValidate onSubmit={submit} className="grid gap-4">
        <Field label="Email" error={form.errors.userEmail?.message} required>
          <EmailInput readOnly={given !== ''} {...form.register('userEmail')} />
        </Field>
        <CodeField
          form={form}
          name="verificationCode"
          label="Código de verificação"
          error={expired && CODE_EXPIRED}
          onComplete={() => form.isSubmitting || form.wait > 0 || submit()}
          takesFocus={given !== ''}
        />
        <FailureAlert
          failure={failure}
          actions={failure?.code === 'EMAIL_ALREADY_VERIFIED' && <SignInLink email={address} next={next} />}
        />
        <Button type="submit" className="w-full" disabled={form.wait > 0} busy={form.isSubmitting && 'Verificando...'}>
          Verificar
        </Button>
      </form>
      <ResendButton resend={resend} disabled={!email.safeParse(address).success} />
      {given && other === null && (
        <Link className="link justify-self-center" to={withQuery(paths.signUp, { next })}>
          Usar outro email
        </Link>
      )}
    </AuthCard>
  )
}

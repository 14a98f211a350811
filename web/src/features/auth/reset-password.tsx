// Reset the password with the code from the mail, or with its link. It ends every session and signs nobody in.
import { Suspense, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { Link, useLocation, useSearchParams } from 'react-router'
import { forgotPassword, resetPassword } from '../../api/auth'
import { ApiError } from '../../api/errors'
import { code, email, newPasswordPair, passwordsAgree, passwordsDiffer } from '../../api/form-fields'
import { lazyPart } from '../../api/lazy-part'
import { useApiForm } from '../../api/use-api-form'
import { paths, withQuery } from '../../lib/paths'
import { plainText } from '../../lib/plain-text'
import { z } from '../../lib/zod'
import { CodeField, ResendButton } from '../../auth/mailed-code'
import { useResend } from '../../auth/use-resend'
import { isResetRefused, useSetPassword } from '../../auth/use-set-password'
import { session } from '../../auth/use-session'
import { Button } from '../../ui/button'
import { EmailInput } from '../../ui/input'
import { Field } from '../../ui/field'
import { NewPasswordFields } from '../../ui/new-password-fields'
import { AuthCard, SuccessCard } from './auth-card'
import { OtherAccountAlert, useOtherAccount, useSignInLink } from './other-account'
import { ResetFailure } from './reset-failure'

const schema = z
  .object({ userEmail: email, otp: code, ...newPasswordPair })
  .check(z.refine(passwordsAgree, passwordsDiffer))

const CODE_IS_DEAD = new Set(['INVALID_RESET_TOKEN', 'PASSWORD_MAY_BE_SET'])

/** One of the two forms is shown; the one of the link is a chunk of its own. */
const ResetByLink = lazyPart(() => import('./reset-by-link'))

export function ResetPasswordPage() {
  const [params] = useSearchParams()
  // Behind the #, where no server and no log reads them.
  const link = new URLSearchParams(useLocation().hash.slice(1))
  const token = link.get('token')
  /** The address, where it is known. */
  const [done, setDone] = useState<{ email: string | null }>()
  const email = done ? done.email : link.get('email')
  const next = params.get('next')
  const other = useOtherAccount(email)
  const signInLink = useSignInLink(email, next)
  const finish = async (address: string | null) => {
    // The session of this browser has ended, too, if it belongs to the account.
    await session.endIfRevoked()
    session.forgetExpiry()
    setDone({ email: address })
  }
  if (!done && token) {
    return (
      <Suspense fallback={null}>
        <ResetByLink key={token} token={token} email={email} onDone={() => finish(email)} />
      </Suspense>
    )
  }
  if (!done) return <ResetForm given={params.get('email') ?? ''} next={next} onDone={finish} />
  return (
    <SuccessCard
      title="Senha Redefinida!"
      text={
        other === null
          ? 'Todas as sessões foram encerradas.'
          : `Todas as sessões da conta${email ? ` ${email}` : ''} foram encerradas. Neste navegador, você entrou como ${other}.`
      }
      link={signInLink}
    />
  )
}

interface ResetFormProps {
  given: string
  next: string | null
  onDone: (email: string) => Promise<void>
}

function ResetForm({ given, next, onDone }: ResetFormProps) {
  const form = useApiForm(
    schema,
    { defaultValues: { userEmail: given, otp: '', newPassword: '', confirmPassword: '' } },
    { byCode: { INVALID_RESET_TOKEN: 'otp' }, wording: { PASSWORD_MISMATCH: passwordsDiffer.error } },
  )
  const address = useWatch({ control: form.control, name: 'userEmail' })
  const setPassword = useSetPassword<z.infer<typeof schema>>(resetPassword, ({ otp }) => otp, isResetRefused)

  const resend = useResend('reset', async () => {
    await forgotPassword(plainText(address))
    form.setFailure(null)
    form.setValue('otp', '')
    form.clearErrors('otp')
  })

  const submit = form.handleSubmit(async (values) => {
    try {
      await setPassword(values)
    } catch (error) {
      // Another code could not be typed or pasted over one that fills its boxes.
      if (error instanceof ApiError && CODE_IS_DEAD.has(error.code)) form.setValue('otp', '')
      throw error
    }
    await onDone(values.userEmail)
  })

  return (
    <AuthCard title="Redefinir Senha" subtitle="Digite o código que enviamos por email e escolha uma nova senha.">
      <OtherAccountAlert address={given} />
      <form noValidate onSubmit={submit} className="grid gap-4">
        <Field label="Email" error={form.errors.userEmail?.message} required>
          {/* A password manager saves the new password with this, and not with the code. */}
          <EmailInput autoComplete="username" readOnly={given !== ''} {...form.register('userEmail')} />
        </Field>
        <CodeField form={form} name="otp" label="Código" takesFocus={given !== ''} />
        <NewPasswordFields
          form={form}
          names={['newPassword', 'confirmPassword']}
          labels={['Nova Senha', 'Confirmar Nova Senha']}
        />
        <ResetFailure failure={form.failure} email={address} next={next} />
        <Button type="submit" className="w-full" disabled={form.wait > 0} busy={form.isSubmitting && 'Redefinindo...'}>
          Redefinir Senha
        </Button>
      </form>
      <ResendButton resend={resend} disabled={!email.safeParse(address).success} />
      {given && (
        <Link className="link justify-self-center" to={withQuery(paths.forgotPassword, { next })}>
          Usar outro email
        </Link>
      )}
    </AuthCard>
  )
}

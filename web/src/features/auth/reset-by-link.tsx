// Reset the password by the mailed link, which stands for address and code: only the new password is asked.
import { Link } from 'react-router'
import { resetPassword } from '../../api/auth'
import { ApiError } from '../../api/errors'
import { newPasswordPair, passwordsAgree, passwordsDiffer } from '../../api/form-fields'
import { useApiForm } from '../../api/use-api-form'
import { paths, withQuery } from '../../lib/paths'
import { isResetRefused, useSetPassword } from '../../auth/use-set-password'
import { z } from '../../lib/zod'
import { ClosingAddress } from '../../ui/address'
import { Button } from '../../ui/button'
import { FailureAlert } from '../../ui/failure-alert'
import { NewPasswordFields } from '../../ui/new-password-fields'
import { AuthCard } from './auth-card'
import { OtherAccountAlert } from './other-account'
import { ResetFailure } from './reset-failure'

const schema = z.object(newPasswordPair).check(z.refine(passwordsAgree, passwordsDiffer))

interface ResetByLinkProps {
  token: string
  /** Whose link it is; the links of older builds do not say. */
  email: string | null
  onDone: () => Promise<void>
}

export default function ResetByLink({ token, email, onDone }: ResetByLinkProps) {
  const form = useApiForm(
    schema,
    { defaultValues: { newPassword: '', confirmPassword: '' } },
    { wording: { PASSWORD_MISMATCH: passwordsDiffer.error } },
  )
  const { failure } = form
  const askAgain = withQuery(paths.forgotPassword, { email })
  const isDead = failure?.code === 'INVALID_RESET_TOKEN'
  const setPassword = useSetPassword(resetPassword, () => token, isResetRefused)

  const submit = form.handleSubmit(async (passwords) => {
    await setPassword({ ...passwords, token }).catch(aboutTheLink)
    await onDone()
  })

  return (
    <AuthCard title="Redefinir Senha" subtitle={<NewPasswordFor email={email} />}>
      <OtherAccountAlert address={email ?? ''} />
      <form noValidate onSubmit={submit} className="grid gap-4">
        {/* Tells the browser's password manager whose password changes. */}
        {email !== null && <input type="email" autoComplete="username" value={email} readOnly hidden />}
        <NewPasswordFields
          form={form}
          names={['newPassword', 'confirmPassword']}
          labels={['Nova Senha', 'Confirmar Nova Senha']}
        />
        {isDead ? (
          <FailureAlert failure={failure} actions={<Link to={askAgain}>Pedir outro</Link>} />
        ) : (
          <ResetFailure failure={failure} email={email} next={null} />
        )}
        {failure?.code === 'PASSWORD_MAY_BE_SET' && (
          <Link className="link justify-self-center" to={askAgain}>
            Pedir outro
          </Link>
        )}
        <Button type="submit" className="w-full" disabled={form.wait > 0} busy={form.isSubmitting && 'Redefinindo...'}>
          Redefinir Senha
        </Button>
      </form>
    </AuthCard>
  )
}

/** No code was typed that could be wrong. */
function aboutTheLink(error: unknown): never {
  if (!(error instanceof ApiError && isResetRefused(error))) throw error
  throw new ApiError(error.code, { status: error.status, sentence: 'Este link expirou ou já foi usado.' })
}

function NewPasswordFor({ email }: { email: string | null }) {
  if (email === null) return 'Escolha uma nova senha para a sua conta.'
  return (
    <>
      Escolha uma nova senha para a conta <ClosingAddress email={email} />
    </>
  )
}

// Reset the password by the mailed link, which stands for address and code: only the new password is asked.
import { useState } from 'react'
import { zodResolver } from '@hookform/resolvers/zod'
import { useForm, useWatch } from 'react-hook-form'
import { Link } from 'react-router'
import { resetPassword } from '../../api/auth'
import { asApiError, type ApiError } from '../../api/errors'
import { placeErrors } from '../../api/form-errors'
import { passwordsDiffer } from '../../api/form-fields'
import { paths } from '../../lib/paths'
import { session } from '../../auth/use-session'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { FailureAlert, useRetrySeconds } from '../../ui/failure-alert'
import { NewPasswordFields } from '../../ui/new-password-fields'
import { AuthCard } from './auth-card'
import { linkSchema } from './schemas'

export function ResetByLink({ token, onDone }: { token: string; onDone: () => void }) {
  const { register, control, handleSubmit, setError, trigger, formState } = useForm({
    resolver: zodResolver(linkSchema),
    mode: 'onTouched',
    defaultValues: { newPassword: '', confirmPassword: '' },
  })
  const { errors, isSubmitting, touchedFields } = formState
  const [failure, setFailure] = useState<ApiError | null>(null)
  const wait = useRetrySeconds(failure)
  const password = useWatch({ control, name: 'newPassword' })
  const isDead = failure?.code === 'INVALID_RESET_TOKEN'

  /** The other half of the pair, once the person has been there. */
  const confirmAgain = () => {
    if (touchedFields.confirmPassword) void trigger('confirmPassword')
  }

  const submit = handleSubmit(async (form) => {
    setFailure(null)
    try {
      await resetPassword({ ...form, token })
      // The session of this browser has ended, too, if it belongs to the account.
      void session.confirm()
      onDone()
    } catch (thrown) {
      const error = asApiError(thrown)
      const placed = placeErrors(error, setError, {
        names: ['newPassword', 'confirmPassword'],
        wording: { PASSWORD_MISMATCH: passwordsDiffer.message },
      })
      if (!placed) setFailure(error)
    }
  })

  return (
    <AuthCard title="Redefinir Senha" subtitle="Escolha uma nova senha para a sua conta.">
      <form noValidate onSubmit={(event) => void submit(event)} className="grid gap-4">
        <NewPasswordFields
          labels={['Nova Senha', 'Confirmar Nova Senha']}
          fields={[register('newPassword', { onChange: confirmAgain }), register('confirmPassword')]}
          errors={[errors.newPassword?.message, errors.confirmPassword?.message]}
          value={password}
        />
        {isDead ? (
          <Alert tone="danger" actions={<Link to={paths.forgotPassword}>Pedir outro</Link>}>
            Este link expirou ou já foi usado.
          </Alert>
        ) : (
          <FailureAlert failure={failure} />
        )}
        <Button type="submit" className="w-full" disabled={wait > 0} busy={isSubmitting ? 'Redefinindo...' : undefined}>
          Redefinir Senha
        </Button>
      </form>
    </AuthCard>
  )
}

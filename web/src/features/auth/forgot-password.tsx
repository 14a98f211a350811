// The forgot-password dialog: always the same success, whether the address has an account or not.
import { useState } from 'react'
import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { Link } from 'react-router'
import { forgotPassword } from '../../api/auth'
import { asApiError, type ApiError } from '../../api/errors'
import { placeErrors } from '../../api/form-errors'
import { email } from '../../api/form-fields'
import { paths, withQuery } from '../../lib/paths'
import { session } from '../../auth/use-session'
import { z } from '../../lib/zod'
import { Address } from '../../ui/address'
import { Alert } from '../../ui/alert'
import { Button, buttonClass } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { FailureAlert, useRetrySeconds } from '../../ui/failure-alert'
import { Field } from '../../ui/field'
import { Input } from '../../ui/input'

const schema = z.object({ userEmail: email })

export function ForgotPasswordDialog({
  address,
  next,
  onClose,
}: {
  address: string
  next: string | null
  onClose: () => void
}) {
  const [sentTo, setSentTo] = useState<string | null>(null)
  const [failure, setFailure] = useState<ApiError | null>(null)
  const wait = useRetrySeconds(failure)
  const { register, handleSubmit, setError, formState } = useForm({
    resolver: zodResolver(schema),
    mode: 'onTouched',
    defaultValues: { userEmail: address },
  })

  const submit = handleSubmit(async ({ userEmail }) => {
    setFailure(null)
    try {
      await forgotPassword(userEmail)
      session.markCodeSent('reset')
      setSentTo(userEmail)
    } catch (thrown) {
      const error = asApiError(thrown)
      if (!placeErrors(error, setError, { names: ['userEmail'] })) setFailure(error)
    }
  })

  return (
    <Dialog
      open
      onClose={onClose}
      title="Esqueci minha senha"
      description={sentTo === null && 'Informe o email da sua conta para receber um código.'}
      busy={formState.isSubmitting}
    >
      {sentTo === null ? (
        <form noValidate onSubmit={(event) => void submit(event)} className="grid gap-4">
          <Field label="Email" error={formState.errors.userEmail?.message} required>
            <Input
              type="email"
              autoComplete="email"
              autoCapitalize="none"
              spellCheck={false}
              {...register('userEmail')}
            />
          </Field>
          <FailureAlert failure={failure} />
          <Button type="submit" disabled={wait > 0} busy={formState.isSubmitting ? 'Enviando...' : undefined}>
            Enviar código
          </Button>
        </form>
      ) : (
        <div className="grid gap-4">
          <Alert tone="success">
            Enviamos um código de 6 dígitos para{' '}
            <span className="wrap-anywhere">
              <Address email={sentTo} />
            </span>
            . Ele expira em 15 minutos.
          </Alert>
          {/* The pressed button is gone; its successor takes the focus. */}
          <Link
            ref={(link) => link?.focus()}
            className={buttonClass()}
            to={withQuery(paths.resetPassword, { email: sentTo, next })}
          >
            Redefinir Senha
          </Link>
        </div>
      )}
    </Dialog>
  )
}

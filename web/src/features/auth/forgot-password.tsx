// The forgot-password dialog: always the same success, whether the address has an account or not.
import { useId, useRef, useState } from 'react'
import { Link } from 'react-router'
import { forgotPassword } from '../../api/auth'
import { email } from '../../api/form-fields'
import { useApiForm } from '../../api/use-api-form'
import { paths, withQuery } from '../../lib/paths'
import { session } from '../../auth/use-session'
import { z } from '../../lib/zod'
import { Address } from '../../ui/address'
import { Alert } from '../../ui/alert'
import { Button, buttonClass } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { EmailInput } from '../../ui/input'
import { FailureAlert } from '../../ui/failure-alert'
import { Field } from '../../ui/field'

const schema = z.object({ userEmail: email })

interface ForgotPasswordDialogProps {
  address: string
  next: string | null
  onClose: () => void
}

export default function ForgotPasswordDialog({ address, next, onClose }: ForgotPasswordDialogProps) {
  const [sentTo, setSentTo] = useState<string | null>(null)
  const sentId = useId()
  const isClosed = useRef(false)
  const { register, handleSubmit, errors, isSubmitting, failure, wait } = useApiForm(schema, {
    defaultValues: { userEmail: address },
  })
  const submit = handleSubmit(async ({ userEmail }) => {
    await forgotPassword(userEmail)
    session.markCodeSent('reset')
    setSentTo(userEmail)
  })
  /** Once: a second press, before the page has followed, would go one more step back. */
  const close = () => {
    if (isClosed.current) return
    isClosed.current = true
    onClose()
  }

  return (
    <Dialog
      onClose={close}
      title="Esqueci minha senha"
      description={sentTo === null && 'Informe o email da sua conta para receber um código.'}
      busy={isSubmitting}
    >
      {sentTo === null ? (
        <form noValidate onSubmit={submit} className="grid gap-4">
          <Field label="Email" error={errors.userEmail?.message} required>
            <EmailInput {...register('userEmail')} />
          </Field>
          <FailureAlert failure={failure} />
          <Button type="submit" disabled={wait > 0} busy={isSubmitting && 'Enviando...'}>
            Enviar código
          </Button>
        </form>
      ) : (
        <div className="grid gap-4">
          <div id={sentId}>
            <Alert tone="success" role="none">
              Enviamos um código de 6 dígitos para{' '}
              <span className="wrap-anywhere">
                <Address email={sentTo} />
              </span>
              . Ele expira em 15 minutos.
            </Alert>
          </div>
          {/* The pressed button is gone; its successor takes the focus, and is read with what was sent. */}
          <Link
            ref={(link) => link?.focus()}
            aria-describedby={sentId}
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

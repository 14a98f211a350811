// "Alterar email": the password proves who asks, then a code proves the new address. The password is kept while the
// dialog is open, because another code asks for it again.
import { useCallback, useState } from 'react'
import { zodResolver } from '@hookform/resolvers/zod'
import { useQueryClient } from '@tanstack/react-query'
import { Controller, useForm } from 'react-hook-form'
import { askEmailChange, confirmEmailChange, meKey, sessionsKey, type OpenSession, type User } from '../../api/auth'
import { asApiError, type ApiError } from '../../api/errors'
import { placeErrors } from '../../api/form-errors'
import { code, email, presentPassword } from '../../api/form-fields'
import { ResendButton } from '../../auth/resend-button'
import { useResend } from '../../auth/use-resend'
import { session } from '../../auth/use-session'
import { z } from '../../lib/zod'
import { Address } from '../../ui/address'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { FailureAlert, useRetrySeconds } from '../../ui/failure-alert'
import { Field } from '../../ui/field'
import { Input } from '../../ui/input'
import { OtpInput } from '../../ui/otp-input'
import { PasswordInput } from '../../ui/password-input'
import { notifySuccess } from '../../ui/toast'

interface EmailChange {
  newEmail: string
  password: string
}

const changeSchema = z.object({ newEmail: email, password: presentPassword })
const codeSchema = z.object({ verificationCode: code })

export function ChangeEmailDialog({ onClose }: { onClose: () => void }) {
  const [change, setChange] = useState<EmailChange | null>(null)
  const [busy, setBusy] = useState(false)
  return (
    <Dialog
      open
      onClose={onClose}
      title="Alterar email"
      description={
        change === null ? (
          'Enviamos um código para o novo email. O email só muda quando você informar o código.'
        ) : (
          <>
            Digite o código enviado para{' '}
            <span className="inline-block wrap-anywhere">
              <strong className="text-text">
                <Address email={change.newEmail} />
              </strong>
              .
            </span>
          </>
        )
      }
      busy={busy}
    >
      {change === null ? (
        <AskForm onAsked={setChange} onBusy={setBusy} onClose={onClose} />
      ) : (
        <CodeForm change={change} onBusy={setBusy} onClose={onClose} onBack={() => setChange(null)} />
      )}
    </Dialog>
  )
}

interface StepProps {
  onBusy: (busy: boolean) => void
  onClose: () => void
}

function AskForm({ onAsked, onBusy, onClose }: StepProps & { onAsked: (change: EmailChange) => void }) {
  const { register, handleSubmit, setError, formState } = useForm({
    resolver: zodResolver(changeSchema),
    mode: 'onTouched',
    defaultValues: { newEmail: '', password: '' },
  })
  const { errors, isSubmitting } = formState
  const [failure, setFailure] = useState<ApiError | null>(null)
  const wait = useRetrySeconds(failure)

  const submit = handleSubmit(async (change) => {
    setFailure(null)
    onBusy(true)
    try {
      await askEmailChange(change)
      session.markCodeSent('email')
      onAsked(change)
    } catch (thrown) {
      const error = asApiError(thrown)
      const wording = { 'password.INVALID': 'Senha incorreta', 'newEmail.INVALID': 'Este já é o email da sua conta' }
      if (!placeErrors(error, setError, { names: ['newEmail', 'password'], wording })) setFailure(error)
    } finally {
      onBusy(false)
    }
  })

  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="grid gap-4">
      <Field label="Novo email" error={errors.newEmail?.message} required>
        <Input type="email" autoComplete="email" autoCapitalize="none" spellCheck={false} {...register('newEmail')} />
      </Field>
      <Field label="Senha atual" error={errors.password?.message} required>
        <PasswordInput autoComplete="current-password" {...register('password')} />
      </Field>
      <FailureAlert title="Erro ao alterar o email" failure={failure} />
      <div className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
        <Button variant="secondary" onClick={onClose} disabled={isSubmitting}>
          Cancelar
        </Button>
        <Button type="submit" disabled={wait > 0} busy={isSubmitting ? 'Enviando...' : undefined}>
          Enviar código
        </Button>
      </div>
    </form>
  )
}

function CodeForm({ change, onBusy, onClose, onBack }: StepProps & { change: EmailChange; onBack: () => void }) {
  const queries = useQueryClient()
  const { control, handleSubmit, setError, clearErrors, formState } = useForm({
    resolver: zodResolver(codeSchema),
    defaultValues: { verificationCode: '' },
  })
  const { errors, isSubmitting } = formState
  const [failure, setFailure] = useState<ApiError | null>(null)
  const wait = useRetrySeconds(failure)

  const callResend = useCallback(async () => {
    await askEmailChange(change)
    setFailure(null)
    clearErrors('verificationCode')
  }, [change, clearErrors])
  const resend = useResend('email', callResend)

  const submit = handleSubmit(async (form) => {
    setFailure(null)
    onBusy(true)
    try {
      const user = await confirmEmailChange(form.verificationCode)
      queries.setQueryData<User>(meKey, user)
      queries.setQueryData<OpenSession[]>(sessionsKey, (rows) => rows?.filter(({ current }) => current))
      notifySuccess('Email alterado com sucesso!')
      onClose()
    } catch (thrown) {
      const error = asApiError(thrown)
      if (
        !placeErrors(error, setError, {
          names: ['verificationCode'],
          byCode: { INVALID_VERIFICATION_CODE: 'verificationCode' },
        })
      )
        setFailure(error)
    } finally {
      onBusy(false)
    }
  })

  return (
    <div className="grid gap-4">
      <form noValidate onSubmit={(event) => void submit(event)} className="grid gap-4">
        <Field
          label="Código de verificação"
          error={errors.verificationCode?.message}
          hint="Confira o spam. O código vale 15 minutos."
          required
        >
          <Controller
            control={control}
            name="verificationCode"
            render={({ field: { ref, value, onChange } }) => (
              <OtpInput
                // The form that had the focus is gone.
                ref={(input) => {
                  ref(input)
                  input?.focus()
                }}
                value={value}
                onChange={onChange}
                onForeignPaste={() =>
                  setError('verificationCode', { type: 'digits', message: 'Código deve conter apenas números' })
                }
              />
            )}
          />
        </Field>
        <FailureAlert title="Erro ao alterar o email" failure={failure} />
        <div className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
          <Button variant="secondary" onClick={onBack} disabled={isSubmitting}>
            Usar outro email
          </Button>
          <Button type="submit" disabled={wait > 0} busy={isSubmitting ? 'Alterando...' : undefined}>
            Alterar email
          </Button>
        </div>
      </form>
      <ResendButton resend={resend} />
    </div>
  )
}

// "Alterar email": the password proves who asks, then a code proves the new address. The password is kept while the
// dialog is open, because another code asks for it again. The address is kept longer: whoever closes the dialog to look
// for the mail, or reloads, finds the step of the code again.
import { useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { askEmailChange, confirmEmailChange, keepThisSession, meKey, meQuery, type User } from '../../api/auth'
import { ApiError } from '../../api/errors'
import { code, email, presentPassword } from '../../api/form-fields'
import { write } from '../../api/newest'
import { useApiForm } from '../../api/use-api-form'
import { CodeField, CodeSentTo, ResendButton } from '../../auth/mailed-code'
import { isCodeExpired, useResend } from '../../auth/use-resend'
import { session } from '../../auth/use-session'
import { isAddressOf } from '../../auth/stored'
import { z } from '../../lib/zod'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { EmailInput } from '../../ui/input'
import { FailureAlert } from '../../ui/failure-alert'
import { Field } from '../../ui/field'
import { FormActions } from '../../ui/form-actions'
import { useCloseQuestion } from '../../ui/leave-guard'
import { PasswordInput } from '../../ui/password-input'
import { notifySuccess } from '../../ui/toast'

interface EmailChange {
  newEmail: string
  /** Unknown after the dialog was closed. */
  password?: string
}

function pendingChange(): EmailChange | null {
  const newEmail = session.pendingEmail()
  return newEmail === null || isCodeExpired('email') ? null : { newEmail }
}

const changeSchema = z.object({ newEmail: email, password: presentPassword })
const codeSchema = z.object({ verificationCode: code })

export function ChangeEmailDialog({ onClose }: { onClose: () => void }) {
  const [change, setChange] = useState(pendingChange)
  const [confirming, setConfirming] = useState(false)
  const ask = useAskForm()
  // A code that was typed still stands in its mail.
  const { close, guard } = useCloseQuestion(change === null && ask.unsaved, onClose)
  return (
    <Dialog
      onClose={close}
      title="Alterar email"
      description={
        change === null ? (
          'Enviamos um código para o novo email. O email só muda quando você informar o código.'
        ) : (
          <CodeSentTo email={change.newEmail} />
        )
      }
      busy={confirming || ask.isSubmitting}
    >
      {change === null ? (
        <AskForm form={ask} onAsked={setChange} onCancel={close} />
      ) : (
        <CodeForm
          change={change}
          onBusy={setConfirming}
          onClose={onClose}
          onBack={(newEmail) => {
            ask.reset({ newEmail, password: '' })
            setChange(null)
          }}
        />
      )}
      {guard}
    </Dialog>
  )
}

function useAskForm() {
  return useApiForm(
    changeSchema,
    { defaultValues: { newEmail: '', password: '' } },
    { wording: { 'password.INVALID': 'Senha incorreta', 'newEmail.INVALID': 'Este já é o email da sua conta' } },
  )
}

interface AskFormProps {
  form: ReturnType<typeof useAskForm>
  onAsked: (change: EmailChange) => void
  onCancel: () => void
}

function AskForm({ form, onAsked, onCancel }: AskFormProps) {
  const submit = form.handleSubmit(async (change) => {
    await askEmailChange(change)
    session.markCodeSent('email')
    session.keepPendingEmail(change.newEmail)
    onAsked(change)
  })
  return (
    <form noValidate onSubmit={submit} className="grid gap-4">
      <Field label="Novo email" error={form.errors.newEmail?.message} required>
        <EmailInput {...form.register('newEmail')} />
      </Field>
      <Field label="Senha atual" error={form.errors.password?.message} required>
        <PasswordInput autoComplete="current-password" {...form.register('password')} />
      </Field>
      <FailureAlert title="Erro ao alterar o email" failure={form.failure} />
      <FormActions form={form} onCancel={onCancel} submitLabel="Enviar código" busyLabel="Enviando..." />
    </form>
  )
}

interface CodeFormProps {
  change: EmailChange
  onBusy: (busy: boolean) => void
  onClose: () => void
  /** To the first step, which begins with the address. */
  onBack: (newEmail: string) => void
}

function CodeForm({ change: { newEmail, password }, onBusy, onClose, onBack }: CodeFormProps) {
  const queries = useQueryClient()
  const form = useApiForm(
    codeSchema,
    { defaultValues: { verificationCode: '' } },
    { byCode: { INVALID_VERIFICATION_CODE: 'verificationCode' } },
  )
  const resend = useResend('email', async () => {
    await askEmailChange({ newEmail, password: password ?? '' })
    form.setFailure(null)
    form.setValue('verificationCode', '')
    form.clearErrors('verificationCode')
  })
  const confirm = async (verificationCode: string): Promise<User> => {
    onBusy(true)
    try {
      return await confirmEmailChange(verificationCode)
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'INVALID_VERIFICATION_CODE')) throw error
      // A try before may have used the code up, and its answer was lost.
      const user = await queries.fetchQuery({ ...meQuery(), staleTime: 0 }).catch(() => null)
      if (user && isAddressOf(user, newEmail)) return user
      // Another code could not be typed or pasted over one that fills its boxes.
      form.setValue('verificationCode', '')
      throw error
    } finally {
      onBusy(false)
    }
  }
  const submit = form.handleSubmit(async ({ verificationCode }) => {
    const user = await confirm(verificationCode)
    session.keepPendingEmail(null)
    write<User>(queries, meKey, user)
    keepThisSession(queries)
    notifySuccess('Email alterado com sucesso!')
    onClose()
  })
  return (
    <div className="grid gap-4">
      <form noValidate onSubmit={submit} className="grid gap-4">
        <CodeField form={form} name="verificationCode" label="Código de verificação" takesFocus />
        <FailureAlert title="Erro ao alterar o email" failure={form.failure} />
        <FormActions
          form={form}
          cancelLabel="Usar outro email"
          onCancel={() => {
            session.keepPendingEmail(null)
            onBack('')
          }}
          submitLabel="Alterar email"
          busyLabel="Alterando..."
        />
      </form>
      {password === undefined ? (
        <Button variant="ghost" size="small" className="justify-self-center" onClick={() => onBack(newEmail)}>
          Reenviar código
        </Button>
      ) : (
        <ResendButton resend={resend} />
      )}
    </div>
  )
}

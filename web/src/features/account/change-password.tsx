// "Alterar senha": the current password proves who asks. This session goes on, the others end.
import { useQueryClient } from '@tanstack/react-query'
import { changePassword, keepThisSession } from '../../api/auth'
import { newPasswordPair, passwordsAgree, passwordsDiffer, presentPassword } from '../../api/form-fields'
import { useApiForm } from '../../api/use-api-form'
import { useSetPassword } from '../../auth/use-set-password'
import { z } from '../../lib/zod'
import { Dialog } from '../../ui/dialog'
import { FailureAlert } from '../../ui/failure-alert'
import { Field } from '../../ui/field'
import { FormActions } from '../../ui/form-actions'
import { useCloseQuestion } from '../../ui/leave-guard'
import { NewPasswordFields } from '../../ui/new-password-fields'
import { PasswordInput } from '../../ui/password-input'
import { notifySuccess } from '../../ui/toast'

const schema = z
  .object({ currentPassword: presentPassword, ...newPasswordPair })
  .check(z.refine(passwordsAgree, passwordsDiffer))

export function ChangePasswordDialog({ userEmail, onClose }: { userEmail: string; onClose: () => void }) {
  const queries = useQueryClient()
  const form = useApiForm(
    schema,
    { defaultValues: { currentPassword: '', newPassword: '', confirmPassword: '' } },
    { wording: { 'currentPassword.INVALID': 'Senha incorreta', PASSWORD_MISMATCH: passwordsDiffer.error } },
  )
  const { close, guard } = useCloseQuestion(form.unsaved, onClose)
  const setPassword = useSetPassword(
    changePassword,
    ({ currentPassword }) => currentPassword,
    ({ fields }) => fields.currentPassword === 'INVALID',
  )
  const submit = form.handleSubmit(async (passwords) => {
    await setPassword(passwords)
    keepThisSession(queries)
    notifySuccess('Senha alterada com sucesso! As outras sessões foram encerradas.')
    onClose()
  })

  return (
    <Dialog
      onClose={close}
      title="Alterar senha"
      description="Esta sessão continua aberta. As outras são encerradas."
      busy={form.isSubmitting}
    >
      <form noValidate onSubmit={submit} className="grid gap-4">
        {/* Tells the browser's password manager whose password changes. */}
        <input type="email" autoComplete="username" value={userEmail} readOnly hidden />
        <Field label="Senha atual" error={form.errors.currentPassword?.message} required>
          <PasswordInput autoComplete="current-password" {...form.register('currentPassword')} />
        </Field>
        <NewPasswordFields
          form={form}
          names={['newPassword', 'confirmPassword']}
          labels={['Nova senha', 'Confirmar nova senha']}
        />
        <FailureAlert title="Erro ao alterar a senha" failure={form.failure} />
        <FormActions form={form} onCancel={close} submitLabel="Alterar senha" busyLabel="Alterando..." />
      </form>
      {guard}
    </Dialog>
  )
}

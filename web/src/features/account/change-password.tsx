// "Alterar senha": the present password proves who asks. This session goes on, the others end.
import { useState } from 'react'
import { zodResolver } from '@hookform/resolvers/zod'
import { useQueryClient } from '@tanstack/react-query'
import { useForm, useWatch } from 'react-hook-form'
import { changePassword, sessionsKey, type OpenSession } from '../../api/auth'
import { asApiError, type ApiError } from '../../api/errors'
import { placeErrors } from '../../api/form-errors'
import { newPassword, passwordsAgree, passwordsDiffer, presentPassword } from '../../api/form-fields'
import { z } from '../../lib/zod'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { FailureAlert, useRetrySeconds } from '../../ui/failure-alert'
import { Field } from '../../ui/field'
import { NewPasswordFields } from '../../ui/new-password-fields'
import { PasswordInput } from '../../ui/password-input'
import { notifySuccess } from '../../ui/toast'

const schema = z
  .object({ currentPassword: presentPassword, newPassword, confirmPassword: presentPassword })
  .refine(passwordsAgree, passwordsDiffer)

export function ChangePasswordDialog({ userEmail, onClose }: { userEmail: string; onClose: () => void }) {
  const queries = useQueryClient()
  const { register, control, handleSubmit, setError, trigger, formState } = useForm({
    resolver: zodResolver(schema),
    mode: 'onTouched',
    defaultValues: { currentPassword: '', newPassword: '', confirmPassword: '' },
  })
  const { errors, isSubmitting, touchedFields } = formState
  const [failure, setFailure] = useState<ApiError | null>(null)
  const wait = useRetrySeconds(failure)
  const password = useWatch({ control, name: 'newPassword' })

  const submit = handleSubmit(async (form) => {
    setFailure(null)
    try {
      await changePassword(form)
      queries.setQueryData<OpenSession[]>(sessionsKey, (rows) => rows?.filter(({ current }) => current))
      notifySuccess('Senha alterada com sucesso! As outras sessões foram encerradas.')
      onClose()
    } catch (thrown) {
      const error = asApiError(thrown)
      const placed = placeErrors(error, setError, {
        names: ['currentPassword', 'newPassword', 'confirmPassword'],
        wording: { 'currentPassword.INVALID': 'Senha incorreta', PASSWORD_MISMATCH: passwordsDiffer.message },
      })
      if (!placed) setFailure(error)
    }
  })

  return (
    <Dialog
      open
      onClose={onClose}
      title="Alterar senha"
      description="Você continua conectado aqui. As outras sessões são encerradas."
      busy={isSubmitting}
    >
      <form noValidate onSubmit={(event) => void submit(event)} className="grid gap-4">
        {/* Tells the browser's password manager whose password changes. */}
        <input type="email" autoComplete="username" value={userEmail} readOnly hidden />
        <Field label="Senha atual" error={errors.currentPassword?.message} required>
          <PasswordInput autoComplete="current-password" {...register('currentPassword')} />
        </Field>
        <NewPasswordFields
          labels={['Nova senha', 'Confirmar nova senha']}
          fields={[
            register('newPassword', {
              onChange: () => touchedFields.confirmPassword && void trigger('confirmPassword'),
            }),
            register('confirmPassword'),
          ]}
          errors={[errors.newPassword?.message, errors.confirmPassword?.message]}
          value={password}
        />
        <FailureAlert title="Erro ao alterar a senha" failure={failure} />
        <div className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
          <Button variant="secondary" onClick={onClose} disabled={isSubmitting}>
            Cancelar
          </Button>
          <Button type="submit" disabled={wait > 0} busy={isSubmitting ? 'Alterando...' : undefined}>
            Alterar senha
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

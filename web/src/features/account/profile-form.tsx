// Name and phone are the person's to change; e-mail, CPF and birth date are only shown.
import { useQueryClient } from '@tanstack/react-query'
import { meKey, updateMe, type User } from '../../api/auth'
import { personName, phone } from '../../api/form-fields'
import { write } from '../../api/newest'
import { useApiForm } from '../../api/use-api-form'
import { formatCpf } from '../../lib/cpf'
import { formatDate } from '../../lib/dates'
import { groupPhone } from '../../lib/phone'
import { z } from '../../lib/zod'
import { Button } from '../../ui/button'
import { FailureAlert } from '../../ui/failure-alert'
import { Field } from '../../ui/field'
import { Input } from '../../ui/input'
import { useLeaveGuard } from '../../ui/leave-guard'
import { notifySuccess } from '../../ui/toast'

const schema = z.object({ userName: personName, userPhone: phone })

export function ProfileForm({ user }: { user: User }) {
  const queries = useQueryClient()
  const { register, handleSubmit, setValue, reset, formState, errors, isSubmitting, failure, wait } = useApiForm(
    schema,
    {
      // Another tab's change shows here unless it is being edited.
      values: { userName: user.userName, userPhone: groupPhone(user.userPhone) },
      resetOptions: { keepDirtyValues: true },
    },
  )
  const { isDirty } = formState
  const guard = useLeaveGuard(isDirty && !isSubmitting)

  const submit = handleSubmit(async (form) => {
    const saved = await updateMe(form)
    write<User>(queries, meKey, saved)
    reset({ userName: saved.userName, userPhone: groupPhone(saved.userPhone) })
    notifySuccess('Dados atualizados com sucesso!')
  })

  return (
    <form noValidate onSubmit={submit} className="grid gap-4">
      <Field label="Nome Completo" error={errors.userName?.message} required>
        <Input autoComplete="name" {...register('userName')} />
      </Field>
      <Field label="Telefone" error={errors.userPhone?.message} required>
        <Input
          type="tel"
          autoComplete="tel"
          {...register('userPhone', {
            onBlur: (event) =>
              setValue('userPhone', groupPhone(event.target.value), { shouldValidate: true, shouldDirty: true }),
          })}
        />
      </Field>
      <Field label="Email" hint='Para trocar o email, use "Alterar email", abaixo. O CPF não pode ser alterado.'>
        <Input type="email" readOnly value={user.userEmail} />
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="CPF">
          <Input readOnly value={formatCpf(user.userDocument)} />
        </Field>
        <Field label="Data de Nascimento">
          <Input readOnly value={formatDate(user.userBirthDate)} />
        </Field>
      </div>
      <FailureAlert title="Erro ao atualizar seus dados" failure={failure} />
      <div className="flex flex-wrap items-center justify-end gap-x-4 gap-y-2">
        <p aria-live="polite" className="text-label text-muted">
          {!isDirty && 'Nenhuma alteração para salvar'}
        </p>
        <Button
          type="submit"
          className="max-sm:w-full"
          disabled={!isDirty || wait > 0}
          busy={isSubmitting && 'Salvando...'}
        >
          Salvar
        </Button>
      </div>
      {guard}
    </form>
  )
}

// A platform admin edits a person: name, phone, role, status.
import { useId, useState } from 'react'
import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { useQueryClient } from '@tanstack/react-query'
import { adminKeys, updateUser, type AdminUserDetail } from '../../api/admin'
import { asApiError, fieldSentenceOf, type ApiError } from '../../api/errors'
import { placeErrors } from '../../api/form-errors'
import { groupPhone } from '../../lib/phone'
import { z } from '../../lib/zod'
import { useUser } from '../../auth/use-session'
import { Button } from '../../ui/button'
import { FailureAlert, useRetrySeconds } from '../../ui/failure-alert'
import { Field } from '../../ui/field'
import { Input } from '../../ui/input'
import { useCloseGuard } from '../../ui/leave-guard'
import { Select } from '../../ui/select'
import { Sheet } from '../../ui/sheet'
import { notifySuccess } from '../../ui/toast'

const NAME_MAX = 200
const schema = z.object({
  userName: z.string().trim().min(2, fieldSentenceOf('NAME_TOO_SHORT')).max(NAME_MAX, fieldSentenceOf('TOO_LONG')),
  userPhone: z.string().trim().min(10, fieldSentenceOf('PHONE_INVALID')),
  role: z.enum(['admin', 'user']),
  status: z.enum(['active', 'inactive', 'pending']),
})
type Form = z.input<typeof schema>
const names = ['userName', 'userPhone', 'role', 'status'] as const

export interface UserFormProps {
  user: AdminUserDetail
  /** Back to the profile. */
  onDone: () => void
  onClose: () => void
}

export function UserForm({ user, onDone, onClose }: UserFormProps) {
  const queries = useQueryClient()
  const id = useId()
  const isSelf = useUser().id === user.id
  const { userName, userPhone, userRole, status } = user
  const { register, handleSubmit, setError, setValue, formState } = useForm<Form>({
    resolver: zodResolver(schema),
    mode: 'onTouched',
    defaultValues: { userName, userPhone, role: userRole, status },
  })
  const { errors, isSubmitting, isDirty, dirtyFields } = formState
  const [failure, setFailure] = useState<ApiError | null>(null)
  const [saved, setSaved] = useState(false)
  const wait = useRetrySeconds(failure)
  const { close, guard } = useCloseGuard(isDirty && !saved, onClose)

  const submit = handleSubmit(async (form) => {
    setFailure(null)
    try {
      // What was not touched is not sent: it may have changed meanwhile.
      const changed = Object.fromEntries(names.filter((name) => dirtyFields[name]).map((name) => [name, form[name]]))
      await updateUser(user.id, changed)
    } catch (error) {
      const refusal = asApiError(error)
      setFailure(placeErrors(refusal, setError, { names }) ? null : refusal)
      return
    }
    setSaved(true)
    void queries.invalidateQueries({ queryKey: adminKeys.users })
    notifySuccess('Usuário atualizado com sucesso!')
    onDone()
  })

  return (
    <Sheet
      open
      onClose={close}
      title={`Editar ${user.userName}`}
      footer={
        <>
          <Button variant="secondary" onClick={onDone} disabled={isSubmitting}>
            Cancelar
          </Button>
          <Button type="submit" form={id} disabled={wait > 0} busy={isSubmitting && 'Salvando...'}>
            Salvar
          </Button>
        </>
      }
    >
      <form id={id} noValidate onSubmit={(event) => void submit(event)} className="grid gap-4">
        <Field label="Nome Completo" error={errors.userName?.message} required>
          <Input autoComplete="off" {...register('userName')} />
        </Field>
        <Field label="Telefone" error={errors.userPhone?.message} required>
          <Input type="tel" autoComplete="off" {...register('userPhone', { onBlur: (event) => setValue('userPhone', groupPhone(event.target.value), { shouldValidate: true, shouldDirty: true }) })} />
        </Field>
        <Field label="Papel" error={errors.role?.message} hint={isSelf ? 'Você não pode tirar o seu próprio acesso' : 'Administradores acessam este painel'}>
          <Select disabled={isSelf} {...register('role')}>
            <option value="user">Usuário</option>
            <option value="admin">Administrador</option>
          </Select>
        </Field>
        <Field label="Status" error={errors.status?.message} hint="Quem está inativo não entra no Bipe">
          <Select disabled={isSelf} {...register('status')}>
            <option value="active">Ativo</option>
            <option value="inactive">Inativo</option>
            {status === 'pending' && <option value="pending">Pendente</option>}
          </Select>
        </Field>
        <FailureAlert title="Erro ao atualizar usuário" failure={failure} />
      </form>
      {guard}
    </Sheet>
  )
}

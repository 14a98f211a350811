// A platform admin edits a person: name, phone, role, status.
import { useState } from 'react'
import { useWatch } from 'react-hook-form'
import { useQueryClient } from '@tanstack/react-query'
import { adminKeys, updateUser, userQuery, type AdminUserDetail } from '../../../api/admin'
import { atMost, personName, phone, refined } from '../../../api/form-fields'
import { unlessChanged } from '../../../api/merge-changes'
import { useApiForm } from '../../../api/use-api-form'
import { groupPhone } from '../../../lib/phone'
import { z } from '../../../lib/zod'
import { useUser } from '../../../auth/use-session'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'
import { Select } from '../../../ui/select'
import { EditSheet, touchedOf } from '../edit-sheet'
import { KeptCompanies } from './kept-companies'

const NAME_MAX = 200
const schema = z.object({
  userName: refined(personName, atMost(NAME_MAX)),
  userPhone: phone,
  role: z.enum(['admin', 'user']),
  status: z.enum(['active', 'inactive', 'pending']),
})

type UserEdit = z.infer<typeof schema>

function valuesOf({ userName, userPhone, userRole, status }: AdminUserDetail): UserEdit {
  // As the field writes it when it is left: looking at a phone does not change it.
  return { userName, userPhone: groupPhone(userPhone), role: userRole, status }
}

interface UserFormProps {
  user: AdminUserDetail
  /** Back to the profile. */
  onDone: () => void
  onClose: () => void
}

export default function UserForm({ user, onDone, onClose }: UserFormProps) {
  const isSelf = useUser().id === user.id
  const { status, emailVerified } = user
  const queries = useQueryClient()
  /** As the form began: `user` follows the server while the form stays as it is. */
  const [opened, setOpened] = useState(() => valuesOf(user))
  const form = useApiForm(schema, { defaultValues: opened })
  const { register, setValue, errors } = form
  const { dirtyFields } = form.formState
  const chosen = useWatch({ control: form.control, name: 'status' })

  const save = async (values: UserEdit) => {
    const now = await queries.fetchQuery({ ...userQuery(user.id), staleTime: 0 })
    await updateUser(user.id, unlessChanged(opened, touchedOf(values, dirtyFields), valuesOf(now)))
  }
  const loadNewer = () => {
    setOpened(valuesOf(user))
    form.startAnew(valuesOf(user))
  }

  return (
    <EditSheet
      form={form}
      title={`Editar ${user.userName}`}
      save={save}
      onLoadNewer={loadNewer}
      stale={[adminKeys.users, adminKeys.audit]}
      savedText="Usuário atualizado com sucesso!"
      failedTitle="Erro ao atualizar usuário"
      onDone={onDone}
      onCancel={onDone}
      onClose={onClose}
    >
      <Field label="Nome Completo" error={errors.userName?.message} required>
        <Input autoComplete="off" {...register('userName')} />
      </Field>
      <Field label="Telefone" error={errors.userPhone?.message} required>
        <Input
          type="tel"
          autoComplete="off"
          {...register('userPhone', {
            onBlur: (event) =>
              setValue('userPhone', groupPhone(event.target.value), { shouldValidate: true, shouldDirty: true }),
          })}
        />
      </Field>
      <Field
        label="Papel"
        error={errors.role?.message}
        hint={isSelf ? 'Você não pode tirar o seu próprio acesso' : 'Administradores acessam este painel'}
      >
        <Select disabled={isSelf} {...register('role')}>
          <option value="user">Usuário</option>
          <option value="admin">Administrador</option>
        </Select>
      </Field>
      <Field
        label="Status"
        error={errors.status?.message}
        hint={
          status === 'pending' ? 'Fica ativo quando a pessoa confirmar o email' : 'Quem está inativo não entra no Bipe'
        }
      >
        <Select disabled={isSelf} {...register('status')}>
          {status === 'pending' ? (
            <option value="pending">Pendente</option>
          ) : (
            // Who is taken back before the address was confirmed still has to confirm it.
            <option value="active">{status === 'active' || emailVerified ? 'Ativo' : 'Pendente'}</option>
          )}
          <option value="inactive">Inativo</option>
        </Select>
      </Field>
      {status !== 'inactive' && chosen === 'inactive' && <KeptCompanies companies={user.companies} />}
    </EditSheet>
  )
}

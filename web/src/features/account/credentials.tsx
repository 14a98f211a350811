// "Email e senha": what the person signs in with, each changed in a dialog that asks for the current password.
import { useState } from 'react'
import { useUser } from '../../auth/use-session'
import { Button } from '../../ui/button'
import { Card, CardHeader } from '../../ui/card'
import { ListRow } from '../../ui/list-row'
import { ChangeEmailDialog } from './change-email'
import { ChangePasswordDialog } from './change-password'

export function Credentials() {
  const { userEmail } = useUser()
  const [open, setOpen] = useState<'email' | 'password' | null>(null)
  const close = () => setOpen(null)
  return (
    <Card>
      <CardHeader title="Email e senha">
        Com eles você entra no Bipe. A cada mudança, avisamos por email e encerramos as outras sessões.
      </CardHeader>
      <ul role="list" className="grid">
        <Row name="Email" value={userEmail} act="Alterar email" onAct={() => setOpen('email')} />
        <Row name="Senha" value="••••••••" act="Alterar senha" onAct={() => setOpen('password')} />
      </ul>
      {open === 'email' && <ChangeEmailDialog onClose={close} />}
      {open === 'password' && <ChangePasswordDialog userEmail={userEmail} onClose={close} />}
    </Card>
  )
}

function Row({ name, value, act, onAct }: { name: string; value: string; act: string; onAct: () => void }) {
  const label = <span className="mb-0.5 block text-label font-normal text-muted">{name}</span>
  return (
    <ListRow
      title={
        <>
          {label}
          {value}
        </>
      }
    >
      <Button variant="secondary" size="small" className="ml-auto" onClick={onAct}>
        {act}
      </Button>
    </ListRow>
  )
}

// "Email e senha": what the person signs in with, each changed in a dialog that asks for the present password.
import { useState, type ReactNode } from 'react'
import { useUser } from '../../auth/use-session'
import { Button } from '../../ui/button'
import { Card, CardHeader } from '../../ui/card'
import { ChangeEmailDialog } from './change-email'
import { ChangePasswordDialog } from './change-password'

export function Credentials() {
  const { userEmail } = useUser()
  const [open, setOpen] = useState<'email' | 'password' | null>(null)
  const close = () => setOpen(null)
  return (
    <Card>
      <CardHeader title="Email e senha">
        Com eles você entra no Bipe. A cada mudança avisamos por email, e as outras sessões são encerradas.
      </CardHeader>
      <ul className="grid">
        <Row name="Email" value={userEmail} act="Alterar email" onAct={() => setOpen('email')} />
        <Row name="Senha" value="••••••••" act="Alterar senha" onAct={() => setOpen('password')} />
      </ul>
      {open === 'email' && <ChangeEmailDialog onClose={close} />}
      {open === 'password' && <ChangePasswordDialog userEmail={userEmail} onClose={close} />}
    </Card>
  )
}

function Row({ name, value, act, onAct }: { name: string; value: ReactNode; act: string; onAct: () => void }) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line py-3 first:pt-0 last:border-0 last:pb-0">
      <div className="grid min-w-0 flex-1 basis-56 gap-0.5">
        <span className="text-label text-muted">{name}</span>
        <span className="font-medium wrap-anywhere">{value}</span>
      </div>
      <Button variant="secondary" size="small" className="ml-auto" onClick={onAct}>
        {act}
      </Button>
    </li>
  )
}

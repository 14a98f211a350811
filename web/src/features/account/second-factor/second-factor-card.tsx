// "Verificação em duas etapas": what the person has, and the ways to add and remove it. On "Minha Conta", and on the
// page that asks a platform admin for it.
import { useRef, useState, type ComponentProps } from 'react'
import { useQuery } from '@tanstack/react-query'
import { secondFactorQuery, type Passkey, type SecondFactor } from '../../../api/second-factor'
import { servesPasskeysOf } from '../../../auth/passkeys'
import { formatDateTime, relativeTime } from '../../../lib/dates'
import { counted } from '../../../lib/labels'
import { serverNow } from '../../../live/server-clock'
import { StatusBadge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Card, CardHeader } from '../../../ui/card'
import { cx } from '../../../ui/cx'
import { DataArea, settlesFirst } from '../../../ui/data-area'
import { focusHeadingAround } from '../../../ui/focus-heading'
import { DotLine, ListRow } from '../../../ui/list-row'
import { KeyIcon, LockIcon, PhoneIcon } from '../../../ui/icons'
import { Skeleton, SkeletonLines } from '../../../ui/skeleton'
import { usePassFocus } from '../../../ui/use-pass-focus'
import { AddPasskeyDialog } from './add-passkey-dialog'
import { AddTotpDialog } from './add-totp-dialog'
import { NewCodesDialog } from './recovery-codes'
import { RemoveFactorDialog, type Removable } from './remove-factor-dialog'

const MOST_PASSKEYS = 10
/** Fewer than this are soon none. */
const FEW_CODES = 3

type OpenDialog = 'totp' | 'passkey' | 'codes' | Removable | null

export default function SecondFactorCard() {
  const query = useQuery(secondFactorQuery())
  const [asked, setAsked] = useState<OpenDialog>(null)
  const close = () => setAsked(null)
  const enabled = query.data?.enabled ?? false
  return (
    <Card className={settlesFirst}>
      <CardHeader
        title="Verificação em duas etapas"
        actions={
          query.data ? (
            <StatusBadge tone={enabled ? 'success' : 'warning'} label={enabled ? 'Ativa' : 'Desativada'} />
          ) : (
            query.isPending && <Skeleton className="h-5 w-24" />
          )
        }
      >
        Além da senha, o Bipe pede algo que só você tem: o código de um aplicativo ou uma chave de acesso.
      </CardHeader>
      <DataArea query={query} errorTitle="Erro ao carregar sua verificação" skeleton={<SkeletonLines count={4} />}>
        {(factor) => <Factors factor={factor} onAsk={setAsked} />}
      </DataArea>
      {asked === 'totp' && <AddTotpDialog isFirst={!enabled} onClose={close} />}
      {asked === 'passkey' && <AddPasskeyDialog isFirst={!enabled} onClose={close} />}
      {asked === 'codes' && <NewCodesDialog onClose={close} />}
      {asked !== null && typeof asked === 'object' && <RemoveFactorDialog factor={asked} onClose={close} />}
    </Card>
  )
}

function Factors({ factor, onAsk }: { factor: SecondFactor; onAsk: (asked: OpenDialog) => void }) {
  const { totpEnabledAt, passkeys, recoveryCodesLeft, enabled, passkeyDomain } = factor
  const count = passkeys.length + (totpEnabledAt ? 1 : 0)
  const isLast = count === 1
  const canAddPasskey = servesPasskeysOf(passkeyDomain) && passkeys.length < MOST_PASSKEYS
  return (
    <ul role="list" className="grid">
      <ListRow
        icon={PhoneIcon}
        title="Aplicativo autenticador"
        note={
          totpEnabledAt
            ? `Ativo desde ${formatDateTime(totpEnabledAt)}`
            : 'Um código de 6 dígitos que muda a cada 30 segundos'
        }
      >
        {/* Two buttons, not one that changes: the focus may not stand on the one that takes the factor away again. */}
        {totpEnabledAt ? (
          <FactorButton key="remove" variant="ghost" className="text-danger!" onClick={() => onAsk({ isLast })}>
            Remover aplicativo
          </FactorButton>
        ) : (
          <FactorButton key="add" variant="secondary" onClick={() => onAsk('totp')}>
            Ativar aplicativo
          </FactorButton>
        )}
      </ListRow>
      {passkeys.map((passkey) => (
        <ListRow key={passkey.id} icon={KeyIcon} title={passkey.name} note={<DotLine parts={usesOf(passkey)} />}>
          <FactorButton
            variant="ghost"
            className="text-danger!"
            aria-label={`Remover chave de acesso ${passkey.name}`}
            onClick={() => onAsk({ passkey, isLast })}
          >
            Remover
          </FactorButton>
        </ListRow>
      ))}
      <ListRow icon={KeyIcon} title="Chaves de acesso" note={passkeysText(factor, canAddPasskey)}>
        {canAddPasskey && (
          <FactorButton variant="secondary" onClick={() => onAsk('passkey')}>
            Adicionar chave de acesso
          </FactorButton>
        )}
      </ListRow>
      {enabled && (
        <ListRow
          icon={LockIcon}
          title="Códigos de recuperação"
          note={
            <span className={recoveryCodesLeft < FEW_CODES ? 'text-danger' : undefined}>
              {counted(recoveryCodesLeft, 'código restante', 'códigos restantes', 'Nenhum')}. Para quando você estiver
              sem o aparelho.
            </span>
          }
        >
          <FactorButton variant="secondary" onClick={() => onAsk('codes')}>
            Gerar novos códigos
          </FactorButton>
        </ListRow>
      )}
    </ul>
  )
}

/** A button whose act takes it away, before or after the dialog has closed: the heading of the card gets the focus. */
function FactorButton({ className, ...rest }: ComponentProps<typeof Button>) {
  const button = useRef<HTMLButtonElement>(null)
  usePassFocus(button, focusHeadingAround)
  return <Button ref={button} size="small" className={cx('ml-auto', className)} {...rest} />
}

function usesOf({ createdAt, lastUsedAt }: Passkey): string[] {
  const used = lastUsedAt ? `Último uso: ${relativeTime(lastUsedAt, serverNow()).toLowerCase()}` : 'Ainda não usada'
  return ['Chave de acesso', used, `Criada em ${formatDateTime(createdAt)}`]
}

function passkeysText({ passkeys, passkeyDomain }: SecondFactor, canAdd: boolean): string {
  if (passkeys.length >= MOST_PASSKEYS) return `Você já tem ${MOST_PASSKEYS}. Remova uma para adicionar outra.`
  if (!canAdd)
    return passkeyDomain && location.hostname !== passkeyDomain
      ? `Disponíveis no endereço ${passkeyDomain}`
      : 'Este navegador não oferece chaves de acesso aqui'
  return 'Entre com a digital, o rosto, o PIN ou uma chave de segurança, sem senha'
}

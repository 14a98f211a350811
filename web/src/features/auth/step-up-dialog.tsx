// Asks for the second factor again before a sensitive command. The command is then sent again by `api/client.ts`.
import { useQuery } from '@tanstack/react-query'
import { secondFactorQuery, stepUp, stepUpOptions, type FactorMethod, type SecondFactor } from '../../api/second-factor'
import { servesPasskeysOf, showPasskey } from '../../auth/passkeys'
import { DataArea } from '../../ui/data-area'
import { Dialog } from '../../ui/dialog'
import { SkeletonLines } from '../../ui/skeleton'
import { FactorForm } from './factor-form'

function methodsOf(factor: SecondFactor): FactorMethod[] {
  const methods: FactorMethod[] = []
  if (factor.passkeys.length > 0 && servesPasskeysOf(factor.passkeyDomain)) methods.push('passkey')
  if (factor.totpEnabledAt) methods.push('totp')
  if (factor.recoveryCodesLeft > 0) methods.push('recovery')
  return methods
}

export default function StepUpDialog({ onAnswer }: { onAnswer: (shown: boolean) => void }) {
  const query = useQuery(secondFactorQuery())
  return (
    <Dialog
      onClose={() => onAnswer(false)}
      title="Confirme que é você"
      description="Esta ação pede a sua verificação em duas etapas. A confirmação vale por 10 minutos."
    >
      <DataArea query={query} errorTitle="Erro ao carregar sua verificação" skeleton={<SkeletonLines count={3} />}>
        {(factor) => (
          <FactorForm
            methods={methodsOf(factor)}
            takesFocus
            onPasskey={async () => ({ credential: await showPasskey(await stepUpOptions()) })}
            onProof={async (proof) => {
              await stepUp(proof)
              onAnswer(true)
            }}
          />
        )}
      </DataArea>
    </Dialog>
  )
}

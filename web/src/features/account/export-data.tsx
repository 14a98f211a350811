// "Baixar meus dados": everything that is stored about the person, as one JSON file.
import { useMutation } from '@tanstack/react-query'
import { exportMe } from '../../api/auth'
import { asApiError } from '../../api/errors'
import { dayOf } from '../../lib/dates'
import { serverNow } from '../../live/server-clock'
import { Button } from '../../ui/button'
import { Card, CardHeader } from '../../ui/card'
import { FailureAlert, useRetrySeconds } from '../../ui/failure-alert'
import { saveFile } from '../../ui/save-file'
import { notifySuccess } from '../../ui/toast'

export function ExportData() {
  const download = useMutation({
    mutationFn: exportMe,
    onSuccess: (file) => {
      saveFile(`bipe-meus-dados-${dayOf(serverNow())}.json`, file)
      notifySuccess('Seus dados foram baixados.')
    },
  })
  const failure = download.error && asApiError(download.error)
  const wait = useRetrySeconds(failure)
  return (
    <Card className="[&>header]:mb-0">
      <CardHeader
        title="Meus dados"
        actions={
          <Button
            variant="secondary"
            size="small"
            disabled={wait > 0}
            busy={download.isPending && 'Preparando...'}
            onClick={() => download.mutate()}
          >
            Baixar meus dados
          </Button>
        }
      >
        Um arquivo JSON com tudo o que guardamos sobre você: perfil, consentimentos, sessões, empresas e pagamentos.
      </CardHeader>
      <FailureAlert className="mt-4" title="Erro ao baixar seus dados" failure={failure} />
    </Card>
  )
}

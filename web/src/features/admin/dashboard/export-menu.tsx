// "Exportar": the shown period's numbers as a file of the server, or the page on paper.
import { useMutation } from '@tanstack/react-query'
import { exportDashboard, type ExportFormat, type Period } from '../../../api/admin'
import { asApiError } from '../../../api/errors'
import { dayOf } from '../../../lib/dates'
import { serverNow } from '../../../live/server-clock'
import { Button } from '../../../ui/button'
import { DownloadIcon, PrintIcon } from '../../../ui/icons'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu'
import { saveFile } from '../../../ui/save-file'
import { notifyError } from '../../../ui/toast'

export function ExportMenu({ period }: { period: Period }) {
  const save = useMutation({
    mutationFn: (format: ExportFormat) => exportDashboard(period, format),
    onSuccess: (file, format) => saveFile(`dashboard-${period}-${dayOf(serverNow())}.${format}`, file),
    onError: (error) => notifyError('Erro ao exportar os dados', { detail: asApiError(error).sentence }),
  })
  return (
    <Menu
      trigger={
        <Button variant="secondary" busy={save.isPending && 'Exportando...'}>
          <DownloadIcon />
          Exportar
        </Button>
      }
    >
      <MenuItem onSelect={() => save.mutate('csv')}>
        <DownloadIcon />
        CSV
      </MenuItem>
      <MenuItem onSelect={() => save.mutate('json')}>
        <DownloadIcon />
        JSON
      </MenuItem>
      <MenuSeparator />
      <MenuItem onSelect={() => setTimeout(() => window.print())}>
        <PrintIcon />
        Imprimir
      </MenuItem>
    </Menu>
  )
}

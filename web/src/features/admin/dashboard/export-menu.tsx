// "Exportar": the shown period's numbers as a file of the server, or the page on paper.
import { useState } from 'react'
import { exportDashboard, type ExportFormat, type Period } from '../../../api/admin'
import { asApiError } from '../../../api/errors'
import { dayOf } from '../../../lib/dates'
import { serverNow } from '../../../live/status'
import { Button } from '../../../ui/button'
import { DownloadIcon, PrintIcon } from '../../../ui/icons'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu'
import { saveFile } from '../../../ui/save-file'
import { notifyError } from '../../../ui/toast'

export function ExportMenu({ period }: { period: Period }) {
  const [busy, setBusy] = useState(false)
  const save = async (format: ExportFormat) => {
    setBusy(true)
    try {
      saveFile(`dashboard-${period}-${dayOf(serverNow())}.${format}`, await exportDashboard(period, format))
    } catch (error) {
      notifyError('Erro ao exportar os dados', { detail: asApiError(error).sentence })
    } finally {
      setBusy(false)
    }
  }
  return (
    <Menu
      trigger={
        <Button variant="secondary" busy={busy && 'Exportando...'}>
          <DownloadIcon strokeWidth={1.75} aria-hidden="true" />
          Exportar
        </Button>
      }
    >
      <MenuItem onSelect={() => void save('csv')}>
        <DownloadIcon strokeWidth={1.75} aria-hidden="true" />
        CSV
      </MenuItem>
      <MenuItem onSelect={() => void save('json')}>
        <DownloadIcon strokeWidth={1.75} aria-hidden="true" />
        JSON
      </MenuItem>
      <MenuSeparator />
      <MenuItem onSelect={() => setTimeout(() => window.print())}>
        <PrintIcon strokeWidth={1.75} aria-hidden="true" />
        Imprimir
      </MenuItem>
    </Menu>
  )
}

// @vitest-environment happy-dom
import { useState } from 'react'
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Alert } from './alert'
import { ClearFilters } from './list-filters'
import { Page } from './page'

function Shown() {
  const [closed, setClosed] = useState(false)
  const [cleared, setCleared] = useState(false)
  return (
    <Page title="Pagamentos">
      {!closed && (
        <Alert tone="danger" onClose={() => setClosed(true)}>
          Erro
        </Alert>
      )}
      {!cleared && <ClearFilters onClear={() => setCleared(true)} />}
    </Page>
  )
}

test.each(['Fechar aviso', 'Limpar filtros'])('%s goes with its act and leaves the focus to the page', (name) => {
  render(<Shown />)
  const button = screen.getByRole('button', { name })
  button.focus()
  fireEvent.click(button)
  expect(button.isConnected).toBe(false)
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Pagamentos' }))
})

// @vitest-environment happy-dom
import { waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderAt } from '../../../../test/render'
import { api } from '../../../api/client'
import { ApiError } from '../../../api/errors'
import { paths } from '../../../lib/paths'
import { announce } from '../../../ui/announcer'
import { TooltipProvider } from '../../../ui/tooltip'
import { AdminAnalyticsPage } from './analytics'

vi.mock('../../../ui/announcer', { spy: true })

test('that nothing could be read is heard', async () => {
  vi.spyOn(api, 'GET').mockRejectedValue(new ApiError('INTERNAL_ERROR', { status: 500 }))
  renderAt(
    paths.adminAnalytics,
    <TooltipProvider>
      <AdminAnalyticsPage />
    </TooltipProvider>,
  )
  await waitFor(() => expect(announce).toHaveBeenCalledWith('Erro ao carregar analytics'))
})

// Any unknown path leads to the landing page, with a word about it.
import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import { notifyInfo } from '../ui/toast'
import { paths } from './paths'

export function NotFound() {
  const navigate = useNavigate()
  useEffect(() => {
    notifyInfo('Página não encontrada', { id: 'not-found' })
    void navigate(paths.landing, { replace: true })
  }, [navigate])
  return null
}

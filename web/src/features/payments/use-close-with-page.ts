// A payment dialog goes with the page that it was opened on.
import { useEffect, useEffectEvent, useState } from 'react'
import { useLocation } from 'react-router'
import { pageOf } from '../../lib/paths'
import { closePaymentDialog } from '../../live/payment-dialog'

/** Unless it `holds`: what is being paid or cancelled is not given up. */
export function useCloseWithPage(holds: boolean): void {
  const page = pageOf(useLocation().pathname)
  const [own] = useState(page)
  const leave = useEffectEvent(() => !holds && closePaymentDialog())
  useEffect(() => {
    if (page !== own) leave()
  }, [page, own])
}

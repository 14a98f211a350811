// A simulation that counts up to what a point of a given size would save in a month: a step every 100 ms while
// it is on the screen, 20 s at most. Without motion it shows the result at once.
import { useEffect, useRef, useState } from 'react'
import type { Plan } from '../../api/plans'
import { formatCount } from '../../lib/decimal'
import { formatReais } from '../../lib/money'
import { cyclePrice, isContactSales, planForBeeping } from '../../lib/plans'
import { Button } from '../../ui/button'
import { REDUCED_MOTION, useMedia } from '../../ui/use-media'

const STEP_MS = 100
const STEPS = 200

/** The example: packages a day, days, lost per thousand, reais a package, percent of the losses avoided. */
export const PACKAGES = 1000
const DAYS = 30
const LOST_PER_THOUSAND = 5
export const VALUE = 80
const AVOIDED_PERCENT = 95
/** Entry, exit and delivery. */
const READINGS_PER_PACKAGE = 3
/** A month's. */
export const LOST_PACKAGES = (PACKAGES * DAYS * LOST_PER_THOUSAND) / 1000
/** Whole reais a month. */
export const MONTHLY_LOSS = LOST_PACKAGES * VALUE
export const MONTHLY_SAVING = (MONTHLY_LOSS * AVOIDED_PERCENT) / 100
const MONTHLY_READINGS = PACKAGES * DAYS * READINGS_PER_PACKAGE

/** What the counter shows after so many steps. */
export function savedAfter(step: number): number {
  return Math.round((MONTHLY_SAVING * Math.min(step, STEPS)) / STEPS)
}

/** What the example costs: the smallest plan on sale that takes its readings. */
export function planLine(plans: readonly Plan[]): string {
  const plan = planForBeeping(plans, MONTHLY_READINGS)
  if (!plan) return ''
  const price = isContactSales(plan, 'monthly') ? 'sob consulta' : `${formatReais(cyclePrice(plan, 'monthly'))} por mês`
  const readings = formatCount(MONTHLY_READINGS)
  return `São ${readings} bipagens por mês. Plano que cabe: ${plan.displayName}, ${plan.isFree ? 'grátis' : price}.`
}

export function SavingsCounter({ plans }: { plans: readonly Plan[] }) {
  const still = useMedia(REDUCED_MOTION)
  const [counted, setCounted] = useState(0)
  const [paused, setPaused] = useState(false)
  const card = useRef<HTMLDivElement>(null)
  const visible = useVisible(card)
  const step = still ? STEPS : counted
  const done = step >= STEPS

  useEffect(() => {
    if (!visible || paused || done) return
    const timer = setInterval(() => setCounted((current) => current + 1), STEP_MS)
    return () => clearInterval(timer)
  }, [visible, paused, done])

  const onPress = () => {
    if (done) setCounted(0)
    setPaused(!done && !paused)
  }
  const pressLabel = paused ? 'Continuar' : 'Pausar'
  return (
    <div ref={card} className="grid gap-4 self-start rounded-card border border-line bg-bg p-6">
      <p className="caption-mono">Simulação</p>
      <p className="text-label text-muted">
        Um ponto com {formatCount(PACKAGES)} pacotes por dia, 0,5% de extravio e {formatReais(VALUE)} por pacote
      </p>
      <p
        aria-hidden="true"
        className="tear pt-4 text-[clamp(2rem,5vw,3rem)] leading-tight font-bold tabular-nums tracking-[-0.03em]"
      >
        {formatReais(savedAfter(step))}
      </p>
      <p className="text-muted">
        economizados por mês com 95% menos perdas, passados os 60 dias de adaptação
        <span className="sr-only">: {formatReais(MONTHLY_SAVING)}</span>
      </p>
      {/* As high as its two lines before the plans have come. */}
      <p className="min-h-9 text-label text-muted tabular-nums">{planLine(plans)}</p>
      {!still && (
        <Button variant="secondary" size="small" className="justify-self-start" onClick={onPress}>
          {done ? 'Repetir' : pressLabel}
        </Button>
      )}
    </div>
  )
}

function useVisible(target: { current: Element | null }): boolean {
  const [visible, setVisible] = useState(false)
  useEffect(() => {
    const { current } = target
    if (current === null) return
    const observer = new IntersectionObserver((entries) => setVisible(entries.some((entry) => entry.isIntersecting)))
    observer.observe(current)
    return () => observer.disconnect()
  }, [target])
  return visible
}

// The mark: a petrol tile, four bars, one amber beam. The same colours in both themes.
import { cx } from './cx'

function Mark({ size = 28, className }: { size?: number; className?: string }) {
  return (
    <svg viewBox="0 0 24 24" width={size} height={size} aria-hidden="true" className={cx('shrink-0', className)}>
      <rect width="24" height="24" rx="6" fill="#0B5F5C" />
      <g fill="#FFFFFF">
        <rect x="5.5" y="6" width="2" height="12" />
        <rect x="9.5" y="6" width="1" height="12" />
        <rect x="12.5" y="6" width="3" height="12" />
        <rect x="17.5" y="6" width="1" height="12" />
      </g>
      <rect x="3.5" y="11.25" width="17" height="1.5" fill="#F2B04C" />
    </svg>
  )
}

/** At the top of a sidebar: the brand, or on a rail the mark alone. */
export function BrandRow({ rail }: { rail: boolean }) {
  return (
    <div className={cx('flex h-14 shrink-0 items-center px-4', rail && 'md:max-lg:justify-center md:max-lg:px-0')}>
      {rail && <Mark className="lg:hidden" />}
      <Brand className={rail ? 'md:max-lg:hidden' : ''} />
    </div>
  )
}

/** The word beside the mark, as classes: the policy refuses style attributes in ready made markup. */
const wordSizes = { 24: 'text-[20px]', 28: 'text-[23px]', 36: 'text-[30px]' }

export function Brand({ size = 28, className }: { size?: keyof typeof wordSizes; className?: string }) {
  return (
    <span className={cx('inline-flex items-center gap-2.5', className)}>
      <Mark size={size} />
      {/* A name: browsers that translate the page would make a beep of it. */}
      <span className={cx('leading-none font-bold tracking-[-0.03em]', wordSizes[size])} translate="no">
        bipe
      </span>
    </span>
  )
}

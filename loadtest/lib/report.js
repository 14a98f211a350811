// A run as text, and a metric's numbers as one line. Called by `summary.js` and `report-html.js`.

const STATISTICS = ['value', 'min', 'med', 'avg', 'p(90)', 'p(95)', 'p(99)', 'max']

export function text(run) {
  const verdict = run.passed ? 'passed' : 'FAILED'
  const lines = [`bipe load test: ${run.scenario}, profile ${run.profile}, ${run.seconds.toFixed(1)} s: ${verdict}`, '']
  for (const { metric, rule, ok } of run.thresholds) lines.push(`  ${ok ? '✓' : '✗'} ${metric} ${rule}`)
  const failed = run.checks.filter(({ fails }) => fails > 0)
  if (failed.length > 0)
    lines.push('', ...failed.map(({ name, passes, fails }) => `  ✗ ${name}: ${fails} of ${passes + fails} failed`))
  lines.push('')
  for (const name of Object.keys(run.metrics).sort())
    lines.push(`  ${name.padEnd(34, '.')} ${valuesOf(run.metrics[name])}`)
  return `${lines.join('\n')}\n`
}

/** One line of a metric's numbers. */
export function valuesOf({ type, contains, values }) {
  const unit = contains === 'time' ? ' ms' : ''
  const number = (value) => (Number.isInteger(value) ? `${value}` : value.toFixed(2))
  if (type === 'rate')
    return `${(values.rate * 100).toFixed(2)} % (${values.passes} of ${values.passes + values.fails})`
  if (type === 'counter') return `${number(values.count)} (${values.rate.toFixed(2)}/s)`
  return STATISTICS.filter((name) => name in values)
    .map((name) => `${name}=${number(values[name])}${unit}`)
    .join(' ')
}

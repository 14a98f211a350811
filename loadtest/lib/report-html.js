// A run as one page that needs nothing else: no script, no font, no address. Called by `summary.js`.

import { valuesOf } from './report.js'

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const safe = (value) => String(value).replace(/[&<>"]/g, (sign) => ENTITIES[sign])

const table = (title, heads, rows) => {
  if (rows.length === 0) return ''
  const cells = (tag, values) => values.map((value) => `<${tag}>${safe(value)}</${tag}>`).join('')
  const body = rows.map(({ ok, values }) => `<tr${ok ? '' : ' class="bad"'}>${cells('td', values)}</tr>`).join('\n')
  return `<h2>${safe(title)}</h2>\n<table><thead><tr>${cells('th', heads)}</tr></thead>\n<tbody>${body}</tbody></table>`
}

const STYLE = `:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #8884;overflow-wrap:anywhere}
.bad td{color:#c62828;font-weight:600}.verdict{font-size:1.3rem;font-weight:700}`

export function html(run) {
  const title = `Bipe: ${run.scenario}, ${run.profile}`
  const thresholds = run.thresholds.map(({ metric, rule, ok }) => ({
    ok,
    values: [ok ? 'held' : 'broken', metric, rule],
  }))
  const checks = run.checks.map(({ name, passes, fails }) => ({ ok: fails === 0, values: [name, passes, fails] }))
  const metrics = Object.keys(run.metrics)
    .sort()
    .map((name) => ({ ok: true, values: [name, run.metrics[name].type, valuesOf(run.metrics[name])] }))
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${safe(title)}</title>
<style>${STYLE}</style></head><body>
<h1>${safe(title)}</h1>
<p class="verdict">${run.passed ? 'Passed' : 'Failed'}</p>
<p>${safe(run.seconds.toFixed(1))} s, finished ${safe(run.finishedAt)}</p>
${table('Thresholds', ['', 'metric', 'rule'], thresholds)}
${table('Checks', ['check', 'passed', 'failed'], checks)}
${table('Metrics', ['metric', 'kind', 'values'], metrics)}
</body></html>
`
}

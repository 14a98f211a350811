// What a run leaves behind: text on the screen, and JSON, text and HTML under RESULTS. Called by every scenario's
// `handleSummary`. Nothing of `setup` is written: it holds access tokens.

import { PROFILE } from './profiles.js'
import { html } from './report-html.js'
import { text } from './report.js'

export const summaryOf = (scenario) => (data) => {
  const run = {
    scenario,
    profile: PROFILE,
    finishedAt: new Date().toISOString(),
    seconds: data.state.testRunDurationMs / 1_000,
    thresholds: thresholdsOf(data),
    checks: checksOf(data.root_group),
    metrics: data.metrics,
  }
  run.passed = run.thresholds.every(({ ok }) => ok)
  const shown = text(run)
  const place = `${__ENV.RESULTS || 'loadtest/results'}/${scenario}-${PROFILE}`
  return {
    stdout: `\n${shown}\n`,
    [`${place}.json`]: JSON.stringify(run, null, 2),
    [`${place}.txt`]: shown,
    [`${place}.html`]: html(run),
  }
}

function thresholdsOf({ metrics }) {
  const found = []
  for (const [metric, { thresholds = {} }] of Object.entries(metrics)) {
    for (const [rule, { ok }] of Object.entries(thresholds)) found.push({ metric, rule, ok })
  }
  return found.sort((a, b) => a.metric.localeCompare(b.metric))
}

const checksOf = (group) => [
  ...group.checks.map(({ name, passes, fails }) => ({ name, passes, fails })),
  ...group.groups.flatMap(checksOf),
]

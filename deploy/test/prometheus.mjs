// Reads what PromQL asks for and what the list of metrics promises, without a parser of its own for either language.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const read = (path) => readFileSync(`${root}/${path}`, 'utf8')

/** Each rule of the alert rules: its name, and its annotation `runbook`. */
export function rules() {
  const blocks = read('deploy/prometheus/bipe.rules.yml').split('- alert: ').slice(1)
  return blocks.map((block) => ({
    name: block.split('\n', 1)[0],
    runbook: /runbook: (\S+)/.exec(block)?.[1],
  }))
}

/** The queries of a dashboard by the title of their panel, with Grafana's variables filled in. */
export function queries(dashboard) {
  const { panels } = JSON.parse(read(dashboard))
  const all = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })))
  return all.map(({ title, expr }) => ({
    title,
    expr: expr.replaceAll('$__rate_interval', '1m').replaceAll('$__range', '1h'),
  }))
}

/** The rows of docs/metrics.md: type, labels with their words (null for an open one), whether it is always there. */
export function listed() {
  const rows = read('docs/metrics.md').matchAll(/^\| `(bipe_\w+)` \| (\w+) \| [^|]* \| ([^|]*) \| ([^|]*) \|$/gm)
  return new Map(
    [...rows].map(([, name, type, labels, meaning]) => [
      name,
      { type, labels: labelsOf(labels), always: !/ Only [^.]*\.$/.test(meaning) },
    ]),
  )
}

function labelsOf(cell) {
  const parts = cell.split('; ').filter(Boolean)
  return new Map(
    parts.map((part) => {
      const [, label, words] = /^`(\w+)`: (.*)$/.exec(part)
      const isList = /^`[^`]*`(, `[^`]*`)*$/.test(words)
      return [label, isList ? words.split(', ').map((word) => word.slice(1, -1)) : null]
    }),
  )
}

/** What Prometheus adds to every series. */
const TARGET = ['instance', 'job']

/** What is wrong with the metrics of a query: names, labels and words that no node gives. */
export function mistakes(expr, list) {
  const found = []
  for (const [, name, , matchers = ''] of expr.matchAll(/\b(bipe_\w+)(\{([^}]*)\})?/g)) {
    const metric = list.get(name) ?? histogram(name, list)
    if (!metric) {
      found.push(`${name} is not listed`)
      continue
    }
    for (const [, label, operator, text] of matchers.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)) {
      if (TARGET.includes(label)) continue
      if (!metric.labels.has(label)) found.push(`${name} has no label ${label}`)
      const words = metric.labels.get(label)
      const wanted = operator.includes('~') ? text.split('|') : [text]
      const unknown = wanted.filter((word) => words && !words.includes(word))
      found.push(...unknown.map((word) => `${name}: ${label}="${word}"`))
    }
  }
  for (const [, labels] of expr.matchAll(/\bby \(([^)]*)\)/g)) {
    const known = [...expr.matchAll(/\bbipe_\w+/g)].map(([name]) => list.get(name) ?? histogram(name, list))
    for (const label of labels.split(', ')) {
      const isThere = label === 'le' || TARGET.includes(label) || known.every((metric) => metric?.labels.has(label))
      if (!isThere) found.push(`by (${label}): a metric of ${expr} has no such label`)
    }
  }
  return found
}

function histogram(name, list) {
  const metric = list.get(name.replace(/_(bucket|sum|count)$/, ''))
  return metric?.type === 'histogram' ? metric : undefined
}

// Versions and ranges as Cargo, npm and the advisories write them. Pre-releases stand before their release.

function parse(version) {
  const [core, pre] = version.replace(/\+.*$/, '').split(/-(.*)/s)
  const numbers = core.split('.').map(Number)
  if (numbers.some(Number.isNaN)) throw new Error(`no version: ${version}`)
  while (numbers.length < 3) numbers.push(0)
  return { numbers, pre: pre ? pre.split('.') : [] }
}

function comparePre(one, other) {
  if (!one.length || !other.length) return other.length - one.length
  for (let at = 0; at < Math.max(one.length, other.length); at++) {
    const [a, b] = [one[at], other[at]]
    if (a === undefined || b === undefined) return a === undefined ? -1 : 1
    if (a === b) continue
    const [isA, isB] = [/^\d+$/.test(a), /^\d+$/.test(b)]
    if (isA && isB) return Number(a) - Number(b)
    if (isA !== isB) return isA ? -1 : 1
    return a < b ? -1 : 1
  }
  return 0
}

/** Negative, zero or positive, as the first version stands before, at or behind the second. */
export function compare(first, second) {
  const [one, other] = [parse(first), parse(second)]
  const at = one.numbers.findIndex((number, place) => number !== other.numbers[place])
  return at === -1 ? comparePre(one.pre, other.pre) : one.numbers[at] - other.numbers[at]
}

/** The first version that a caret or a tilde leaves out. */
function end(sign, version) {
  const given = version
    .replace(/[-+].*$/, '')
    .split('.')
    .map(Number)
  const fixed = sign === '~' ? Math.min(1, given.length - 1) : given.findIndex((number) => number > 0)
  const place = fixed === -1 ? given.length - 1 : fixed
  return given
    .slice(0, place)
    .concat(given[place] + 1)
    .join('.')
}

function meets(version, condition) {
  const [, sign, bound] = condition.match(/^(\^|~|>=|<=|>|<|=)?\s*v?([0-9].*)$/) ?? []
  if (bound === undefined) throw new Error(`no range: ${condition}`)
  const order = compare(version, bound)
  switch (sign) {
    case '>=':
      return order >= 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '<':
      return order < 0
    case '=':
      return order === 0
    default:
      return order >= 0 && compare(version, end(sign ?? '^', bound)) < 0
  }
}

/** Whether the version meets every condition of one alternative (`>=1.0.0 <1.2.3 || >=2.0.0, <2.0.1`). */
export function isIn(version, range) {
  const alternatives = range.split('||').map((part) => part.trim().replace(/(\^|~|>=|<=|>|<|=)\s+/g, '$1'))
  return alternatives.some(
    (part) =>
      part === '*' ||
      part
        .split(/[\s,]+/)
        .filter(Boolean)
        .every((one) => meets(version, one)),
  )
}

// Mutation tests of the web app; `make mutants` and `make mutants-all` say which files (.ci/mutants.mjs). Stryker is
// installed beside the web app, in .tools/stryker, so that its own packages are none of ours.
const target = '../target/mutants'

export default {
  testRunner: 'vitest',
  vitest: { configFile: 'stryker.vite.config.mjs', related: false },
  plugins: [
    new URL('../.tools/stryker/node_modules/@stryker-mutator/vitest-runner/dist/src/index.js', import.meta.url).href,
  ],
  coverageAnalysis: 'perTest',
  concurrency: 1,
  timeoutMS: 30_000,
  reporters: ['json', 'progress-append-only'],
  jsonReporter: { fileName: `${target}/stryker.json` },
  incremental: true,
  incrementalFile: `${target}/stryker.incremental.json`,
  tempDirName: `${target}/stryker`,
  ignorePatterns: ['dist', 'e2e', 'public', 'screens', 'test-results'],
  // The verdict is .ci/mutants.mjs's.
  thresholds: { high: 100, low: 100, break: null },
}

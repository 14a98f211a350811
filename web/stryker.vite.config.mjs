// The tests that judge mutants (stryker.config.mjs): those beside the files. What they leave behind is put back as in
// vite.config.ts.
export default {
  test: {
    include: ['src/lib/money*.test.ts', 'src/live/{apply,patch}-*.test.ts'],
    environment: 'node',
    setupFiles: ['test/setup.ts'],
    restoreMocks: true,
    unstubGlobals: true,
    testTimeout: 60_000,
  },
}

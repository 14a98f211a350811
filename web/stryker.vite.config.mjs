// The tests that judge mutants (stryker.config.mjs): those beside the files, without what a page needs.
export default {
  test: {
    include: [
      'src/lib/money.test.ts',
      'src/live/apply-event.test.ts',
      'src/live/patch-cache.test.ts',
      'src/live/patch-membership.test.ts',
    ],
    environment: 'node',
    testTimeout: 60_000,
  },
}

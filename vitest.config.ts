import { defineConfig } from 'vitest/config'

const conditions = ['weir-src']
const shared = { resolve: { conditions }, ssr: { resolve: { conditions } } }

/** Drive fleets at a rate, or time what they see: with a neighbour on the processor they would see something else. */
const ALONE = [
  'bench/**/*.e2e.test.ts',
  'examples/**/*.e2e.test.ts',
  'apps/control-plane/src/http/alert-chain.e2e.test.ts',
  'apps/control-plane/src/http/alerts-killed.e2e.test.ts',
  'apps/dashboard/test/three-clicks.e2e.test.ts',
]
const NEVER = ['**/node_modules/**', '**/dist/**']

const endToEnd = {
  globalSetup: ['test/built.ts', 'apps/control-plane/src/testing/server.ts'],
  testTimeout: 60_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000 } },
}

/** `unit` needs nothing but Node; `e2e` and then `alone` start real services (PostgreSQL, the control plane, Chromium), the first two files at a time. */
export default defineConfig({
  test: {
    projects: [
      {
        ...shared,
        test: {
          name: 'unit',
          include: ['{libs,apps,examples,tools,test,bench}/**/*.test.ts'],
          exclude: ['**/*.e2e.test.ts', ...NEVER],
          testTimeout: 30_000,
          expect: { poll: { timeout: 20_000 } },
          pool: 'threads',
          isolate: false,
        },
      },
      {
        ...shared,
        test: {
          ...endToEnd,
          name: 'e2e',
          include: ['**/*.e2e.test.ts'],
          exclude: [...ALONE, ...NEVER],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        ...shared,
        test: {
          ...endToEnd,
          name: 'alone',
          include: ALONE,
          exclude: NEVER,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})

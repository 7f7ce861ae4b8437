import { defineConfig } from 'vitest/config'

const conditions = ['weir-src']
const shared = { resolve: { conditions }, ssr: { resolve: { conditions } } }

/** `unit` needs nothing but Node; `e2e` starts real services (PostgreSQL, the control plane, Chromium). */
export default defineConfig({
  test: {
    projects: [
      {
        ...shared,
        test: {
          name: 'unit',
          include: ['{libs,apps,examples,tools,test,bench}/**/*.test.ts'],
          exclude: ['**/*.e2e.test.ts', '**/node_modules/**', '**/dist/**'],
          testTimeout: 30_000,
          expect: { poll: { timeout: 20_000 } },
          pool: 'threads',
          isolate: false,
        },
      },
      {
        ...shared,
        test: {
          name: 'e2e',
          globalSetup: ['apps/control-plane/src/testing/server.ts'],
          include: ['**/*.e2e.test.ts'],
          exclude: ['**/node_modules/**', '**/dist/**'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 30_000 } },
          fileParallelism: false,
        },
      },
    ],
  },
})

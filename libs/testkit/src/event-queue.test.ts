import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Due, EventQueue } from './event-queue.ts'

const command = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), atMs: fc.nat(9) }),
  fc.record({ kind: fc.constant('take' as const) }),
  fc.record({ kind: fc.constant('remove' as const), which: fc.nat(60) }),
)

it('is a list that is kept sorted, those of one moment in the order they came in', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 200 }), (commands) => {
      const queue = new EventQueue<number>()
      const all: Due<number>[] = []
      let waiting: Due<number>[] = []
      for (const each of commands) {
        if (each.kind === 'put') {
          const due = queue.put(each.atMs, all.length)
          all.push(due)
          waiting.push(due)
          // Stable.
          waiting.sort((a, b) => a.atMs - b.atMs)
        } else if (each.kind === 'take') {
          expect(queue.take()).toBe(waiting.shift())
        } else {
          const due = all[each.which]
          if (due) queue.remove(due)
          waiting = waiting.filter((one) => one !== due)
        }
        expect([queue.size, queue.nextMs]).toEqual([waiting.length, waiting[0]?.atMs ?? Number.POSITIVE_INFINITY])
      }
      while (queue.size > 0) expect(queue.take()).toBe(waiting.shift())
      expect(waiting).toEqual([])
    }),
  )
})

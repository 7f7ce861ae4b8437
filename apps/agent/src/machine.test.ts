import { describe, expect, it } from 'vitest'
import { nodeMachine, quotaCores } from './machine.ts'

const files = (content: Record<string, string>) => (path: string) => content[path] ?? null

describe('what a container may use', () => {
  it('B-61 is the quota, not the cores of the host', () => {
    expect(quotaCores(files({ '/sys/fs/cgroup/cpu.max': '200000 100000\n' }))).toBe(2)
    expect(quotaCores(files({ '/sys/fs/cgroup/cpu.max': '50000 100000\n' }))).toBe(0.5)
  })

  it('B-61 is unknown without a quota, without cgroups and with nonsense in the file', () => {
    expect(quotaCores(files({}))).toBeNaN()
    for (const text of ['max 100000', '', 'abc', '0 100000', '-1 100000', '100000', '100000 0'])
      expect(quotaCores(files({ '/sys/fs/cgroup/cpu.max': text }))).toBeNaN()
  })

  it('is the smallest quota of the group of the process and those above it', () => {
    const read = files({
      '/proc/self/cgroup': '0::/kube/pod7/app\n',
      '/sys/fs/cgroup/kube/pod7/app/cpu.max': 'max 100000',
      '/sys/fs/cgroup/kube/pod7/cpu.max': '300000 100000',
      '/sys/fs/cgroup/kube/cpu.max': '150000 100000',
      '/sys/fs/cgroup/cpu.max': '400000 100000',
    })
    expect(quotaCores(read)).toBe(1.5)
  })

  it('reads only below the root of the groups', () => {
    const paths: string[] = []
    quotaCores((path) => {
      paths.push(path)
      return path === '/proc/self/cgroup' ? '0::/../../etc/app\n' : null
    })
    expect(paths.slice(1)).toEqual([
      '/sys/fs/cgroup/etc/app/cpu.max',
      '/sys/fs/cgroup/etc/cpu.max',
      '/sys/fs/cgroup/cpu.max',
    ])
  })

  it('never crashes on this machine', () => {
    const machine = nodeMachine()
    expect(machine.heapShare()).toBeGreaterThan(0)
    expect(machine.heapShare()).toBeLessThan(1)
    expect(machine.cores()).not.toBe(0)
  })
})

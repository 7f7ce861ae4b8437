import type { PolicyIdentity } from '@weir/policy/model'
import type { Hello } from '@weir/wire'

/** What the agent of a number says first. */
export const helloOf = (n: number, applied: PolicyIdentity | null): Hello => ({
  type: 'hello',
  instance: `agent-${n}`,
  boot: `agent-${n}-boot`,
  zone: null,
  host: 'bench',
  pid: n,
  agentVersion: '0.1.0',
  modeOverride: null,
  applied,
  source: applied === null ? 'built-in' : 'stream',
})

/** A service that is a pool of connections: `workMs` each, and no more at once than there are. */
import { seededRandom } from '@weir/testkit'
import type { ServiceSettings } from './messages.ts'
import { Resource } from './resource.ts'
import { agentOf, serve, settingsOf, untilOf } from './service.ts'

export interface BackendSettings extends ServiceSettings {
  readonly connections: number
  readonly workMs: number
  readonly seed: number
}

const settings = settingsOf<BackendSettings>()
const resource = new Resource(settings.connections, settings.workMs)
const random = seededRandom(settings.seed)
let failing = 0

serve({
  weir: await agentOf(settings),
  gate: () => 'work',
  resource,
  change: (change) => {
    resource.workMs = change.workMs ?? resource.workMs
    failing = change.failing ?? failing
  },
  handler: async (request, response) => {
    await resource.use(untilOf(request))
    response.writeHead(random() < failing ? 500 : 200).end('{"done":true}')
  },
})

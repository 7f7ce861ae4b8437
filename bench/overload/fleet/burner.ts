/** A service whose scarce resource is its processor: every piece of work burns `workMs` of it. */
import type { ServiceSettings } from './messages.ts'
import { Resource } from './resource.ts'
import { agentOf, serve, settingsOf, untilOf } from './service.ts'

export interface BurnerSettings extends ServiceSettings {
  readonly workMs: number
}

const settings = settingsOf<BurnerSettings>()
const resource = new Resource(1, settings.workMs)

const burn = (ms: number): void => {
  const { user, system } = process.threadCpuUsage()
  const end = user + system + ms * 1_000
  const used = () => {
    const now = process.threadCpuUsage()
    return now.user + now.system
  }
  while (used() < end);
}

serve({
  weir: await agentOf(settings),
  gate: () => 'checkout',
  resource,
  handler: (request, response) => {
    resource.begins(untilOf(request))
    burn(settings.workMs)
    response.writeHead(200).end('{"done":true}')
  },
})

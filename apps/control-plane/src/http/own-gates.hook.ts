import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Admission, OwnGate, OwnGates } from '../features/self/own-gates.ts'
import { ProblemError } from './problem.ts'

type Admitted = Extract<Admission, { admitted: true }>

/** OTLP has an admission of its own, once its key is known; health, metrics and the dashboard's files pass every gate by. */
const gateOf = ({ method, routeOptions }: FastifyRequest): OwnGate | null => {
  const route = routeOptions.url ?? ''
  if (route.startsWith('/api/v1/agent/')) return 'push'
  if (!route.startsWith('/api/')) return null
  return method === 'GET' || method === 'HEAD' ? 'queries' : 'changes'
}

/** Ends admitted work with its answer; of one whose sender leaves before, at once. */
export const endWith = (request: FastifyRequest, admitted: Admitted, answer: { readonly statusCode: number }): void => {
  const { socket } = request.raw
  const ended = () => {
    socket.off('close', gone)
    admitted.end(answer.statusCode >= 500 ? 'failed' : 'done')
  }
  const gone = () => admitted.end('gone')
  socket.once('close', gone)
  ENDS.set(request, ended)
}
const ENDS = new WeakMap<FastifyRequest, () => void>()

/** Lets every request of REST through a gate of the control plane's own. */
export const ownGatesHook = (fastify: FastifyInstance, gates: OwnGates): void => {
  fastify.addHook('onRequest', async (request, reply) => {
    const gate = gateOf(request)
    if (gate === null) return
    const admission = await gates.enter(gate, { route: request.routeOptions.url ?? '' })
    if (admission.admitted) endWith(request, admission, reply)
    else
      throw new ProblemError(
        { code: admission.status === 429 ? 'too-many-requests' : 'unavailable', detail: `${admission.title}.` },
        { 'retry-after': String(Math.ceil(admission.retryAfterMs / 1_000)) },
      )
  })
  fastify.addHook('onResponse', async (request) => ENDS.get(request)?.())
}

import { RequestMethod, type Type } from '@nestjs/common'
import { HTTP_CODE_METADATA, METHOD_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants'
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum'
import { problemSchema, type Role } from '@weir/api'
import { z } from 'zod'
import { ANSWERS, type AnswerDescription } from './answer.ts'
import { WANTS_PRECONDITION } from './preconditions.ts'
import { REQUIRES } from './requires.ts'

type Json = Record<string, unknown>

/**
 * OpenAPI 3.1 of every route that says what it `@Answers`. It is read from the very metadata that routes, validates and
 * guards, so it cannot say anything else than the code does.
 */
export const openapi = (controllers: readonly Type[]): Json => {
  const paths: Record<string, Json> = {}
  for (const controller of controllers) {
    for (const { path, method, operation } of operationsOf(controller))
      paths[path] = { ...paths[path], [method]: operation }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Weir control plane', version: 'v1', license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'weir-<installation>.session_token',
          description: 'An operator’s session.',
        },
        token: { type: 'http', scheme: 'bearer', description: 'An API token.' },
      },
      responses: {
        Problem: {
          description: 'What went wrong (RFC 9457)',
          content: { 'application/problem+json': { schema: jsonSchema(problemSchema, 'output') } },
        },
      },
    },
  }
}

interface Operation {
  readonly path: string
  readonly method: string
  readonly operation: Json
}

const operationsOf = (controller: Type): Operation[] =>
  Object.getOwnPropertyNames(controller.prototype).flatMap((name) => {
    const handler: unknown = controller.prototype[name]
    if (typeof handler !== 'function') return []
    const answers: AnswerDescription | undefined = Reflect.getMetadata(ANSWERS, handler)
    if (answers === undefined) return []
    const verb: RequestMethod = Reflect.getMetadata(METHOD_METADATA, handler) ?? RequestMethod.GET
    const role: Role | 'public' | undefined =
      Reflect.getMetadata(REQUIRES, handler) ?? Reflect.getMetadata(REQUIRES, controller)
    const path = [controller, handler].map((part) => String(Reflect.getMetadata(PATH_METADATA, part) ?? '')).join('/')
    const method = RequestMethod[verb]?.toLowerCase() ?? 'get'
    const operation = describe(controller, name, answers, role, statusOf(handler, verb))
    return [{ path: pathOf(path), method, operation }]
  })

const statusOf = (handler: object, verb: RequestMethod): number =>
  Reflect.getMetadata(HTTP_CODE_METADATA, handler) ?? (verb === RequestMethod.POST ? 201 : 200)

/** `/a/:b//` becomes `/a/{b}`. */
const pathOf = (path: string): string =>
  `/${path
    .split('/')
    .filter((part) => part !== '')
    .map((part) => (part.startsWith(':') ? `{${part.slice(1)}}` : part))
    .join('/')}`

const describe = (
  controller: Type,
  name: string,
  { summary, schema, etag }: AnswerDescription,
  role: Role | 'public' | undefined,
  status: number,
): Json => {
  const { body, parameters } = inputsOf(controller, name)
  if (Reflect.getMetadata(WANTS_PRECONDITION, controller, name) === true)
    parameters.push(
      header('If-Match', 'The ETag of what was seen; without it (or If-None-Match) the answer is 428.'),
      header('If-None-Match', '`*`: only if there is nothing yet.'),
    )
  const open = role === 'public' || role === undefined
  return {
    operationId: `${controller.name.replace(/Controller$/, '').toLowerCase()}.${name}`,
    summary,
    ...(open
      ? { security: [] }
      : { description: `Needs the role ${role}.`, security: [{ session: [] }, { token: [] }] }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === null ? {} : { requestBody: { required: true, content: json(jsonSchema(body, 'input')) } }),
    responses: {
      [status]: {
        description: summary,
        ...(etag === true ? { headers: { ETag: { schema: { type: 'string' } } } } : {}),
        ...(schema === null ? {} : { content: json(jsonSchema(schema, 'output')) }),
      },
      default: { $ref: '#/components/responses/Problem' },
    },
  }
}

interface Argument {
  readonly data?: unknown
  readonly schema?: z.ZodType
}

const inputsOf = (controller: Type, name: string): { body: z.ZodType | null; parameters: Json[] } => {
  const found: Record<string, Argument> = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}
  let body: z.ZodType | null = null
  const parameters: Json[] = []
  for (const [key, { data, schema }] of Object.entries(found)) {
    const kind = Number(key.split(':')[0])
    if (schema === undefined) continue
    if (kind === RouteParamtypes.BODY) body = schema
    if (kind === RouteParamtypes.PARAM)
      parameters.push({ name: String(data), in: 'path', required: true, schema: jsonSchema(schema, 'input') })
    if (kind === RouteParamtypes.QUERY) parameters.push(...queryOf(schema))
  }
  return { body, parameters: parameters.sort((a, b) => (String(a.in) < String(b.in) ? -1 : 1)) }
}

const queryOf = (schema: z.ZodType): Json[] => {
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: property,
  }))
}

const header = (name: string, description: string): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
})

const json = (schema: Json): Json => ({ 'application/json': { schema } })

const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' })
  return rest
}

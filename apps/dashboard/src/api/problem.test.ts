import { describe, expect, it } from 'vitest'
import { ApiProblem, asProblem, problemOf } from './problem.ts'

describe('problems of the API', () => {
  it('are kept as the server said them, with one sentence a field', () => {
    const body = {
      type: 'about:blank',
      title: 'The input has problems',
      code: 'invalid',
      errors: [
        { path: 'gates.a.queue', message: 'first' },
        { path: 'gates.a.queue', message: 'second' },
      ],
    }
    const problem = new ApiProblem(problemOf(400, body))
    expect(problem.status).toBe(400)
    expect(problem.fields()).toEqual({ 'gates.a.queue': 'first' })
  })

  it('have a title also where the answer had none', () => {
    expect(problemOf(403, null)).toMatchObject({ title: 'Your role does not allow this', status: 403 })
    expect(problemOf(401, { code: 'INVALID', message: 'Invalid email or password' }).detail).toBe(
      'Invalid email or password',
    )
    expect(problemOf(502, '<html>').title).toBe('The control plane answered 502')
  })

  it('cover our own failures too', () => {
    expect(asProblem(new Error('boom')).message).toBe('boom')
    const missing = new TypeError('Failed to fetch dynamically imported module: http://x/assets/a.js')
    expect(asProblem(missing).problem.title).toBe('This page could not be loaded')
  })
})

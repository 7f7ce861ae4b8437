import { expect, test } from 'vitest'
import { boundedPasswords, PASSWORDS_AT_ONCE } from './passwords.ts'

test('passwords above the bound are refused at once, and the places come back, also after a failure', async () => {
  const ends: (() => void)[] = []
  const held = () => new Promise<string>((resolve) => ends.push(() => resolve('hash')))
  const passwords = boundedPasswords({ hash: held, verify: () => Promise.reject(new Error('broken')) })
  await expect(passwords.verify({ hash: '', password: '' })).rejects.toThrow('broken')
  const running = Array.from({ length: PASSWORDS_AT_ONCE }, () => passwords.hash('x'))
  await expect(passwords.hash('x')).rejects.toMatchObject({ status: 'SERVICE_UNAVAILABLE' })
  for (const end of ends.splice(0)) end()
  await Promise.all(running)
  const next = passwords.hash('x')
  for (const end of ends) end()
  expect(await next).toBe('hash')
})

test('what was hashed is verified, and nothing else', async () => {
  const passwords = boundedPasswords()
  const hash = await passwords.hash('correct horse battery')
  expect(hash).not.toContain('correct')
  expect(await passwords.verify({ hash, password: 'correct horse battery' })).toBe(true)
  expect(await passwords.verify({ hash, password: 'correct horse batterx' })).toBe(false)
})

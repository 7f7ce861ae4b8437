import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { statusQuery } from '../../api/queries.ts'
import { signIn } from '../../api/session.ts'
import { Failure } from '../../ui/states.tsx'
import classes from './door.module.css'
import { Door } from './door.tsx'

export const SignIn = () => {
  const status = useQuery(statusQuery)
  const { to } = useSearch({ from: '/sign-in' })
  const router = useRouter()
  const client = useQueryClient()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const enter = useMutation({
    mutationFn: () => signIn(email.trim(), password),
    onSuccess: async () => {
      client.clear()
      router.history.push(to ?? '/')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    enter.mutate()
  }
  return (
    <Door title="Sign in">
      {status.data?.needsSetup === true && (
        <p className={classes.lead}>
          There is no operator yet. Open the set-up link that the control plane printed when it started.
        </p>
      )}
      <form onSubmit={submit}>
        <Stack gap="md" mt="md">
          {enter.error !== null && <Failure error={enter.error} />}
          <TextInput
            label="Email"
            type="email"
            name="email"
            autoComplete="username"
            required
            withAsterisk={false}
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <PasswordInput
            label="Password"
            name="password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <Button type="submit" loading={enter.isPending}>
            Sign in
          </Button>
        </Stack>
      </form>
    </Door>
  )
}

import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { signIn } from '../../api/session.ts'
import { Failure } from '../../ui/states.tsx'

export const PasswordForm = ({ onSignedIn }: { onSignedIn: () => void }) => {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const enter = useMutation({ mutationFn: () => signIn(email.trim(), password), onSuccess: onSignedIn })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    enter.mutate()
  }
  return (
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
  )
}

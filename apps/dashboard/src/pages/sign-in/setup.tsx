import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useRouter } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { call } from '../../api/client.ts'
import { asProblem } from '../../api/problem.ts'
import { signIn } from '../../api/session.ts'
import { Failure } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import classes from './door.module.css'
import { Door } from './door.tsx'

/** The fragment never reaches a server or its logs; once read it leaves the address bar, too. */
const takeToken = (): string => decodeURIComponent(location.hash.slice(1))

export const Setup = () => {
  const [token] = useState(takeToken)
  useEffect(() => {
    if (location.hash !== '') history.replaceState(history.state, '', location.pathname)
  }, [])
  return (
    <Door title="Set up Weir">
      {token === '' ? (
        <>
          <p className={classes.lead}>
            This page needs the one-time link that the control plane printed when it started. Open that link, or restart
            the control plane to get a new one.
          </p>
          <Link to="/sign-in" className={ui.link}>
            Go to the sign-in page
          </Link>
        </>
      ) : (
        <>
          <p className={classes.lead}>You are the first operator and become an admin.</p>
          <SetupForm token={token} />
        </>
      )}
    </Door>
  )
}

const SetupForm = ({ token }: { token: string }) => {
  const router = useRouter()
  const client = useQueryClient()
  const [values, setValues] = useState({ name: '', email: '', password: '' })
  const enter = useMutation({
    mutationFn: async () => {
      await call('/api/v1/setup', { method: 'POST', body: { ...values, token } })
      await signIn(values.email, values.password)
    },
    onSuccess: () => {
      client.clear()
      router.history.push('/')
    },
  })
  const fields = enter.error === null ? {} : asProblem(enter.error).fields()
  const field = (name: keyof typeof values, label: string) => ({
    label,
    name,
    required: true,
    withAsterisk: false,
    value: values[name],
    error: fields[name],
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget
      setValues((before) => ({ ...before, [name]: value }))
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    enter.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {enter.error !== null && <Failure error={enter.error} />}
        <TextInput {...field('name', 'Your name')} autoComplete="name" />
        <TextInput {...field('email', 'Email')} type="email" autoComplete="username" />
        <PasswordInput
          {...field('password', 'Password')}
          description="At least 12 characters."
          minLength={12}
          autoComplete="new-password"
        />
        <Button type="submit" loading={enter.isPending}>
          Create the first operator
        </Button>
      </Stack>
    </form>
  )
}

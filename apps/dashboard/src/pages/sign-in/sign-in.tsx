import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation, useRouter, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { statusQuery } from '../../api/queries.ts'
import { signInByLink } from '../../api/session.ts'
import { Failure } from '../../ui/states.tsx'
import classes from './door.module.css'
import { Door } from './door.tsx'
import { PasswordForm } from './password-form.tsx'

/** A one-time link's token. Taken once: it leaves the address bar and the history before it is used up. */
const takeToken = (): string => {
  const token = location.hash.slice(1)
  if (token !== '') history.replaceState(history.state, '', location.pathname + location.search)
  return token
}

export const SignIn = () => {
  const status = useQuery(statusQuery)
  const { to } = useSearch({ from: '/sign-in' })
  const hash = useLocation({ select: (at) => at.hash })
  const router = useRouter()
  const client = useQueryClient()
  const enter = () => {
    client.clear()
    router.history.replace(to ?? '/')
  }
  const { mutate, ...link } = useMutation({ mutationFn: signInByLink, onSuccess: enter })
  // A link that is opened where this page is open already changes the fragment only.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a changed fragment is what it waits for
  useEffect(() => {
    const token = takeToken()
    if (token !== '') mutate(token)
  }, [hash, mutate])
  if (hash !== '' || link.isPending || link.isSuccess)
    return (
      <Door title="Sign in">
        <p className={classes.lead} role="status">
          Signing you in by your link …
        </p>
      </Door>
    )
  return (
    <Door title="Sign in">
      {link.error !== null && <Failure error={link.error} />}
      {status.data?.needsSetup === true && (
        <p className={classes.lead}>
          There is no operator yet. Open the set-up link that the control plane printed when it started.
        </p>
      )}
      <PasswordForm onSignedIn={enter} />
    </Door>
  )
}

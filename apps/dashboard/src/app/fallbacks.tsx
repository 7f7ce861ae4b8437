import { Anchor, Container } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { Empty, Failure } from '../ui/states.tsx'
import ui from '../ui/ui.module.css'

export const NotFound = () => (
  <Container size="sm" py="xl">
    <Empty
      title="There is no such page"
      action={
        <Link to="/" className={ui.link}>
          Go to the overview
        </Link>
      }
    >
      <p>The address may be mistyped, or what it named was removed.</p>
    </Empty>
  </Container>
)

/** A page that could not be shown at all: the reason, and another try. */
export const PageFailure = ({ error, reset }: ErrorComponentProps) => {
  const router = useRouter()
  const client = useQueryClient()
  const retry = () => {
    reset()
    void client.resetQueries({ predicate: (query) => query.state.status === 'error' })
    void router.invalidate()
  }
  return (
    <Container size="sm" py="xl">
      <Failure error={error} retry={retry} />
      <Anchor href="/" mt="md" display="inline-block">
        Go to the overview
      </Anchor>
    </Container>
  )
}

import { Modal } from '@mantine/core'
import { IconCircleCheck, IconHourglass, IconShieldHalf } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { LeasedQuota, LeaseShare } from '@weir/api'
import { leaseSharesQuery } from '../../api/queries.ts'
import { count, plural } from '../../format/numbers.ts'
import { State } from '../../ui/state.tsx'
import { Ready } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import { units } from './units.ts'

interface SharesModalProps {
  readonly environment: string
  readonly service: string
  /** `null`: closed. */
  readonly quota: LeasedQuota | null
  readonly onClose: () => void
}

/** Each agent's part of one quota, and who is on fallback. */
export const SharesModal = ({ environment, service, quota, onClose }: SharesModalProps) => (
  <Modal
    opened={quota !== null}
    onClose={onClose}
    size="xl"
    title={quota === null ? '' : `${quota.tenant} on ${quota.resource}, ${quota.kind}: parts by agent`}
  >
    {quota !== null && <Shares environment={environment} service={service} quota={quota} />}
  </Modal>
)

const Shares = ({ environment, service, quota }: { environment: string; service: string; quota: LeasedQuota }) => {
  const query = useQuery(leaseSharesQuery(environment, service, quota))
  const of = (value: number) => units(quota.kind, value)
  return (
    <Ready query={query}>
      {({ items, cut }) => (
        <>
          <p className={ui.hint} aria-live="polite">
            {cut
              ? `The first ${count(items.length)} of ${plural(quota.agents, 'agent')}`
              : plural(items.length, 'agent')}
          </p>
          <section className={ui.scroll} aria-label="Parts by agent">
            <table className={ui.table}>
              <thead>
                <tr>
                  <th scope="col">Agent</th>
                  <th scope="col">State</th>
                  <th scope="col" className={ui.number}>
                    May use
                  </th>
                  <th scope="col" className={ui.number}>
                    Wants
                  </th>
                  <th scope="col" className={ui.number}>
                    Uses
                  </th>
                  <th scope="col" className={ui.number}>
                    Safe
                  </th>
                </tr>
              </thead>
              <tbody>
                {items.map(({ instance, stage, usable, wanted, used, safe }) => (
                  <tr key={instance}>
                    <td>{instance}</td>
                    <td>
                      <Stage stage={stage} />
                    </td>
                    <td className={ui.number}>{of(usable)}</td>
                    <td className={ui.number}>{of(wanted)}</td>
                    <td className={ui.number}>{of(used)}</td>
                    <td className={ui.number}>{of(safe)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        </>
      )}
    </Ready>
  )
}

const Stage = ({ stage }: { stage: LeaseShare['stage'] }) => {
  if (stage === 'leased')
    return (
      <State tone="good" icon={<IconCircleCheck size={14} />}>
        leased
      </State>
    )
  if (stage === 'waiting')
    return (
      <State
        tone="warn"
        icon={<IconHourglass size={14} />}
        title="Its lease has ended; it waits until the others' have."
      >
        on fallback, waiting
      </State>
    )
  return (
    <State tone="warn" icon={<IconShieldHalf size={14} />} title="Nobody has answered it for a while.">
      on fallback, safe
    </State>
  )
}
